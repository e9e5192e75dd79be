"""Trains a classifier of synthetic "jets"; writes weights.safetensors and data/. Run it by `doit train project=jet`.

No PyPI package ships the data of jet tagging (16 features of a jet of particles, 5 kinds: gluon, quark, W, Z, top), so this
is a stand-in of the same shape. A kind is a point in four hidden quantities (think of mass, multiplicity and two shapes);
a jet has them with a spread of its kind, W and Z overlap; the 16 features are fixed smooth functions of the four, with
noise. The same seed gives the same weights.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file
from torch import nn

HERE = Path(__file__).resolve().parent
SEED = 11
FEATURES, HIDDEN, KINDS = 16, 4, 5
TRAIN, CALIBRATION, TEST = 20_000, 500, 1000

# Mean and spread of the hidden quantities of each kind.
MEANS = np.array([[-1.5, 1.2, 0.3, 0.0], [-1.3, -1.1, 0.1, 0.2], [0.6, -0.4, -1.0, 0.7], [1.0, -0.3, -1.0, 0.2],
                  [2.0, 1.0, 1.1, -0.8]])  # fmt: skip
SPREADS = np.array([0.8, 0.7, 0.4, 0.4, 0.7])

Values = NDArray[np.float32]


def samples(count: int, seed: int) -> tuple[Values, NDArray[np.int64]]:
    """Return features `(count, 16)` and kinds."""
    fixed = np.random.default_rng(SEED)  # the functions are the same for all samples
    mixing, phase = fixed.normal(0, 1, (HIDDEN, FEATURES)), fixed.uniform(0, np.pi, FEATURES)
    random = np.random.default_rng(seed)
    kinds = random.integers(0, KINDS, count)
    hidden = MEANS[kinds] + random.normal(size=(count, HIDDEN)) * SPREADS[kinds, None]
    features = np.tanh(hidden @ mixing * 0.4) + 0.5 * np.sin(hidden @ mixing[:, ::-1] * 0.5 + phase)
    features += random.normal(0, 0.1, features.shape)
    return features.astype(np.float32), kinds


def main() -> None:
    """Train, and write what network.yaml names."""
    torch.manual_seed(SEED)
    torch.set_num_threads(2)
    model = nn.Sequential()
    sizes = (FEATURES, 64, 32, 32, KINDS)
    for i, (a, b) in enumerate(pairwise(sizes), 1):
        model.add_module(f"fc{i}", nn.Linear(a, b))
        if b != KINDS:
            model.add_module(f"act{i}", nn.ReLU())
    x, y = (torch.from_numpy(v) for v in samples(TRAIN, SEED + 1))
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3, weight_decay=1e-4)
    for epoch in range(25):
        order = torch.randperm(len(x))
        for part in torch.split(order, 256):
            optimiser.zero_grad()
            loss = nn.functional.cross_entropy(model(x[part]), y[part])
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        for group in optimiser.param_groups:
            group["lr"] = 3e-3 * (1 - epoch / 25)
    test, kinds = samples(TEST, SEED + 2)
    with torch.no_grad():
        right = float((model(torch.from_numpy(test)).argmax(dim=1).numpy() == kinds).mean())
    save_file(model.state_dict(), HERE / "weights.safetensors")
    (HERE / "data").mkdir(exist_ok=True)
    np.savez_compressed(HERE / "data" / "calib.npz", x=samples(CALIBRATION, SEED + 1)[0])
    np.savez_compressed(HERE / "data" / "test.npz", x=test, labels=kinds)
    print(f"loss {loss.item():.4f}, accuracy on {TEST} test samples {right:.4f}")


if __name__ == "__main__":
    main()
