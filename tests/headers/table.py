"""Tables of snippets that our headers and the real ones are asked about.

A table is text, a line each:

    @ours FLAGS            how our headers are compiled; ${AIELOOM} and other places are filled in (places.py)
    @real NAME FLAGS       how the real ones are; several are versions, and the first is the one that judges
    @include HEADER        on both sides
    @only SIDE LINE        a line of one side alone: ours or real
    @global LINE           a line of both, as declarations that snippets use
    @run                   values are compared too, besides types
    @doubt PATTERN         what a refusal says that only stubs of a real compiler's own functions cause
    @group NAME            of the snippets from here on
    @pre STATEMENTS        in front of each snippet from here on, until the next @pre or @group
    # a comment
    SNIPPET                an expression, whose type is compared, or statements: these end in ; or }
    SNIPPET //! by A B     only these versions take it
    SNIPPET //! NOTE       anything else that a reader should know

A backslash at a line's end joins the next line to it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

SHOW = "template <class T> [[deprecated]] inline void differ_show() {}"  # clang's warning of a use tells the type


@dataclass(frozen=True)
class Snippet:
    """What one line asks."""

    number: int
    group: str
    pre: str
    text: str
    note: str

    @property
    def is_statement(self) -> bool:
        """Whether it has no value."""
        return self.text.endswith((";", "}"))

    @property
    def by(self) -> frozenset[str] | None:
        """The versions that take it, where they differ."""
        return frozenset(self.note[3:].split()) if self.note.startswith("by ") else None

    def function(self) -> str:
        """Return a function of it, on one line, that shows its type."""
        body = self.text if self.is_statement else f"(void)({self.text});"
        shown = "" if self.is_statement else f"differ_show<decltype(({self.text}))>();"
        return f"[[maybe_unused]] static void differ_{self.number}() {{ {self.pre} {shown} {body} }}"


@dataclass
class Table:
    """A table; `real` has the versions that are at hand."""

    name: str
    ours: list[str] = field(default_factory=list)
    real: dict[str, list[str]] = field(default_factory=dict)
    versions: list[str] = field(default_factory=list)  # all that the table names
    head: dict[str, list[str]] = field(default_factory=lambda: {"ours": [], "real": []})
    snippets: list[Snippet] = field(default_factory=list)
    run: bool = False
    doubt: str = ""


def read(path: Path, places: Mapping[str, Path | str]) -> Table:
    """Read a table; versions that lie at a place which is not there are left out."""
    text = re.sub(r"\\\n\s*", " ", path.read_text(encoding="utf-8"))
    return read_text(path.stem, text, places)


def read_text(name: str, text: str, places: Mapping[str, Path | str]) -> Table:
    """Read a table's text."""
    table, group, pre = Table(name), "", ""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith("@"):
            code, _, note = line.partition("//!")
            table.snippets.append(Snippet(len(table.snippets), group, pre, code.strip(), note.strip()))
            continue
        word, _, rest = line[1:].partition(" ")
        if word in ("group", "pre"):
            group, pre = (rest, "") if word == "group" else (group, rest)
        elif not _setting(table, word, Template(rest).safe_substitute(places)):
            raise ValueError(f"{name}:{number}: there is no @{word}")
    return table


def _setting(table: Table, word: str, rest: str) -> bool:
    """Take what a line says of the whole table."""
    first, _, more = rest.partition(" ")
    if word == "real":
        table.versions.append(first)
        table.real |= {} if "${" in more else {first: shlex.split(more)}
    elif word == "only":
        table.head[first].append(more)
    elif word in ("include", "global"):
        for lines in table.head.values():
            lines.append(f"#include <{rest}>" if word == "include" else rest)
    elif word in ("ours", "run", "doubt"):
        setattr(table, word, shlex.split(rest) if word == "ours" else rest or True)
    else:
        return False
    return True
