"""A small project of each kind of design, and the summary of its run."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from aieloom.flow.batch import Run
from aieloom.flow.designs import design_of
from aieloom.flow.project import Project
from aieloom.flow.sim import simulate
from aieloom.report.schema import summary_schema
from tests.matrix_engine import projects as on_engine
from tests.vitis import designs
from tests.vitis.conftest import make_project

jsonschema: Any = import_module("jsonschema")  # has no types


def strict(schema: Any) -> Any:
    """Return a schema that no key passes which it does not name."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {"additionalProperties": False} if "properties" in schema else {}
    return {key: strict(part) for key, part in schema.items()} | closed


SCHEMA = strict(summary_schema())


KINDS: dict[str, Callable[[Path], Path]] = {
    "spatial": lambda folder: make_project(folder).path,
    "in_turn": lambda folder: designs.in_turn(folder).path,
    "in_logic": lambda folder: designs.in_logic(folder).path,  # with a unit of whole rows
    "circuit": lambda folder: designs.circuit(folder).path,
    "hybrid": lambda folder: designs.hybrid(folder).path,
    "matrix_engine": lambda folder: on_engine.opened(folder).folder,
}


def told_of(project: Project) -> dict[str, Any]:
    """Return the summary of a run whose results are the reference's, without building anything."""
    design = design_of(project)
    simulate(design, lambda x: Run(y=design.reference(x), seconds=0.5, peak_bytes=1 << 20))
    return checked_file(project.build)


def checked_file(folder: Path) -> dict[str, Any]:
    summary: dict[str, Any] = json.loads((folder / "report" / "summary.json").read_text())
    jsonschema.validate(summary, SCHEMA)
    assert summary["passed"] and summary["golden"]["bit_exact"]
    return summary
