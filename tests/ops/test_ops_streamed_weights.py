"""`weights: stream`: cores are sent their weights once; results, what is regenerated, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import aieloom
from aieloom.emit.names import WEIGHTS_HEADER
from aieloom.emit.project import render
from aieloom.emit.tables import sent_tables
from aieloom.errors import CannotFit
from aieloom.flow.opening import open_project
from aieloom.plan.types import array_of
from tests.designs import SENT_WEIGHTS
from tests.ops.cores import check as check_array
from tests.ops.cores import written
from tests.ops.system import check, project

NARROW = """\
name: narrow
target: vek280
weights: w.safetensors
input: {name: x, shape: [16, 6, 6]}
layers:
  - {name: passes, op: conv2d, out_channels: 8, kernel: 3}
mapping:
  passes: {tile: [4, 72, 8], mmul: [4, 8, 4], weights: stream}
"""


@pytest.mark.integration
def test_a_system_that_sends_its_weights_is_right_to_the_bit(tmp_path: Path) -> None:
    check(tmp_path, SENT_WEIGHTS, 9)
    plan = array_of(aieloom.design(tmp_path).plan)
    passes, lines = plan.aie[1].grid, plan.aie[0].grid
    assert passes.passes == 2 and passes.parts == 2 and lines.groups == 2
    assert [(m.name, m.streams) for m in plan.weights] == [
        ("weights_lines", 2),
        ("weights_passes", 2),
        ("weights_fc", plan.aie[2].grid.parts),
    ]
    shared = [p.kernels for p in plan.plios if p.weights and p.layer == "lines"]
    assert shared == [(0, 2), (1, 3)], "the cores of both groups share a part's stream"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "text", "quantize"),
    [
        ("vek280", NARROW, "activations: bfloat16, weights: bfloat16"),
        ("vek280", NARROW, "scales: multiplier"),
        ("vck190", NARROW.replace("[4, 8, 4]", "[4, 8, 8]"), "scales: multiplier16, per_channel: false"),
    ],
)
def test_sums_that_wait_between_passes(target: str, text: str, quantize: str, tmp_path: Path) -> None:
    made = written(tmp_path, text.replace("vek280", target), quantize)
    assert made.array.aie[0].grid.passes == 2
    check_array(made, text, 5)


def test_other_weights_are_another_header_of_the_host_and_nothing_else(tmp_path: Path) -> None:
    design = open_project(project(tmp_path, SENT_WEIGHTS), build=tmp_path / "build")
    before = render(design.array, design.parameters)
    other = {
        layer: {name: (value * np.float32(1.5)).astype(value.dtype) for name, value in tensors.items()}
        for layer, tensors in design.parameters.items()
    }
    after = render(design.array, other)
    assert {name for name in before if before[name] != after[name]} == {WEIGHTS_HEADER}
    table = sent_tables(design.array.aie[1], design.parameters["passes"])
    streamed = design.array.aie[1].draft.streamed
    assert streamed is not None and table.shape == (2, streamed.bytes)
    bias = table[1, streamed.rows_at :].view(np.float32)[:16]
    np.testing.assert_array_equal(bias.reshape(4, 4)[:, 0], design.parameters["passes"]["bias"][4:8])


def test_chains_have_their_weights_compiled_in(tmp_path: Path) -> None:
    text = SENT_WEIGHTS.replace("passes: {tile: [4, 18, 28], mmul: [4, 2, 4]", "passes: {cascade: 2")
    with pytest.raises(CannotFit, match="weights: stream with chains of 2 cores") as refused:
        open_project(project(tmp_path, text), build=tmp_path / "build")
    assert refused.value.problems[0].rule == "weights-1"
    assert "weights: constant" in refused.value.problems[0].remedy
