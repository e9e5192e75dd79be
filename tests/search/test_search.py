"""The search: its figures against the planner's, its winner against the written mapping and against trying everything."""

from __future__ import annotations

import csv
import shutil
from dataclasses import replace
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import aieloom
from aieloom.cli import main
from aieloom.errors import CannotFit, SpecError
from aieloom.flow.opening import open_project
from aieloom.flow.project import Project
from aieloom.flow.samples import load_samples
from aieloom.hardware.mmul import mmul_modes
from aieloom.network.layers import Network
from aieloom.ops import REGISTRY
from aieloom.pl.steps import FRAME, STREAMING
from aieloom.plan.build import make_plan
from aieloom.search import candidates
from aieloom.search.candidates import Space
from aieloom.search.choose import Outcome, search
from aieloom.search.clocks import listed_clocks, search_clocks
from aieloom.search.figures import (
    BRAM,
    COLUMNS,
    CORES,
    INS,
    INTERVAL,
    LATENCY,
    OUTS,
    PLIO,
    TILES,
    URAM,
)
from aieloom.search.front import pareto, representatives
from aieloom.search.goal import Area, Goal
from aieloom.search.mapped import Mapped, as_it_is, left_to_compiler, timed, with_choices
from aieloom.search.scope import Choice
from aieloom.search.write import FILES, write_found
from aieloom.simulation.of_plan import simulate_plan
from aieloom.spec.device import load_device
from aieloom.spec.network import BudgetSpec, Objective, WeightsSpec
from aieloom.spec.types import Buffers
from aieloom.units.types import logic_use
from tests.designs import ESPCN, ROOT, SMALL, network_of

# The mmul of the published mapping, wide streams, and an array as small as the search takes seconds for.
REDUCED = Space(mmul=((4, 2, 4),), plio=(128,), buffers=(Buffers.SINGLE,))
OBJECTIVES: tuple[Objective, ...] = ("throughput", "latency", "cores", "energy")
SPACES = {"xor": Space(), "iris": Space(), "espcn": REDUCED}


def in_frames(project: Project) -> Network:
    """Return a project's network in one copy with frame buffers in its PL kernels: figures of those are the planner's own."""
    network = project.planned
    asks = {"pl": FRAME, "strategy": FRAME}
    mapping = {
        name: m.model_copy(update={k: v for k, v in asks.items() if getattr(m, k, None) == STREAMING})
        for name, m in network.spec.mapping.items()
    }
    return replace(network, spec=network.spec.model_copy(update={"mapping": mapping, "copies": 1}))


def opened(name: str) -> Project:
    return open_project(ROOT / "projects" / name)


def searched(
    project: Project,
    goal: Goal | None = None,
    space: Space | None = None,
    workers: int = 1,
    finalists: int = 4,
) -> Outcome:
    network = in_frames(project)
    return search(
        network,
        make_plan(network, project.array.device, REGISTRY),
        REGISTRY,
        goal or Goal.of(network.spec, project.array.device),
        space=space or SPACES.get(project.folder.name),
        workers=workers,
        finalists=finalists,
    )


@pytest.fixture(scope="module", params=list(SPACES))
def found(request: pytest.FixtureRequest) -> tuple[Project, Outcome]:
    project = opened(request.param)
    return project, searched(project)


@pytest.fixture(scope="module")
def xor() -> Project:
    return opened("xor")


def test_the_winner_is_no_slower_than_what_is_written_and_obeys_every_rule(
    found: tuple[Project, Outcome],
) -> None:
    project, outcome = found
    network = in_frames(project)
    written = timed(make_plan(network, project.array.device, REGISTRY)).interval_us
    assert outcome.winner.interval_us <= written
    assert outcome.written.interval_us == written
    # It stands: planned once more from its mapping alone it is the same, and every design rule holds.
    copies = outcome.winner.plan.copies
    chosen = with_choices(network, outcome.winner.choices, copies=copies)
    again = make_plan(chosen, project.array.device, REGISTRY)
    assert again.cost == outcome.winner.plan.cost
    assert all(c.used <= c.limit for c in again.checks)


