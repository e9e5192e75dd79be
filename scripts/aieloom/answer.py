"""What a command answers with `--json`: one object on stdout in place of its text.

    {"command": "check", "exit_code": 0, "result": {...}}
    {"command": "check", "exit_code": 2, "errors": [{"rule", "file", "line", "column", "text", "fix"}]}

A command gives its figures by `give(...)` as it comes to them; without --json nobody keeps them. `watch` gives an object a run.
"""

from __future__ import annotations

import dataclasses
import enum
import io
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from typing import IO

from aieloom.errors import AieloomError, Problem, SpecError


@dataclass
class Answer:
    """What a command has given so far, and where it goes."""

    command: str
    out: IO[str]
    result: dict[str, object] = field(default_factory=dict)
    errors: list[AieloomError] = field(default_factory=list)

    def end(self, exit_code: int) -> None:
        """Print the object."""
        made: dict[str, object] = {"command": self.command, "exit_code": exit_code}
        if self.result:
            made["result"] = self.result
        if self.errors:
            made["errors"] = [p for e in self.errors for p in _problems(e)]
        json.dump(made, self.out, indent=1, default=_plain)
        self.out.write("\n")
        self.out.flush()


_answers: list[Answer] = []


def wanted() -> bool:
    """Tell whether somebody waits for JSON."""
    return bool(_answers)


def give(**facts: object) -> None:
    """Add to the result: numbers, texts, lists, mappings, dataclasses, paths."""
    if _answers:
        _answers[-1].result |= facts


def blame(error: AieloomError) -> None:
    """Add an error, which is why the command fails."""
    if _answers:
        _answers[-1].errors.append(error)


def line(**facts: object) -> None:
    """Print an object of its own at once: what a command that does not end gives."""
    if _answers:
        answer = _answers[-1]
        print(
            json.dumps({"command": answer.command, "result": facts}, default=_plain),
            file=answer.out,
            flush=True,
        )


@contextmanager
def answered(command: str) -> Iterator[Answer]:
    """Keep what is given, and leave out the text that goes to stdout meanwhile."""
    answer = Answer(command, sys.stdout)
    _answers.append(answer)
    try:
        with redirect_stdout(io.StringIO()):
            yield answer
    finally:
        _answers.remove(answer)


def _problems(error: AieloomError) -> list[Mapping[str, object]]:
    """Return an error's problems; one that is about no rule, such as a tool's that failed, has none."""
    found = error.problems if isinstance(error, SpecError) else ()
    alone = {"rule": None, "file": "", "line": 0, "column": 0, "text": str(error)}
    return [_problem(p) for p in found] or [{**alone, "fix": getattr(error, "remedy", "")}]


def _problem(p: Problem) -> Mapping[str, object]:
    said = {key: getattr(p, key) for key in ("rule", "file", "line", "column", "text")}
    return {**said, "fix": p.remedy}


def _plain(value: object) -> object:
    """Return what JSON has for a value that is none of its own."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    if isinstance(value, enum.Enum):
        return value.value
    # A number of NumPy's is one of Python's; what is left, such as a path, is told as text.
    return value.item() if hasattr(value, "item") else str(value)
