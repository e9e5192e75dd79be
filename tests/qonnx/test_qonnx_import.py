"""What of quantised models is refused, and what the quantisation check says of one: the model's own saturation is no loss."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from aieloom.errors import SpecError
from aieloom.flow.designs import design_of
from aieloom.flow.judged import walked
from aieloom.flow.opening import open_project
from tests.heavy import helper
from tests.qonnx.cells import Cell
from tests.qonnx.compare import planned, project_of
from tests.qonnx.graphs import Tensor


def start() -> tuple[Cell, Tensor]:
    g = Cell((1, 4, 6, 6), np.random.default_rng(3))
    x, _ = g.fit(g.tensor("x"), "int8")
    y, _ = g.fit(g.add("Conv", [x.name, g.weight(4, 4, 1, 1)]), "int8")
    return g, y


def refused(g: Cell, last: Tensor, folder: Path) -> str:
    with pytest.raises(SpecError) as caught:
        planned(g.model(last), folder)
    return str(caught.value)


def test_a_float_result_that_is_rounded_in_two_ways_is_refused(tmp_path: Path) -> None:
    g, x = start()
    both = g.add("Tanh", [x.name])
    a, _ = g.fit(both, "int8", 0.01)
    b, _ = g.fit(both, "uint8", 0.02)
    last, _ = g.fit(g.add("Add", [a.name, b.name]), "int8")
    assert "(Tanh): its result" in refused(g, last, tmp_path)
    g, x = start()
    both = g.add("Tanh", [x.name])
    a, _ = g.fit(both, "int8", 0.01)
    last, _ = g.fit(g.add("Add", [a.name, both.name]), "int8")
    assert "is read as floats and rounded to the scale 0.01" in refused(g, last, tmp_path)


def test_averages_and_borders_that_nothing_rounds_are_refused(tmp_path: Path) -> None:
    g, x = start()
    mean = g.add("AveragePool", [x.name], kernel_shape=[2, 2])
    last, _ = g.fit(g.add("Conv", [mean.name, g.weight(4, 4, 1, 1)]), "int8")
    assert "the model does not say what its results are quantised to" in refused(g, last, tmp_path)
    g, x = start()
    sides, value = g.constant(np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64)), g.constant(np.float32(5.26))
    border = g.add("Pad", [x.name, sides, value])
    last, _ = g.fit(g.add("Conv", [border.name, g.weight(4, 4, 1, 1)]), "int8")
    assert "by 5.26, which is none of theirs" in refused(g, last, tmp_path)


def test_float_weights_and_scaled_weights_are_refused(tmp_path: Path) -> None:
    g, x = start()
    last, _ = g.fit(g.add("Conv", [x.name, g.floats_of(4, 4, 1, 1)]), "int8")
    assert "its weights are floats" in refused(g, last, tmp_path)
    g, x = start()
    flat = g.add("Flatten", [x.name])
    last, _ = g.fit(g.add("Gemm", [flat.name, g.weight(5, 144)], transB=1), "int8")
    g.nodes[-3].attribute.append(helper.make_attribute("alpha", 0.37))
    assert "no whole multiples of their scale" in refused(g, last, tmp_path)


def test_a_relu_that_is_only_a_range_is_no_loss(tmp_path: Path) -> None:
    """uint8 with zero point 0 behind a convolution: negative sums become 0 by the model's own definition."""
    g = Cell((1, 4, 6, 6), np.random.default_rng(3))
    x, _ = g.fit(g.tensor("x"), "int8")
    raw = g.add("Conv", [x.name, g.weight(4, 4, 3, 3)])
    y = g.rounded(raw, float(g.floats(raw.name).max()) / 255, 0, np.uint8)
    last, _ = g.fit(g.add("Conv", [y.name, g.weight(4, 4, 1, 1)]), "int8")
    project = project_of(g.model(last), tmp_path)
    q = project.quantised
    assert q is not None and q.is_given
    given = np.random.default_rng(1).normal(0, 1, (50, 4, 6, 6)).astype(np.float32)
    losses = walked(design_of(project).evaluated, given, q=q).losses
    assert min(la.sqnr_db for la in losses) > 25
    assert open_project(tmp_path, build=tmp_path / "again").plan == project.plan
