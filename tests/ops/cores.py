"""The array of a design by itself against the reference."""

from __future__ import annotations

from pathlib import Path

import aieloom
from aieloom.emit.files import write_tree
from aieloom.emit.names import SIMULATED_IMAGES, SOURCE_FOLDERS
from aieloom.emit.project import render
from aieloom.flow.opening import open_project
from aieloom.flow.project import Project
from aieloom.vitis.simdata import compare, streams, write_inputs
from tests.quantize.projects import inputs, write_project


def written(folder: Path, text: str, quantize: str | None) -> Project:
    """Write and open a project."""
    write_project(folder, text, quantize or "")
    if quantize is None:
        (folder / "network.yaml").write_text(text)
    return open_project(folder, build=folder / "build")


def check(project: Project, text: str, seed: int) -> int:
    """Run the graph alone on some images; return how many layers were compared."""
    plan = project.array
    write_tree(project.build, render(plan, project.parameters), owned=SOURCE_FOLDERS)
    carried = streams(plan, project.parameters, inputs(plan.x.shape, SIMULATED_IMAGES, seed))
    write_inputs(project.build, carried)
    result = aieloom.emulate(
        project.build / "src" / "aie" / "graph.cpp",
        arch=plan.device.architecture.value,
        data=project.build,
        out=project.build / "out",
        folder=project.build / "program",
    )
    assert result.code == 0, f"{result.stderr}\nof\n{text}"
    found = compare(project.build / "out", carried)
    assert found.bit_exact, (
        f"{found.differing} of {found.expected} values differ; {found.problems}\nof\n{text}"
    )
    outputs = plan.copies * sum(layer.grid.m * layer.grid.n for layer in plan.aie)
    assert found.expected == SIMULATED_IMAGES * outputs, "every output was looked at"
    return len(plan.aie)
