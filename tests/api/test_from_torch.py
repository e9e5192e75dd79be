"""PyTorch modules become designs: each operator against the module itself, refusals with their place, the journey in few lines."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aieloom
from aieloom.errors import SpecError
from aieloom.flow.opening import open_project
from aieloom.network.readers.torch_module import read_module
from aieloom.plan.types import array_of
from tests.api.modules import Of, as_layers
from tests.heavy import Module, later, nn, torch

f = later("torch.nn.functional")


FUNCTIONS: dict[str, Any] = {
    "residual": lambda y: torch.relu(y) + y * 0.5 - 1,
    "inplace": lambda y: f.relu(y.mul(2), inplace=True),
    "arithmetic": lambda y: (1 - y) * y / 3 + 2 / (y.abs() + 1),
    "difference": lambda y: torch.tanh(y) - torch.sigmoid(y),
    "cat": lambda y: torch.cat([y, f.silu(y)], dim=1),
    "pools": lambda y: f.avg_pool2d(f.max_pool2d(y, 2, ceil_mode=True), 3, stride=2, padding=1, count_include_pad=False),
    "adaptive": lambda y: f.adaptive_avg_pool2d(f.adaptive_max_pool2d(y, (7, 3)), 1).flatten(1),
    "clamps": lambda y: f.relu6(y).clamp(min=0.25) + f.hardtanh(y),
    "leaky": lambda y: f.leaky_relu(f.elu(y), 0.2),
    "gelu": lambda y: f.gelu(y) + f.gelu(y, approximate="tanh"),
    "hard": lambda y: f.hardswish(y) + f.hardsigmoid(y) + f.mish(y) + f.softplus(y),
    "powers": lambda y: y**2 + torch.sqrt(y.abs()) + torch.exp(-y),
    "shapes": lambda y: y.view(y.size(0), -1).unflatten(1, (4, 63, 1)).permute(0, 1, 3, 2).flatten(1),
    "shuffle": lambda y: f.pixel_shuffle(y, 2),
    "upsample": lambda y: f.interpolate(f.pad(y, (1, 2, 0, 3), value=0.5), scale_factor=2),
    "permuted": lambda y: y.permute(0, 2, 3, 1).transpose(1, 3),
    "means": lambda y: y.mean((2, 3)),
    "softmax": lambda y: torch.softmax(y.mean(dim=(2, 3), keepdim=True), 1),
}  # fmt: skip


def check(module: Any, x: Any) -> None:
    found, wanted = as_layers(module, x)
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_operator_computes_what_the_module_does(name: str) -> None:
    torch.manual_seed(5)
    check(Of(FUNCTIONS[name]), torch.rand(3, 2, 7, 9) * 4 - 2)


def test_a_constant_of_each_channel_is_taken() -> None:
    torch.manual_seed(5)
    numbers = torch.tensor([0.5, -2.0, 3.0, 1.0]).reshape(1, 4, 1, 1)
    module = Of(lambda y: (numbers - (y * numbers + numbers) / numbers) * 2 - numbers)
    check(module, torch.rand(3, 2, 7, 9) * 4 - 2)


MODULES: dict[str, tuple[Any, tuple[int, ...]]] = {
    "mlp": (lambda: nn.Sequential(nn.Linear(5, 7), nn.BatchNorm1d(7), nn.PReLU(), nn.Linear(7, 3), nn.LogSoftmax(-1)), (5,)),
    "preactivated": (
        lambda: nn.Sequential(nn.BatchNorm2d(3), nn.ReLU(), nn.Conv2d(3, 4, 3), nn.Tanh(), nn.BatchNorm2d(4), nn.Flatten(), nn.BatchNorm1d(36)),
        (3, 5, 5),
    ),
    "dilated": (lambda: nn.Conv2d(2, 4, (3, 2), dilation=(2, 3), padding="same", groups=2), (2, 9, 8)),
    "transposed": (
        lambda: nn.Sequential(
            nn.ConvTranspose2d(4, 6, 2, stride=2),
            nn.PReLU(6, init=-0.5),
            nn.ConvTranspose2d(6, 4, 4, stride=2, padding=1, groups=2, bias=False),
            nn.ConvTranspose2d(4, 2, 3, stride=2, padding=1, output_padding=1, dilation=1),
            nn.LogSoftmax(1),
        ),
        (4, 3, 4),
    ),
    "norms": (lambda: nn.Sequential(nn.Conv2d(2, 4, 3, padding="same"), nn.BatchNorm2d(4, affine=False), nn.ReLU6()), (2, 5, 5)),
    "even_same": (lambda: nn.Conv2d(2, 4, (2, 4), padding="same"), (2, 6, 6)),
    "depthwise": (lambda: nn.Sequential(nn.Conv2d(4, 4, 3, stride=2, groups=4, bias=False), nn.Tanh()), (4, 8, 8)),
    "rows": (lambda: nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.Linear(8, 4), nn.Softmax(-1)), (3, 6)),
    "norms_of_rows": (lambda: nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.SiLU(), nn.Linear(8, 4, bias=False)), (5, 6)),
    "layer_norm": (lambda: nn.Sequential(nn.Flatten(), nn.Linear(18, 8), nn.LayerNorm(8)), (2, 3, 3)),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:Using padding='same'")
@pytest.mark.parametrize("name", MODULES)
def test_modules_compute_what_they_do(name: str) -> None:
    torch.manual_seed(6)
    make, shape = MODULES[name]
    module = make()
    for buffer in ("running_mean", "running_var"):
        for m in module.modules():
            if hasattr(m, buffer):
                getattr(m, buffer).uniform_(0.5, 2)
    check(module, torch.rand(3, *shape) * 2 - 1)


def test_a_call_is_one_layer_where_there_is_one_that_computes_it() -> None:
    module = nn.Sequential(
        nn.Conv2d(2, 4, 3, bias=False),
        nn.BatchNorm2d(4),
        nn.SiLU(),
        nn.GELU(),
        nn.PReLU(4),
        nn.Hardsigmoid(),
        nn.AdaptiveAvgPool2d(1),
    )
    network, _ = read_module(module, torch.rand(1, 2, 5, 5))
    ops = ["conv2d", "batch_norm", "silu", "gelu", "prelu", "hard_sigmoid", "global_avg_pool"]
    assert [layer["op"] for layer in network.layers] == ops and network.layers[0]["bias"] is False


def refusal(module: Any, x: Any) -> str:
    with pytest.raises(SpecError) as refused:
        read_module(module, x)
    return str(refused.value)


def test_what_is_not_supported_is_named_with_its_module_and_line() -> None:
    module = Of(lambda y: torch.cumsum(torch.special.i0(y), 1))
    text = refusal(module, torch.rand(1, 2, 5, 5))
    assert text.count("the operator is not supported") == 2
    assert "modules.py:" in text and "aten.cumsum" in text
    uneven = nn.Sequential(nn.ConvTranspose2d(2, 4, 3, stride=2))
    assert "aten.conv_transpose2d.input in '0': makes 9 x 9 pixels of 4 x 4" in refusal(
        uneven, torch.rand(1, 2, 4, 4)
    )


def test_a_layer_that_cannot_take_its_input_is_named() -> None:
    wrong = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Conv2d(3, 4, 3))
    text = refusal(wrong, torch.rand(1, 1, 8, 8))
    assert "layer '2' Conv2d(3, 4, kernel_size=(3, 3), stride=(1, 1)) fails on [1, 4, 6, 6]" in text
    assert wrong.training  # as it was


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda: ({"weight": 1}, torch.rand(1, 2)), "a dict is no torch.nn.Module"),
        (
            lambda: (nn.Linear(2, 2), (torch.rand(1, 2), torch.rand(1, 2))),
            "the example is a tuple, no tensor",
        ),
        (lambda: (nn.Linear(2, 2), torch.arange(2)), "the example is of torch.int64 and the shape [2]"),
        (lambda: (nn.ReLU(), torch.rand(1, 2)), "has no Conv2d or Linear"),
    ],
)
def test_what_is_no_module_or_example_is_refused(made: Callable[[], tuple[Any, Any]], says: str) -> None:
    assert says in refusal(*made())


def test_control_flow_on_values_is_refused_in_one_message() -> None:
    text = refusal(Of(lambda y: y if y.sum() > 0 else -y), torch.rand(1, 2, 4, 4))
    assert "torch.export cannot trace Of" in text and "Traceback" not in text


class Small(Module):
    """A classifier as tutorials write it."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.fc = nn.Linear(4 * 3 * 3, 5)

    def forward(self, x: Any) -> Any:
        return self.fc(f.max_pool2d(f.relu(self.conv(x)), 2).flatten(1))


