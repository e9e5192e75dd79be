"""What a step of a sum of products takes of the logic: a multiplier and an adder, each from DSP slices or from LUTs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import product
from typing import Any, Literal

from aieloom.spec.tables import read_table

Element = Literal["float32", "float16", "int8"]
ELEMENTS: tuple[Element, ...] = ("float32", "float16", "int8")
BYTES: dict[Element, int] = {"float32": 4, "float16": 2, "int8": 1}
DSP, FABRIC = "dsp", "fabric"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One of the K multipliers with its adder: where each is, and what both take together."""

    add: str  # DSP or FABRIC
    mul: str
    dsp: int
    ff: int
    lut: int


@cache
def _operators(element: Element) -> dict[str, Any]:
    """Return what operators.yaml says of a type."""
    text = (resources.files("aieloom.matrix_engine") / "operators.yaml").read_text(encoding="utf-8")
    found: dict[str, Any] = read_table(text)[element]
    return found


@cache
def steps_of(element: Element) -> tuple[Step, ...]:
    """Return the ways to build a step, those of most DSP slices first."""
    table = _operators(element)
    found = (
        Step(add=a, mul=m, **{what: add[what] + mul[what] for what in ("dsp", "ff", "lut")})
        for (a, add), (m, mul) in product(table["add"].items(), table["mul"].items())
    )
    return tuple(sorted(found, key=lambda s: (-s.dsp, s.lut)))


def resources_of(element: Element, counts: Sequence[int]) -> tuple[int, int, int]:
    """Return DSP slices, LUTs and flip-flops of so many steps, `counts[i]` of them built as `steps_of(element)[i]` says."""
    built = list(zip(counts, steps_of(element), strict=True))
    return (
        sum(n * s.dsp for n, s in built),
        sum(n * s.lut for n, s in built),
        sum(n * s.ff for n, s in built),
    )


def step_cycles(element: Element) -> int:
    """Return the cycles after which a sum takes its next product: the adder's latency."""
    return int(_operators(element)["step_cycles"])


# A block is loaded, A, B and C side by side at an element a cycle each, and then computed, an element of C a cycle behind the
# depth of the chain: the adder's latency for each of the K steps, and ENTRY_CYCLES. Both are calibrated on the cycles that
# SoCaffe publishes of its engine on an XC7Z020 (blocks of 32, 56, 64 x 64 x 56 and 96).
ENTRY_CYCLES = 80  # first words from memory, multiplier, entering and leaving the two loops


def block_cycles(m: int, n: int, k: int, element: Element, *, fused: bool = True) -> int:
    """Return the cycles of one block; not `fused`, A, B and C are loaded one after another."""
    loads = (m * k, k * n, m * n)
    return (max(loads) if fused else sum(loads)) + m * n + step_cycles(element) * k + ENTRY_CYCLES
