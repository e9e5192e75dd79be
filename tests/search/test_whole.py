"""What a design is as a whole, chosen by the search: engines, tiles, copies, chains; never against what the file says."""

from __future__ import annotations

import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aieloom
from aieloom.emit.project import render
from aieloom.errors import CannotFit
from aieloom.flow import dse as command
from aieloom.flow.opening import open_project
from aieloom.flow.samples import load_samples
from aieloom.network.layers import Network
from aieloom.ops import REGISTRY
from aieloom.plan.build import make_plan
from aieloom.plan.cost import processor_cost
from aieloom.plan.rules_streams import crowded_logic
from aieloom.plan.types import ArrayPart, array_of
from aieloom.search import default, quick
from aieloom.search.candidates import Found, LayerFront
from aieloom.search.default import settle
from aieloom.search.figures import COLUMNS, CORES, INTERVAL, LATENCY, METRICS
from aieloom.search.goal import Goal
from aieloom.search.linked import linked_designs
from aieloom.search.mapped import timed
from aieloom.search.merge import SUMS, merge
from aieloom.search.scope import Choice
from aieloom.search.structure import cut_otherwise, on_other_engines
from aieloom.simulation.of_plan import modelled_rates, simulate_plan
from aieloom.spec.device import Device, load_device
from aieloom.spec.types import Buffers
from aieloom.units.plan import as_json
from aieloom.units.types import logic_use
from tests.designs import ROOT, network_of, weights_of
from tests.ops.system import project

