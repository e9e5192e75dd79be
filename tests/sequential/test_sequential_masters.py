"""Masters of the network on chip: what is planned is what the generated kernels' m_axi bundles take, and there are as many."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from aieloom.errors import CannotFit
from aieloom.flow.project import Project
from aieloom.flow.sequential import design_of
from aieloom.sequential import array, kernels
from aieloom.sequential.emit import render
from aieloom.sequential.plan import engines_of
from aieloom.sequential.reference import reference
from aieloom.spec.device import load_device
from tests.masters import masters_of_files
from tests.sequential.hybrids import hybrid
from tests.sequential.networks import inputs, opened, quantised
from tests.sequential.on_chip import staying
from tests.sequential.transformers import opened as exported
from tests.sequential.vit import SHAPE, Vit

DESIGNS: dict[str, Callable[[Path], Project]] = {
    "engine on the array": lambda folder: opened(folder, quantised("multiplier") + "engine: aie\n"),
    "engine in the logic": lambda folder: opened(folder, quantised("multiplier") + "engine: pl\n"),
    "rows own images": staying,
    "layers with cores of their own beside the array": lambda folder: hybrid(folder, "front"),
    "layers with cores of their own beside an engine in the logic": lambda folder: hybrid(
        folder, "front", ("target:", "engine: pl\ntarget:")
    ),
}


@pytest.mark.parametrize("kind", DESIGNS)
def test_as_many_masters_are_planned_as_the_kernels_take(kind: str, tmp_path: Path) -> None:
    project = DESIGNS[kind](tmp_path)
    tree = render(project.plan, project.parameters)
    design = engines_of(project.plan)
    assert design.masters == masters_of_files(tree)
    assert design.masters <= array.masters_of(design.engine.board)


@pytest.mark.filterwarnings("ignore")
def test_units_beside_the_array_count_too(tmp_path: Path) -> None:
    project = exported(tmp_path, Vit(), SHAPE, "vck190")
    tree = render(project.plan, project.parameters)
    design = engines_of(project.plan)
    assert design.row_unit
    assert design.masters == masters_of_files(tree)


def test_a_board_with_fewer_masters_gets_fewer_rows_and_one_with_too_few_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = quantised("multiplier") + "engine: aie\n"
    most = opened(tmp_path / "a", text).plan
    design = engines_of(most)
    monkeypatch.setattr(array, "masters_of", lambda _board: design.masters - 1)
    assert engines_of(opened(tmp_path / "b", text).plan).masters < design.masters
    monkeypatch.setattr(array, "masters_of", lambda _board: 2)
    with pytest.raises(CannotFit, match="no room for an engine on its array"):
        opened(tmp_path / "c", text)


def test_rows_are_told_by_one_port_what_they_need_beside_weights(tmp_path: Path) -> None:
    """A row has one master, that of its store; what tells all rows has one, however many rows there are."""
    project = staying(tmp_path)
    tree = render(project.plan, project.parameters)
    rows = engines_of(project.plan).staying
    assert rows
    assert rows.weighted
    assert [
        kernel
        for kernel in ("load", "tables", "store", "memory")
        if "m_axi" in str(tree[f"src/pl/row_{kernel}.cpp"])
    ] == [
        "tables",
        "memory",
    ]
    assert masters_of_files(tree) == rows.rows + rows.columns + 1 + 1  # tables, sequencer


def test_layers_with_cores_of_their_own_leave_the_engine_their_masters(
    tmp_path: Path,
) -> None:
    """Movers of the spatial part take two of the masters; the engine is planned within the others."""
    spatial = engines_of(hybrid(tmp_path, "front").plan).spatial
    assert spatial
    there = load_device("vck190").platform.noc_masters
    assert there
    assert spatial.leaves.platform.noc_masters == there - spatial.masters == there - 2


@pytest.mark.integration
@pytest.mark.parametrize("engine", ["{where: aie, tensors: memory}", "pl"])
def test_tables_are_read_in_the_tensors_bank_where_weights_have_another(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A port that reads tables and tensors has one bank: the host program keeps what it reads of the weights there too."""
    monkeypatch.setattr(kernels, "in_one_bank", lambda *_: False)
    project = opened(tmp_path, f"{quantised('multiplier')}engine: {engine}\n")
    system = str(render(project.plan, project.parameters)["src/system.cfg"])
    banks = dict(re.findall(r"^sp=(\w+\.\w+):(\w+)$", system, re.MULTILINE))
    in_turn = engines_of(project.plan)
    weights, store = (
        ("array_weights_1.w", "array_store_1") if in_turn.array else ("conv_engine_1.w", "conv_engine_1")
    )
    assert banks[weights] == "LPDDR"
    assert banks[f"{store}.channels"] == banks[f"{store}.y"] == "DDR"
    assert banks["vector_unit_1.table"] == banks["vector_unit_1.b"] == "DDR"
    x = inputs(2)
    design = design_of(project)
    design.emulated.make(design.render())
    y: np.ndarray = design.emulated.run(x).y
    assert y.tobytes() == reference(in_turn.steps, project.parameters, x).tobytes()
