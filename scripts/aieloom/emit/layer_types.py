"""What a layer does with values or places as a type of the library in pl_templates/lib: its name, and the traits that it takes.

A template `functions/Between` is the type Between of functions.h; what that asks of its T is printed as a struct of the layer's
numbers: `T::kOutWidth` is `out_width`. A table is an array, which the struct's `at` reads.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from types import SimpleNamespace
from typing import Any

from aieloom.cpp_text import closed, float_lines, integer_lines
from aieloom.emit.library import copies
from aieloom.emit.steps import step_view
from aieloom.network.tensor import TensorType
from aieloom.pl.steps import ElementTable, LineTable, Lut
from aieloom.plan.processor import Function
from aieloom.spec.types import DataType

ELEMENTS = {
    DataType.FLOAT32: "Float",
    DataType.BFLOAT16: "Bfloat16",
    DataType.INT8: "Int8",
    DataType.INT16: "Int16",
}
_ASKED = re.compile(r"\bT::k(\w+)")
_USED = re.compile(r"\b(\w+)<T[,>]")
# A definition of a library: its name, and its text up to the brace that closes it.
_DEFINED = re.compile(
    r"^(?:struct (\w+)|(?:[\w:<>,&*]+ )+(\w+)(?=\())[^{;]*\{(?:[^\n]+\};?$|\n.*?^\})",
    re.MULTILINE | re.DOTALL,
)
_LONG = 1 << 31


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerType:
    """A type with its arguments, its header, and the lines that stand before it: none where it asks for nothing."""

    name: str
    header: str
    lines: tuple[str, ...]


def inside(tensor: TensorType) -> str:
    """Return the element of a tensor inside a kernel."""
    return ELEMENTS[tensor.dtype] if tensor.quant is not None else "Float"


def layer_type(step: Function, template: str, struct: str, *, space: str = "", memory: str = "") -> LayerType:
    """Return the type that `template` stands for with the traits of a layer in `struct`, of a namespace.

    A table lies in `memory` of programmable logic; on the processor, "", anywhere.
    """
    header, name = header_of(template)
    text, view = text_of(header, name), step_view(step)
    members = traits_of(text, values_of(view))
    if "T::Element" in text:
        members.insert(0, f"using Element = {inside(step.x)};")
    lines: list[str] = []
    if "T::at(" in text:
        kind, values = entries_of(step.detail)
        lines += table_lines(f"{struct}_table", kind, values)
        members += reading(f"{struct}_table", kind, memory)
    axes = [str(n) for axis in view.axes for n in (axis.size, axis.stride)] if "kAxes" in text else []
    if not members:
        return LayerType(name=name, header=header, lines=())
    lines += [f"struct {struct} {{", *(f"  {m}" if not m.startswith("#") else m for m in members), "};"]
    return LayerType(
        name=f"{name}<{', '.join([f'{space}{struct}', *axes])}>", header=header, lines=tuple(lines)
    )


def table_type(table: ElementTable | LineTable, struct: str, what: str, space: str) -> LayerType:
    """Return the type of a table that is no layer's own, such as of one input of several."""
    header, name = header_of(table.template)
    kind, values = entries_of(table)
    shift = [f"static constexpr int kShift = {table.shift};"] if isinstance(table, LineTable) else []
    lines = [
        *table_lines(f"{struct}_table", kind, values),
        f"/// {what}.",
        f"struct {struct} {{",
        *(f"  {m}" for m in (*shift, *reading(f"{struct}_table", kind, ""))),
        "};",
    ]
    return LayerType(name=f"{name}<{space}{struct}>", header=header, lines=tuple(lines))


def entries_of(table: object) -> tuple[str, tuple[str, ...]]:
    """Return the C++ type of a table's entries, and these in lines."""
    if isinstance(table, Lut):
        return "float", float_lines(table.values, indent=4)
    assert isinstance(table, ElementTable | LineTable)
    kind = "std::int8_t" if isinstance(table, ElementTable) else "std::int16_t"
    return kind, integer_lines(table.values, indent=4)


def table_lines(name: str, kind: str, values: tuple[str, ...]) -> list[str]:
    """Return the lines of an array."""
    return [f"const {kind} {name}[] = {{", *(f"    {line}" for line in values), "};"]


def reading(name: str, kind: str, memory: str) -> list[str]:
    """Return the member that reads an array, which lies in a memory of programmable logic where one is said."""
    bound = [f"#pragma HLS bind_storage variable={name} type=rom_np impl={memory}"] if memory else []
    return [f"static {kind} at(int index) {{", *bound, f"  return {name}[index];", "}"]


def traits_of(text: str, values: Mapping[str, Any]) -> list[str]:
    """Return the members that a text of a library asks of its T, taken from a layer's values, in lines."""
    by_kind: dict[str, list[str]] = {}
    for name in dict.fromkeys(_ASKED.findall(text)):
        kind, shown = _member(name, values)
        by_kind.setdefault(kind, []).append(f"k{name}{shown}")
    lines: list[str] = []
    for kind, members in by_kind.items():
        first, *others = closed(members, ";", indent=24)
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
