"""Makes networks of the zoo: `python projects/zoo/make.py resnet18 ...` (or `all`).

Beside each network.yaml it writes model.onnx with seeded weights, calib.npz and samples.npz with seeded inputs; none of them
is in git. Norms have seen a few of the inputs, so that activations are of the size that trained networks' have. What this shows
is that a network runs and what it takes, not what it knows.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

HERE = Path(__file__).resolve().parent
MODELS = importlib.import_module("models").MODELS  # models.py, beside this script
SEED, SEEN, CALIBRATION, SAMPLES = 18, 8, 4, 2
COARSE = 7  # inputs are noise of 1/COARSE of the size, smoothed: neighbours are alike, as in pictures


def inputs(count: int, shape: tuple[int, ...], generator: torch.Generator) -> torch.Tensor:
    """Return smooth random inputs of about mean 0 and deviation 1."""
    if len(shape) == 2:  # tokens or steps with features
        return torch.randn(count, *shape, generator=generator)
    small = [max(2, side // COARSE) for side in shape[1:]]
    noise = torch.randn(count, shape[0], *small, generator=generator)
    smooth = torch.nn.functional.interpolate(noise, size=shape[1:], mode="bilinear")
    return smooth / smooth.std() + 0.1 * torch.randn(count, *shape, generator=generator)


def make(name: str) -> None:
    """Write one network's files."""
    build, shape = MODELS[name]
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
        model(inputs(SEEN, shape, generator))
        model.eval()
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    calibration, samples = (inputs(n, shape, generator) for n in (CALIBRATION, SAMPLES))
    np.savez(folder / "calib.npz", x=values(calibration))
    np.savez(folder / "samples.npz", x=values(samples))
    torch.onnx.export(model, (samples[:1],), str(folder / "model.onnx"), opset_version=17, dynamo=False)
    print(f"{name}: {sum(p.numel() for p in model.parameters()):,} parameters, {folder / 'model.onnx'}")


def values(x: torch.Tensor) -> NDArray[np.float32]:
    """Return a tensor as NumPy's."""
    found: NDArray[np.float32] = x.numpy()
    return found


if __name__ == "__main__":
    names = list(MODELS) if sys.argv[1:] == ["all"] else sys.argv[1:]
    unknown = [n for n in names if n not in MODELS]
    if not names or unknown:
        sys.exit(f"usage: make.py all | {' | '.join(MODELS)}")
    for each in names:
        make(each)
