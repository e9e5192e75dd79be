"""A network of two images through the same weights, for tests of several inputs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

SIAMESE = """\
name: siamese
target: TARGET
weights: weights.safetensors
execution: EXECUTION
inputs:
  - {name: left, shape: [3, 8, 8]}
  - {name: right, shape: [3, 8, 8]}
layers:
  - {name: conv1, op: conv2d, out_channels: 16, kernel: 3, padding: 1, inputs: [left]}
  - {name: act1, op: relu}
  - {name: conv2, op: conv2d, out_channels: 16, kernel: 3, padding: 1, inputs: [right], param: conv1}
  - {name: act2, op: relu}
  - {name: sub, op: sub, inputs: [act1, act2]}
  - {name: both, op: concat, inputs: [sub, act1]}
  - {name: pool, op: global_avg_pool}
  - {name: fc, op: dense, out_features: 10}
"""


def siamese(folder: Path, target: str, execution: str, more: str = "") -> None:
    """Write two images through the same weights, whose results are joined."""
    random = np.random.default_rng(0)
    shapes = {"conv1.weight": (16, 3, 3, 3), "conv1.bias": (16,), "fc.weight": (10, 32), "fc.bias": (10,)}
    save_file(
        {k: random.normal(0, 0.3, s).astype(np.float32) for k, s in shapes.items()},
        folder / "weights.safetensors",
    )
    text = SIAMESE.replace("TARGET", target).replace("EXECUTION", execution)
    (folder / "network.yaml").write_text(text + more)
    saved(folder, images(16, seed=1))


def saved(folder: Path, x: dict[str, np.ndarray]) -> None:
    """Write calibration inputs, an array by the name of each."""
    np.savez(folder / "calib.npz", allow_pickle=False, **x)


def images(count: int, seed: int) -> dict[str, np.ndarray]:
    """Return pairs of images, the second ones five times as large."""
    random = np.random.default_rng(seed)
    return {
        n: random.normal(0, s, (count, 3, 8, 8)).astype(np.float32) for n, s in (("left", 1), ("right", 5))
    }
