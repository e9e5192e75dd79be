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
    in_flight: int  # blocks of C that the accumulators hold, at least one; more would be spilled to memory


# Bits of the registers that hold sums. AIE: 8 x 384 [AM009]; its float sums lie in the 16 vector registers of 256 bits,
# half of which hold operands [AM009]. AIE-ML: 8 of its 9 registers of 1024 bits [AM020].
_SUM_BITS = {
    (Architecture.AIE, True): 8 * 256,
    (Architecture.AIE, False): 8 * 384,
    (Architecture.AIE_ML, True): 8 * 1024,
    (Architecture.AIE_ML, False): 8 * 1024,
}
_LANE_BITS = {"acc32": 32, "accfloat": 32, "acc48": 48, "acc48_or_acc80": 80, "acc64": 64, "acc80": 80}


def blocks_in_flight(arch: Architecture, accumulator: str, lanes: int) -> int:
    """Return how many accumulators of so many lanes the registers hold, at least one."""
    return max(1, _SUM_BITS[arch, accumulator == "accfloat"] // (_LANE_BITS[accumulator] * lanes))


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
                MmulMode(
                    shape=(m, k, n),
                    accumulator=acc,
                    issue_cycles=issue,
                    shuffles=bool(manip),
                    in_flight=blocks_in_flight(arch, acc, m * n),
                )
                for acc, shapes in row["shapes"].items()
                for m, k, n, issue, manip in shapes
            )
    return ()
