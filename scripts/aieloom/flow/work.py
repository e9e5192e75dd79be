"""What the doit tasks of a project do, whatever its design is made of: values and calls that tasks.py puts in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from aieloom.emit.files import Files
from aieloom.emulator.build import Step
from aieloom.flow.project import Opened


@dataclass(frozen=True, kw_only=True)
class Work:
    """The work of one project."""

    project: Opened
    write_plan: Callable[[], object]
    sources: tuple[str, ...]  # of the build folder
    steps: tuple[Step, ...]  # compilations of the emulated system
    programs: tuple[Path, ...]  # what linking makes
    lines: tuple[str, ...]  # what is said of the plan
    render: Callable[[], Files]
    link: Callable[[], None]
    simulate: Callable[[], None]
    results: tuple[str, ...]  # what a run writes into report/
    report: Callable[[Path | None], None]  # beside another design's report folder, where there is one
    reports: tuple[str, ...]  # what it writes into report/
    show: Callable[[], bool]
