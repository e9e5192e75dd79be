"""Makes data/calib.npz: what ESPCN sees of the photographs that it was trained on, none of which is a test photograph."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).resolve().parent
EACH = 8  # crops of a photograph
SEED = 8  # another than the training's, so that crops are others too


def samples() -> NDArray[np.float32]:
    """Return reduced crops `(n, 1, 16, 16)` in [0, 1]."""
    train = runpy.run_path(str(HERE.parent / "espcn" / "train.py"))
    rng = np.random.default_rng(SEED)
    found = [c for name in train["TRAIN"] for c in train["crops"](name, EACH, rng, train["has_contrast"])]
    x: NDArray[np.float32] = train["batch"]([train["reduced"](c) for c in found]).numpy()
    return x


if __name__ == "__main__":
    (HERE / "data").mkdir(exist_ok=True)
    np.savez_compressed(HERE / "data" / "calib.npz", x=samples())