@pytest.mark.parametrize(
    ("keys", "home"),
    [
        ({"execution": "sequential"}, "sequential"),
        ({"execution": "sequential", "engine": "pl"}, "sequential"),
        ({"execution": "spatial", "engine": "pl"}, "circuit"),
        ({"execution": "spatial"}, "array"),
    ],
)
def test_a_module_runs_as_it_is_told(keys: dict[str, str], home: str) -> None:
    """In turn, as a circuit, on the array: the same integers of the module, and compare() sets each beside it."""
    torch.manual_seed(7)
    module, x = Small(), torch.rand(6, 1, 8, 8)
    design = aieloom.from_torch(module, x, quantize="int8", **keys)
    assert design._present().project.home == home
    with torch.no_grad():
        wanted = module.eval()(x).numpy()
    assert np.abs(design.reference(x) - wanted).max() < 0.05
    found = design.compare()
    assert [m.module.partition(",")[0] for m in found.matches] == ["conv", "fc"]
    assert found.output.max_abs_err < 0.05


@pytest.mark.integration
@pytest.mark.parametrize("quantize", [pytest.param(None, marks=pytest.mark.slow), "int8"])
def test_the_journey_from_a_module_to_a_project(quantize: str | None, tmp_path: Path) -> None:
    torch.manual_seed(7)
    module, x = Small(), torch.rand(6, 1, 8, 8)
    design = aieloom.from_torch(module, x, quantize=quantize)
    y = design.emulate(x)
    with torch.no_grad():
        wanted = module.eval()(x).numpy()
    assert y.shape == wanted.shape == (6, 5)
    np.testing.assert_array_equal(y, design.reference(x))
    assert np.abs(y - wanted).max() < (1e-5 if quantize is None else 0.05)
    found = design.compare()
    assert [m.module for m in found.matches][-1] == "fc"
    folder = design.write(tmp_path / "mine")
    project = open_project(folder)
    assert project.name == "mine" and (folder / "dodo.py").is_file() and (folder / ".aieloom.json").is_file()
    assert project.array.cost == array_of(design.plan).cost
    again = pickle.loads(pickle.dumps(design))
    np.testing.assert_array_equal(again.reference(x), y)
    with pytest.raises(SpecError, match="exists and is not empty"):
        design.write(folder)
    assert [layer.name for layer in design.project.network.layers if layer.parameters] == ["conv", "fc"]


@pytest.mark.parametrize("batch", [1, 4])
def test_an_exported_program_is_the_module_it_was_made_of(batch: int) -> None:
    module = nn.Sequential(
        nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(64, 3)
    ).eval()
    x = torch.rand(batch, 2, 6, 6)
    program = torch.export.export(module, (x,))
    given, wanted = read_module(program, x), read_module(module, x)
    assert (given[0].layers, given[1]) == (wanted[0].layers, wanted[1])
    assert all((given[0].tensors[n] == v).all() for n, v in wanted[0].tensors.items())
    with pytest.raises(SpecError, match="the program takes"):
        read_module(program, torch.rand(1, 2, 7, 6))
    design = aieloom.from_torch(program, x)
    np.testing.assert_allclose(design.reference(x.numpy()), module(x).detach(), rtol=1e-4, atol=1e-5)
    with pytest.raises(SpecError, match="has no modules to compare with"):
        design.compare()
