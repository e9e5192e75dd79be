"""The files of a report, and summary.json read again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aieloom.errors import Problem, SpecError
from aieloom.report.shape import Summary

if TYPE_CHECKING:
    from aieloom.plan.types import ArrayPart
    from aieloom.units.plan import Plan

SUMMARY = "summary.json"
PAGE, TRACE = "index.html", "trace.json"
TIMED_RUNS = {"timed.html": "the array alone", "system.html": "the whole system"}  # of runs with times


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A design that has a page."""

    plan: Plan
    how: str  # it runs, for the user
    arrays: tuple[ArrayPart, ...] = ()  # its parts on the array, which one compiled graph has
    streams: ArrayPart | None = None  # the whole of it, where all of it works at the same time

    @property
    def in_memory(self) -> bool:
        """Tell whether tensors lie in device memory while it computes."""
        return any(b.where == "device" for b in self.plan.buffers)

    @property
    def files(self) -> tuple[str, ...]:
        """The report's files beside summary.json: the page and its drawings."""
        plan = ("floorplan.svg", "floorplan.png") if self.arrays else ()
        memory = ("memory.svg",) if self.in_memory else ()
        streams = ("routing.svg", "roofline.svg", "timeline.svg", TRACE) if self.streams else ()
        return (PAGE, "network.svg", *plan, *memory, *streams)


def read_summary(folder: Path, name: str = SUMMARY) -> Summary:
    """Return summary.json of a report's folder, or another file of a run there.

    Raises:
        SpecError: it is not there or not readable.
    """
    file = folder / name
    try:
        summary: Summary = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as e:
        problem = Problem(
            rule="report", file=str(file), text=f"cannot be read: {e}", remedy="run `doit sim` first"
        )
        raise SpecError(problem) from e
    return summary
