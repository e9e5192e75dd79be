"""What a run looks like: a line for each task that worked, one that says what is running on terminals, failures in full."""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any

import pytest

from aieloom import messages, progress
from aieloom.errors import Problem, SpecError
from aieloom.flow.outcome import told
from aieloom.flow.reporter import Reporter

OPTIONS = {"show_out": True, "failure_verbosity": 0}


def task(name: str) -> Any:
    return SimpleNamespace(name=name, actions=["act"])


def reporter(*, terminal: bool) -> tuple[Reporter, io.StringIO]:
    out = io.StringIO()
    made = Reporter(out, OPTIONS)
    made.console = messages.Printer(
        file=out, force_terminal=terminal, soft_wrap=True, highlight=False, width=200
    )
    return made, out


def test_a_terminal_is_told_what_is_running() -> None:
    made, _ = reporter(terminal=True)
    for name in ("compile:a", "compile:b", "compile:c", "compile:d"):
        made.execute_task(task(name))
    assert progress.now() == "running compile:a, compile:b, compile:c and 1 more"
    made.add_success(task("compile:a"))
    assert progress.now() == "running compile:b, compile:c, compile:d"
    made.add_failure(task("compile:b"), told(SpecError(Problem(rule="key", text="wrong", remedy="mend"))))
    for name in ("compile:c", "compile:d"):
        made.add_success(task(name))
    assert progress.now() == "looking what is to do"
    made.complete_run()
    assert progress.now() == ""


@pytest.mark.parametrize("quiet", [True, False])
def test_elsewhere_there_are_plain_lines_or_none(monkeypatch: pytest.MonkeyPatch, quiet: bool) -> None:
    monkeypatch.setenv("AIELOOM_QUIET", "1" if quiet else "0")
    made, out = reporter(terminal=False)
    made.execute_task(task("plan"))
    made.add_success(task("plan"))
    made.complete_run()
    text = out.getvalue()
    assert ("done plan" in text) is not quiet and "\x1b" not in text


def test_a_failure_is_shown_whole_and_once() -> None:
    made, out = reporter(terminal=False)
    made.execute_task(task("plan"))
    made.add_failure(task("plan"), told(SpecError(Problem(rule="key", text="wrong", remedy="mend"))))
    made.complete_run()
    assert out.getvalue() == "error: plan: [key] wrong\n  fix: mend\n  see: docs/errors.md#key\n"
