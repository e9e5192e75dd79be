"""Networks of integers, and their kernels against the reference."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import aieloom
from aieloom.plan.types import array_of
from tests.ops.networks import network_yaml
from tests.quantize.projects import inputs, write_project

JOINED = network_yaml(
    (3, 4, 5),
    [
        "  - {name: c, op: conv2d, out_channels: 3, kernel: 1}",
        "  - {name: d, op: conv2d, out_channels: 3, kernel: 1, inputs: [x]}",
        "  - {name: squared, op: mul, inputs: [c, d]}",
        "  - {name: mean, op: global_avg_pool, inputs: [c]}",
        "  - {name: gate, op: hard_sigmoid}",
        "  - {name: gated, op: mul, inputs: [squared, gate]}",
        "  - {name: row, op: conv2d, out_channels: 1, kernel: [4, 1], inputs: [c]}",
        "  - {name: less, op: sub, inputs: [gated, row]}",
        "  - {name: last, op: conv2d, out_channels: 2, kernel: 1}",
    ],
)
EVERY = """\
name: every
target: {target}
weights: w.safetensors
input: {{name: x, shape: [3, 6, 6]}}
layers:
  - {{name: c, op: conv2d, out_channels: 4, kernel: 3, padding: 1}}
  - {{name: slope, op: leaky_relu, alpha: 0.1}}
  - {{name: border, op: pad, padding: 1, value: 0.25}}
  - {{name: most, op: max_pool, kernel: 2, padding: [1, 0, 0, 1]}}
  - {{name: curve, op: sigmoid}}
  - {{name: sum, op: add, inputs: [most, curve]}}
  - {{name: held, op: clip, min: -0.3, max: 0.7}}
  - {{name: both, op: concat, inputs: [held, most]}}
  - {{name: mean, op: avg_pool, kernel: 2, stride: 1}}
  - {{name: turned, op: transpose, axes: [height, channels, width]}}
  - {{name: soft, op: gelu}}
  - {{name: r, op: reshape, shape: [12, 3, 2]}}
  - {{name: one, op: global_avg_pool}}
  - {{name: fc, op: dense, out_features: 6}}
  - {{name: s, op: softmax}}
"""


# All integer operators on programmable logic; convolutions that read the input by the host, and behind a PL kernel; padding
# by zero points; tiles in rounds, K in passes, both plio widths.
MIXED = """\
name: mixed
target: vck190
weights: w.safetensors
input: {name: x, shape: [3, 7, 6]}
layers:
  - {name: c1, op: conv2d, out_channels: 10, kernel: 3, padding: 1}
  - {name: r1, op: relu}
  - {name: p1, op: max_pool, kernel: 2, padding: 1}
  - {name: a1, op: avg_pool, kernel: 2, stride: 1, padding: 1}
  - {name: t, op: tanh}
  - {name: pd, op: pad, padding: 1, value: 0.3}
  - {name: c2, op: conv2d, out_channels: 5, kernel: 3, padding: [1, 0]}
  - {name: six, op: clip, min: 0, max: 0.5}
  - {name: a2, op: avg_pool, kernel: 2, stride: 1, padding: 1, count_include_pad: false}
  - {name: lr, op: leaky_relu, alpha: 0.1}
  - {name: sg, op: sigmoid}
  - {name: up, op: upsample, scale: 2}
  - {name: c3, op: conv2d, out_channels: 4, kernel: 2, stride: 2, bias: false}
  - {name: sh, op: pixel_shuffle, upscale: 2}
  - {name: gp, op: global_avg_pool}
  - {name: d1, op: dense, out_features: 9}
  - {name: d2, op: dense, out_features: 7}
  - {name: s, op: softmax}
mapping:
  c1: {tile: [16, 32, 16], groups: 2}
  c2: {tile: [8, 32, 16], plio: 128}
  d1: {plio: 32}
"""


def check(folder: Path, text: str, quantize: str, images: int = 24) -> None:
    design = aieloom.design(write_project(folder, text, quantize))
    x = inputs(design.plan.x.outside, images, seed=5) * np.float32(1.5)
    y = design.emulate(x)
    reference = design.reference(x)
    different = int((y != reference).sum())
    assert not different, f"{different} of {y.size} values differ, quantize: {quantize}, in\n{text}"
    alone = (
        array_of(design.plan).steps[-1].op == "softmax" and array_of(design.plan).y.shape[0] == 1
    )  # is always 1
    assert alone or len(np.unique(reference)) > 2, "the results say nothing"


CLASSIFIER = """\
name: classifier
target: vek280
weights: w.safetensors
input: {name: x, shape: [1, 8, 8]}
layers:
  - {name: conv, op: conv2d, out_channels: 6, kernel: 3, padding: 1, bias: false}
  - {name: norm, op: batch_norm}
  - {name: act, op: relu}
  - {name: pool, op: max_pool, kernel: 2}
  - {name: fc, op: dense, out_features: 10}
  - {name: shares, op: softmax}
"""
