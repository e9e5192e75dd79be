"""report/index.html: one page that needs no network, with the pictures beside it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from aieloom.cost.of_plan import simulate_plan
from aieloom.emit.files import write_text
from aieloom.errors import Problem, SpecError
from aieloom.plan.types import Plan
from aieloom.report.floorplan import floorplan
from aieloom.report.graph import graph
from aieloom.report.trace import trace


def write_report(plan: Plan, folder: Path) -> None:
    """Write index.html, floorplan.svg, graph.svg and trace.json into `folder`, which has summary.json.

    Raises:
        SpecError: there is no summary yet, or the folder cannot be written.
    """
    summary = read_summary(folder)
    drawings = {"floorplan.svg": floorplan(plan), "graph.svg": graph(plan)}
    for name, drawing in drawings.items():
        write_text(folder / name, drawing)
    write_text(folder / "trace.json", trace(simulate_plan(plan), plan.project))
    page = _template().render(
        s=summary,
        plan=plan,
        floorplan=drawings["floorplan.svg"],
        graph=drawings["graph.svg"],
        pictures=(folder / "images.png").is_file(),
        checks=[c for c in plan.checks if c.limit],
    )
    write_text(folder / "index.html", page)


def read_summary(folder: Path) -> dict[str, Any]:
    """Return summary.json of a report's folder.

    Raises:
        SpecError: it is not there or not readable.
    """
    file = folder / "summary.json"
    try:
        summary: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as e:
        problem = Problem(
            rule="report", file=str(file), text=f"cannot be read: {e}", remedy="run `doit sim` first"
        )
        raise SpecError(problem) from e
    return summary


@cache
def _template() -> jinja2.Template:
    text = (Path(__file__).parent / "index.html.j2").read_text(encoding="utf-8")
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(text)
