"""What every report's page says of a run, whatever the design is: the verdict, its figures, how to make it again."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path

from aieloom.report.compare import Row, compared, edits_of, named, same_in_both
from aieloom.report.shape import ConfusionCounts, Performance, Summary


@dataclass(frozen=True, kw_only=True)
class Card:
    """A figure of the overview: what, how much, and who says so."""

    title: str
    value: str
    note: str
    source: str


@dataclass(frozen=True, kw_only=True)
class Confusion:
    """What was taken for what: one row a true class."""

    labels: tuple[str, ...]
    rows: tuple[tuple[int, ...], ...]
    most: int


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A run, told from its summary."""

    title: str
    passed: bool
    verdict: str
    faults: tuple[str, ...]
    modelled: str  # what made the modelled figures
    quality: tuple[tuple[str, str], ...]
    commands: tuple[str, ...]
    versions: tuple[tuple[str, str], ...]
    runs: tuple[
        tuple[str, str, tuple[str, ...]], ...
    ]  # of the vendor's tools: which, by whom, what they told
    picture: str  # samples side by side, as a data URL
    confusion: Confusion | None
    times: tuple[tuple[str, str], ...]
    baseline: str  # who measured the processor's times, and where
    processor: tuple[tuple[str, str, str], ...]  # images, time, images a second
    # beside another design:
    comparison: tuple[Row, ...]
    same: int
    edits: tuple[str, ...]
    this_build: str
    compared_with: str


def energy_cards(performance: Performance) -> tuple[Card, ...]:
    """Return the card of an image's energy; none where the board's power is not known."""
    energy = performance.get("energy")
    if not energy:
        return ()
    shares = ", ".join(f"{mj:.3g} {who}" for who, mj in energy["mj_by_share"].items() if mj)
    return (
        Card(
            title="energy",
            value=f"{energy['mj_per_image']:,.3g} mJ an image",
            note=f"{energy['watts']:,.3g} W while images follow one another: {shares}",
            source=f"modelled, {energy['produced_by']}",
        ),
    )


def outcome_of(summary: Summary, folder: Path, other: tuple[str, Summary] | None) -> Outcome:
    """Return what summary.json says of the run; `other` is the name and summary of a design to compare with."""
    golden, performance, reproduce = summary["golden"], summary["performance"], summary.get("reproduce", {})
    exact = ", bit for bit equal" if golden["bit_exact"] else ""
    return Outcome(
        title=f"{summary['project']} on {summary['target']}",
        passed=bool(summary["passed"]),
        verdict=(
            f"{golden['samples']} samples in aieloom's emulator, largest error {golden['max_abs_err']:.3g} "
            f"against {golden.get('against', 'the hardware reference')}{exact}"
        ),
        faults=tuple(summary["faults"]),
        modelled=f"{performance['kind']}: {performance['produced_by']}",
        quality=tuple((k.replace("_", " "), f"{v:g}") for k, v in summary["quality"].items()),
        commands=tuple(reproduce.get("commands", ())),
        runs=tuple(
            (mode, run["produced_by"], tuple(run["lines"])) for mode, run in summary.get("runs", {}).items()
        ),
        versions=(*reproduce.get("versions", {}).items(), *reproduce.get("inputs", {}).items()),
        picture=_picture(folder / "images.png"),
        confusion=_confusion(summary.get("confusion")),
        times=tuple((name, f"{seconds:.2f} s") for name, seconds in summary["timing_s"].items()),
        baseline=_baseline(summary),
        processor=tuple(
            (f"{row['images']:,}", f"{1e3 * row['seconds']:,.4g} ms", f"{row['images_per_s']:,.0f}")
            for row in summary.get("processor_baseline", {}).get("rows", ())
        ),
        comparison=compared(summary, other[1]) if other else (),
        same=same_in_both(summary, other[1]) if other else 0,
        edits=edits_of(summary, other[1]) if other else (),
        this_build=named(summary, folder),
        compared_with=other[0] if other else "",
    )


def _picture(file: Path) -> str:
    """Return a picture as a data URL, so that the page is one file; empty where there is none."""
    try:
        return "data:image/png;base64," + base64.b64encode(file.read_bytes()).decode()
    except OSError:
        return ""


def _confusion(found: ConfusionCounts | None) -> Confusion | None:
    if not found:
        return None
    rows = found["counts"]
    return Confusion(
        labels=tuple(map(str, found["labels"])),
        rows=tuple(tuple(row) for row in rows),
        most=max(1, *(n for row in rows for n in row)),
    )


def _baseline(summary: Summary) -> str:
    """Say who measured the processor's times, and where."""
    found = summary.get("processor_baseline")
    if not found:
        return "The processor's times are not measured: PyTorch is not installed"
    if not found["rows"]:
        return f"The processor's times are not measured: {found['noise']}, which is noise of a busy machine or too long"
    return f"The processor: {found['machine']}; {found['produced_by'].removeprefix('measured: ')}, measured"
