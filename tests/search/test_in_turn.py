"""`doit dse` of layers one after another: the winner is the best of what was planned, and network.yaml says it again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from aieloom.errors import SpecError
from aieloom.flow.dse import search
from aieloom.flow.dse_words import FOLDER, OBJECTIVES
from aieloom.network.layers import Network
from aieloom.search.goal import Goal
from aieloom.search.made import Made, search_made
from aieloom.search.write import CANDIDATES, MAPPING
from aieloom.sequential.maker import MAKER
from aieloom.sequential.plan import engines_of
from aieloom.sequential.remarks import energy, latency_us
from aieloom.spec.network import EngineSpec
from aieloom.units.plan import Plan, interval_us, resources
from tests.sequential.networks import NETWORK, opened, plan_of, quantised
from tests.sequential.on_chip import staying

IN_LOGIC = NETWORK  # of float32, on a board without an array


def found_by(folder: Path, text: str, **words: str) -> Made:
    found = search(opened(folder, text), words)
    assert isinstance(found, Made)
    return found


@pytest.mark.parametrize(
    "text", [IN_LOGIC, pytest.param(quantised("multiplier"), marks=pytest.mark.slow)], ids=["logic", "array"]
)
def test_the_winner_written_into_network_yaml_is_planned_as_it_was_found(text: str, tmp_path: Path) -> None:
    found = found_by(tmp_path, text)
    (folder,) = tmp_path.glob(f"build/small/*/{FOLDER}")
    written = (folder / MAPPING).read_text().splitlines()
    again = opened(tmp_path, f"{text}{written[-1]}\n").plan
    best = found.winner.plan
    assert (interval_us(again), latency_us(again), again.schedule.batch) == (
        interval_us(best),
        latency_us(best),
        best.schedule.batch,
    )
    assert resources(again) == resources(best)
    assert interval_us(best) <= interval_us(found.written.plan)
    rows = (folder / CANDIDATES).read_text().splitlines()
    assert len(rows) == 1 + len(found.designs) + sum(found.refused.values())
    rates = [float(row.split('",')[1].split(",")[0]) for row in rows[1 : 1 + len(found.designs)]]
    assert rates == sorted(rates, reverse=True)


@pytest.mark.slow  # five searches
def test_an_objective_is_what_the_others_are_not_better_at(tmp_path: Path) -> None:
    text = quantised("multiplier")
    by = {name: found_by(tmp_path, text, objective=name).winner for name in OBJECTIVES}
    plans = {name: t.plan for name, t in by.items()}
    assert min(map(interval_us, plans.values())) == interval_us(plans["throughput"])
    latencies = {name: latency_us(p) for name, p in plans.items()}
    assert min(latencies.values()) == latencies["latency"] < latencies["throughput"]
    assert by["cores"].cores == 0, "the logic alone does it too"
    millijoules = {name: e.mj for name, p in plans.items() if (e := energy(p))}
    assert millijoules["energy"] == min(millijoules.values()) < millijoules["latency"]
    assert any("energy: " in line and "mJ an image" in line for line in plans["energy"].remarks)


def test_a_budget_and_words_are_refused_with_numbers(tmp_path: Path) -> None:
    project = opened(tmp_path, IN_LOGIC)
    with pytest.raises(
        SpecError, match=r"\[dse-1\] no design keeps to latency_us: 1: the least that any takes is [\d,.]+"
    ):
        search(project, {"latency_us": "1"})
    with pytest.raises(SpecError, match=r"\[dse-2\] plio: is for layers"):
        search(opened(tmp_path / "other", f"{IN_LOGIC}budget: {{plio: 4}}\n"), {})
    with pytest.raises(SpecError, match=r"\[dse-2\] copies= is for layers that have cores of their own"):
        search(project, {"copies": "2"})


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "engine: {where: pl, grid: [2, 2, 2]}",
            r"network.yaml:\d+: .*grid: of an engine on the array: say where: aie",
        ),
        (
            "engine: {where: pl, block: [3, 64]}",
            r"\[sequential-2\] .*no room .* of 3 pixels x 64 output channels; there are 16 x 64",
        ),
    ],
)
def test_sizes_that_are_none_are_refused(line: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=said):
        opened(tmp_path, f"{NETWORK}{line}\n")


def test_sizes_are_of_layers_in_turn(tmp_path: Path) -> None:
    text = NETWORK.replace("zcu104", "vck190").replace("execution: sequential", "execution: spatial")
    with pytest.raises(SpecError, match="sizes of an engine are of layers one after another"):
        opened(tmp_path, f"{text}engine: {{where: aie}}\n")


KEYS: dict[str, EngineSpec] = {
    "where": EngineSpec(where="pl"),
    "grid": EngineSpec(where="aie", grid=(4, 2, 4)),
    "depth": EngineSpec(where="aie", depth=64),
    "tensors": EngineSpec(where="aie", tensors="memory"),
    "block": EngineSpec(where="pl", block=(8, 32)),
    "batch": EngineSpec(batch=3),
}  # cycles are a circuit's


def test_every_key_of_an_engine_is_fixed_somewhere_here() -> None:
    assert {*KEYS, "cycles"} == EngineSpec.model_fields.keys()


@pytest.mark.parametrize("sized", [*KEYS.values(), EngineSpec(where="aie", tensors="chip", batch=6)], ids=str)
def test_no_candidate_leaves_what_network_yaml_says(sized: EngineSpec, tmp_path: Path) -> None:
    project = opened(tmp_path, quantised("multiplier"))
    network, tried = project.planned, list[EngineSpec]()

    def plan(wanted: Network, *_: object, **_kept: object) -> Plan:
        assert wanted.spec.engine == wanted.spec.sized.where
        tried.append(wanted.spec.sized)
        return project.plan

    spec = network.spec.model_copy(update={"engine": sized.where, "sized": sized})
    board = engines_of(project.plan).engine.board
    goal = Goal.of(spec, board)
    maker = replace(MAKER, plan=plan)
    search_made(maker, replace(network, spec=spec), project.plan, goal, lambda _: None)
    fixed = {k: v for k, v in sized.model_dump(exclude_none=True).items() if v != "auto"}
    assert len(set(tried)) > 2 or "block" in fixed, "there is something to choose"
    for each in tried:
        assert {key: getattr(each, key) for key in fixed} == fixed
        EngineSpec.model_validate(each.model_dump())  # network.yaml takes it


def test_a_winner_keeps_what_network_yaml_says_and_a_budget_says_what_was_fixed(tmp_path: Path) -> None:
    line = "engine: {where: aie, grid: [4, 2, 4], depth: 64, batch: 3}"
    best = found_by(tmp_path, f"{quantised('multiplier')}{line}\n", objective="latency").winner.plan
    design = engines_of(best)
    assert design.array
    assert (design.array.grid, design.array.depth, best.schedule.batch) == ((4, 2, 4), 64, 3)
    text = f"{quantised('multiplier')}engine: {{where: pl, block: [8, 32]}}\n"
    with pytest.raises(
        SpecError, match=r"latency_us: 1 with engine: {where: pl, block: \[8, 32\]}: the least"
    ):
        search(opened(tmp_path / "other", text), {"latency_us": "1"})


@pytest.mark.slow
def test_images_at_a_time_are_as_many_for_each_row_where_tensors_stay_on_the_chip(tmp_path: Path) -> None:
    staying(tmp_path)
    text = (tmp_path / "network.yaml").read_text()
    (tmp_path / "network.yaml").write_text(
        text.replace("engine: aie\n", "engine: {where: aie, tensors: chip}\n")
    )
    project = plan_of(tmp_path)
    found = search(project, {"objective": "latency"})
    assert isinstance(found, Made)
    best = found.winner.plan
    design = engines_of(best)
    assert design.staying
    assert best.schedule.batch == design.staying.rows, "an image for each row is there first"
    lines = (tmp_path / "network.yaml").read_text().splitlines()
    (folder,) = tmp_path.glob(f"build/*/*/{FOLDER}")
    found_line = (folder / MAPPING).read_text().splitlines()[-1]
    kept = [line for line in lines if not line.startswith("engine:")]
    (tmp_path / "network.yaml").write_text("\n".join([*kept, found_line, ""]))
    again = plan_of(tmp_path).plan
    assert (again.schedule.batch, latency_us(again), engines_of(again).array) == (
        best.schedule.batch,
        latency_us(best),
        design.array,
    )
