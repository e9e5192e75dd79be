"""Two designs side by side: the figures that differ, from their summaries."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from markupsafe import Markup

from aieloom.errors import SpecError
from aieloom.report.parts import Cell, Column, Note, Section, table
from aieloom.report.shape import Summary

SAME = "same"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure of both designs, and how much the first differs; `better` is 1, -1 or 0 (no judgement)."""

    what: str
    this: str
    other: str
    change: str
    better: int

    @property
    def cells(self) -> dict[str, Cell | str]:
        """Its row of the page."""
        judged = {1: Cell(text="▲ better", tone="better"), -1: Cell(text="▼ worse", tone="worse"), 0: Cell()}
        shown = {"what": self.what, "this": self.this, "other": self.other, "change": self.change}
        return {**shown, "judged": judged[self.better]}


# Figure, where it stands in a summary, format, and whether more (1) or less (-1) is better.
_FIGURES: tuple[tuple[str, tuple[str, ...], str, int], ...] = (
    ("images/s end to end (modelled)", ("performance", "throughput_fps"), ",.1f", 1),
    ("images/s, the array (modelled)", ("performance", "rates", "array", "images_per_s"), ",.1f", 1),
    (
        "images/s with movers and memory (modelled)",
        ("performance", "rates", "memory", "images_per_s"),
        ",.1f",
        1,
    ),
    ("latency, us (modelled)", ("performance", "latency_us"), ",.1f", -1),
    ("largest error against the reference", ("golden", "max_abs_err"), ".3g", -1),
    ("AIE cores", ("resources", "aie_cores"), ",d", -1),
    ("AIE tiles", ("resources", "aie_tiles"), ",d", -1),
    ("bytes in tile memories", ("resources", "memory_bytes"), ",d", -1),
    ("PLIO in", ("resources", "plio_in"), ",d", -1),
    ("PLIO out", ("resources", "plio_out"), ",d", -1),
    ("BRAM36 (estimate)", ("resources", "pl", "bram36"), ",d", -1),
    ("URAM288 (estimate)", ("resources", "pl", "uram288"), ",d", -1),
    ("DSP58 (estimate)", ("resources", "pl", "dsp"), ",d", -1),
    ("LUT (estimate)", ("resources", "pl", "lut"), ",d", -1),
    ("FF (estimate)", ("resources", "pl", "ff"), ",d", -1),
)


def read_other(folder: Path) -> tuple[str, Summary]:
    """Return the name and summary of a design to compare with: a build folder, its report/, or a project's.

    The name says which build it is: the project, the board, and the folder.

    Raises:
        SpecError: there is no summary.json.
    """
    for file in (folder / "summary.json", folder / "report" / "summary.json"):
        try:
            summary = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(summary, dict) and "performance" in summary:
            told = cast(Summary, summary)
            return named(told, folder), told
    text = f"{folder} has no summary.json of a run"
    remedy = "compare=build/<project>/<target>, after `doit sim` there (build=OTHER keeps two designs apart)"
    raise SpecError(rule="report", text=text, remedy=remedy)


def named(summary: Summary, folder: Path) -> str:
    """Return which build a summary is of: project, board, folder, the design that it has."""
    where = folder.absolute()
    where = where.parent if where.name == "report" else where
    shown = where.relative_to(Path.cwd()) if where.is_relative_to(Path.cwd()) else Path(*where.parts[-3:])
    cores = _at(summary, ("resources", "aie_cores"))
    return f"{summary.get('project')} on {summary.get('target')}, {cores} cores, in {shown}"


def edits_of(this: Summary, other: Summary) -> tuple[str, ...]:
    """Return what network.yaml of the one says differently from the other one's."""
    if not (this.get("network_yaml") and other.get("network_yaml")):
        return ("one of both builds is of an aieloom that did not keep its network.yaml: run it again",)
    from aieloom.edits import edited  # noqa: PLC0415 - where two designs are compared

    return tuple(edited(other["network_yaml"], this["network_yaml"])) or (
        "nothing: what differs follows from weights, the board, or another aieloom",
    )


def comparison(this: Summary, folder: Path, other: tuple[str, Summary]) -> Section:
    """Return the section about the design in `folder` beside another one, of which the name is given too."""
    name, summary = other
    found = (*_figures(this, summary), *_quality(this, summary), *_stages(this, summary))
    differing = [row.cells for row in found if row.change != SAME]
    edits = Markup("").join(Markup("<br><code>{}</code>").format(e) for e in edits_of(this, summary))
    builds = Markup("this: {}<br>the other: {}").format(named(this, folder), name)
    edited_by = Markup("In network.yaml (the other's -> this one's):{}").format(edits)
    columns = {
        "what": Column("figure"),
        "this": Column("this", "n"),
        "other": Column("the other", "n"),
        "change": Column("this / other", "n"),
        "judged": Column(""),
    }
    same = Note(
        text=f"{len(found) - len(differing)}{' more' if differing else ''} figures are the same in both."
    )
    rows = (table(columns, differing),) if differing else ()
    parts = (Note(text=builds), Note(text=edited_by), *rows, same)
    return Section(id="compare", link="Comparison", title="Compared with another build", parts=parts)


def _figures(this: Summary, other: Summary) -> Iterator[Figure]:
    for what, path, form, sense in _FIGURES:
        a, b = _at(this, path), _at(other, path)
        counted = path[-1] != "ff" or (a and b)  # of engines' flip-flops there is no figure
        if a is not None and b is not None and counted:
            yield _row(what, (a, b), form, sense)


def _at(summary: Summary, path: tuple[str, ...]) -> float | None:
    found: object = summary
    for key in path:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, int | float) else None


def _quality(this: Summary, other: Summary) -> Iterator[Figure]:
    for key, value in this.get("quality", {}).items():
        if key in other.get("quality", {}):
            sense = -1 if "err" in key or "loss" in key else 1
            yield _row(key.replace("_", " "), (value, other["quality"][key]), ".4g", sense)


def _stages(this: Summary, other: Summary) -> Iterator[Figure]:
    a, b = map(_us_by_name, (this, other))
    for name in dict.fromkeys((*a, *b)):
        what = f"{name}: us an image"
        if name in a and name in b:
            yield _row(what, (a[name], b[name]), ",.2f", -1)
        else:
            mine, others = (f"{us[name]:,.2f}" if name in us else "none" for us in (a, b))
            yield Figure(what=what, this=mine, other=others, change="", better=0)


def _us_by_name(summary: Summary) -> dict[str, float]:
    """Return the time of each stage: what it takes of an image, or where all work at the same time its interval."""
    stages = summary["performance"]["per_layer"]
    return {s["name"]: s.get("us_per_image", s.get("interval_us", 0.0)) for s in stages}


def _row(what: str, values: tuple[float, float], form: str, sense: int) -> Figure:
    a, b = values
    whole = form.endswith("d")
    texts = [f"{int(v) if whole else v:{form}}" for v in values]
    change = SAME if a == b else f"{a / b:.2f} x" if b else "from none"
    better = 0 if a == b else sense if a > b else -sense
    return Figure(what=what, this=texts[0], other=texts[1], change=change, better=better)
