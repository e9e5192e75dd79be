"""Integer networks as whole emulated systems, on both architectures, against the integer reference."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from aieloom.flow.opening import open_project
from aieloom.reference.results import hardware_reference
from aieloom.spec.quantize import Scales
from tests.ops.networks import random_yaml
from tests.quantize.designs import CLASSIFIER, MIXED, check
from tests.quantize.projects import inputs, write_project

ML = MIXED.replace("vck190", "vek280").replace(
    "c1: {tile: [16, 32, 16], groups: 2}", "c1: {tile: [8, 16, 48]}"
)
ML = ML.replace("c2: {tile: [8, 32, 16], plio: 128}", "c2: {tile: [8, 40, 16]}")
TEXTS = {"vck190": MIXED, "vek280": ML}


@pytest.mark.integration
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
        y = hardware_reference(project.array, project.parameters, x)
        torch = torch_reference(project.network, project.float_parameters, x)
        assert np.abs(y - torch).max() < 6 / 256, keys
