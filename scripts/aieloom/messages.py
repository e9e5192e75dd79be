"""What people read on a terminal: every error through one formatter, and consoles that honour NO_COLOR and --quiet.

An error has four parts: what is wrong with its rule, the lines of the file with a caret under the key, what to do, and
where docs/errors.md explains the rule. The message itself (`str(error)`) stays as it is; this only adds to it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.text import Text

from aieloom.errors import AieloomError, Problem, SpecError
from aieloom.progress import broken, quiet

__all__ = [
    "Printer",
    "console",
    "excerpt",
    "formatted",
    "note",
    "progress",
    "quiet",
    "quieted",
    "say",
    "show",
]

DOCUMENT = "docs/errors.md"
_AROUND = 1  # lines shown before the one that is meant
_WIDTH = 110  # of an excerpt's line
_RULE = re.compile(r"^(?:[^\s:][^:\n]*:)?(?:\d+:)? ?\[([a-z][a-z0-9-]*)\] ", re.MULTILINE)
_MAX_BYTES = 1_000_000


@contextmanager
def quieted() -> Iterator[None]:
    """Say only results and errors, here and in programs that are started meanwhile."""
    before = os.environ.get("AIELOOM_QUIET")
    os.environ["AIELOOM_QUIET"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["AIELOOM_QUIET"]
        else:
            os.environ["AIELOOM_QUIET"] = before


class Printer(Console):
    """A console whose lines begin anew where dots of something that is going on stand."""

    def print(self, *objects: object, **words: object) -> None:
        """Print, on a line of its own."""
        broken()
        super().print(*objects, **words)  # type: ignore[arg-type]  # rich's own words, handed through


def console(*, stderr: bool = False) -> Console:
    """Return where results and errors go; it has colours on terminals only, and none with NO_COLOR."""
    return Printer(soft_wrap=True, highlight=False, stderr=stderr)


def progress() -> Console:
    """Return where notes go: nowhere with --quiet."""
    return Printer(soft_wrap=True, highlight=False, quiet=quiet())


def say(text: str) -> None:
    """Print a result, as it is."""
    console().print(text, markup=False)


def note(text: str) -> None:
    """Print a note, as it is."""
    progress().print(text, markup=False)


def show(error: AieloomError, *, where: Console | None = None, lead: str = "") -> None:
    """Print an error."""
    (where or console(stderr=True)).print(formatted(error, lead=lead))


def formatted(error: AieloomError, *, lead: str = "") -> Text:
    """Return an error for people: `error: `, then its parts."""
    text = Text.assemble(("error: ", "bold red"), lead)
    problems = error.problems if isinstance(error, SpecError) else ()
    if problems and str(error) == "\n".join(map(str, problems)):
        text.append(Text("\n").join([_problem(p) for p in problems]))
    else:
        text.append(_coloured(str(error)))
        for rule in dict.fromkeys(_RULE.findall(str(error))):
            text.append(_link(rule))
    return text


def _problem(problem: Problem) -> Text:
    head, _, remedy = str(problem).partition("\n  fix: ")
    text = Text()
    if problem.file:
        at = f"{problem.file}:{problem.line}:" if problem.line else f"{problem.file}:"
        text.append(at, "cyan")
        head = head.removeprefix(at)
    text.append(head)
    for line in excerpt(problem):
        text.append("\n").append(line)
    text.append("\n  ").append("fix: ", "green").append(remedy)
    return text.append(_link(problem.rule))


def _coloured(message: str) -> Text:
    text = Text(message)
    text.highlight_regex(r"^ +fix: ", "green")
    text.highlight_regex(r"^ +\| .*$", "dim")
    return text


def _link(rule: str) -> Text:
    return Text.assemble("\n  ", ("see: ", "dim"), (f"{DOCUMENT}#{rule}", "dim"))


def excerpt(problem: Problem) -> Iterator[Text]:
    """Yield the lines around a problem, with a caret under the key that is meant; nothing where there is no text."""
    lines = _lines(problem.file) if problem.file and problem.line else []
    if not 1 <= problem.line <= len(lines):
        return
    first = max(1, problem.line - _AROUND)
    digits = len(str(problem.line))
    for number in range(first, problem.line + 1):
        line, _ = _window(lines[number - 1], problem.column)
        mine = number == problem.line
        yield Text.assemble(
            "  ", (f"{number:>{digits}} | ", "" if mine else "dim"), (line, "" if mine else "dim")
        )
    _, column = _window(lines[problem.line - 1], problem.column)
    yield Text.assemble("  ", " " * digits, " | ", " " * (column - 1), ("^", "bold red"))


def _window(line: str, column: int) -> tuple[str, int]:
    """Return a line cut to what is legible around a column, and where that column is then."""
    line = line.rstrip().expandtabs(1)
    column = column or len(line) - len(line.lstrip()) + 1
    if len(line) <= _WIDTH:
        return line, min(column, len(line) + 1)
    start = max(0, min(column - _WIDTH // 2, len(line) - _WIDTH))
    cut = line[start : start + _WIDTH]
    return ("…" + cut[1:] if start else cut[:-1] + "…"), max(1, column - start)


def _lines(file: str) -> list[str]:
    path = Path(file)
    try:
        if path.suffix not in {".yaml", ".yml", ".toml", ".cfg", ".txt"} or path.stat().st_size > _MAX_BYTES:
            return []
        return path.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    except (OSError, ValueError):
        return []
