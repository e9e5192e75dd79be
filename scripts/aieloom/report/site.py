"""report/index.html: one page that needs no network and no other file; the drawings lie beside it too."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import jinja2

from aieloom.emit.files import write_bytes, write_text
from aieloom.plan.types import ArrayPart
from aieloom.report.compare import read_other
from aieloom.report.files import DRAWINGS, read_summary
from aieloom.report.floorplan import as_png
from aieloom.report.page import TRACED_TILES, page_of
from aieloom.report.timeline import trace
from aieloom.simulation.of_plan import simulate_plan


def write_report(plan: ArrayPart, folder: Path, *, compare: Path | None = None) -> None:
    """Write index.html, which needs no other file, and beside it the drawings and trace.json; summary.json is there.

    `compare` is the build or report folder of another design.

    Raises:
        SpecError: there is no summary yet, nothing to compare with, or the folder cannot be written.
    """
    summary = read_summary(folder)
    page = page_of(plan, summary, folder, read_other(compare) if compare else None)
    for name in DRAWINGS:
        write_text(folder / f"{name}.svg", getattr(page, name))
    write_bytes(folder / "floorplan.png", as_png(page.floorplan))
    write_text(
        folder / "trace.json",
        trace(
            simulate_plan(plan, TRACED_TILES) if plan.frame else simulate_plan(plan),
            plan.project,
            plan.cost.produced_by,
        ),
    )
    write_text(folder / "index.html", template(Path(__file__).parent / "index.html.j2").render(p=page))


@cache
def template(file: Path) -> jinja2.Template:
    """Return a page's template, which includes the style of all pages."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([file.parent, Path(__file__).parent]),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(file.name)
