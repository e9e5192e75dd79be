"""`doit dse` of circuits and of the matrix engine: the winner is the best there is, network.yaml says it again, budgets hold."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from aieloom.circuit.fold import folds
from aieloom.circuit.plan import plan_circuit
from aieloom.errors import CannotFit, SpecError
from aieloom.flow.dse import search
from aieloom.flow.dse_words import FOLDER
from aieloom.flow.opening import open_any
from aieloom.flow.project import Project
from aieloom.matrix_engine.block import BURST_WORDS, Budget, built
from aieloom.matrix_engine.engine import engine_of
from aieloom.matrix_engine.network import plan_network
from aieloom.ops import REGISTRY
from aieloom.search.made import Made, described
from aieloom.search.write import CANDIDATES, MAPPING
from aieloom.sequential.engine import FINISH_DSP
from aieloom.spec.network import LOGIC
from aieloom.units.plan import interval_us, resources
from tests.circuit.networks import NETWORK as CIRCUIT
from tests.circuit.networks import written
from tests.matrix_engine.projects import NETWORK as ENGINE
from tests.matrix_engine.projects import opened as engine_opened

OPEN = ENGINE.replace(", block: [16, 16, 8]", "")  # the block is the planner's


def circuit(folder: Path, text: str = CIRCUIT) -> Project:
    project = open_any(written(folder, text), build=folder / "build")
    assert project.home == "circuit"
    return project


def engine(folder: Path, text: str = OPEN) -> Project:
    return engine_opened(folder, text)


def found_of(project: Project, **words: str) -> Made:
    found = search(project, words)
    assert isinstance(found, Made)
    return found


@pytest.mark.parametrize("kind", [circuit, engine])
@pytest.mark.parametrize("objective", ["throughput", "cores"])
def test_the_winner_pasted_into_network_yaml_is_planned_as_it_was_found(
    kind: Callable[[Path], Project], objective: str, tmp_path: Path
) -> None:
    project = kind(tmp_path)
    found = found_of(project, objective=objective)
    best = found.winner.plan
    said = yaml.safe_load((project.build / FOLDER / MAPPING).read_text())
    text = yaml.safe_load(project.yaml.read_text())
    project.yaml.write_text(yaml.safe_dump({**text, **said}, sort_keys=False))
    again = open_any(tmp_path, build=tmp_path / "build")
    assert (again.plan.schedule, resources(again.plan)) == (best.schedule, resources(best))
    rows = list(csv.DictReader((project.build / FOLDER / CANDIDATES).read_text().splitlines()))
    rates = [float(row["images_per_s"]) for row in rows]
    assert rates[0] == pytest.approx(1e6 / interval_us(again.plan), abs=0.1)
    if objective == "throughput":
        assert rates == sorted(rates, reverse=True)
        assert found.winner.interval_us <= found.written.interval_us
        assert (found.winner.interval_us < found.written.interval_us) == (kind is engine), (
            "a circuit's default is the best"
        )
    else:
        assert resources(best).dsp == min(int(row["dsp"]) for row in rows)


def test_no_number_of_cycles_makes_a_circuit_that_is_faster(tmp_path: Path) -> None:
    """Every one up to a layer's most, and some beyond, against those that the search looks at."""
    project = circuit(tmp_path)
    best = found_of(project).winner
    room, _ = project.plan.board.rooms
    for cycles in (*range(1, 400, 7), 540, 810, 2430, 9720, 20_000):
        changed = described(project.planned, {"engine": {"where": "pl", "cycles": cycles}})
        plan = plan_circuit(changed, project.plan.board, REGISTRY, "a test")
        use = resources(plan)
        if use.dsp <= room.dsp and use.lut <= room.lut:
            assert best.interval_us <= interval_us(plan) * (1 + 1e-12)


@pytest.mark.parametrize("cycles", [100, 300, 500])
def test_a_circuit_s_layers_take_the_cycles_that_are_said(cycles: int, tmp_path: Path) -> None:
    """Of all ways to divide their channels the cheapest; the fastest where none is fast enough.

    Channels are taken at once where it is seen which memories they lie in: a power of two of them, or all.
    """

    def widths(channels: int) -> list[int]:
        return [
            n for n in range(1, channels + 1) if channels % n == 0 and (n.bit_count() == 1 or n == channels)
        ]

    def price(outs: int, inputs: int) -> int:
        return outs * (inputs + FINISH_DSP["int8"])

    project = circuit(tmp_path, CIRCUIT.replace("engine: pl", f"engine: {{where: pl, cycles: {cycles}}}"))
    for fold in folds(project.plan):
        outs, inputs = fold.step.y.shape[0], fold.product.window.channels if fold.product else 1
        work = fold.cycles * fold.lanes * fold.depth
        ways = [(n, d) for n in widths(outs) for d in widths(inputs)]
        enough = [price(*way) for way in ways if work <= cycles * way[0] * way[1]]
        if enough:
            assert price(fold.lanes, fold.depth) == min(enough)
        else:
            assert fold.lanes * fold.depth == outs * inputs


