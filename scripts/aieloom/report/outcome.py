"""What the page says of a run: its quality, what the vendor's tools told, how to make it again."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

from markupsafe import Markup

from aieloom.report.parts import Cell, Code, Column, Note, Picture, Section, Table, table
from aieloom.report.shape import ConfusionCounts, Summary

RIGHT, WRONG = "0, 114, 178", "213, 94, 0"  # red, green and blue of the palette's first and last


def verdict_of(summary: Summary) -> str:
    """Return how exact the run was, in a sentence."""
    golden = summary["golden"]
    exact = ", bit for bit equal" if golden["bit_exact"] else ""
    return (
        f"{golden['samples']} samples in aieloom's emulator, largest error {golden['max_abs_err']:.3g} "
        f"against {golden.get('against', 'the hardware reference')}{exact}"
    )


def baseline_of(summary: Summary) -> str:
    """Say who measured the processor's times, and where."""
    found = summary.get("processor_baseline")
    if not found:
        return "The processor's times are not measured: PyTorch is not installed"
    if not found["rows"]:
        return f"The processor's times are not measured: {found['noise']}, which is noise of a busy machine or too long"
    return f"The processor: {found['machine']}; {found['produced_by'].removeprefix('measured: ')}, measured"


def quality(summary: Summary, folder: Path) -> Iterator[Section]:
    """Yield the section of figures, classes and pictures; none where a run has none of them."""
    parts: list[Note | Table | Picture] = []
    if summary["quality"]:
        rows = ({"name": name.replace("_", " "), "value": f"{v:g}"} for name, v in summary["quality"].items())
        parts.append(table({"name": Column("figure"), "value": Column("value", "n")}, rows))
    if confusion := summary.get("confusion"):
        parts.append(Note(text="Rows: the true class; columns: what the emulated network said."))
        parts.append(_confusion(confusion))
    parts += _pictures(folder / "images.png")
    if parts:
        yield Section(id="quality", link="Quality", title="Quality", parts=tuple(parts))


def _confusion(found: ConfusionCounts) -> Table:
    """Return how often each class was taken for each, the darker the more often."""
    counts, labels = found["counts"], tuple(map(str, found["labels"]))
    most = max(1, *(n for row in counts for n in row))
    columns = {"": Column("", "id"), **{label: Column(label) for label in labels}}

    def cell(count: int, *, right: bool) -> Cell:
        return Cell(text=str(count), shade=f"rgba({RIGHT if right else WRONG}, {0.75 * count / most:.2f})")

    rows = (
        {"": Markup("<b>{}</b>").format(true)}
        | {label: cell(n, right=label == true) for label, n in zip(labels, row, strict=True)}
        for true, row in zip(labels, counts, strict=True)
    )
    return table(columns, rows, classes="slim confusion")


def _pictures(file: Path) -> Iterator[Picture]:
    """Yield the picture, in the page, so that it is one file."""
    try:
        url = "data:image/png;base64," + base64.b64encode(file.read_bytes()).decode()
    except OSError:
        return
    yield Picture(url, "samples: input, other methods and the emulated output side by side")


def tools(summary: Summary) -> Iterator[Section]:
    """Yield what the vendor's tools told, where they ran."""
    runs = summary.get("runs", {})
    if runs:
        columns = {"mode": Column("run"), "tool": Column("tool"), "told": Column("what it told")}
        rows = (
            {"mode": mode, "tool": run["produced_by"], "told": Markup("<br>").join(run["lines"])}
            for mode, run in runs.items()
        )
        yield Section(
            id="vendor",
            link="Vendor's tools",
            title="The vendor's tools",
            parts=(table(columns, rows, classes=""),),
        )


def again(summary: Summary) -> Section:
    """Return how to make the run again: commands, versions and inputs; how long each stage took."""
    reproduce = summary.get("reproduce", {})
    commands = reproduce.get("commands", [])
    rows: list[dict[str, Cell | str]] = [
        {"name": name, "value": value}
        for name, value in (*reproduce.get("versions", {}).items(), *reproduce.get("inputs", {}).items())
    ]
    rows += [
        {"name": f"{name} took", "value": Cell(text=f"{seconds:.2f} s", measured=True)}
        for name, seconds in summary["timing_s"].items()
    ]
    code = (Code("\n".join(commands)),) if commands else ()
    values = table({"name": Column("what"), "value": Column("version, digest or time")}, rows)
    return Section(id="again", link="Reproduce", title="To get this again", parts=(*code, values))
