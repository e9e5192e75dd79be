"""Random quantised graphs against ONNX's definition and onnxruntime's CPU provider."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.qonnx.compare import Tally, compared
from tests.qonnx.graphs import Drawn, graphs


def run(count: int, number: int) -> Tally:
    tally = Tally()

    @seed(number)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(graphs())
    def each(drawn: Drawn) -> None:
        model, x, ops = drawn
        with tempfile.TemporaryDirectory() as folder:
            compared(model, x, ops, Path(folder), tally)

    each()
    return tally


def check(tally: Tally) -> None:
    print(tally.text())
    assert tally.taken > 0.8 * tally.graphs, tally.refused
    assert tally.defined >= 0.99 * tally.values
    # Both of its modes decide exact halves otherwise, which scales of one digit and powers of two often give; optimised it also
    # merges QuantizeLinear in a row and takes softmax from integer tables.
    assert tally.plain >= 0.9 * tally.values
    assert tally.runtime >= 0.85 * tally.values


def test_random_quantised_graphs_are_what_onnx_defines() -> None:
    check(run(12, 4))


@pytest.mark.slow
def test_two_thousand_quantised_graphs() -> None:
    tally = run(2000, 5)
    check(tally)
    assert len(tally.operators) > 20
