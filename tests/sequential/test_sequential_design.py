"""What users of spatial designs know works on networks that run layer by layer: `aieloom.design`, layers alone, the report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aieloom
from aieloom.cli import main
from aieloom.errors import CannotFit, Problem, SpecError
from aieloom.flow import inputs as inputs_of
from aieloom.flow import opening
from aieloom.flow.batch import Run
from aieloom.flow.project import Project
from aieloom.flow.samples import load_samples
from aieloom.flow.sequential import design_of
from aieloom.flow.sim import simulate
from aieloom.report.turns_drawings import memory_map, network_map
from aieloom.search import execution
from aieloom.sequential.plan import engines_of
from aieloom.sequential.remarks import leaves_out
from tests.sequential.networks import NETWORK, inputs, opened, quantised


@pytest.mark.slow
def test_a_design_and_its_layers_give_what_their_definitions_say(tmp_path: Path) -> None:
    """In float32 on a board without an array: one layer of each engine, and one of two inputs."""
    opened(tmp_path)
    design = aieloom.design(tmp_path)
    x = inputs(2)
    assert np.array_equal(design.emulate(x), design.reference(x))
    assert "layer by layer" in repr(design)
    layer = design.layer("twice")
    random = np.random.default_rng(1)
    a, b = (random.normal(0, 1, (3, 64, 3, 5)).astype(np.float32) for _ in range(2))
    assert np.array_equal(layer.emulate(a, b), a + b)
    with pytest.raises(SpecError, match="layer 'twice' has 2 inputs, 1 were given"):
        layer.emulate(a)
    with pytest.raises(SpecError, match=r"layer 'six' \(op \w+\) is computed as a part of 'apart'"):
        design.layer("six").emulate(a)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["conv", "apart", "sum", "pool", "parts", "soft", "fc"])
def test_a_layer_alone_gives_its_integers(name: str, tmp_path: Path) -> None:
    """On the array, in the logic, on the vector unit and on the processor."""
    opened(tmp_path, quantised("multiplier") + "engine: aie\n")
    design = aieloom.design(tmp_path)
    step = next(s for s in engines_of(design.plan).steps if s.layer == name)
    random = np.random.default_rng(2)
    xs = [random.normal(0, 1, (3, *t.shape)).astype(np.float32) for t in (step.x, *step.others)]
    y = design.layer(name).emulate(*xs)
    assert y.tobytes() == design.layer(name).reference(*xs).tobytes()
    assert len(np.unique(y)) > 3


def test_a_layer_that_computes_nothing_is_told_apart_from_one_that_there_is_not(tmp_path: Path) -> None:
    opened(tmp_path, quantised("multiplier") + "engine: aie\n")
    design = aieloom.design(tmp_path)
    with pytest.raises(SpecError, match="layer 'flat' computes nothing: its elements lie in place"):
        design.layer("flat").emulate(inputs(1))
    with pytest.raises(SpecError, match="there is no layer 'fla'"):
        design.layer("fla").emulate(inputs(1))


def test_the_page_shows_every_layer_tensor_and_what_the_rate_leaves_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = opened(tmp_path, quantised("multiplier") + "engine: aie\n")
    plan = project.plan
    samples = load_samples(project)
    y = np.zeros((len(samples), *plan.y.shape), np.float32)
    simulate(design_of(project), lambda _: Run(y=y, seconds=0.5 * len(samples), peak_bytes=9_000_000))
    design_of(project).write_report()
    folder = project.build / "report"
    page = (folder / "index.html").read_text(encoding="utf-8")
    design = engines_of(plan)
    for step in design.steps:
        assert f'<td class="id">{step.layer}</td>' in page
    for line in leaves_out(plan):
        assert line.replace("'", "&#39;") in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert main(["report", str(tmp_path)]) == 0
    assert capsys.readouterr().out.strip() == str(folder / "index.html")
    assert main(["report", str(tmp_path), "--compare", str(tmp_path / "nothing")]) == 2
    assert json.loads((folder / "summary.json").read_text())["performance"]["leaves_out"]
    drawn = network_map(plan, str)
    assert all(f">{step.layer}" in drawn or f"{step.layer}," in drawn for step in design.steps)
    held = plan.buffers
    assert memory_map(plan, str).count("commands ") == len(held)
    for i, one in enumerate(held):
        for other in held[:i]:
            apart = one.offset + one.bytes <= other.offset or other.offset + other.bytes <= one.offset
            assert apart or one.life[1] < other.life[0] or other.life[1] < one.life[0], (
                "two that live at once share no byte"
            )
    assert max(t.offset + t.bytes for t in held) <= design.memory_bytes


@pytest.mark.slow
def test_auto_takes_turns_before_it_moves_layers_to_the_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search that moved layer after layer took six minutes for an encoder, and never came to the engines."""
    text = quantised("multiplier").replace("execution: sequential", "execution: auto")
    tried: list[bool] = []

    def refused(*_: Any, moves: bool, **__: Any) -> Any:
        tried.append(moves)
        raise CannotFit([Problem(rule="array-1", text="there is no room", remedy="take less")])

    monkeypatch.setattr(execution, "settle", refused)
    project = opened(tmp_path, text)
    assert "there is no room" in engines_of(project.plan).reason
    assert tried == [False]
    monkeypatch.setattr(execution, "_in_logic_or_in_turn", lambda *_: refused(moves=False))
    tried.clear()
    with pytest.raises(CannotFit):
        opening.open_any(tmp_path)
    assert tried == [False, False, True]  # on the array, in turn, then with layers on the processor


def test_auto_opens_what_the_plan_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(tmp_path, NETWORK.replace("execution: sequential", "execution: auto"))
    planned: list[Path] = []

    def counted(folder: Path, **options: Any) -> Project:
        planned.append(folder)
        return opening.open_any(folder, **options)

    monkeypatch.setattr("aieloom.api.open_any", counted)
    monkeypatch.setattr(inputs_of, "_is_still", lambda *_: True)  # what was written now has long been there
    design = aieloom.design(tmp_path)
    assert engines_of(design.plan).steps
    assert planned == [tmp_path]
    (tmp_path / "network.yaml").write_text("execution: sequential\nname: [")
    with pytest.raises(SpecError):
        aieloom.design(tmp_path).emulate(inputs(1))
