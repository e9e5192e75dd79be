"""Numbers and names as C++ source text, and which template prints a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

LINE = 112  # columns of generated code


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateUse:
    """One generated file: which template prints it, and where it goes below the build folder."""

    template: str
    output: str


@dataclass(frozen=True, slots=True)
class Constant:
    """A named constant with the arithmetic that gave it."""

    name: str
    value: int
    note: str
    type: str = "unsigned"


class View(SimpleNamespace):
    """What a template prints, taken from the plan: the names that it asks for, said where their values are.

    One that it asks for and that is not there stops the printing.
    """

    def but(self, **others: object) -> View:
        """Return it with other values, or further ones."""
        return View(**{**vars(self), **others})


@dataclass(frozen=True, slots=True)
class Block:
    """A braced list of values, wrapped into lines."""

    label: str
    lines: tuple[str, ...]


def float_literal(value: float) -> str:
    """Return the shortest C++ float literal that reads back as the same float32."""
    text = np.format_float_scientific(np.float32(value), unique=True, trim="-", exp_digits=1)
    plain = np.format_float_positional(np.float32(value), unique=True, trim="-")
    short = plain if len(plain) <= len(text) else text
    return f"{short}F" if "." in short or "e" in short else f"{short}.0F"


def wrap(items: Iterable[str], indent: int) -> tuple[str, ...]:
    """Return comma-separated items as lines that, indented, stay within LINE columns."""
    lines: list[str] = []
    line = ""
    for item in items:
        piece = f"{item},"
        if line and indent + len(line) + 1 + len(piece) > LINE:
            lines.append(line)
            line = piece
        else:
            line = f"{line} {piece}" if line else piece
    return (*lines, line) if line else tuple(lines)


def closed(items: Sequence[str], end: str, *, indent: int = 6) -> tuple[str, ...]:
    """Return arguments in lines, the last of which ends with `end`."""
    *lines, last = wrap(items, indent)
    return (*lines, last.removesuffix(",") + end)


def trait_lines(values: Mapping[str, int], note: str = "") -> list[str]:
    """Return the lines of a struct's numbers, and behind them a note; none without numbers."""
    *lines, last = wrap((f"{name} = {value}" for name, value in values.items()), indent=16) or ("",)
    first, *others = (*lines, last.removesuffix(",") + ";" + (f"  // {note}" if note else ""))
    return [f"static constexpr int {first}", *(f"    {line}" for line in others)] if values else []


def float_lines(values: object, indent: int) -> tuple[str, ...]:
    """Return an array's values as wrapped float literals."""
    return wrap((float_literal(float(v)) for v in np.asarray(values, np.float32).ravel()), indent)


def integer_lines(values: object, indent: int) -> tuple[str, ...]:
    """Return an array's values as wrapped integer literals."""
    return wrap((str(int(v)) for v in np.asarray(values).ravel()), indent)


def header(
    file: str, what: str, project: str, version: str, *, comment: str = "//", command: str = ""
) -> str:
    """Return the first lines of a generated file: what it is, what made it, how to make it again.

    No path, no time, no digest of other files: the same input gives the same bytes anywhere, and editing one
    layer leaves the others' files as they are.
    """
    name = file.rsplit("/", 1)[-1]
    again = f" from {project}'s network.yaml; edit that and run: doit gen project={project}"
    again = f"; make it again by: {command}" if command else again
    return f"{comment} {name}: {what}.\n{comment} Made by aieloom {version}{again}"


def joined(items: Sequence[object], separator: str = ", ") -> str:
    """Return items as text with separators."""
    return separator.join(map(str, items))
