"""Integer networks as whole emulated systems, on both architectures, against the integer reference."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import aieloom
from aieloom.flow.opening import open_project
from aieloom.reference.results import hardware_reference
from aieloom.spec.quantize import Scales
from tests.ops.networks import random_yaml
from tests.quantize.projects import inputs, write_project

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
ML = MIXED.replace("vck190", "vek280").replace(
    "c1: {tile: [16, 32, 16], groups: 2}", "c1: {tile: [8, 16, 48]}"
)
ML = ML.replace("c2: {tile: [8, 32, 16], plio: 128}", "c2: {tile: [8, 40, 16]}")
TEXTS = {"vck190": MIXED, "vek280": ML}


def check(folder: Path, text: str, quantize: str, images: int = 24) -> None:
    design = aieloom.design(write_project(folder, text, quantize))
    x = inputs(design.plan.x.outside, images, seed=5) * np.float32(1.5)
    y = design.emulate(x)
    reference = design.reference(x)
    different = int((y != reference).sum())
    assert not different, f"{different} of {y.size} values differ, quantize: {quantize}, in\n{text}"
    alone = design.plan.steps[-1].op == "softmax" and design.plan.y.shape[0] == 1  # is always 1
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


def test_a_classifier_of_integers_runs_to_the_bit(tmp_path: Path) -> None:
    check(tmp_path, CLASSIFIER, "", images=100)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "quantize"),
    [
        ("vck190", "scales: multiplier"),
        ("vek280", "scales: multiplier, symmetric: true"),
        ("vek280", "scales: multiplier16, per_channel: false"),
        ("vck190", "scales: power_of_two"),
    ],
)
def test_every_integer_operator_runs_to_the_bit(target: str, quantize: str, tmp_path: Path) -> None:
    check(tmp_path, TEXTS[target], quantize)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["vck190", "vek280"])
@pytest.mark.parametrize("scales", [s.value for s in Scales])
@pytest.mark.parametrize("overflow", ["saturate", "wrap"])
def test_all_scalings_run_to_the_bit(target: str, scales: str, overflow: str, tmp_path: Path) -> None:
    if (scales, overflow) == ("onnx", "wrap"):
        pytest.skip("ONNX's results saturate")
    check(
        tmp_path,
        TEXTS[target],
        f"scales: {scales}, overflow: {overflow}, method: percentile, percentile: 90.0",
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_random_integer_networks_run_to_the_bit(seed: int, tmp_path: Path) -> None:
    target = ("vck190", "vek280")[seed % 2]
    scales = list(Scales)[seed % len(Scales)].value
    check(tmp_path, random_yaml(1000 + seed).replace("vck190", target), f"scales: {scales}")


@pytest.mark.slow
def test_integers_stay_near_the_floats(tmp_path: Path) -> None:
    """For every way to scale and calibrate, without a compiler: the softmax's results are a few quanta off at most."""
    from aieloom.reference.results import torch_reference  # noqa: PLC0415

    pytest.importorskip("torch")
    for i, keys in enumerate(
        [
            "",
            "symmetric: true",
            "per_channel: false",
            "scales: power_of_two",
            "scales: multiplier16",
            "method: mse",
        ]
    ):
        project = open_project(write_project(tmp_path / str(i), MIXED, keys))
        x = inputs(project.plan.x.shape, 50, seed=2)
        y = hardware_reference(project.plan, project.parameters, x)
        torch = torch_reference(project.network, project.float_parameters, x)
        assert np.abs(y - torch).max() < 6 / 256, keys
