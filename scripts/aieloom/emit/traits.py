"""A layer's numbers as the traits that a type of the libraries asks of its T: `T::kOutWidth` is the number `out_width`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import PurePosixPath
from types import SimpleNamespace
from typing import Any

from aieloom.cpp_text import closed
from aieloom.emit.library import copies

_ASKED = re.compile(r"\bT::k(\w+)")
_USED = re.compile(r"\b(\w+)<T[,>]")
# A definition of a library: its name, and its text up to the brace that closes it.
_DEFINED = re.compile(
    r"^(?:struct (\w+)|(?:[\w:<>,&*]+ )+(\w+)(?=\())[^{;]*\{(?:[^\n]+\};?$|\n.*?^\})",
    re.MULTILINE | re.DOTALL,
)
_LONG = 1 << 31


def traits_of(text: str, values: Mapping[str, Any]) -> list[str]:
    """Return the members that a text of a library asks of its T, taken from a layer's values, in lines."""
    by_kind: dict[str, list[str]] = {}
    for name in dict.fromkeys(_ASKED.findall(text)):
        kind, shown = _member(name, values)
        by_kind.setdefault(kind, []).append(f"k{name}{shown}")
    lines: list[str] = []
    for kind, members in by_kind.items():
        first, *others = closed(members, ";")
        lines += [f"static constexpr {kind} {first}", *(f"    {line}" for line in others)]
    return lines


def values_of(view: SimpleNamespace) -> dict[str, Any]:
    """Return a layer's values by name; those of its parts by theirs, and with the part's behind: shift_a of a.shift."""
    values = vars(view)
    parts = {name: vars(part) for name, part in values.items() if isinstance(part, SimpleNamespace)}
    inner = {k: v for part in parts.values() for k, v in part.items()}
    of_part = {f"{k}_{name}": v for name, part in parts.items() for k, v in part.items()}
    return inner | of_part | values


@cache
def text_of(header: str, name: str) -> str:
    """Return the text of a type of the PL library and of what it is made of, from its header and those that this includes.

    Raises:
        KeyError: there is none of that name; a defect of an operator, not of the user.
    """
    known: dict[str, str] = {}
    for text in copies([f"aieloom/pl/{header}.h"]).values():
        known |= {found[1] or found[2]: found[0] for found in _DEFINED.finditer(text)}
    waiting, seen = [name], dict.fromkeys([name])
    while waiting:
        more = [n for n in _USED.findall(known[waiting.pop()]) if n in known and n not in seen]
        seen |= dict.fromkeys(more)
        waiting += more
    return "\n".join(known[n] for n in seen)


def header_of(template: str) -> tuple[str, str]:
    """Return the header and the type of the PL library that a template stands for: folds/Place is Place of folds.h."""
    path = PurePosixPath(template)
    return str(path.parent), path.name


def _member(name: str, values: Mapping[str, Any]) -> tuple[str, str]:
    """Return the type and the value of what is called `k<name>` of a layer's values; of parts their sizes."""
    value = values[re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()]
    if isinstance(value, tuple):
        return "int", f"[] = {{{', '.join(str(getattr(v, 'size', v)) for v in value)}}}"
    if value is None:  # a number that there is not
        return "float", " = 0.0F"
    if name == "Sign":
        return "char", f" = '{value}'"
    if isinstance(value, str):
        return ("bool" if value in ("true", "false") else "float"), f" = {value}"
    return ("int", f" = {value}") if -_LONG <= value < _LONG else ("std::int64_t", f" = {value}LL")
