"""A softmax of one pixel in a streaming kernel: a chain of tasks, several images one after another, to the bit."""

from __future__ import annotations

from pathlib import Path

import pytest

from aieloom.spec.quantize import QuantizeSpec
from tests.designs import plan_of
from tests.ops.heads import AMONG, JOINED, head
from tests.ops.kernels import check
from tests.quantize.kernels import BFLOAT16, INT16, integer_design


@pytest.mark.parametrize("classes", [1, 2, 5, 10, 33, 1000])
def test_a_head_of_any_width_gives_the_references_bits(classes: int, tmp_path: Path) -> None:
    (kernel,) = (g for g in plan_of(head(classes)).pl if g.steps)
    assert kernel.part
    assert kernel.part.tasks.ways == 1
    check([head(classes)], tmp_path)


@pytest.mark.integration
def test_among_other_layers_it_gives_the_references_bits(tmp_path: Path) -> None:
    check([*AMONG, JOINED], tmp_path)


@pytest.mark.integration
@pytest.mark.parametrize(
    "spec",
    [
        pytest.param(QuantizeSpec(), id="int8"),
        pytest.param(INT16, id="int16", marks=pytest.mark.slow),
        pytest.param(BFLOAT16, id="bfloat16", marks=pytest.mark.slow),
    ],
)
def test_it_gives_the_references_elements(spec: QuantizeSpec, tmp_path: Path) -> None:
    board = "vek280" if spec is BFLOAT16 else "vck190"
    texts = [t.replace("vck190", board) for t in (head(1), head(10), head(200), *AMONG)]
    check(texts, tmp_path, lambda text: integer_design(text, spec))
