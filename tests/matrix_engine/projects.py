"""Small projects on the matrix engine in the logic."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from aieloom.flow.opening import open_any
from aieloom.flow.project import Project

NETWORK = """\
name: small
target: zynq-7020
weights: weights.safetensors
input: {name: x, shape: [2, 9, 7]}
layers:
  - {name: conv, op: conv2d, out_channels: 5, kernel: [3, 2], stride: [2, 1], padding: [1, 0]}
  - {name: act, op: relu}
  - {name: pool, op: max_pool, kernel: 2}
  - {name: fc, op: dense, out_features: 3, bias: false}
mapping:
  conv: {engine: pl, strategy: gemm, block: [16, 16, 8]}
  fc: {engine: pl, strategy: gemm, block: [16, 16, 8]}
"""
SHAPES = {"conv.weight": (5, 2, 3, 2), "conv.bias": (5,), "fc.weight": (3, 5 * 2 * 3)}


def opened(folder: Path, text: str = NETWORK) -> Project:
    """Write a project with seeded weights, and open it."""
    folder.mkdir(exist_ok=True)
    (folder / "network.yaml").write_text(text)
    random = np.random.default_rng(3)
    save_file(
        {n: random.normal(0, 1, s).astype(np.float32) for n, s in SHAPES.items()},
        folder / "weights.safetensors",
    )
    return open_any(folder, build=folder / "build")
