"""What every report's page says of a run, whatever the design is: the verdict, its figures, how to make it again."""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.report.shape import Performance, Summary


@dataclass(frozen=True, kw_only=True)
class Card:
    """A figure of the overview: what, how much, and who says so."""

    title: str
    value: str
    note: str
    source: str


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


def outcome_of(summary: Summary) -> Outcome:
    """Return what summary.json says of the run."""
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
    )
