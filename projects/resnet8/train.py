"""Trains the residual network of MLPerf Tiny's image classification on coloured digits; writes weights.safetensors and data/.

Run it by `doit train project=resnet8`. The benchmark's own pictures (CIFAR-10) are in no Python package. In their place stand
scikit-learn's handwritten digits (pip install scikit-learn; UCI optical recognition of handwritten digits, 1797 of 8x8
pixels with 17 levels): enlarged four times to 32x32, each in a random dark colour on a light one. It shows that the network and
its integers work, not how good the topology is at photographs. The last 500 digits are the test samples. The same seed
on the same number of threads gives the same weights.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as f
from numpy.typing import NDArray
from safetensors.torch import save_file
from torch import nn

HERE = Path(__file__).resolve().parent
SEED = 8
SCALE, LEVELS = 4, 16
SHADE = 0.4  # how far a colour's red, green and blue are from black or from white at most
TEST, CALIBRATION = 500, 128
EPOCHS, RATE, BATCH = 10, 4e-3, 32
STEP = 1 / 64  # pixels are multiples of it, in [0, 1]

Values = NDArray[np.float32]


class Block(nn.Module):
    """Two convolutions and what goes around them: the input itself, or a 1x1 convolution where the size changes."""

    def __init__(self, ins: int, outs: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(ins, outs, 3, stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(outs)
        self.second = nn.Conv2d(outs, outs, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(outs)
        self.skip = nn.Conv2d(ins, outs, 1, stride) if stride > 1 else nn.Identity()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the block's result."""
        y = self.norm2(self.second(torch.relu(self.norm1(self.first(x)))))
        return torch.relu(y + self.skip(x))


class ResNet8(nn.Module):
    """A convolution, three blocks, the average of each channel, ten scores."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(16)
        self.blocks = nn.Sequential(Block(16, 16, 1), Block(16, 32, 2), Block(32, 64, 2))
        self.fc = nn.Linear(64, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the scores of pictures `(n, 3, 32, 32)`."""
        y = self.blocks(torch.relu(self.norm(self.conv(x))))
        scores: torch.Tensor = self.fc(y.mean(dim=(2, 3)))
        return scores


def digits() -> tuple[Values, NDArray[np.int64]]:
    """Return all digits as shares of ink `(1797, 1, 32, 32)`, and their classes."""
    datasets: Any = importlib.import_module("sklearn.datasets")
    found = datasets.load_digits()
    small = found.images[:, None].astype(np.float32) / LEVELS
    return small.repeat(SCALE, axis=2).repeat(SCALE, axis=3), found.target.astype(np.int64)


def coloured(ink: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Return digits in random dark colours on random light ones; pixels are multiples of STEP."""
    dark, light = SHADE * torch.rand(2, len(ink), 3, 1, 1, generator=generator)
    return torch.round((dark * ink + (1 - light) * (1 - ink)) / STEP) * STEP


def moved(ink: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Return digits moved by up to three pixels in each direction."""
    shifts = torch.randint(-3, 4, (len(ink), 2), generator=generator).tolist()
    return torch.stack([torch.roll(d, (dy, dx), (1, 2)) for d, (dy, dx) in zip(ink, shifts, strict=True)])


def named(model: ResNet8) -> dict[str, torch.Tensor]:
    """Return the trained tensors under the names that the layers have in network.yaml."""
    parts: dict[str, nn.Module] = {"conv0": model.conv, "norm0": model.norm, "fc": model.fc}
    for i, block in enumerate(model.blocks):
        assert isinstance(block, Block)
        a, b = 2 * i + 1, 2 * i + 2
        parts |= {
            f"conv{a}": block.first,
            f"norm{a}": block.norm1,
            f"conv{b}": block.second,
            f"norm{b}": block.norm2,
        }
        if isinstance(block.skip, nn.Conv2d):
            parts[f"skip{b}"] = block.skip
    return {
        f"{name}.{key}": value
        for name, part in parts.items()
        for key, value in part.state_dict().items()
        if key != "num_batches_tracked"
    }


def main() -> None:
    """Train, and write what network.yaml names."""
    torch.manual_seed(SEED)
    torch.set_num_threads(2)
    generator = torch.Generator().manual_seed(SEED)
    ink, classes = digits()
    x, y = torch.from_numpy(ink[:-TEST]), torch.from_numpy(classes[:-TEST])
    model = ResNet8()
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters")
    optimiser = torch.optim.Adam(model.parameters(), lr=RATE, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, EPOCHS)
    for epoch in range(EPOCHS):
        for part in torch.split(torch.randperm(len(x), generator=generator), BATCH):
            optimiser.zero_grad()
            pictures = coloured(moved(x[part], generator), generator)
            loss = f.cross_entropy(model(pictures), y[part])
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        schedule.step()
        print(f"epoch {epoch + 1}: loss {loss.item():.4f}", flush=True)
    model.eval()
    test = coloured(torch.from_numpy(ink[-TEST:]), generator)
    with torch.no_grad():
        right = float((model(test).argmax(dim=1).numpy() == classes[-TEST:]).mean())
    save_file(named(model), HERE / "weights.safetensors")
    (HERE / "data").mkdir(exist_ok=True)
    calibration = coloured(x[:CALIBRATION], generator).numpy().astype(np.float16)
    np.savez_compressed(HERE / "data" / "calib.npz", x=calibration)
    samples = {"x": test.numpy().astype(np.float16), "labels": classes[-TEST:].astype(np.int16)}
    np.savez_compressed(HERE / "data" / "test.npz", **samples)  # type: ignore[arg-type]
    print(f"accuracy on {TEST} test samples {right:.4f}")


if __name__ == "__main__":
    main()
