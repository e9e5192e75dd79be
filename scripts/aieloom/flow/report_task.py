"""The report among doit's tasks: written after the emulated run, and again at the end of what runs a tool that it tells of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from aieloom.digests import named_digest, text_digest
from aieloom.errors import SpecError
from aieloom.flow.designs import Design
from aieloom.flow.listing import DOCS
from aieloom.flow.results import Results, Task, made
from aieloom.flow.tool_runs import PICTURES, RESULT, RUNS
from aieloom.report.files import SUMMARY, TIMED_RUNS, read_summary


@dataclass(frozen=True, kw_only=True)
class Report:
    """A project's report; `inputs` is a digest of all that its results follow from, `compare` another design's folder."""

    design: Design
    inputs: str
    compare: Path | None

    @property
    def folder(self) -> Path:
        """Where it stands."""
        return self.design.project.build / "report"

    @property
    def results(self) -> Results:
        """Its files, made of the inputs and of what each run told."""
        listed = [self.folder / name for name in (SUMMARY, *self.design.shown.files)]
        told = (*(f"{mode}.json" for mode in RUNS), RESULT, PICTURES, *TIMED_RUNS)

        def made_of() -> str:
            runs = named_digest((name, self.folder / name) for name in told)
            return text_digest(self.inputs, runs, str(self.compare))

        return Results(task="report", build=self.design.project.build, made_of=made_of, files=lambda: listed)

    def write(self) -> None:
        """Write summary.json and the pages, whatever is there."""
        self.design.write_report(self.compare)

    def refresh(self) -> None:
        """Write what a tool told since the pages were written: doit may run a simulator beside the task, or after it.

        Without an emulated run there are no pages: a tool's figures wait in their own files.
        """
        try:
            read_summary(self.folder, RESULT)
        except SpecError:
            return
        if not self.results.are_current():
            self.results.make(self.write)

    def task(self) -> Task:
        """Return doit's task."""
        results = self.results
        task = made(
            results, self.write, doc=DOCS["report"], targets=results.files(), after=["plan", "images"]
        )
        return {**task, "uptodate": [*task["uptodate"], *([False] if self.compare else [])]}
