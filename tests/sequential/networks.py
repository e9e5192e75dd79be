"""A network with every kind of layer that runs in its turn, and the step of a single convolution."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from aieloom.flow.opening import open_any
from aieloom.flow.project import Project
from aieloom.layout.grid import Window
from aieloom.network.tensor import TensorType
from aieloom.sequential.steps import ConvStep, Mode
from aieloom.spec.types import DataType

NETWORK = """\
name: small
target: zcu104
weights: weights.safetensors
execution: sequential
input: {name: x, shape: [3, 13, 11]}
layers:
  - {name: conv, op: conv2d, out_channels: 40, kernel: [3, 2], stride: [2, 1], padding: [1, 0]}
  - {name: act, op: relu}
  - {name: apart, op: conv2d, out_channels: 40, kernel: 3, padding: 1, groups: 40}
  - {name: six, op: clip, min: 0.0, max: 6.0}
  - {name: sum, op: add, inputs: [six, act]}
  - {name: pool, op: max_pool, kernel: 2}
  - {name: parts, op: conv2d, out_channels: 32, kernel: 1, groups: 4}
  - {name: halves, op: conv2d, out_channels: 64, kernel: 3, groups: 2, padding: 1, bias: false}
  - {name: sig, op: sigmoid}
  - {name: twice, op: add, inputs: [sig, halves]}
  - {name: flat, op: flatten}
  - {name: soft, op: tanh}
  - {name: fc, op: dense, out_features: 10}
  - {name: shares, op: softmax}
"""
SHAPES = {
    "conv.weight": (40, 3, 3, 2),
    "conv.bias": (40,),
    "apart.weight": (40, 1, 3, 3),
    "apart.bias": (40,),
    "parts.weight": (32, 10, 1, 1),
    "parts.bias": (32,),
    "halves.weight": (64, 16, 3, 3),
    "fc.weight": (10, 64 * 3 * 5),
    "fc.bias": (10,),
}


def opened(folder: Path, text: str = NETWORK) -> Project:
    folder.mkdir(exist_ok=True)
    (folder / "network.yaml").write_text(text)
    random = np.random.default_rng(3)
    shapes = SHAPES | ({"fc.weight": (10, 40)} if "global_avg_pool" in text else {})
    tensors = {
        n: random.normal(0, 0.3, s).astype(np.float32)
        for n, s in shapes.items()
        if f"name: {n.split('.')[0]}," in text
    }
    save_file(tensors, folder / "weights.safetensors")
    np.savez(folder / "calib.npz", x=random.normal(0, 1, (32, 3, 13, 11)).astype(np.float32))
    return plan_of(folder)


def plan_of(folder: Path) -> Project:
    return open_any(folder, build=folder / "build")


def inputs(count: int) -> np.ndarray:
    return np.random.default_rng(5).normal(0, 1, (count, 3, 13, 11)).astype(np.float32)


def quantised(scales: str) -> str:
    settings = f"quantize: {{activations: int8, weights: int8, calibration: calib.npz, scales: {scales}}}\n"
    return NETWORK.replace("zcu104", "vck190") + settings


def conv_step(channels: int, outputs: int, kernel: tuple[int, int], side: int) -> ConvStep:
    window = Window(channels=channels, height=side, width=side, kernel=kernel, stride=(1, 1), padding=(0, 0))
    int8 = DataType.INT8
    return ConvStep(
        layer="conv", op="conv2d", inputs=("x",), gives="conv", window=window, mode=Mode.WHOLE, groups=1,
        x=TensorType((channels, side, side), int8),
        y=TensorType((outputs, window.out_height, window.out_width), int8),
        has_bias=True, requant=None, low=0.0, high=0.0,
    )  # fmt: skip
