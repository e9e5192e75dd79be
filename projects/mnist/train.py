"""Trains the MNIST ConvNet on scikit-learn's handwritten digits; writes weights.safetensors and data/.

Run it by `doit train project=mnist`. The digits ship inside scikit-learn (pip install scikit-learn; UCI optical recognition
of handwritten digits, 1797 of 8x8 pixels with 17 levels); they are scaled to 28x28 by bicubic interpolation. The last 500
are the test samples. Training moves and turns the others a little. The same seed on the same number of threads gives the
same weights.
"""

from __future__ import annotations

import importlib
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as f
from numpy.typing import NDArray
from safetensors.torch import save_file
from torch import nn

HERE = Path(__file__).resolve().parent
SEED = 23
SIZE, LEVELS = 28, 16
TEST, CALIBRATION = 500, 200
EPOCHS, RATE = 30, 2e-3
STEP = 1 / 64  # pixels are multiples of it, in [0, 1]

Values = NDArray[np.float32]


def digits() -> tuple[Values, NDArray[np.int64]]:
    """Return all digits `(1797, 1, 28, 28)` and their classes."""
    datasets: Any = importlib.import_module("sklearn.datasets")
    found = datasets.load_digits()
    small = torch.from_numpy(found.images[:, None].astype(np.float32) / LEVELS)
    large = f.interpolate(small, size=SIZE, mode="bicubic", align_corners=False).clamp(0, 1)
    pixels: Values = (torch.round(large / STEP) * STEP).numpy()
    return pixels, found.target.astype(np.int64)


def network() -> nn.Sequential:
    """Return the untrained network, its layers called as in network.yaml."""
    return nn.Sequential(
        OrderedDict(
            conv1=nn.Conv2d(1, 16, 3),
            act1=nn.ReLU(),
            pool1=nn.MaxPool2d(2),
            conv2=nn.Conv2d(16, 64, 3),
            act2=nn.ReLU(),
            pool2=nn.MaxPool2d(2),
            conv3=nn.Conv2d(64, 128, 3),
            act3=nn.ReLU(),
            flat=nn.Flatten(),
            fc=nn.Linear(128 * 3 * 3, 10),
        )
    )


def moved(x: torch.Tensor) -> torch.Tensor:
    """Return digits turned by up to 12 degrees and moved by up to two pixels."""
    count = len(x)
    angle = (torch.rand(count) - 0.5) * 2 * np.deg2rad(12)
    shift = (torch.rand(count, 2) - 0.5) * 2 * 2 / (SIZE / 2)
    turn = torch.stack([torch.cos(angle), -torch.sin(angle), torch.sin(angle), torch.cos(angle)], 1)
    affine = torch.cat([turn.reshape(count, 2, 2), shift[:, :, None]], dim=2)
    return f.grid_sample(x, f.affine_grid(affine, list(x.shape), align_corners=False), align_corners=False)


def main() -> None:
    """Train, and write what network.yaml names."""
    torch.manual_seed(SEED)
    torch.set_num_threads(2)
    pixels, classes = digits()
    x, y = torch.from_numpy(pixels[:-TEST]), torch.from_numpy(classes[:-TEST])
    model = network()
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters")
    optimiser = torch.optim.Adam(model.parameters(), lr=RATE, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, EPOCHS)
    for epoch in range(EPOCHS):
        for part in torch.split(torch.randperm(len(x)), 64):
            optimiser.zero_grad()
            loss = f.cross_entropy(model(moved(x[part])), y[part])
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        schedule.step()
        print(f"epoch {epoch + 1}: loss {loss.item():.4f}")
    model.eval()
    with torch.no_grad():
        right = float(
            (model(torch.from_numpy(pixels[-TEST:])).argmax(dim=1).numpy() == classes[-TEST:]).mean()
        )
    save_file(model.state_dict(), HERE / "weights.safetensors")
    (HERE / "data").mkdir(exist_ok=True)
    np.savez_compressed(HERE / "data" / "calib.npz", x=pixels[:CALIBRATION].astype(np.float16))
    test = {"x": pixels[-TEST:].astype(np.float16), "labels": classes[-TEST:].astype(np.int16)}
    np.savez_compressed(HERE / "data" / "test.npz", **test)  # type: ignore[arg-type]
    print(f"accuracy on {TEST} test samples {right:.4f}")


if __name__ == "__main__":
    main()
