"""What a layer does with values or places as a type of the library in pl_templates/lib: its name, and the traits that it takes.

A template `functions/Between` is the type Between of functions.h; what that asks of its T is printed as a struct of the layer's
numbers. A table is an array, which the struct's `at` reads.
"""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.cpp_text import float_lines, integer_lines
from aieloom.emit.steps import step_view
from aieloom.emit.traits import header_of, text_of, traits_of, values_of
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
TABLES = {
    Lut: "tables/NearestEntry",
    ElementTable: "tables/EachElement",
    LineTable: "tables/StraightLines",
}


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
    header, name = header_of(TABLES[type(table)])
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
