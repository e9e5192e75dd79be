"""Masters of the network on chip: what is planned is what the generated kernels' m_axi bundles take, and there are as many."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from aieloom.errors import CannotFit
from aieloom.flow.project import SequentialProject
from aieloom.sequential import array
from aieloom.sequential.emit import render
from tests.sequential.networks import opened, quantised
from tests.sequential.on_chip import staying
from tests.sequential.transformers import opened as exported
from tests.sequential.vit import SHAPE, Vit

BUNDLE = re.compile(r"#pragma HLS interface m_axi port=\w+ offset=slave bundle=(\w+)")


def bundles(tree: Mapping[str, object]) -> int:
    """Count the bundles of every kernel's source as often as system.cfg has units of it: HLS makes a master of each [UG1399]."""
    system = str(tree["src/system.cfg"])
    return sum(
        int(count) * len(set(BUNDLE.findall(str(tree[f"src/pl/{kernel}.cpp"]))))
        for kernel, count in re.findall(r"^nk=(\w+):(\d+)", system, re.MULTILINE)
    )


DESIGNS: dict[str, Callable[[Path], SequentialProject]] = {
    "engine on the array": lambda folder: opened(folder, quantised("multiplier") + "engine: aie\n"),
    "engine in the logic": lambda folder: opened(folder, quantised("multiplier") + "engine: pl\n"),
    "rows own images": staying,
}


@pytest.mark.parametrize("kind", DESIGNS)
def test_as_many_masters_are_planned_as_the_kernels_take(kind: str, tmp_path: Path) -> None:
    project = DESIGNS[kind](tmp_path)
    tree = render(project.plan, project.parameters)
    assert project.plan.masters == bundles(tree)
    assert project.plan.masters <= array.masters_of(project.plan.engine.board)


@pytest.mark.filterwarnings("ignore")
def test_units_beside_the_array_count_too(tmp_path: Path) -> None:
    project = exported(tmp_path, Vit(), SHAPE, "vck190")
    tree = render(project.plan, project.parameters)
    assert project.plan.row_unit
    assert project.plan.masters == bundles(tree)


def test_a_board_with_fewer_masters_gets_fewer_rows_and_one_with_too_few_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = quantised("multiplier") + "engine: aie\n"
    most = opened(tmp_path / "a", text).plan
    monkeypatch.setattr(array, "masters_of", lambda _board: most.masters - 1)
    assert opened(tmp_path / "b", text).plan.masters < most.masters
    monkeypatch.setattr(array, "masters_of", lambda _board: 2)
    with pytest.raises(CannotFit, match="no room for an engine on its array"):
        opened(tmp_path / "c", text)
