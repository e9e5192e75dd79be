"""Whole models that onnxruntime.quantization made: the integer reference beside onnxruntime's CPU provider, end to end."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.qonnx.compare import by_aieloom, by_onnxruntime, last_scale, planned
from tests.qonnx.models import MODELS, inputs, quantised

LEAST = 0.98  # of the results equal onnxruntime's


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    ("unsigned", "per_channel"), [(True, True), pytest.param(False, False, marks=pytest.mark.slow)]
)
def test_a_models_results_are_onnxruntimes(
    name: str, unsigned: bool, per_channel: bool, tmp_path: Path
) -> None:
    model = quantised(name, tmp_path, unsigned=unsigned, per_channel=per_channel)
    x = inputs(model, 20, 8)
    ours, scale = by_aieloom(planned(model, tmp_path), x), last_scale(model)
    # With its optimiser, which computes an average of four elements in integers: a quarter of those lie on a half, and without it
    # float32's error decides where they go (tests/qonnx/definition.py rounds them to even, as integers do).
    off = np.rint(np.abs(ours - by_onnxruntime(model, x, optimised=True)) / scale)
    share = float((off == 0).mean())
    print(
        f"{name} {unsigned=} {per_channel=}: {100 * share:.3f} % equal, at most {off.max():.0f} elements off"
    )
    assert share >= LEAST
    assert off.max() <= 1
    assert len(np.unique(ours)) > 30
