"""What can go wrong, as messages for people: where, what with the numbers, what to do.

Three kinds reach a user. `SpecError`: something in the user's own files is wrong. `CannotFit`: a choice
that a search may retry with other numbers. `ToolError`: a program that aieloom started has failed.
Anything else that escapes is a defect of aieloom.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

# Exit code: a vendor's tool is not installed. 3 is doit's: there is no such task, option or dodo.py
MISSING = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One finding: `file:line: [rule] text`, then `fix: remedy`.

    `line` and `column` count from 1; 0 means the whole file, the whole line. `rule` is the id under which docs/errors.md
    explains it.
    """

    rule: str
    text: str
    remedy: str
    file: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        where = (
            f"{self.file}:{self.line}: " if self.file and self.line else f"{self.file}: " if self.file else ""
        )
        return f"{where}[{self.rule}] {self.text}\n  fix: {self.remedy}"


class AieloomError(Exception):
    """Base of everything that is the caller's to mend; `exit_code` is what a command line returns."""

    exit_code = 2


class SpecError(AieloomError):
    """The user's files are wrong; carries every problem found, in file order, or one that is said in its place."""

    def __init__(
        self,
        problems: Problem | Iterable[Problem] = (),
        *,
        rule: str = "",
        text: str = "",
        remedy: str = "",
        file: str = "",
        line: int = 0,
    ) -> None:
        if rule:
            problems = Problem(rule=rule, text=text, remedy=remedy, file=file, line=line)
        found = (problems,) if isinstance(problems, Problem) else tuple(problems)
        self.problems = tuple(sorted(found, key=lambda p: (p.file, p.line)))
        super().__init__("\n".join(map(str, self.problems)))


class CannotFit(SpecError):
    """A mapping that breaks a rule of the device; other numbers may fit."""


class ToolError(AieloomError):
    """A program failed: its command, its first error line, and where its whole log is."""

    exit_code = 1

    def __init__(self, *, command: Sequence[str], first_error: str, log: Path | None, remedy: str) -> None:
        self.command = tuple(command)
        self.first_error = first_error
        self.log = log
        self.remedy = remedy
        where = f"\n  log: {log}" if log else ""
        super().__init__(
            f"{command[0]} failed: {first_error}\n  command: {' '.join(command)}{where}\n  fix: {remedy}"
        )


class RunFailed(AieloomError):
    """A run ended, but its result is wrong or the emulator refused the design."""

    exit_code = 1
