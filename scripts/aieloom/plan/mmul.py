"""Which aie::mmul shapes an architecture has, and what one costs: hardware data, read from spec/mmul.yaml."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

from aieloom.spec.architecture import Architecture
from aieloom.spec.types import DataType

Shape = tuple[int, int, int]

# DataType -> element type in the table (aie_api spells float32 "float")
_ELEMENT = {
    DataType.FLOAT32: "float",
    DataType.BFLOAT16: "bfloat16",
    DataType.INT8: "int8",
    DataType.INT16: "int16",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MmulMode:
    """One legal shape: A is M x K, B is K x N."""

    shape: Shape
    accumulator: str
    issue_cycles: int  # vector issue slots of one mac(), a lower bound
    shuffles: bool  # the header adds shuffles that are not counted


@cache
def mmul_table() -> dict[str, list[dict[str, Any]]]:
    """Return spec/mmul.yaml: by architecture, one row for each group of type pairs."""
    text = (resources.files("aieloom.spec") / "mmul.yaml").read_text(encoding="utf-8")
    table: dict[str, list[dict[str, Any]]] = yaml.safe_load(text)
    return table


@cache
def mmul_modes(arch: Architecture, a: DataType, b: DataType) -> tuple[MmulMode, ...]:
    """Return all legal shapes for A of type `a` and B of type `b`; empty when the pair does not exist."""
    for row in mmul_table()[arch.value]:
        if _ELEMENT.get(a) in row["a"] and _ELEMENT.get(b) in row["b"]:
            return tuple(
                MmulMode(shape=(m, k, n), accumulator=acc, issue_cycles=issue, shuffles=bool(manip))
                for acc, shapes in row["shapes"].items()
                for m, k, n, issue, manip in shapes
            )
    return ()
