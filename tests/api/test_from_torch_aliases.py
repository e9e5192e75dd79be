"""Random forward() of views and calls in place, beside PyTorch: from_torch gives PyTorch's values or refuses the program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

import aieloom
from aieloom.errors import SpecError
from tests.heavy import Module, later, nn, torch

SHAPE = (2, 4, 4, 4)
Step = Callable[["torch.Tensor"], "torch.Tensor"]
VIEWS: dict[str, Step] = {
    "view": lambda y: y.view(y.shape),
    "flat": lambda y: y.view(y.shape[0], -1).view(y.shape),
    "reshape": lambda y: y.reshape(y.shape),
    "detach": lambda y: y.detach(),
    "contiguous": lambda y: y.contiguous(),
    "dropout": lambda y: nn.functional.dropout(y, 0.5, training=False),
    "squeezed": lambda y: y.unsqueeze(1).squeeze(1),
    "turned": lambda y: y.transpose(2, 3).transpose(2, 3),
    "front": lambda y: y[:, :2],
    "first": lambda y: y.chunk(2, 1)[0],
}
NEW: dict[str, Step] = {
    "clone": lambda y: y.clone(),
    "halved": lambda y: y * 0.5,
    "sigmoid": later("torch", "sigmoid"),
}
IN_PLACE: dict[str, Step] = {
    "relu_": lambda y: y.relu_(),
    "mul_": lambda y: y.mul_(0.5),
    "add_": lambda y: y.add_(1),
    "clamp_": lambda y: y.clamp_(-0.3, 0.3),
    "zero_": lambda y: y.zero_(),
    "fill": lambda y: y.fill_(0.25),
    "silu": lambda y: nn.functional.silu(y, inplace=True),
}
STEPS = {**VIEWS, **NEW, **IN_PLACE}


class Program(Module):
    """A convolution, and steps (operator, which tensor it reads, whether the result is kept as a new tensor)."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(4, 4, 3, padding=1)
        random = np.random.default_rng(seed)
        kinds = [[*VIEWS], [*NEW], [*IN_PLACE]]
        self.steps = []
        for _ in range(int(random.integers(2, 6))):
            kind = kinds[int(random.choice(3, p=(0.4, 0.15, 0.45)))]
            self.steps.append(
                (str(random.choice(kind)), int(random.integers(9)), bool(random.random() < 0.6))
            )
        self.last = [int(random.integers(9)) for _ in range(int(random.integers(1, 3)))]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        made = [self.conv(x)]
        for name, place, kept in self.steps:
            y = STEPS[name](made[place % len(made)])
            if kept:
                made.append(y)
        found = [made[place % len(made)] for place in self.last]
        whole = [f for f in found if f.shape == x.shape] or [made[0]]
        return torch.sigmoid(sum(whole[1:], whole[0]))


def outcomes(seeds: range) -> Counter[str]:
    found: Counter[str] = Counter()
    x = torch.from_numpy(np.random.default_rng(0).normal(0, 1, SHAPE).astype(np.float32))
    for seed in seeds:
        torch.manual_seed(seed)
        module = Program(seed).eval()
        with torch.no_grad():
            wanted = module(x.clone()).numpy()
        try:
            got = np.asarray(aieloom.from_torch(module, x).torch(x.numpy())).reshape(wanted.shape)
        except SpecError as e:
            found["writes" if "which is read afterwards" in str(e) else "refused"] += 1
            continue
        assert np.abs(got - wanted).max() < 1e-5, (seed, module.steps, module.last)
        found["equal"] += 1
    return found


def test_views_and_calls_in_place_are_pytorchs_or_refused() -> None:
    found = outcomes(range(20))
    assert found["equal"] >= 3 and found["writes"] >= 3, found


@pytest.mark.slow
def test_two_hundred_programs() -> None:
    found = outcomes(range(200))
    print(found)
    assert found["equal"] >= 60 and found["writes"] >= 20, found


f = later("torch.nn.functional")
ARGUMENTS: dict[str, tuple[Step, str]] = {
    "dropout": (lambda y: f.dropout(y, 0.5, training=True), "drops values at random"),
    "softplus": (lambda y: f.softplus(y, threshold=0.1), "its argument threshold = 0.1"),
    "div": (lambda y: torch.div(y, 0.3, rounding_mode="floor"), "its argument rounding_mode = floor"),
    "enlarged": (lambda y: f.interpolate(y, scale_factor=2.3), r"enlarges by \[2.3, 2.3\]"),
    "view of a type": (lambda y: y.view(torch.int32).float(), "view.dtype"),
    "softmax in double": (
        lambda y: torch.softmax(y, 1, dtype=torch.float64).float(),
        "its argument dtype",
    ),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_an_argument_that_is_not_looked_at_is_refused_by_name(name: str) -> None:
    step, words = ARGUMENTS[name]

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Conv2d(4, 4, 1)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return step(self.conv(x))

    with pytest.raises(SpecError, match=words):
        aieloom.from_torch(Net(), torch.zeros(SHAPE)).torch(np.zeros(SHAPE, np.float32))
