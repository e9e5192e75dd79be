"""`aieloom suggest` of circuits, the matrix engine and layers in turn: who follows it finds what it promises."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from aieloom.cli import main
from aieloom.explain.suggest import suggest
from aieloom.flow.designs import design_of
from aieloom.flow.opening import open_any
from aieloom.flow.project import Project
from aieloom.search.made import Candidate
from aieloom.search.suggestions import Suggestions
from aieloom.units.plan import resources
from tests.circuit.networks import NETWORK as CIRCUIT
from tests.circuit.networks import written
from tests.matrix_engine.projects import NETWORK as ENGINE
from tests.matrix_engine.projects import opened as on_engine
from tests.sequential.networks import NETWORK as IN_TURN
from tests.sequential.networks import opened as in_turn
from tests.sequential.networks import quantised


def circuit(folder: Path, text: str) -> Project:
    return open_any(written(folder, text), build=folder / "build")


Opener = Callable[[Path, str], Project]
KINDS: dict[str, tuple[Opener, str, str]] = {
    "circuit": (circuit, CIRCUIT, "conv"),
    "engine": (on_engine, ENGINE.replace("[16, 16, 8]", "[64, 64, 30]"), "fc"),
    "in_logic": (in_turn, f"{IN_TURN}engine: {{where: pl, block: [2, 16]}}\n", "conv"),
    "on_array": (
        in_turn,
        f"{quantised('multiplier')}engine: {{where: aie, grid: [2, 2, 2], batch: 4}}\n",
        "conv",
    ),
}


def followed(project: Project, told: Suggestions, number: int) -> Project:
    """Write a suggestion's lines into network.yaml, and open that."""
    text = yaml.safe_load(project.yaml.read_text())
    said = yaml.safe_load("\n".join(told.found[number].yaml))
    project.yaml.write_text(yaml.safe_dump({**text, **said}, sort_keys=False))
    return open_any(project.folder, build=project.build.parents[1])


@pytest.mark.parametrize("kind", KINDS)
def test_who_follows_advice_finds_the_promised_rate(kind: str, tmp_path: Path) -> None:
    opened, text, layer = KINDS[kind]
    project = opened(tmp_path, text)
    told = suggest(project, layer)
    assert told.tried > len(told.found) > 0
    now = design_of(project).performance()["throughput_fps"]
    before = project.yaml.read_text()
    for number in range(min(3, len(told.found))):
        promised = told.found[number].design
        assert isinstance(promised, Candidate)
        project.yaml.write_text(before)
        again = followed(project, told, number)
        rate = design_of(again).performance()["throughput_fps"]
        assert rate == pytest.approx(1e6 / promised.interval_us, rel=1e-4)
        assert resources(again.plan) == promised.use
        better = told.found[number].better
        assert rate > now or (better == "lower latency" and rate == pytest.approx(now)), better
    best = told.found[0]
    assert best.design.interval_us == min(s.design.interval_us for s in told.found)
    lines = "\n".join(told.lines)
    assert lines.startswith(f"{layer} of ") and best.yaml[-1] in lines
    assert "an image now: " in lines and "; bound by " in lines


def test_of_designs_that_take_no_less_only_the_better_is_told(tmp_path: Path) -> None:
    told = suggest(circuit(tmp_path, CIRCUIT), "fc")
    designs = [s.design for s in told.found if isinstance(s.design, Candidate)]
    for i, worse in enumerate(designs):
        for better in designs[:i]:
            assert better.interval_us <= worse.interval_us
            assert any(worse.taken[key] < better.taken[key] for key in worse.taken)


def test_where_the_processor_takes_most_it_says_what_helps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    on_engine(tmp_path, ENGINE)
    assert main(["suggest", "host", "--project", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "the processor lays out 126 values of an image and 3 of its result" in said  # 2 x 9 x 7; 3


def test_an_unknown_layer_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path)
    assert main(["suggest", "fd", "--project", str(tmp_path)]) == 2
    assert "there is no layer 'fd'" in capsys.readouterr().err