def test_designs_are_compared_by_the_rate_that_memory_allows() -> None:
    """On a board whose ports carry a byte in a microsecond an image takes as long as its bytes, whatever the array does."""
    network = network_of(SMALL)
    device = load_device("vck190")
    memory = device.memory.model_copy(update={"read_mb_s": 1, "write_mb_s": 1})
    slow = device.model_copy(update={"memory": memory})
    plan = make_plan(network, slow, REGISTRY)
    most = max(m.image_bytes for s in plan.subgraphs for m in (s.mm2s, s.s2mm))
    assert simulate_plan(plan).interval_us < most
    assert timed(plan)[0] == as_it_is(network, plan).interval_us == pytest.approx(most, rel=1e-3), (
        "and the host's share"
    )
    assert timed(make_plan(network, device, REGISTRY))[0] < most


def test_of_equal_designs_that_wins_which_leaves_less_to_the_compiler() -> None:
    """jet's second layer has K = 64: 8 trips of 8, which stay a loop, or 4 of 16, which are flattened."""
    project = open_project(ROOT / "projects" / "jet", target="vck190")
    by_k = {}
    for k in (8, 16):
        cut = Choice((4, 64, 4), (4, k, 4), 1, Buffers.PING_PONG, 128)
        network = with_choices(project.planned, {"fc2": cut})
        by_k[k] = as_it_is(network, make_plan(network, project.array.device, REGISTRY))
    less, more = by_k[8], by_k[16]
    assert left_to_compiler(more.plan.aie) == left_to_compiler(less.plan.aie) + 1
    assert [left_to_compiler(d.plan.aie[1:2]) for d in (less, more)] == [0, 1]
    assert less.interval_us == pytest.approx(more.interval_us, rel=1e-9)
    assert (less.plan.tiles_in_use, less.plio) == (more.plan.tiles_in_use, more.plio)
    assert less.rank(Goal()) < more.rank(Goal()), "though its latency is longer"
    assert less.latency_us > more.latency_us
    assert more.rank(Goal(objective="latency")) < less.rank(Goal(objective="latency")), (
        "where that is asked for"
    )


