"""Records of numbers as bytes, little-endian: each field's type says how it lies, fields in the order of their record.

A field is a number or some of the types below, another record, or in Python alone (`Aside`).
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import fields
from typing import Annotated, Any, TypeVar, get_type_hints

U32 = Annotated[int, "<I"]
I32 = Annotated[int, "<i"]
U64 = Annotated[int, "<Q"]
F32 = Annotated[float, "<f"]
Flag = Annotated[bool, "<?3x"]
Pair = Annotated[tuple[int, int], "<II"]
I32Pair = Annotated[tuple[int, int], "<ii"]
I64Pair = Annotated[tuple[int, int], "<qq"]
Triple = Annotated[tuple[int, int, int], "<iii"]
Aside = Annotated[bool, ""]

T = TypeVar("T")
_known: dict[type, dict[str, str | type]] = {}


def layout(record: type) -> dict[str, str | type]:
    """Return how each field of a record's class lies: as struct calls it, or as another record."""
    if record not in _known:
        hints = get_type_hints(record, include_extras=True)
        forms = {f.name: getattr(hints[f.name], "__metadata__", (hints[f.name],))[0] for f in fields(record)}
        _known[record] = {name: form for name, form in forms.items() if form != ""}
    return _known[record]


def pack(record: Any) -> bytes:
    """Return a record as bytes."""
    parts = []
    for name, form in layout(type(record)).items():
        value = getattr(record, name)
        numbers = value if isinstance(value, tuple) else (value,)
        parts.append(struct.pack(form, *numbers) if isinstance(form, str) else pack(value))
    return b"".join(parts)


def read(
    record: type[T],
    take: Callable[[str], tuple[Any, ...]],
    operand: Callable[[str, type], object] | None = None,
    **aside: bool,
) -> T:
    """Return a record of the numbers that `take` gives by their form; `operand` gives records in it by name and type."""
    values: dict[str, object] = dict(aside)
    for name, form in layout(record).items():
        if isinstance(form, str):
            numbers = take(form)
            values[name] = numbers if len(numbers) > 1 else numbers[0]
        elif operand is not None:
            values[name] = operand(name, form)
    return record(**values)
