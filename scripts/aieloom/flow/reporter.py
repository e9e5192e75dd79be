"""What doit's runs look like: one line for each task that works, nothing for those that have nothing to do."""

from __future__ import annotations

import atexit
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Protocol, TextIO

from doit.reporter import ConsoleReporter

from aieloom import messages, progress
from aieloom.errors import MISSING
from aieloom.flow.outcome import ToldError, ToldFailure, ToldMissing

SHOWN_RUNNING = 3  # tasks named while they run


class Task(Protocol):
    """What of doit's tasks is looked at."""

    name: str
    actions: Sequence[object]


class Failure(Protocol):
    """What of doit's failures is looked at."""

    def get_msg(self) -> str:
        """Return its message."""
        ...


class Reporter(ConsoleReporter):  # type: ignore[misc]  # doit has no types
    """Prints each task's name with its time when it is done, and every failure's message once."""

    desc = "one line a task, with its time"

    def __init__(self, outstream: TextIO, options: object) -> None:
        super().__init__(outstream, options)
        self.console = messages.Printer(file=outstream, highlight=False, soft_wrap=True)
        self.began: dict[str, float] = {}
        self.ran = 0
        self.skipped = 0
        self.running: list[str] = []
        self.telling = ExitStack()
        self.doing: progress.Doing | None = None

    def initialize(self, tasks: Mapping[str, Task], selected_tasks: Sequence[str]) -> None:
        """Begin to tell what is going on."""
        super().initialize(tasks, selected_tasks)
        self.telling.enter_context(progress.lines())
        atexit.register(self.telling.close)  # an interrupted run gives the cursor back

    def execute_task(self, task: Task) -> None:
        """Note when a task begins, and tell what is running."""
        self.began[task.name] = time.perf_counter()
        if task.actions:
            self.running.append(task.name)
            self._tell_running()

    def _tell_running(self) -> None:
        """Keep what is told of what is running."""
        if self.doing is None:
            self.doing = self.telling.enter_context(progress.working("", console=self.console))
        shown = self.running[:SHOWN_RUNNING]
        more = f" and {len(self.running) - len(shown)} more" if len(self.running) > len(shown) else ""
        self.doing.what = f"running {', '.join(shown)}{more}" if shown else "looking what is to do"

    def _ended(self, task: Task) -> None:
        if task.name in self.running:
            self.running.remove(task.name)
            self._tell_running()

    def add_success(self, task: Task) -> None:
        """Print a task that worked."""
        self._ended(task)
        if not task.actions or task.name in {"sim", "emulate"} or task.name.startswith("_"):
            return
        self.ran += 1
        if messages.quiet():
            return
        seconds = time.perf_counter() - self.began.get(task.name, time.perf_counter())
        self.console.print(f"  [green]done[/] {task.name:<32} {seconds:6.1f} s")

    def skip_uptodate(self, task: Task) -> None:
        """Count a task that has nothing to do."""
        self.skipped += bool(task.actions)

    def add_failure(self, task: Task, fail: Failure) -> None:
        """Print the message; anything that is not one of ours is a defect and keeps its traceback."""
        self._ended(task)
        self.failures.append({"task": task, "exception": fail})
        if isinstance(fail, ToldMissing):
            return  # told at the end
        if isinstance(fail, ToldError | ToldFailure):
            messages.show(fail.problem, where=self.console, lead=f"{task.name}: ")
        else:
            self.console.print(f"[red]error:[/] {task.name}: ", end="")
            self.console.print(fail.get_msg(), markup=False)

    def complete_run(self) -> None:
        """Say when there was nothing to do, or which tool the flow stopped for.

        Raises:
            SystemExit: only tools were missing.
        """
        self.telling.close()
        missing = [f["exception"] for f in self.failures if isinstance(f["exception"], ToldMissing)]
        texts = list(dict.fromkeys(m.message for m in missing))
        if texts and len(missing) == len(self.failures):
            # Stages that ran beside it lack no less.
            messages.console(stderr=True).print(f"error: {texts[0]}", markup=False)
            raise SystemExit(MISSING)
        for text in texts:
            self.console.print(f"error: {text}", markup=False)
        if self.ran == 0 and not self.failures and self.skipped and not messages.quiet():
            self.console.print(f"nothing to do: all {self.skipped} tasks are up to date")
