"""What a rule and its findings are."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

View = TypeVar("View")
Said = Iterator[tuple[int, str]]  # lines, and what is to be said of them


@dataclass(frozen=True, order=True, slots=True)
class Finding:
    """What a rule says of a line."""

    rule: str
    line: int
    text: str
    function: str = ""
    is_note: bool = False  # told, but no error: see docs/hls-lint.md


@dataclass(frozen=True, slots=True)
class Rule(Generic[View]):
    """A function that finds what it refuses, the name and text of that, and what the refusal rests on."""

    key: str
    text: str
    evidence: str
    find: Callable[[View], Said]
    is_note: Callable[[str], bool] = lambda _: False  # findings, by their text, that are no errors

    def __call__(self, view: View) -> Said:
        """Return the findings in a kernel."""
        return self.find(view)


def rule(
    key: str, text: str, evidence: str, is_note: Callable[[str], bool] = lambda _: False
) -> Callable[[Callable[[View], Said]], Rule[View]]:
    """Make a rule of a function."""
    return functools.partial(_made, key, text, evidence, is_note)


def _made(
    key: str, text: str, evidence: str, is_note: Callable[[str], bool], find: Callable[[View], Said]
) -> Rule[View]:
    return Rule(key, text, evidence, find, is_note)
