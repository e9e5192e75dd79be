"""report/index.html: one page that needs no network and no other file; the drawings lie beside it too."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import jinja2

from aieloom.emit.files import write_bytes, write_text
from aieloom.report.files import PAGE, TRACE, Shown, read_summary
from aieloom.report.floorplan import as_png
from aieloom.report.page import page_of
from aieloom.report.parts import Section
from aieloom.report.timeline import trace


def write_page(shown: Shown, folder: Path, *, compare: Path | None = None) -> None:
    """Write index.html, which needs no other file, and beside it its drawings and trace.json; summary.json is there.

    `compare` is the build or report folder of another design.

    Raises:
        SpecError: there is no summary yet, nothing to compare with, or the folder cannot be written.
    """
    summary, compared = read_summary(folder), tuple[Section, ...]()
    if compare:
        from aieloom.report.compare import comparison, read_other  # noqa: PLC0415 - most runs compare nothing

        compared = (comparison(summary, folder, read_other(compare)),)
    page = page_of(shown, summary, folder, compared)
    for name, svg in page.drawings.items():
        write_text(folder / f"{name}.svg", svg)
    if shown.arrays:
        write_bytes(folder / "floorplan.png", as_png(page.drawings["floorplan"]))
    if shown.streams and page.run:
        text = trace(page.run, shown.streams.project, shown.streams.cost.produced_by)
        write_text(folder / TRACE, text)
    write_text(folder / PAGE, template(Path(__file__).parent / "index.html.j2").render(p=page))


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
