"""What a section of the page is made of: notes, tables, drawings. What they say is decided where they are made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

FULL = 100.0  # percent


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell of a table: text (Markup where it has any), and what is drawn in it."""

    text: str = ""
    bar: float | None = None  # percent of the longest
    meter: float | None = None  # percent of a limit
    colour: str = ""  # of the bar, or of a key before the text
    tone: str = ""  # better | worse
    shade: str = ""  # behind the text
    measured: bool = False  # on this machine: another one's differs

    def __bool__(self) -> bool:
        """Tell whether there is anything in it."""
        return bool(self.text) or self.bar is not None or self.meter is not None


@dataclass(frozen=True, slots=True)
class Column:
    """A column: how it is headed and set."""

    title: str
    classes: str = ""  # classes of style.css: n, numbers; id, names; more, left out on a phone; graph, bars


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row; `mark` is a class of style.css: slowest, sum."""

    cells: tuple[Cell, ...]
    mark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table as wide as what is in it, or as the page."""

    kind: ClassVar[str] = "table"
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    classes: str = "slim"  # classes of style.css


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A paragraph, with a legend where it has keys; `hint` is for who can hover, not on paper."""

    kind: ClassVar[str] = "note"
    text: str = ""
    hint: str = ""
    keys: tuple[tuple[str, str], ...] = ()  # words, colour
    lines: tuple[str, ...] = ()  # a list behind it
    measured: str = ""  # on this machine


@dataclass(frozen=True, slots=True)
class Drawing:
    """An SVG; it lies beside the page too where it has a name."""

    kind: ClassVar[str] = "drawing"
    svg: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture by its URL, and what it shows."""

    kind: ClassVar[str] = "picture"
    url: str
    words: str


@dataclass(frozen=True, slots=True)
class Code:
    """Lines as they are typed."""

    kind: ClassVar[str] = "code"
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the page with a heading and a link to it."""

    id: str
    link: str
    title: str
    parts: tuple[Note | Table | Drawing | Picture | Code, ...]


def table(
    columns: Mapping[str, Column],
    rows: Iterable[Mapping[str, Cell | str]],
    *,
    classes: str = "slim",
    sums: bool = False,
) -> Table:
    """Return a table of the columns in which any row has something, what a row has by the columns' keys.

    Rows with a bar of the full length are marked; `sums` tells that the last row is the sum of the others.
    """
    cells = [{key: c if isinstance(c, Cell) else Cell(text=c) for key, c in row.items()} for row in rows]
    shown = [key for key in columns if any(row.get(key) for row in cells)]
    marks = ["slowest" if any(c.bar == FULL for c in row.values()) else "" for row in cells]
    marks[-1:] = ["sum"] if sums else marks[-1:]
    found = (
        Row(cells=tuple(row.get(key, Cell()) for key in shown), mark=mark)
        for row, mark in zip(cells, marks, strict=True)
    )
    return Table(columns=tuple(columns[key] for key in shown), rows=tuple(found), classes=classes)


def percent(share: float) -> str:
    """Return a share as text, small ones with two digits behind the point."""
    return f"{share:.0%}" if share >= 0.01 else f"{share:.2%}"
