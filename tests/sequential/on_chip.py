"""A network whose tensors stay on the chip: every kind of layer that rows of chains compute, and one behind them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from aieloom.flow.project import Project
from aieloom.sequential.onchip.engine import RowEngine
from aieloom.spec.device import Device, load_board
from tests.sequential.networks import plan_of

NETWORK = """\
name: staying
target: vck190
weights: weights.safetensors
execution: sequential
engine: aie
input: {name: x, shape: [3, 46, 38]}
layers:
  - {name: stem, op: conv2d, out_channels: 64, kernel: 7, stride: 2, padding: 3}
  - {name: act, op: relu}
  - {name: pool, op: max_pool, kernel: 3, stride: 2, padding: 1}
  - {name: wide, op: conv2d, out_channels: 300, kernel: 1}
  - {name: apart, op: conv2d, out_channels: 300, kernel: 3, padding: 1, groups: 300}
  - {name: narrow, op: conv2d, out_channels: 64, kernel: 1}
  - {name: sum, op: add, inputs: [narrow, pool]}
  - {name: half, op: conv2d, out_channels: 64, kernel: 3, stride: 2, padding: 1}
  - {name: parts, op: conv2d, out_channels: 64, kernel: 3, padding: 1, groups: 2}
  - {name: side, op: conv2d, inputs: [sum], out_channels: 64, kernel: 1, stride: 2}
  - {name: joined, op: add, inputs: [parts, side]}
  - {name: all, op: global_avg_pool}
  - {name: flat, op: flatten}
  - {name: fc, op: dense, out_features: 10}
  - {name: shares, op: softmax}
"""
SHAPES = {
    "stem.weight": (64, 3, 7, 7),
    "wide.weight": (300, 64, 1, 1),
    "apart.weight": (300, 1, 3, 3),
    "narrow.weight": (64, 300, 1, 1),
    "half.weight": (64, 64, 3, 3),
    "parts.weight": (64, 32, 3, 3),
    "side.weight": (64, 64, 1, 1),
    "fc.weight": (10, 64),
}


def staying(
    folder: Path, scales: str = "multiplier", target: str = "vck190", *, without: str = ""
) -> Project:
    """Write and open the network, or one that lacks a layer."""
    settings_ = f"quantize: {{activations: int8, weights: int8, calibration: calib.npz, scales: {scales}}}\n"
    layers = [
        line for line in NETWORK.splitlines(keepends=True) if not without or f"name: {without}," not in line
    ]
    (folder / "network.yaml").write_text("".join(layers).replace("vck190", target) + settings_)
    random = np.random.default_rng(3)
    shapes = {n: s for n, s in SHAPES.items() if n != f"{without}.weight"}
    tensors = {
        n: random.normal(0, 1 / np.sqrt(np.prod(s[1:])), s).astype(np.float32) for n, s in shapes.items()
    }
    tensors |= {
        n.replace("weight", "bias"): random.normal(0, 0.1, s[:1]).astype(np.float32)
        for n, s in shapes.items()
    }
    save_file(tensors, folder / "weights.safetensors")
    np.savez(folder / "calib.npz", x=random.normal(0, 1, (8, 3, 46, 38)).astype(np.float32))
    return plan_of(folder)


def engine_of() -> RowEngine:
    """Return a small engine: two rows, four columns, chains of two cores."""
    device = load_board("vck190")
    assert isinstance(device, Device)
    return RowEngine(
        element="int8",
        device=device,
        grid=(2, 2, 4),
        depth=64,
        line_words=2048,
        cache_words=2048,
        mmul=(2, 8, 8),
        store_words=4096,
        places=64,
        sums=True,
        folds=True,
        weighted=False,
        whole=frozenset(),
    )
