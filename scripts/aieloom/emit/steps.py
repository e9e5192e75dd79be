"""What the template of a layer's function, in the logic or on the processor, prints: its plan's detail as C++ text."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from types import SimpleNamespace
from typing import Any

from aieloom.cpp_text import View, float_lines, float_literal, integer_lines
from aieloom.pl.steps import ElementTable, LineTable, Lut
from aieloom.plan.processor import Function


class Truth(str):
    """A truth that templates print as C++'s and ask as Python's: the text "false" alone would be true."""

    def __bool__(self) -> bool:
        return self == "true"


def step_view(step: Function, **more: Any) -> View:
    """Return what the template of a layer's function prints; `more` are values that depend on the kernel."""
    detail = step.detail
    if isinstance(detail, Lut):
        values = _lut(detail)
    elif isinstance(detail, ElementTable):
        values = {"table": integer_lines(detail.values, indent=4)}
    elif isinstance(detail, LineTable):
        values = {**_line(detail), "table": integer_lines(detail.values, indent=4)}
    else:
        values = {f: _printed(getattr(detail, f)) for f in getattr(detail, "__dataclass_fields__", ())}
    own = {"op": step.op, "layer": step.layer, "fold": f"{step.layer}_fold", **_element(step)}
    return View(**{**own, **values, **more, "function": step.function, "template": step.template})


def _element(step: Function) -> dict[str, str]:
    """Return what templates print of their elements."""
    return {"type": "float" if step.x.quant is None else f"std::{step.x.dtype.value}_t"}


def _line(table: LineTable) -> dict[str, int]:
    spacing = 1 << table.shift
    return {
        "shift": table.shift,
        "half": spacing >> 1,
        "spacing": spacing,
        "entries": len(table.values),
    }


def _printed(value: Any) -> Any:
    """Return a detail's value as C++ text where Python's would be none: floats, truths and tables, also inside others."""
    if isinstance(value, ElementTable):
        return SimpleNamespace(values=integer_lines(value.values, indent=4))
    if isinstance(value, LineTable):
        return SimpleNamespace(values=integer_lines(value.values, indent=4), **_line(value))
    if is_dataclass(value):
        return SimpleNamespace(**{f.name: _printed(getattr(value, f.name)) for f in fields(value)})
    if isinstance(value, bool):
        return Truth("true" if value else "false")
    if isinstance(value, float):
        return float_literal(value)
    return tuple(_printed(v) for v in value) if isinstance(value, tuple) else value


def _lut(lut: Lut) -> dict[str, Any]:
    return {
        "entries": lut.entries,
        "last": lut.entries - 1,
        "scale": float_literal(lut.scale),
        "offset": lut.offset,
        "low": float_literal(lut.low),
        "high": float_literal(lut.high),
        "below": float_literal(lut.below),
        "above": float_literal(lut.above),
        "table": float_lines(lut.values, indent=4),
    }
