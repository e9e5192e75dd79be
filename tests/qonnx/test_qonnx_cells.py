"""The table of operators, scales, zero points and signedness: what docs/quantised-onnx.md says is so."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from aieloom.network.layers import Layer
from aieloom.network.tensor import Quantisation, TensorType
from aieloom.ops.integer_pairs import exact_sum
from aieloom.spec.network import NetworkSpec
from aieloom.spec.types import DataType
from tests.qonnx.cells import COLUMNS, FILE, OPERATORS, ROOT, cell, table


@pytest.mark.parametrize("name", ["Transpose", "Pad, 5.26", "GlobalAveragePool, Flatten", "Sub"])
def test_an_operator_between_two_scales_is_exact(name: str) -> None:
    for column in COLUMNS[::5]:
        found = cell(name, column)
        assert (found.refused, found.apart, found.runtime) == ("", 0, 1.0), column


@pytest.mark.slow
def test_the_table_is_what_is_found() -> None:
    assert (ROOT / FILE).read_text(encoding="utf-8") == table()
    assert len(OPERATORS) > 25


def test_a_sum_whose_quotients_are_no_float32_is_one_element_off_at_halves_as_documented() -> None:
    """.02 + .05 -> .04: 1/2 is a float32 number, the quotient of .05 and .04 as float32 is none."""
    a, b, y = (float(np.float32(s)) for s in (0.02, 0.05, 0.04))
    x0, x1, result = (
        TensorType((1, 1, 1), DataType.INT8, Quantisation(scale=s, zero_point=0)) for s in (a, b, y)
    )
    layer = cast(Layer, SimpleNamespace(xs=(x0, x1), x=x0, others=(x1,), y=result, bounds=None))
    first, second = (v.ravel() for v in np.meshgrid(np.arange(-128, 128), np.arange(-128, 128)))
    given = first.astype(np.int8), second.astype(np.int8)
    found = exact_sum(cast(NetworkSpec, None), layer).of(*given)
    sums = (Fraction(a) * int(i) + Fraction(b) * int(j) for i, j in zip(first, second, strict=True))
    exact = np.array([min(127, max(-128, round(s / Fraction(y)))) for s in sums])
    assert np.abs(found - exact).max() == 1
    share = f"{100 * (found == exact).mean():.1f} % of all 65,536 pairs"
    assert share in " ".join((ROOT / FILE).read_text(encoding="utf-8").split())