def test_espcn_s_reduced_space_holds_a_design_twice_as_fast_on_a_quarter_of_the_cores() -> None:
    project = opened("espcn")
    outcome = searched(project, Goal(budget=BudgetSpec(aie_cores=project.array.cores // 4)))
    assert outcome.winner.plan.cores <= 40
    assert outcome.winner.interval_us <= timed(project.array)[0] / 1.9


def test_the_figures_are_the_planner_s(found: tuple[Project, Outcome]) -> None:
    check_figures(found[1])


def test_streams_that_bring_weights_are_among_the_figures(xor: Project) -> None:
    network = in_frames(xor)
    mapping = {
        name: m.model_copy(update={"weights": "stream"}) if "weights" in type(m).model_fields else m
        for name, m in network.spec.mapping.items()
    }
    network = replace(network, spec=network.spec.model_copy(update={"mapping": mapping}))
    plan = make_plan(network, xor.array.device, REGISTRY)
    assert plan.weights
    check_figures(search(network, plan, REGISTRY, Goal(), finalists=4))


def check_figures(outcome: Outcome) -> None:
    rows = [d for d in outcome.designs if d.row is not None]
    assert rows
    for d in rows:
        f, plan = outcome.front.figures[d.row], d.plan
        assert f[INTERVAL] == pytest.approx(plan.cost.interval_us, rel=1e-9)
        assert f[LATENCY] == pytest.approx(plan.cost.latency_us, rel=1e-9)
        assert f[CORES] == plan.cores
        assert f[TILES] == plan.tiles_in_use
        assert f[PLIO] == len(plan.plios)
        for is_input, metric in ((True, INS), (False, OUTS)):
            widths = [p.bits for p in plan.plios if p.is_input is is_input]
            assert f[metric] == sum(max(1, bits // 64) for bits in widths)  # 64 bits a channel [AM009]
        logic = logic_use((*plan.pl, *plan.movers), plan.copies)
        if plan.copies == 1:  # several may have buffers in UltraRAM that one has in block RAM
            assert (f[BRAM], f[URAM]) == (logic.bram36, logic.uram288)
        assert f[BRAM] >= logic.bram36
        assert f[COLUMNS] <= plan.device.array.columns


def test_no_neighbour_beats_the_winner_when_everything_is_tried(xor: Project) -> None:
    """Every mapping of one layer of xor, planned and simulated as a whole, with the other one as it is."""
    network, goal = in_frames(xor), Goal()
    winner = searched(xor, goal, Space(keep=("out",))).winner
    best, tried = winner.rank(goal), 0
    architecture = xor.array.device.architecture
    dtype = xor.array.aie[0].draft.dtype
    for mode, buffers, bits in product(mmul_modes(architecture, dtype, dtype), Buffers, (32, 64, 128)):
        choice = Choice(
            mode.shape, mode.shape, 1, buffers, bits
        )  # 3 outputs of 2 inputs: one block holds all
        try:
            plan = make_plan(with_choices(network, {"hidden": choice}), xor.array.device, REGISTRY)
        except CannotFit:
            continue
        modelled = timed(plan)
        rank = goal.rank(modelled, Area(plan.cores, plan.tiles_in_use, len(plan.plios)))
        assert best <= rank, choice
        tried += 1
    assert tried >= 30


@pytest.mark.integration
def test_a_second_run_and_one_with_processes_write_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "SERIAL", 0)  # so small a space would be searched without processes
    project = opened("espcn")
    space = Space(plio=(128,), buffers=(Buffers.SINGLE,), keep=("conv1", "conv3"))
    for name, workers in (("one", 1), ("two", 2)):
        write_found(searched(project, space=space, workers=workers), tmp_path / name)
    for name in FILES:
        text = (tmp_path / "one" / name).read_bytes()
        assert text == (tmp_path / "two" / name).read_bytes(), name
        assert b"cost model 1." in text, f"{name} does not say which model its figures are from"
    drawing = ElementTree.parse(tmp_path / "one" / "pareto.svg").getroot()
    with (tmp_path / "one" / "pareto.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(list(drawing.iter("{http://www.w3.org/2000/svg}circle"))) > len(rows) > 3
    planned_rows = [row for row in rows if row["tried"] == "planned"]
    fastest = min(float(row["simulated_interval_us"]) for row in rows)
    assert min(float(row["simulated_interval_us"]) for row in planned_rows) == fastest


@pytest.mark.integration
def test_what_is_found_can_be_pasted_and_runs_in_the_emulator(xor: Project, tmp_path: Path) -> None:
    outcome = searched(xor)
    write_found(outcome, tmp_path / "dse")
    assert "tile" not in xor.yaml.read_text(encoding="utf-8")
    folder = tmp_path / "xor"
    shutil.copytree(xor.folder, folder)
    with (folder / "network.yaml").open("a", encoding="utf-8") as yaml:
        yaml.write((tmp_path / "dse" / "mapping.yaml").read_text(encoding="utf-8"))
    pasted = open_project(folder)
    assert pasted.array.cost == outcome.winner.plan.cost
    design = aieloom.design(folder, build=tmp_path / "build")
    x = load_samples(pasted).x[:50]
    assert np.array_equal(design.emulate(x), design.reference(x))


def test_the_published_mapping_s_other_layers_are_written_as_they_are(tmp_path: Path) -> None:
    outcome = searched(opened("espcn"), space=Space(keep=("conv1", "conv2", "conv3")))
    write_found(outcome, tmp_path)
    text = (tmp_path / "mapping.yaml").read_text(encoding="utf-8")
    assert "tanh1: {engine: pl, clock_mhz: 260, lut: {entries: 1024, range: [-4, 4]}}" in text
    assert "tile: [8, 576, 8], mmul: [4, 2, 4]" in text and "groups: 32" in text
    assert outcome.winner.interval_us == outcome.written.interval_us


@pytest.mark.parametrize("key,limit", [("aie_cores", 7), ("plio", 12), ("latency_us", 320.0)])
def test_the_budget_is_kept(key: str, limit: float) -> None:
    budget = BudgetSpec.model_validate({key: limit})
    outcome = searched(opened("espcn"), Goal(budget=budget))
    for d in outcome.designs:
        used = {"aie_cores": d.plan.cores, "plio": len(d.plan.plios), "latency_us": d.latency_us}
        assert used[key] <= limit
    assert outcome.written not in outcome.designs  # it takes 160 cores, 212 streams, 503 us


@pytest.mark.slow
def test_every_objective_is_the_best_at_what_it_asks_for() -> None:
    project = opened("espcn")
    space = Space(mmul=((4, 2, 4),), plio=(128,), buffers=(Buffers.SINGLE,), keep=("conv1",))
    best: dict[object, Mapped] = {
        name: searched(project, Goal(objective=name, board=project.array.device), space).winner
        for name in OBJECTIVES
    }
    best["both"] = searched(project, Goal(objective=WeightsSpec(throughput=1.0, cores=1.0)), space).winner
    almost = 1 + 1e-12  # sums of times in another order
    assert best["throughput"].interval_us <= almost * min(d.interval_us for d in best.values())
    assert best["latency"].latency_us <= almost * min(d.latency_us for d in best.values())
    assert best["cores"].plan.cores == min(d.plan.cores for d in best.values())
    joules = {name: d.energy.mj for name, d in best.items() if d.energy}
    assert joules["energy"] == min(joules.values())
    # Beside conv1's 16 and one for conv3: conv2's 32 x 576 x 4 B of weights fill three memories of 32 KiB.
    assert best["cores"].plan.cores == 20
    assert best["both"].interval_us * best["both"].plan.cores == min(
        d.interval_us * d.plan.cores for d in best.values()
    )


def test_a_faster_clock_that_the_platforms_list_is_used_when_asked_for(tmp_path: Path) -> None:
    project = opened("espcn")
    clocks = listed_clocks(project.array.device)
    assert 312.5 in clocks and max(clocks) <= project.array.device.clocks.kernel_max_mhz
    space = Space(mmul=((4, 2, 4),), plio=(128,), buffers=(Buffers.SINGLE,), keep=("conv1", "conv2", "conv3"))
    at = (312.5, 208.333333)
    result = search_clocks(project.planned, project.array, REGISTRY, Goal(), at, space=space)
    best = result.winner
    assert result.written.interval_us == timed(project.array)[0]  # at the file's clocks
    assert not best.written
    assert best.interval_us < searched(project, space=space).winner.interval_us
    assert {g.clock_mhz for g in best.plan.pl} == {312.5}
    assert [line.partition(":")[0] for line in result.clocks] == [
        "the clocks as written",
        "312.5 MHz",
        "208.333 MHz",
    ]
    write_found(result, tmp_path)
    assert "tanh1: {engine: pl, clock_mhz: 312.5, lut: {entries: 1024, range: [-4, 4]}}" in (
        tmp_path / "mapping.yaml"
    ).read_text(encoding="utf-8")
    assert "With other PL clocks:" in (tmp_path / "why.txt").read_text(encoding="utf-8")


TWO = """\
name: two
target: vck190
weights: w.safetensors
input: {name: x, shape: [2, 8, 16]}
layers:
  - {name: first, op: conv2d, out_channels: 16, kernel: 3, padding: 1}
  - {name: act, op: tanh}
  - {name: second, op: conv2d, out_channels: 8, kernel: 3, padding: 1}
  - {name: shuffle, op: pixel_shuffle, upscale: 2}
"""


def test_streaming_kernels_and_direct_convolutions_are_found(tmp_path: Path) -> None:
    network = network_of(TWO)
    plan = make_plan(network, load_device("vck190"), REGISTRY)
    space = Space(plio=(128,), buffers=(Buffers.PING_PONG,), strategies=("direct",))
    result = search_clocks(network, plan, REGISTRY, Goal(), (), space=space, streaming=True)
    best = result.winner
    assert [la.draft.strategy for la in best.plan.aie] == ["direct", "direct"]
    assert all(g.part for g in best.plan.pl)
    assert 4 * best.interval_us < result.written.interval_us
    names = ["the clocks as written", "those clocks, streaming PL kernels"]
    assert [line.partition(":")[0] for line in result.clocks] == names
    write_found(result, tmp_path)
    text = (tmp_path / "mapping.yaml").read_text(encoding="utf-8")
    assert "strategy: direct" in text
    assert "mmul" not in text
    again = make_plan(network_of(TWO + text), plan.device, REGISTRY)
    assert again.cost == best.plan.cost
    assert f"{names[1]}: " in (tmp_path / "why.txt").read_text(encoding="utf-8")


def test_readers_are_chosen_anew_for_other_cuts() -> None:
    project = opened("espcn-fast")
    network, choices = project.planned, as_it_is(project.planned, project.array).choices
    cut = with_choices(network, {**choices, "conv1": choices["conv1"]._replace(tile=(16, 25, 16))})
    plan = make_plan(cut, project.array.device, REGISTRY)
    before = next(g for g in plan.pl if g.steps).part
    assert before and 4 % before.tasks.readers == 0
    kept = with_choices(network, choices, keep=tuple(choices))
    assert kept.spec.mapping == network.spec.mapping


def test_an_impossible_budget_is_one_message_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "projects" / "xor", tmp_path / "xor")
    yaml = tmp_path / "xor" / "network.yaml"
    written = yaml.read_text()
    line = len(written.splitlines()) + 1
    monkeypatch.chdir(tmp_path)
    # With `engine: aie` both layers stay on the array.
    said = "mapping: {hidden: {engine: aie}, out: {engine: aie}}\n"
    yaml.write_text(f"{written}budget: {{aie_cores: 1, plio: 40}}\n{said}")
    assert main(["--quiet", "dse", "--project", "xor"]) == 2
    text = capsys.readouterr().err
    assert f"xor/network.yaml:{line}: [dse-1] no design keeps to aie_cores: 1" in text
    assert "the least that any takes is 2 cores" in text and "fix: allow 2 or more" in text
    assert main(["--quiet", "dse", "--project", "xor", "--aie-cores", "2", "--latency-us", "0.1"]) == 2
    assert "latency_us=: [dse-1]" in capsys.readouterr().err
    assert main(["--quiet", "dse", "--project", "xor", "--aie-cores", "2"]) == 0
    assert all((tmp_path / "xor" / "build" / "xor_net" / "vck190" / "dse" / name).is_file() for name in FILES)


@pytest.mark.parametrize(
    "words,message",
    [
        (("--objective", "speed"), "none of throughput, latency, cores"),
        (("--keep", "nothing"), "none of hidden, out"),
        (("--plio", "-3"), "no number above 0"),
        (("--latency-us", "inf"), "no number above 0"),
        (("--clocks", "all"), "none of written, listed"),
    ],
)
def test_a_wrong_word_is_refused(
    words: tuple[str, str],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["dse", "--project", str(ROOT / "projects" / "xor"), *words]) == 2
    text = capsys.readouterr().err
    assert "[dse-2]" in text and message in text


@pytest.mark.parametrize(
    "text,message",
    [
        ("budget: {aie_cores: 0}", "budget"),
        ("budget: {cores: 4}", "cores"),
        ("objective: speed", "objective"),
        ("objective: {latency: 0.0}", "objective"),
    ],
)
def test_the_file_s_budget_and_objective_are_checked(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "network.yaml").write_text(ESPCN + text + "\n")
    line = len(ESPCN.splitlines()) + 1
    with pytest.raises(SpecError, match=rf"network.yaml:{line}: .*{message}"):
        open_project(tmp_path)


def beaten(rows: np.ndarray, row: np.ndarray) -> bool:
    """Tell by the definition whether some row is nowhere worse and somewhere better."""
    return any(bool((other <= row).all() and (other < row).any()) for other in rows)


@given(
    arrays.arrays(np.float64, st.tuples(st.integers(1, 40), st.integers(1, 4)), elements=st.integers(0, 4))
)
def test_the_front_is_what_no_row_beats(rows: np.ndarray) -> None:
    kept = pareto(rows)
    unbeaten = {tuple(r) for r in rows if not beaten(rows, r)}
    assert {tuple(rows[i]) for i in kept} == unbeaten
    assert len(kept) == len(unbeaten)  # of equal rows one


@given(arrays.arrays(np.float64, st.tuples(st.integers(1, 60), st.just(3)), elements=st.integers(0, 9)))
def test_representatives_hold_the_best_of_every_column(rows: np.ndarray) -> None:
    few = rows[representatives(rows, (0, 1, 2), levels=3)]
    assert (few.min(axis=0) == rows.min(axis=0)).all()


def test_chains_are_weighed_against_matrix_products(tmp_path: Path) -> None:
    project = opened("mnist")
    network = project.planned
    assert {la.draft.strategy for la in project.array.aie} == {"chained"}
    space = Space(plio=(128,), buffers=(Buffers.PING_PONG,), most=500)
    found = search_clocks(network, project.array, REGISTRY, Goal(), (), space=space)
    best = found.winner
    assert {la.draft.strategy for la in best.plan.aie} == {
        "chained"
    }  # another chain than the one in the file
    assert (
        best.interval_us < found.written.interval_us < min(d.interval_us for d in found.designs if d.choices)
    )
    write_found(found, tmp_path)
    text = (tmp_path / "mapping.yaml").read_text(encoding="utf-8")
    assert "conv1: {strategy: chained" in text
    shutil.copytree(project.folder, tmp_path / "mnist")
    yaml = tmp_path / "mnist" / "network.yaml"
    before, _, behind = yaml.read_text().partition("mapping:")
    yaml.write_text(f"{before}{text}\nquantize:{behind.partition('quantize:')[2]}")
    assert open_project(tmp_path / "mnist").array.cost == best.plan.cost
