"""The generations of the AI Engine, each a file in `spec/architectures/`; code asks what one has, never which one it is.

A module of its own, of the standard library alone until a file is read: the emulator needs no more of the specification.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from functools import cache
from typing import TypedDict

from aieloom.spec.tables import names_in, read_table, table_text

FOLDER = "architectures"


class MmulRow(TypedDict, total=False):
    """The legal shapes of aie::mmul for some pairs of element types, by accumulator."""

    a: Sequence[str]
    b: Sequence[str]
    peak_macs: int
    shapes: Mapping[str, Sequence[Sequence[int]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchitectureFacts:
    """What a core of a generation has, as its file says with its documents."""

    name: str
    description: str
    source: str
    macro: int  # __AIE_ARCH__
    cascade: str  # SNAKE or ROWS
    wide_products: int  # of two 32-bit numbers, a cycle
    sliding_floats: bool  # aie::sliding_mul of float32 runs on the multipliers as they are
    chains: bool  # layers may hand images on core to core: the kernels for that are written for it
    emulated: bool  # the emulator knows it
    costs: str  # the architecture whose measured rows its cycles are modelled by: its own, or the nearest
    board: str  # whose memory and processor a timed run takes where nothing names a board
    cascade_bits: int  # a cycle
    sums: Mapping[str, str]  # accumulators of products: `narrow`, and `wide` of 32-bit and complex numbers
    # Of a float32 in the registers of a product: more than 4 where it is multiplied in parts
    float_bytes: int
    registers: Mapping[str, int] | None  # hardware/registers.py; None where no public text gives them
    # What the emulator's headers ask beside products; None of one that it does not know
    core: Mapping[str, int] | None
    mmul: Sequence[MmulRow]  # [M, K, N, issue cycles, 1 where the header shuffles]
    complex_mmul: Sequence[MmulRow]  # [M, K, N, issue cycles]
    sparse_mmul: Sequence[MmulRow]  # of a sparse B


SNAKE, ROWS = "snake", "rows"  # cascades: through all rows, each the other way; along each row eastwards


class Architecture(Enum):
    """Generations of the AI Engine; the value is the name used in aieloom's files.

    The two that aieloom has kernels for have names in code; any other that has a file is made from its value.
    """

    AIE = "aie"
    AIE_ML = "aie-ml"

    @classmethod
    def _missing_(cls, value: object) -> Architecture | None:
        if not isinstance(value, str) or value not in architecture_names():
            return None
        member = object.__new__(cls)
        member._name_, member._value_ = value.upper().replace("-", "_"), value
        cls._value2member_map_[value] = member
        return member

    @property
    def facts(self) -> ArchitectureFacts:
        """What its file says."""
        return _facts(self.value)

    @property
    def costs(self) -> Architecture:
        """The architecture whose measured rows its cycles are modelled by."""
        return Architecture(self.facts.costs)

    @property
    def macro(self) -> int:
        """Value of __AIE_ARCH__."""
        return self.facts.macro


@cache
def architecture_names() -> tuple[str, ...]:
    """Return the names of the architectures that ship with aieloom."""
    return names_in(FOLDER)


@cache
def _facts(name: str) -> ArchitectureFacts:
    data = read_table(table_text(FOLDER, f"{name}.yaml"))
    wanted = {f.name for f in fields(ArchitectureFacts)}
    if data.keys() != wanted or data["name"] != name or data["cascade"] not in (SNAKE, ROWS):
        raise ValueError(f"{FOLDER}/{name}.yaml: has {sorted(data)}, wants {sorted(wanted)} of {name}")
    return ArchitectureFacts(**data)
