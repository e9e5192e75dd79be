"""The power model: what is fitted on published figures, its errors as the page tells them, and what an image takes of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aieloom.cost.power import ARRAY, LOGIC, MEMORY, REST, Work, energy_of, has_power
from aieloom.errors import SpecError
from aieloom.flow.opening import open_project
from aieloom.flow.project import write_plan
from aieloom.plan.energy import plan_energy, plan_work
from aieloom.search.goal import Goal
from aieloom.spec.board import PowerFacts
from aieloom.spec.device import Device, load_board
from tools.power import AT_MHZ, errors, fit, read_rows, table

ROOT = Path(__file__).parents[2]
NUMBER = st.floats(0, 1e4)


def board_of(name: str) -> Device:
    board = load_board(name)
    assert isinstance(board, Device)
    return board


def test_the_coefficients_are_those_of_the_fit() -> None:
    """A design of one thing each, at the clock of the coefficients, for a second: its watts are the fit's."""
    model, board = fit(read_rows()), board_of("vck190")
    assert board.power
    assert board.power.rest_w == pytest.approx(model.rest, abs=0.005)
    second = 1e6
    for device in (board, board_of("vek280").model_copy(update={"power": board.power})):
        fixed, core, tile = model.array[device.architecture.value]
        scale = device.clocks.aie_mhz / 1250
        found = energy_of(device, Work(interval_us=second, busy_us=5 * second, tiles=7))
        assert found
        assert found.shares[ARRAY] / 1e3 == pytest.approx(scale * (fixed + 5 * core + 7 * tile), rel=1e-3)
    for kind, watts in zip(("lut", "bram36", "dsp"), model.logic, strict=True):
        found = energy_of(board, Work(interval_us=second, logic=((AT_MHZ, {kind: 1000}),)))
        assert found
        assert found.shares[LOGIC] / 1e3 == pytest.approx(1000 * watts, rel=1e-3)


def test_a_published_array_by_hand() -> None:
    """MaxEVA's product in float32: 5.44 TFLOP/s are 272 cores of 20 GFLOP/s, on 400 tiles."""
    found = energy_of(board_of("vck190"), Work(interval_us=1e6, busy_us=272e6, tiles=400))
    assert found
    assert found.shares[ARRAY] / 1e3 == pytest.approx(0.4685 + 272 * 0.1617 + 400 * 0.0355, rel=1e-3)
    assert found.watts == pytest.approx(9.61 + 58.65, abs=0.02)


def test_the_page_tells_the_errors_that_the_fit_has() -> None:
    page = (ROOT / "docs" / "energy.md").read_text(encoding="utf-8")
    for line in table():
        assert line in page


def test_figures_that_were_left_out_are_met_about_as_well_as_the_page_says() -> None:
    """Whole sources are left out; of each row the sign is seen too: none is fitted by another name."""
    rows = read_rows()
    fitted = {r.source for r in rows if r.fitted}
    held = {r.source for r in rows if not r.fitted}
    assert held - fitted >= {"gemm-2023", "gemm-2022", "maxeva-v1", "maxeva-v2", "fir-board", "dsplib-vector"}
    without = [r for r in rows if r.fitted]
    assert fit(rows) == fit(without)
    off = {(source, what): mean for source, what, used, _, mean, _ in errors(rows, fit(rows)) if not used}
    assert off["dsplib-vector", "cores, aie-ml"] < 0.1
    assert off["gemm-2023", "array, aie"] < 0.05


@given(interval=st.floats(1e-3, 1e6), busy=NUMBER, tiles=NUMBER, lut=st.integers(0, 10**6), bytes_=NUMBER)
def test_shares_add_up_and_grow_with_what_they_are_of(
    interval: float, busy: float, tiles: float, lut: int, bytes_: float
) -> None:
    board = board_of("vck190")
    work = Work(interval_us=interval, busy_us=busy, tiles=tiles, logic=((312.5, {"lut": lut}),), bytes=bytes_)
    found = energy_of(board, work)
    assert found
    assert found.mj == pytest.approx(sum(found.shares.values()))
    assert found.shares[REST] == pytest.approx(9.61e-3 * interval)
    assert found.shares[MEMORY] == pytest.approx(8 * bytes_ * 20e-9)
    assert found.watts * interval == pytest.approx(1e3 * found.mj)
    for more in (
        replace(work, interval_us=2 * interval),
        replace(work, tiles=tiles + 1),
        replace(work, bytes=bytes_ + 64),
        replace(work, logic=((400.0, {"lut": lut}),)),
    ):
        other = energy_of(board, more)
        assert other
        assert other.mj >= found.mj


def test_a_board_without_a_figure_has_no_energy_and_an_own_file_gives_it() -> None:
    board = board_of("vek280")
    assert not has_power(board)
    assert energy_of(board, Work(interval_us=1.0)) is None
    assert energy_of(board_of("vck190"), Work(interval_us=0.0)) is None, "nothing of it takes time"
    own = board.model_copy(update={"power": PowerFacts(source="my sensors", rest_w=8.5)})
    found = energy_of(own, Work(interval_us=1e6))
    assert found
    assert found.watts == pytest.approx(8.5)
    for name in ("zcu104", "zynq-7020"):
        assert not has_power(load_board(name))


def test_energy_is_refused_as_an_objective_where_the_board_has_none(tmp_path: Path) -> None:
    project = open_project(ROOT / "projects" / "espcn", build=tmp_path)
    with pytest.raises(SpecError, match=r"\[dse-2\] .*nothing public says what vek280 draws") as refused:
        Goal.of(project.network.spec, board_of("vek280"), "energy")
    assert "rest_w" in str(refused.value)
    assert Goal.of(project.network.spec, board_of("vck190"), "energy").objective == "energy"


def test_a_plan_says_what_an_image_takes(tmp_path: Path) -> None:
    """ESPCN: products of all layers over what a core multiplies, 8 float32 a cycle; plan.json has the same."""
    project = open_project(ROOT / "projects" / "espcn", build=tmp_path)
    plan = project.array
    work = plan_work(plan, 100.0)
    macs = 16 * 16 * (64 * 25 + 32 * 64 * 9 + 4 * 32 * 9)
    least = macs / 8 / plan.device.clocks.aie_mhz
    assert least <= work.busy_us <= 3 * least, "filled up to whole tiles"
    assert work.tiles == plan.tiles_in_use
    energy = plan_energy(plan, plan.cost.interval_us)
    assert energy
    write_plan(project)
    assert f'"mj_per_image": {energy.as_json()["mj_per_image"]}' in (project.build / "plan.json").read_text()
