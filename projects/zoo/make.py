"""Makes networks of the zoo: `python projects/zoo/make.py resnet18 ...` (or `all`).

Beside each network.yaml it writes model.onnx with seeded weights, calib.npz and samples.npz with seeded inputs; none of them
is in git. Norms have seen a few of the inputs, so that activations are of the size that trained networks' have. What this shows
is that a network runs and what it takes, not what it knows.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

HERE = Path(__file__).resolve().parent
MODELS = importlib.import_module("models").MODELS  # models.py, beside this script
SEED, SEEN, CALIBRATION, SAMPLES = 18, 8, 4, 2
MASK = 2  # what values of a mask are below
COARSE = 7  # inputs are noise of 1/COARSE of the size, smoothed: neighbours are alike, as in pictures


def inputs(count: int, shape: tuple[int, ...], generator: torch.Generator) -> torch.Tensor:
    """Return smooth random inputs of about mean 0 and deviation 1."""
    if len(shape) == 2:  # tokens or steps with features
        return torch.randn(count, *shape, generator=generator)
    small = [max(2, side // COARSE) for side in shape[1:]]
    noise = torch.randn(count, shape[0], *small, generator=generator)
    smooth = torch.nn.functional.interpolate(noise, size=shape[1:], mode="bilinear")
    return smooth / smooth.std() + 0.1 * torch.randn(count, *shape, generator=generator)


def numbers(count: int, tokens: int, below: int, generator: torch.Generator) -> torch.Tensor:
    """Return whole numbers below `below`; of 0 and 1 ones, then zeros, of every sequence another count."""
    if below > MASK:
        return torch.randint(0, below, (count, tokens), generator=generator)
    ones = torch.randint(1, tokens + 1, (count, 1), generator=generator)
    return (torch.arange(tokens) < ones).long()


def given(
    count: int, wanted: tuple[int, ...] | dict[str, tuple[int, int]], generator: torch.Generator
) -> dict[str, torch.Tensor]:
    """Return seeded inputs by their names; a single one is x."""
    if isinstance(wanted, tuple):
        return {"x": inputs(count, wanted, generator)}
    return {name: numbers(count, *each, generator) for name, each in wanted.items()}


def make(name: str) -> None:
    """Write one network's files."""
    build, wanted = MODELS[name]
    torch.manual_seed(SEED)
    generator = torch.Generator().manual_seed(SEED)
    model = build()
    with torch.no_grad():
        model.train()
        for module in model.modules():
            if isinstance(module, torch.nn.BatchNorm2d):
                module.momentum = None  # the average of all that it sees
                module.weight.uniform_(0.5, 1.5, generator=generator)
                module.bias.normal_(0, 0.2, generator=generator)
        model(*given(SEEN, wanted, generator).values())
        model.eval()
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    for file, count in (("calib.npz", CALIBRATION), ("samples.npz", SAMPLES)):
        samples = given(count, wanted, generator)
        np.savez(folder / file, allow_pickle=False, **{n: values(v) for n, v in samples.items()})
    example = tuple(v[:1] for v in samples.values())
    names = None if isinstance(wanted, tuple) else list(wanted)
    file = str(folder / "model.onnx")
    torch.onnx.export(model, example, file, opset_version=17, dynamo=False, input_names=names)
    print(f"{name}: {sum(p.numel() for p in model.parameters()):,} parameters, {folder / 'model.onnx'}")


def values(x: torch.Tensor) -> NDArray[Any]:
    """Return a tensor as NumPy's."""
    found: NDArray[Any] = x.numpy()
    return found


if __name__ == "__main__":
    names = list(MODELS) if sys.argv[1:] == ["all"] else sys.argv[1:]
    unknown = [n for n in names if n not in MODELS]
    if not names or unknown:
        sys.exit(f"usage: make.py all | {' | '.join(MODELS)}")
    for each in names:
        make(each)
