"""Networks of which some layers have cores of their own, and the others take turns: on each board one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from aieloom.flow.opening import open_any
from aieloom.flow.project import Project

FRONT = """\
name: front
target: vck190
weights: weights.safetensors
execution: {spatial: [conv1, act1, pool1, conv2, act2, pool2]}
input: {name: x, shape: [3, 32, 32]}
layers:
  - {name: conv1, op: conv2d, out_channels: 16, kernel: 3, padding: 1}
  - {name: act1, op: relu}
  - {name: pool1, op: max_pool, kernel: 2}
  - {name: conv2, op: conv2d, out_channels: 32, kernel: 3, padding: 1}
  - {name: act2, op: relu}
  - {name: pool2, op: max_pool, kernel: 2}
  - {name: flat, op: flatten}
  - {name: fc1, op: dense, out_features: 2048}
  - {name: act3, op: relu}
  - {name: fc2, op: dense, out_features: 2048}
  - {name: act4, op: relu}
  - {name: fc3, op: dense, out_features: 10}
quantize: {activations: int8, weights: int8, calibration: calib.npz}
"""
BACK = """\
name: back
target: vek280
weights: weights.safetensors
execution: {spatial: [conv1, act2, conv2]}
input: {name: x, shape: [512]}
layers:
  - {name: fc1, op: dense, out_features: 2048}
  - {name: act1, op: relu}
  - {name: fc2, op: dense, out_features: 4096}
  - {name: image, op: reshape, shape: [16, 16, 16]}
  - {name: conv1, op: conv2d, out_channels: 16, kernel: 3, padding: 1}
  - {name: act2, op: relu}
  - {name: conv2, op: conv2d, out_channels: 3, kernel: 3, padding: 1}
quantize: {activations: int8, weights: int8, calibration: calib.npz}
"""
NETWORKS = {
    "front": (
        FRONT,
        (3, 32, 32),
        {
            "conv1": (16, 3, 3, 3),
            "conv2": (32, 16, 3, 3),
            "fc1": (2048, 2048),
            "fc2": (2048, 2048),
            "fc3": (10, 2048),
        },
    ),
    "back": (
        BACK,
        (512, 1, 1),
        {"fc1": (2048, 512), "fc2": (4096, 2048), "conv1": (16, 16, 3, 3), "conv2": (3, 16, 3, 3)},
    ),
}


def hybrid(folder: Path, name: str, *changes: tuple[str, str]) -> Project:
    text, shape, weights = NETWORKS[name]
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (folder / "network.yaml").write_text(text)
    random = np.random.default_rng(3)
    tensors = {}
    for layer, size in weights.items():
        fan = int(np.prod(size[1:]))
        tensors[f"{layer}.weight"] = random.normal(0, (2 / fan) ** 0.5, size).astype(np.float32)
        tensors[f"{layer}.bias"] = random.normal(0, 0.1, size[:1]).astype(np.float32)
    save_file(tensors, folder / "weights.safetensors")
    calibration = shape[:1] if shape[1:] == (1, 1) else shape
    np.savez(folder / "calib.npz", x=random.normal(0, 1, (8, *calibration)).astype(np.float32))
    return open_any(folder, build=folder / "build")
