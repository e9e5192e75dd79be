"""A network with every kind of layer that a circuit has."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

NETWORK = """\
name: small
target: zynq-7020
weights: weights.safetensors
engine: pl
input: {name: x, shape: [3, 9, 7]}
layers:
  - {name: conv, op: conv2d, out_channels: 6, kernel: [3, 2], stride: [2, 1], padding: [1, 0]}
  - {name: act, op: tanh}
  - {name: apart, op: conv2d, out_channels: 6, kernel: 3, padding: 1, groups: 3}
  - {name: pool, op: max_pool, kernel: 2, padding: 1}
  - {name: flat, op: flatten}
  - {name: fc, op: dense, out_features: 10}
  - {name: sig, op: sigmoid}
quantize: {activations: int8, weights: int8, calibration: calib.npz}
"""
SHAPES = {
    "conv.weight": (6, 3, 3, 2),
    "conv.bias": (6,),
    "apart.weight": (6, 2, 3, 3),
    "apart.bias": (6,),
    "fc.weight": (10, 6 * 3 * 4),
    "fc.bias": (10,),
}


def written(folder: Path, text: str = NETWORK) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "network.yaml").write_text(text)
    random = np.random.default_rng(3)
    tensors = {n: random.normal(0, 0.4, s).astype(np.float32) for n, s in SHAPES.items()}
    save_file(tensors, folder / "weights.safetensors")
    np.savez(folder / "calib.npz", x=random.normal(0, 1, (32, 3, 9, 7)).astype(np.float32))
    return folder
