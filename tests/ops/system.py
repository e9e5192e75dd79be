"""Whole emulated systems of small networks against the reference."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors.numpy import save

import aieloom
from aieloom.network.layers import infer_shapes
from aieloom.ops import REGISTRY
from aieloom.spec.load import load_network
from tests.designs import stored_of

CLASSIFIER = """\
name: classifier
target: vck190
weights: w.safetensors
input: {name: x, shape: [1, 8, 8]}
layers:
  - {name: conv, op: conv2d, out_channels: 6, kernel: 3, padding: 1, bias: false}
  - {name: norm, op: batch_norm}
  - {name: act, op: relu}
  - {name: pool, op: max_pool, kernel: 2}
  - {name: flat, op: flatten}
  - {name: fc, op: dense, out_features: 10}
  - {name: shares, op: softmax}
"""


def project(folder: Path, text: str) -> Path:
    """Write a project with seeded weights."""
    (folder / "network.yaml").write_text(text)
    flat = stored_of(infer_shapes(load_network(folder, REGISTRY), REGISTRY))
    flat |= {n: np.abs(v) + np.float32(0.5) for n, v in flat.items() if n.endswith("running_var")}
    (folder / "w.safetensors").write_bytes(save(flat))
    return folder


def check(folder: Path, text: str, images: int) -> None:
    design = aieloom.design(project(folder, text))
    x = np.random.default_rng(1).normal(size=(images, *design.plan.x.outside)).astype(np.float32)
    y = design.emulate(x)
    assert np.array_equal(y.view(np.int32), design.reference(x).view(np.int32)), text
