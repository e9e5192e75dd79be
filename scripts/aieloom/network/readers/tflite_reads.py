"""What was read of each operator's options in a .tflite file: one that no reader looked at may change its results.

Facts: schema.fbs, whose tables leave out what is at its default: an option that differs from an empty table's was said.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from aieloom.network.readers.refused import Refused
from aieloom.network.readers.tflite_file import LiteOperator

# What follows from the shapes and types of the tensors, which every operator has, or is of another way to compute.
SETTLED: Mapping[str, frozenset[str]] = {
    "ADD": frozenset({"PotScaleInt16"}),  # of 16-bit elements, which are refused
    "CONV_2D": frozenset({"QuantizedBiasType"}),
    "DEPTHWISE_CONV_2D": frozenset({"DepthMultiplier"}),  # the weights' shape says it
    "FULLY_CONNECTED": frozenset({"AsymmetricQuantizeInputs", "KeepNumDims", "QuantizedBiasType"}),
    "MEAN": frozenset({"KeepDims"}),
    "RESIZE_NEAREST_NEIGHBOR": frozenset(
        {"HalfPixelCenters"}
    ),  # the same where sizes are repeated whole times
    "SUB": frozenset({"PotScaleInt16"}),
}
EMPTY = struct.pack("<HHi", 4, 4, 4)  # a table that says nothing: its fields' places, and where they stand


class ReadOptions:
    """A table of options that remembers which of them were asked for."""

    def __init__(self, table: Any) -> None:
        self.table = table
        self.read: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        self.read.add(name)
        return getattr(self.table, name)


def recorded(op: LiteOperator) -> LiteOperator:
    """Return an operator whose options remember what is read of them."""
    return op if op.options is None else replace(op, options=ReadOptions(op.options))


def refuse_unread(op: LiteOperator) -> None:
    """Refuse an operator of whose options one was not read that is not at its default.

    Raises:
        Refused: there is one.
    """
    if not isinstance(op.options, ReadOptions):
        return
    table = op.options.table
    empty = type(table)()
    empty.Init(EMPTY, 4)
    names = set(numbers_of(type(table))) - op.options.read - SETTLED.get(op.kind, frozenset())
    said = {n: getattr(table, n)() for n in sorted(names) if getattr(table, n)() != getattr(empty, n)()}
    if said:
        shown = ", ".join(f"{name} = {value}" for name, value in said.items())
        raise Refused(f"has the options {shown}, which are not supported", "convert the model without them")


def numbers_of(kind: type) -> list[str]:
    """Return the options of a table that are numbers; lists, of sizes and axes, are said by the tensors' shapes too."""
    accessors = [n for n, f in vars(kind).items() if n[0].isupper() and _takes_nothing(f)]
    lists = {n.removesuffix("IsNone") for n in accessors if n.endswith("IsNone")}
    return [n for n in accessors if not any(n.startswith(of) for of in lists)]


def _takes_nothing(function: Any) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and code.co_argcount == 1
