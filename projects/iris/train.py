"""Trains a classifier of iris flowers; writes iris.onnx and data/. Run it by `doit train project=iris`.

The data is Fisher's, as it ships inside scikit-learn (pip install scikit-learn): 150 flowers, of which every third is for
the test. The test samples are the 50 flowers measured ten times over: the measures are given to 0.1 cm, so each time an
error of up to 0.05 cm is added. The same seed gives the same weights.
"""

from __future__ import annotations

import importlib
import warnings
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

HERE = Path(__file__).resolve().parent
SEED = 5
TIMES = 10  # each test flower is measured
ERROR = 0.05  # of a measure, in cm


def main() -> None:
    """Train, and write what network.yaml names."""
    datasets: Any = importlib.import_module("sklearn.datasets")
    flowers = datasets.load_iris()
    measures, kinds = flowers.data.astype(np.float32), flowers.target.astype(np.int64)
    is_test = np.arange(len(measures)) % 3 == 0
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    layers: list[nn.Module] = []
    for a, b in pairwise((4, 3, 5, 5, 5, 3)):
        layers += [nn.Linear(a, b), nn.ReLU()]
    model = nn.Sequential(*layers[:-1])
    x, y = torch.from_numpy(measures[~is_test]), torch.from_numpy(kinds[~is_test])
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=1e-4)
    for _ in range(3000):
        optimiser.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    random = np.random.default_rng(SEED)
    test = np.tile(measures[is_test], (TIMES, 1))
    test = (test + random.uniform(-ERROR, ERROR, test.shape)).astype(np.float32)
    labels = np.tile(kinds[is_test], TIMES)
    with torch.no_grad():
        right = float((model(torch.from_numpy(test)).argmax(dim=1).numpy() == labels).mean())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter's own deprecations
        torch.onnx.export(model.eval(), (torch.from_numpy(test[:1]),), str(HERE / "iris.onnx"), dynamo=False)
    (HERE / "data").mkdir(exist_ok=True)
    np.savez_compressed(HERE / "data" / "calib.npz", x=measures[~is_test])
    np.savez_compressed(HERE / "data" / "test.npz", x=test, labels=labels)
    print(f"loss {loss.item():.4f}, accuracy on {len(test)} test samples {right:.4f}")


if __name__ == "__main__":
    main()