def test_no_square_block_is_faster_on_the_matrix_engine(tmp_path: Path) -> None:
    """Of all K's of blocks of one burst each way: an engine of that size, asked of the planner."""
    project = engine(tmp_path)
    best = found_of(project).winner
    room = Budget.of(project.plan.board.rooms[0])
    for k in range(2, 60, 2):
        if built(BURST_WORDS, BURST_WORDS, k, "float32", room):
            block = (BURST_WORDS, BURST_WORDS, k)
            changed = described(project.planned, {"mapping": {n: {"block": block} for n in ("conv", "fc")}})
            plan = plan_network(changed, project.plan.board, REGISTRY)
            assert engine_of(plan).block.k == k
            assert best.interval_us <= interval_us(plan) * 1.01


@pytest.mark.parametrize("kind", [circuit, engine])
def test_more_of_the_device_never_ends_below_less(kind: Callable[[Path], Project], tmp_path: Path) -> None:
    project = kind(tmp_path)
    rates = []
    for budget in ({"dsp": "62"}, {"dsp": "100"}, {"dsp": "160"}, {"lut": "25000"}, {}):
        best = found_of(project, **budget).winner
        assert all(best.taken[key] <= float(limit) for key, limit in budget.items())
        rates.append(best.interval_us)
    whole = rates.pop()
    assert all(whole <= other for other in rates)
    assert rates[:3] == sorted(rates[:3], reverse=True)


def test_what_network_yaml_says_stays_and_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = found_of(engine(tmp_path / "engine", ENGINE))
    assert found.designs == (found.written,)
    assert "nothing else was looked at" in capsys.readouterr().out
    said = CIRCUIT.replace("engine: pl", "engine: {where: pl, cycles: 500}")
    found = found_of(circuit(tmp_path / "circuit", said))
    assert found.designs == (found.written,)
    assert "network.yaml says how it is" in capsys.readouterr().out


def test_a_budget_and_words_are_refused_with_numbers(tmp_path: Path) -> None:
    project = circuit(tmp_path / "a")
    with pytest.raises(
        SpecError, match=r"dsp=: \[dse-1\] no design keeps to dsp: 6: the least that any takes is 21"
    ):
        search(project, {"dsp": "6"})
    with pytest.raises(SpecError, match=r"dsp=: \[dse-2\] '-1' is no number above 0"):
        search(project, {"dsp": "-1"})
    with pytest.raises(SpecError, match=r"\[dse-2\] copies= is for layers that have cores .* as one circuit"):
        search(project, {"copies": "2"})
    with pytest.raises(SpecError, match=r"network.yaml:\d+: \[dse-2\] plio: is for layers that have cores"):
        search(circuit(tmp_path / "b", f"{CIRCUIT}budget: {{plio: 4}}\n"), {})
    assert set(LOGIC) < set(
        found_of(circuit(tmp_path / "c", f"{CIRCUIT}budget: {{lut: 20000}}\n")).winner.taken
    )


@pytest.mark.parametrize(
    ("engine", "said"),
    [
        ("{where: aie, cycles: 9}", "cycles: of a circuit in the logic: say where: pl"),
        ("{where: pl, cycles: 9, batch: 2}", "sizes of an engine are of layers one after another"),
        (
            "{where: pl, cycles: 9}\nexecution: sequential",
            "cycles: is of a circuit, and execution: is not spatial",
        ),
    ],
)
def test_cycles_are_a_circuit_s_alone(engine: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=said):
        circuit(tmp_path, CIRCUIT.replace("engine: pl", f"engine: {engine}"))


def test_too_few_cycles_are_refused_with_what_they_take(tmp_path: Path) -> None:
    project = circuit(tmp_path)
    board = project.plan.board
    small = board.model_copy(update={"logic": board.logic.model_copy(update={"dsp": 40})})
    fixed = described(project.planned, {"engine": {"where": "pl", "cycles": 10}})
    with pytest.raises(
        CannotFit, match=r"whose layers take 10 cycles has 114 products .* the 40 DSP slices"
    ) as e:
        plan_circuit(fixed, small, REGISTRY, "a test")
    assert "allow more cycles" in str(e.value)


def test_the_matrix_engine_has_two_types_of_elements(tmp_path: Path) -> None:
    project = engine(tmp_path)
    search(project, {"dtypes": "float16,float32"})
    with (project.build / FOLDER / "dtypes.csv").open() as f:
        rows = {row["dtype"]: row for row in csv.DictReader(f)}
    assert rows.keys() == {"float16", "float32"}
    assert not any(row["refused"] for row in rows.values())
    loss = {name: float(row["quality"].split()[0]) for name, row in rows.items()}
    assert 40 < loss["float16"] < 80 < loss["float32"], "11 bits of significand in place of 24"
    project.yaml.write_text(project.yaml.read_text() + "quality: {min_sqnr_db: 80}\n")
    search(open_any(tmp_path, build=tmp_path / "build"), {"dtypes": "float16,float32"})
    assert "min_sqnr_db is 80" in (project.build / FOLDER / "dtypes.csv").read_text()


def test_types_that_a_kind_has_not_are_refused_with_those_that_it_has(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"'int8' is none of float32, float16: .* on the matrix engine"):
        search(engine(tmp_path / "a"), {"dtypes": "int8"})
    with pytest.raises(SpecError, match="'int16' is none of int8: small runs as one circuit"):
        search(circuit(tmp_path / "b"), {"dtypes": "int16"})