TWO = """\
name: two
target: vck190
weights: w.safetensors
input: {name: x, shape: [2, 8, 8]}
layers:
  - {name: first, op: conv2d, out_channels: 8, kernel: 3, padding: 1}
  - {name: act, op: relu}
  - {name: second, op: conv2d, out_channels: 4, kernel: 3, padding: 1}
"""
NARROW_ENDS = (  # little for the host program, much for the kernel between: copies of both are faster
    TWO.replace("[2, 8, 8]", "[1, 8, 8]")
    .replace("out_channels: 8", "out_channels: 32")
    .replace("out_channels: 4", "out_channels: 1")
    .replace("relu", "tanh")
)
WIDE = TWO.replace("[2, 8, 8]", "[2, 8, 8192]").replace("out_channels: 8,", "out_channels: 64,")
DENSE = """\
name: features
target: vck190
weights: w.safetensors
input: {name: x, shape: [4, 1, 1]}
layers:
  - {name: first, op: dense, out_features: 4}
  - {name: act, op: relu}
  - {name: second, op: dense, out_features: 2}
"""
FITS = WIDE.replace("8192", "512")


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Search anew in every test."""
    monkeypatch.setattr(default, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(quick, "CANDIDATES", 1200)
    monkeypatch.setattr(quick, "LEAST_CANDIDATES", 300)


def small_device(bram: int = 64, uram: int = 1) -> Device:
    """Return the VCK190 with so little block RAM and UltraRAM."""
    device = load_device("vck190")
    logic = device.logic.model_copy(update={"bram36": bram, "uram288": uram})
    return device.model_copy(update={"logic": logic})


def written(folder: Path, text: str) -> Path:
    """Write a project with seeded weights into a new folder."""
    folder.mkdir(exist_ok=True)
    return project(folder, text)


def settled(text: str, device: Device | None = None) -> ArrayPart:
    network = network_of(text)
    plan = settle(network, device or load_device(network.spec.target), REGISTRY).plan
    assert all(c.used <= c.limit for c in plan.checks)
    return plan


def emitted(text: str, plan: ArrayPart) -> None:
    """Assert that the sources of a plan can be printed."""
    assert render(plan, weights_of(network_of(text)))


def on_processor(plan: ArrayPart) -> list[str]:
    return [s.name for s in plan.processor.steps] if plan.processor else []


# --- engines


def test_a_budget_that_only_the_processor_can_keep_moves_a_layer_there() -> None:
    text = f"{TWO}budget: {{aie_cores: 1}}\n"
    plan = settled(text)
    assert plan.cores == 1 and on_processor(plan) == ["first"]
    assert plan.processor and "as it is, no design keeps to" in plan.processor.steps[0].reason
    assert "first on the processor, of " in plan.aie[0].draft.why[-1]
    emitted(text, plan)
    assert not on_processor(settled(f"{TWO}budget: {{aie_cores: 2}}\n"))
    again = settled(text)  # by the file that the first search left
    assert as_json(again) == as_json(plan)


def test_what_the_file_says_of_an_engine_stays() -> None:
    said = f"{TWO}budget: {{aie_cores: 1}}\nmapping: {{first: {{engine: aie}}}}\n"
    plan = settled(said)
    assert "first" not in on_processor(plan) and "second" in on_processor(plan)
    both = said.replace("aie}}", "aie}, second: {plio: 64}}")
    assert settled(both).cores == 2  # more than the budget: nothing is left open


@pytest.mark.slow
def test_a_layer_that_no_core_can_hold_goes_to_the_processor() -> None:
    """A dense layer of more weights than the array has memory for."""
    text = TWO.replace("[2, 8, 8]", "[2, 64, 64]") + "  - {name: out, op: dense, out_features: 1000}\n"
    with pytest.raises(CannotFit):
        make_plan(network_of(text), load_device("vck190"), REGISTRY)
    with pytest.raises(CannotFit, match=r"out"):  # where the caller has another way, as execution: auto has
        settle(network_of(text), load_device("vck190"), REGISTRY, moves=False)
    plan = settled(text)
    assert on_processor(plan) == ["out"]
    assert plan.processor and "as it is, no design fits: [" in plan.processor.steps[0].reason
    with pytest.raises(CannotFit):
        settled(f"{text}mapping: {{out: {{engine: aie}}}}\n")


def test_moves_are_legal_and_within_the_time_that_they_may_take() -> None:
    network = network_of(TWO)
    remake = partial(_with_spec, network)
    moves = on_other_engines(network, REGISTRY, load_device("vck190"), remake=remake, goal=Goal())
    assert [m.label for m in moves][:1] == ["act on the processor"]  # the least work
    for m in moves:
        plan = make_plan(m.network, load_device("vck190"), REGISTRY)
        assert on_processor(plan) and plan.aie
    times = (
        [processor_cost(plan.device, [s], "", ()).interval_us for s in plan.processor.steps]
        if plan.processor
        else []
    )
    assert times
    few = on_other_engines(
        network, REGISTRY, load_device("vck190"), remake=remake, goal=Goal(), within_us=2.0
    )
    assert {m.label for m in few} < {m.label for m in moves}
    one = on_other_engines(
        network, REGISTRY, load_device("vck190"), remake=remake, goal=Goal(), one_of=frozenset({"second"})
    )
    assert {m.label for m in one} == {"second on the processor"}


def _with_spec(network: Network, spec: Any) -> Network:
    return replace(network, spec=spec)


# --- tiles


@pytest.mark.integration
def test_an_image_that_fits_only_when_cut_is_cut() -> None:
    plan = settled(FITS, small_device())
    assert plan.frame and plan.frame.tiles > 1
    assert "as it is, no design fits: [pl-1]" in plan.aie[0].draft.why[-1]
    emitted(FITS, plan)


@pytest.mark.slow
def test_automatic_tiles_are_the_best_not_the_largest() -> None:
    text = f"{FITS}tiles: auto\n"
    network, device = network_of(text), small_device(240, 40)
    largest = make_plan(network, device, REGISTRY)
    plan = settled(text, device)
    assert plan.frame and largest.frame
    assert timed(plan)[0] <= timed(largest)[0]


def test_tiles_that_the_file_says_stay_and_the_cuts_are_found_for_them() -> None:
    text = f"{WIDE.replace('8192', '64')}tiles: {{size: [8, 24]}}\n"
    plan = settled(text)
    assert plan.frame and (plan.frame.rows.tile, plan.frame.cols.tile) == (8, 24)
    alone = make_plan(network_of(text), plan.device, REGISTRY)
    assert timed(plan)[0] < timed(alone)[0]
    assert cut_otherwise(network_of(text), REGISTRY, lambda _: None) == []


def test_what_sees_the_whole_image_is_not_cut() -> None:
    text = f"{FITS}  - {{name: mean, op: global_avg_pool}}\n"
    assert cut_otherwise(network_of(text), REGISTRY, lambda _: None) == []


@given(st.integers(1, 60), st.integers(1, 60))
def test_of_every_width_the_highest_tile_that_fits_is_found(rows: int, cols: int) -> None:
    """A device on which tiles of more than `rows` x `cols` do not fit."""

    def plans(network: Network) -> None:
        tiles = network.spec.tiles
        size = tiles.size if tiles and not isinstance(tiles, str) else network.x.shape[1:]
        if size[0] > rows or size[1] > cols:
            raise CannotFit(network.spec.source.problem("pl-1", (), "", ""))

    network = network_of(TWO.replace("[2, 8, 8]", "[2, 60, 60]"))
    found = [a.network.spec.tiles for a in cut_otherwise(network, REGISTRY, plans)]
    every = [a.network.spec.tiles for a in cut_otherwise(network, REGISTRY, lambda _: None)]
    assert None in every
    sizes = [t.size if t and not isinstance(t, str) else (60, 60) for t in found]
    assert all(h <= rows and w <= cols for h, w in sizes)
    assert len({w for _, w in sizes}) == len(sizes)
    assert (None in found) == (rows >= 60 and cols >= 60)


# --- copies


def test_cores_of_a_budget_are_filled_with_copies() -> None:
    text = f"{DENSE}budget: {{aie_cores: 24}}\n"
    plan, one = settled(text), settled(f"{text}copies: 1\n")
    assert one.copies == 1 < plan.copies and plan.cores <= 24
    assert timed(plan)[0] < timed(one)[0]
    emitted(text, plan)
    assert as_json(settled(text)) == as_json(plan)
    for objective in ("latency", "cores"):
        assert settled(f"{text}objective: {objective}\n").copies == 1


def test_a_design_is_repeated_where_nobody_says_how_often() -> None:
    """As often as makes it faster end to end, within what the device has room for."""
    plan, one = settled(DENSE), settled(f"{DENSE}copies: 1\n")
    assert one.copies == 1 < plan.copies
    assert modelled_rates(plan).system.images_per_s > 1.01 * modelled_rates(one).system.images_per_s
    assert not any(crowded_logic(plan))
    emitted(DENSE, plan)
    assert as_json(settled(DENSE)) == as_json(plan)
    for objective in ("latency", "cores"):
        assert settled(f"{DENSE}objective: {objective}\n").copies == 1


def test_no_copy_is_taken_that_the_host_program_cannot_feed() -> None:
    """Copies may make the array faster; what one gets does not follow, and each is started for each batch."""
    plan = settled(TWO)
    rates = {n: modelled_rates(settled(f"{TWO}copies: {n}\n")) for n in (1, 4)}
    assert rates[4].array.images_per_s > rates[1].array.images_per_s
    assert rates[4].system.images_per_s < 1.01 * rates[1].system.images_per_s
    assert (plan.copies, rates[1].system.bottleneck) == (1, "the host program")


@pytest.mark.parametrize("copies", [1, 2, 3])
def test_what_the_logic_has_no_room_for_within_its_margin_is_not_taken(copies: int) -> None:
    """The LUTs of so many copies of the best single design, and a half: what is chosen keeps to them, and is faster for more."""
    logic = load_device("vck190").logic
    one = settled(f"{DENSE}copies: 1\n")
    used = logic_use((*one.pl, *one.movers)).lut
    room = logic.model_copy(update={"lut": int(used * (copies + 0.5) / logic.margins[0].lut)})
    device = load_device("vck190").model_copy(update={"logic": room})
    plan = settled(DENSE, device)
    assert not any(crowded_logic(plan))
    assert timed(plan).interval_us <= timed(one).interval_us / copies * 1.1  # starts come on top


def test_copies_that_memory_holds_up_are_left_out() -> None:
    """A memory that carries two and a half times what one copy takes gets three of them."""
    device, one = load_device("vck190"), settled(f"{DENSE}copies: 1\n")
    bytes_us = one.subgraphs[0].mm2s.image_bytes / simulate_plan(one).interval_us
    slow = device.memory.model_copy(update={"bank_mb_s": 2.5 * bytes_us})
    assert settled(DENSE, device.model_copy(update={"memory": slow})).copies == 3


def test_dse_never_loses_to_what_is_chosen_by_default(tmp_path: Path) -> None:
    outcome, mapping, _ = dse(written(tmp_path / "a", DENSE), tmp_path / "b")
    best = outcome.winner
    assert best.plan.copies > 1 and f"copies: {best.plan.copies}" in mapping
    assert outcome.written.plan.copies > 1
    assert best.interval_us <= outcome.written.interval_us * (1 + 1e-9)
    alone, _, _ = dse(tmp_path / "a", tmp_path / "c", copies="1")
    assert alone.winner.plan.copies == 1 and alone.winner.interval_us > best.interval_us


@pytest.mark.parametrize("limit", [3, 8, 17])
def test_copies_keep_every_limit(limit: int) -> None:
    plan = settled(f"{TWO}budget: {{aie_cores: 400, plio: {limit}}}\n")
    assert len(plan.plios) <= max(limit, 4)  # two layers have a stream in and one out each


def test_chains_are_copied_too() -> None:
    text = TWO.replace("vck190", "vek280") + (
        "quantize: {activations: bfloat16, weights: bfloat16}\nbudget: {aie_cores: 12}\n"
    )
    network = network_of(text)
    cast = replace(
        network,
        layers=tuple(
            replace(la, x=_bf16(la.x), y=_bf16(la.y), others=tuple(map(_bf16, la.others)))
            for la in network.layers
        ),
    )
    goal = Goal.of(cast.spec, load_device("vck190"))
    found = list(linked_designs(cast, load_device("vek280"), REGISTRY, ("first", "second"), goal))
    several = [p for _, p in found if p.copies > 1]
    assert several and all(p.cores <= 12 for p in several)
    fastest = min(timed(p)[0] for p in several)
    assert fastest < min(timed(p)[0] for _, p in found if p.copies == 1)
    plan = settle(cast, load_device("vek280"), REGISTRY).plan
    assert plan.cores <= 12 and timed(plan)[0] <= fastest


def _bf16(tensor: Any) -> Any:
    return replace(tensor, dtype=type(tensor.dtype).BFLOAT16)


@given(
    st.lists(
        st.lists(st.integers(1, 9), min_size=len(METRICS), max_size=len(METRICS)), min_size=1, max_size=5
    ),
    st.integers(1, 6),
    st.integers(1, 7),
)
def test_several_copies_and_tiles_scale_the_figures(rows: list[list[int]], copies: int, tiles: int) -> None:
    found = Found(
        choices=[Choice((1, 1, i), None, 1, Buffers.SINGLE, 32) for i in range(len(rows))],
        rows=[tuple(map(float, r)) for r in rows],
    )
    layer = LayerFront(
        name="a", choices=tuple(found.choices), figures=found.figures(), evaluated=1, too_large=0
    )
    zero = (0.0,) * len(METRICS)
    many = merge([layer], zero, {COLUMNS: 12.0}, copies=(copies,), tiles=tiles)
    assert set(many.copies.tolist()) <= {copies}
    assert (many.figures[:, COLUMNS] <= 12).all()
    assert len(many.figures) or layer.figures[:, COLUMNS].min() * copies > 12
    for (pick,), f in zip(many.picks.tolist(), many.figures, strict=True):
        single = layer.figures[pick]
        assert f[INTERVAL] == pytest.approx(single[INTERVAL] * tiles / copies)
        assert f[LATENCY] == pytest.approx(single[LATENCY] + (-(-tiles // copies) - 1) * single[INTERVAL])
        assert [f[m] for m in SUMS] == [copies * single[m] for m in SUMS]
    both = merge([layer], zero, {COLUMNS: 12.0}, copies=(1, copies), tiles=tiles)
    if len(both.figures):
        assert both.figures[:, CORES].min() == merge([layer], zero, {COLUMNS: 12.0}).figures[:, CORES].min()


# --- doit dse


def dse(folder: Path, build: Path, **words: Any) -> tuple[Any, str, str]:
    """Search a project; return the outcome, mapping.yaml and why.txt."""
    opened = open_project(folder, build=build)
    outcome = command.search(opened, {"workers": "1", **words})
    texts = [
        (opened.build / "dse" / name).read_text(encoding="utf-8") for name in ("mapping.yaml", "why.txt")
    ]
    return outcome, texts[0], texts[1]


def pasted(folder: Path, to: Path, text: str) -> Path:
    """Return a copy of a project with other lines at its end."""
    shutil.copytree(folder, to)
    with (to / "network.yaml").open("a", encoding="utf-8") as file:
        file.write(text)
    return to


@pytest.mark.integration
@pytest.mark.parametrize(
    ("text", "lines", "words", "says"),
    [
        (TWO, "", {"aie_cores": 1}, "Other ways to divide the work (first on the processor won):"),
        pytest.param(NARROW_ENDS, "", {"aie_cores": 16}, "copies of", marks=pytest.mark.slow),
        pytest.param(TWO, "copies: 3\n", {}, "3 copies of", marks=pytest.mark.slow),
        pytest.param(
            TWO, "tiles: {size: [8, 7]}\n", {"aie_cores": 12}, "2 tiles of 8x7", marks=pytest.mark.slow
        ),
        pytest.param(
            TWO,
            "budget: {aie_cores: 6}\n",
            {"copies": 1, "objective": "latency"},
            "latency",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_what_dse_writes_loads_to_the_same_plan_and_says_why(
    text: str, lines: str, words: dict[str, Any], says: str, tmp_path: Path
) -> None:
    folder = written(tmp_path / "a", text + lines)
    outcome, mapping, why = dse(folder, tmp_path / "b", **words)
    assert says in why
    best = outcome.winner
    assert not best.over(outcome.goal.budget)
    fresh = written(tmp_path / "c", text)
    again = open_project(pasted(fresh, tmp_path / "d", mapping))
    assert (again.array.cost, again.array.copies) == (best.plan.cost, best.plan.copies)
    assert (again.array.frame is None) == (best.plan.frame is None)
    assert [la.kernels for la in again.array.all_aie] == [la.kernels for la in best.plan.all_aie]
    assert on_processor(again.array) == on_processor(best.plan)
    assert lines in mapping or lines.startswith("budget")
    second = dse(folder, tmp_path / "e", **words)
    assert second[1:] == (mapping, why)


def test_dse_finds_a_layer_that_the_processor_should_take_for_latency(tmp_path: Path) -> None:
    """A tiny layer behind: two ways through streams take longer than the processor."""
    text = DENSE
    folder = written(tmp_path / "a", text)
    outcome, _, why = dse(folder, tmp_path / "b", objective="latency")
    alone, _, _ = dse(folder, tmp_path / "c", objective="latency", ways="written")
    assert outcome.winner.latency_us < alone.winner.latency_us
    assert on_processor(outcome.winner.plan) and " won):" in why
    said, _, _ = dse(
        written(
            tmp_path / "d",
            f"{text}mapping: {{first: {{engine: aie}}, second: {{engine: aie}}, act: {{engine: pl}}}}\n",
        ),
        tmp_path / "e",
        objective="latency",
    )
    assert not on_processor(said.winner.plan)


@pytest.mark.slow
def test_dse_cuts_images_otherwise_where_that_is_faster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aieloom.search.execution.load_board", lambda _: small_device())
    outcome, mapping, why = dse(written(tmp_path / "a", FITS), tmp_path / "b")
    assert outcome.winner.plan.frame and "tiles: {size: [" in mapping
    assert " tiles of " in why


# --- whole systems


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "count"),
    [
        (f"{TWO}budget: {{aie_cores: 1}}\n", 3),
        (f"{NARROW_ENDS}budget: {{aie_cores: 24}}\n", 5),
        (WIDE, 1),
    ],
    ids=["engine", "copies", "tiles"],
)
def test_what_the_search_divides_is_emulated_bit_for_bit(text: str, count: int, tmp_path: Path) -> None:
    design = aieloom.design(written(tmp_path, text))
    plan = array_of(design.plan)
    assert on_processor(plan) or plan.copies > 1 or plan.frame
    x = np.random.default_rng(1).normal(size=(count, *plan.x.shape)).astype(np.float32)
    assert np.array_equal(design.emulate(x).view(np.int32), design.reference(x).view(np.int32))


@pytest.mark.slow
def test_integers_are_made_anew_for_a_layer_on_the_processor(tmp_path: Path) -> None:
    folder = pasted(ROOT / "projects" / "xor", tmp_path / "xor", "budget: {aie_cores: 1}\n")
    design = aieloom.design(folder, build=tmp_path / "build")
    assert array_of(design.plan).cores == 1 and on_processor(array_of(design.plan))
    x = load_samples(open_project(folder)).x[:20]
    assert np.array_equal(design.emulate(x), design.reference(x))


def test_the_whole_device_gives_at_least_what_a_smaller_budget_gives() -> None:
    """The fastest single design takes 40 cores, and its copies wait for the host program; copies of a smaller one do not."""
    whole, smaller = (
        timed(settled(f"{NARROW_ENDS}{said}")).interval_us for said in ("", "budget: {aie_cores: 16}\n")
    )
    assert whole <= smaller
