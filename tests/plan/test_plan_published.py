"""What the plan says of figures that no published kernel reached, or that none calibrates; and which MACs are executed."""

from __future__ import annotations

import re

import pytest

from aieloom.explain.explain import explain
from aieloom.flow.opening import open_project
from aieloom.flow.project import Project
from aieloom.plan.published import BEST, SHORT_CYCLES, Call, doubts, modelled_by, uncalibrated
from aieloom.spec.architecture import Architecture
from aieloom.spec.types import DataType
from tests.designs import ESPCN, ROOT, plan_of


def call_at(share: float, kind: str, dtype: DataType = DataType.FLOAT32) -> Call:
    return Call(
        architecture=Architecture.AIE,
        dtype=dtype,
        kind=kind,
        products=round(8000 * share),
        cycles=1000,
        peak=8,
        loads=3,
        macs=8,
        vectors=7,
        of_vectors=8,
    )


@pytest.mark.parametrize("kind", ["product", "convolution"])
def test_what_nobody_has_reached_needs_a_reason(kind: str) -> None:
    best = BEST[Architecture.AIE, DataType.FLOAT32, kind].share
    assert list(doubts(call_at(best - 0.01, kind))) == []
    said, why = doubts(call_at(best + 0.01, kind))
    assert f"beyond any published float32 {kind} ({best:.0%}" in said
    assert "3 loads, 2 a cycle, for 8 cycles of MACs, and keeps 7 of 8 vector registers" in why
    assert list(doubts(call_at(0.99, kind, DataType.INT8))) == []


def test_short_calls_and_types_without_rows_are_told() -> None:
    assert list(uncalibrated(Architecture.AIE, DataType.INT8, SHORT_CYCLES)) == []
    (line,) = uncalibrated(Architecture.AIE, DataType.INT8, SHORT_CYCLES - 1)
    assert line.startswith("a call of 199 cycles")
    for dtype in (DataType.FLOAT32, DataType.BFLOAT16):
        (line,) = uncalibrated(Architecture.AIE_ML, dtype, 5000)
        assert line.startswith("no published figure judges this one")


def test_the_model_s_error_is_not_said_of_what_is_published_too_little(mnist: Project) -> None:
    assert "unknown" not in modelled_by(Architecture.AIE, DataType.INT8)
    for dtype in (DataType.FLOAT32, DataType.BFLOAT16):
        assert "of unknown error" in modelled_by(Architecture.AIE_ML, dtype)
    assert mnist.array.cost.produced_by == modelled_by(Architecture.AIE_ML, DataType.BFLOAT16)


def test_layers_of_espcn_say_which_of_their_figures_nobody_has_reached() -> None:
    for layer in plan_of(ESPCN).aie:
        draft, grid = layer.draft, layer.grid
        share = grid.passes * grid.tile_m * grid.tile_k * grid.tile_n / draft.kernel_cycles / 8
        assert any("beyond any published" in line for line in draft.why) == (share > 0.95)


@pytest.fixture(scope="module")
def mnist(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return open_project(ROOT / "projects" / "mnist", build=tmp_path_factory.mktemp("mnist"))


def test_macs_are_those_that_are_executed(mnist: Project) -> None:
    """conv2 gives 11 x 11 results, of which a 2 x 2 pool takes 10 x 10: no core computes the others."""
    lines = list(explain(mnist, "conv2"))
    (line,) = [line for line in lines if "MACs are executed" in line]
    executed, own, cores, cycles = (
        int(n.replace(",", "")) for n in re.findall(r"[\d,]*\d(?=\sMACs| of them| cores| cycles)", line)
    )
    assert own == 64 * 16 * 9 * 10 * 10
    assert own <= executed <= cores * cycles * 128
    assert f"{own / cores / cycles:.2f} a cycle and core, of 128" in line
    assert any("no published figure judges this one" in line for line in lines)
