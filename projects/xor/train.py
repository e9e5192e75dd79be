"""Trains xor of two noisy bits; writes weights.safetensors and data/. Run it by `doit train project=xor`.

A sample is one of the four pairs of bits with noise of up to 0.2 on each; its label is their xor. The same seed gives the
same weights.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file
from torch import nn

HERE = Path(__file__).resolve().parent
SEED = 3
NOISE = 0.2
STARTS, GOOD_LOSS = 10, 0.05
TRAIN, CALIBRATION, TEST = 2000, 200, 600

Values = NDArray[np.float32]


def samples(count: int, seed: int) -> tuple[Values, NDArray[np.int64]]:
    """Return noisy pairs of bits `(count, 2)` and their xor."""
    random = np.random.default_rng(seed)
    bits = random.integers(0, 2, (count, 2))
    x = bits + random.uniform(-NOISE, NOISE, bits.shape)
    return x.astype(np.float32), (bits[:, 0] ^ bits[:, 1]).astype(np.int64)


def train() -> nn.Sequential:
    """Return a trained model; three hidden values are few, so that one start in three ends in a wrong minimum."""
    x, y = (torch.from_numpy(v) for v in samples(TRAIN, SEED))
    for start in range(SEED, SEED + STARTS):
        torch.manual_seed(start)
        model = nn.Sequential()
        model.add_module("hidden", nn.Linear(2, 3))
        model.add_module("act", nn.ReLU())
        model.add_module("out", nn.Linear(3, 1))
        optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
        for _ in range(1500):
            optimiser.zero_grad()
            loss = nn.functional.binary_cross_entropy_with_logits(model(x)[:, 0], y.float())
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        if loss.item() < GOOD_LOSS:
            return model
    raise SystemExit(f"none of {STARTS} starts reached a loss of {GOOD_LOSS}")


def main() -> None:
    """Train, and write what network.yaml names."""
    torch.set_num_threads(1)
    model = train()
    test, labels = samples(TEST, SEED + 1)
    with torch.no_grad():
        right = float(((model(torch.from_numpy(test))[:, 0] > 0).numpy() == labels).mean())
    save_file(model.state_dict(), HERE / "weights.safetensors")
    (HERE / "data").mkdir(exist_ok=True)
    np.savez_compressed(HERE / "data" / "calib.npz", x=samples(CALIBRATION, SEED)[0])
    np.savez_compressed(HERE / "data" / "test.npz", x=test, labels=labels)
    print(f"accuracy on {TEST} test samples {right:.4f}")


if __name__ == "__main__":
    main()
