"""The files of a report, and summary.json read again."""

from __future__ import annotations

import json
from pathlib import Path

from aieloom.errors import Problem, SpecError
from aieloom.report.shape import Summary

SUMMARY = "summary.json"
TIMED_RUNS = {"timed.html": "the array alone", "system.html": "the whole system"}  # of runs with times


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
