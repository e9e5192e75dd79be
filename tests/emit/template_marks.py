"""Which parts of templates were printed: every file, and in it every body of an `if`, an `else` and a loop.

A template is read with a mark in front of each body, which notes that it was reached and prints nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import jinja2
from jinja2.ext import Extension

from aieloom.emit.library import template_folder
from aieloom.emit.printer import environment

_BODY = re.compile(r"\{%-?\s*(?:if|elif|else|for)\b[^%]*?(-?)%\}")


@dataclass
class Marks:
    """Places of templates, `file:line`; line 0 is the file itself."""

    reached: set[str] = field(default_factory=set)

    def reach(self, place: str) -> str:
        """Note a place; a template calls it."""
        self.reached.add(place)
        return ""


def places(name: str, source: str) -> list[tuple[int, str, str]]:
    """Return where each body of a template begins: position, place, and the `-` of a tag that takes away what follows."""
    found = [(0, f"{name}:0", "")]
    for tag in _BODY.finditer(source):
        line = source.count("\n", 0, tag.start()) + 1
        found.append((tag.end(), f"{name}:{line}", tag[1]))
    return found


def all_places(folder: str) -> set[str]:
    """Return every place of a folder's templates."""
    top = template_folder(folder)
    files = [f for f in top.rglob("*.j2") if f.is_file()]
    named = {f.relative_to(top).as_posix(): f for f in files}
    return {place for name, f in named.items() for _, place, _ in places(name, Path(f).read_text())}


class _Marking(Extension):
    """Puts a call of `reach` in front of every body."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:  # noqa: ARG002 - jinja2's
        for at, place, less in reversed(places(name or "", source)):
            source = f'{source[:at]}{{% set _reached = reach("{place}") {less}%}}{source[at:]}'
        return source


@contextmanager
def marked(folder: str) -> Iterator[Marks]:
    """Note what is printed of a folder's templates while this lasts."""
    marks = Marks()
    templates: jinja2.Environment = environment(folder)
    assert templates.cache is not None
    templates.cache.clear()
    templates.add_extension(_Marking)
    templates.globals["reach"] = marks.reach
    try:
        yield marks
    finally:
        del templates.extensions[_Marking.identifier], templates.globals["reach"]
        templates.cache.clear()
