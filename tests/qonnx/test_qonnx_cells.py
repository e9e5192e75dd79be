"""The table of operators, scales, zero points and signedness: what docs/quantised-onnx.md says is so."""

from __future__ import annotations

import pytest

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
