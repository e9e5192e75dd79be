"""What a core of each architecture issues: documented rates, no fitted number.

Peaks in MAC per cycle: AM009 and AM020 (vector units), the mmul table of spec/mmul.yaml for the shapes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from aieloom.plan.mmul import mmul_table

LOAD_BYTES = 32  # one load unit, one cycle [AM009, AM020]
SUM_BYTES = 4  # of a bias, and of a sum between passes: float32 or int32
STREAM_BYTES = 4  # one stream word [UG1079]
DEFAULT_AIE_MHZ = 1250.0  # -2M speed grade of VCK190 and VEK280
REGISTER_BLOCK = 2  # mmul blocks in flight along M and N: the documented standard form [aie_api mmul example]

BYTES = {
    "int8": 1, "uint8": 1, "int16": 2, "bf16": 2, "fp16": 2, "int32": 4, "fp32": 4, "cint16": 4,
    "cint32": 8, "cfloat": 8,
}  # fmt: skip

_NAMES = {"fp32": "float", "bf16": "bfloat16"}

# pairs that aie::mmul does not list or lists in other terms: native multipliers per cycle
_OTHER_PEAKS = {
    "aie": {
        ("cint16", "cint16"): 8, ("cint16", "int16"): 16, ("cint16", "cint32"): 4, ("cint32", "cint16"): 4,
        ("cint16", "int32"): 8, ("int32", "cint16"): 8, ("int16", "cint16"): 16,
        ("cint32", "cint32"): 2, ("cint32", "int32"): 4, ("cfloat", "cfloat"): 2, ("fp32", "cfloat"): 4,
        ("cfloat", "fp32"): 4, ("int16", "cint32"): 8, ("cint32", "int16"): 8,
    },
    "aie-ml": {
        ("cint16", "cint16"): 16, ("cint16", "int16"): 16, ("cint32", "cint16"): 8, ("cint16", "cint32"): 8,
        ("cint32", "cint32"): 4, ("int32", "int32"): 16,
    },
}  # fmt: skip


def access_count(elements: int, size: int) -> int:
    """Return the 256-bit accesses of so many elements of `size` bytes."""
    return -(-elements * size // LOAD_BYTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """One mmul: M x K x N and its issue slots."""

    m: int
    k: int
    n: int
    issue: float


@cache
def shapes(arch: str, a: str, b: str) -> tuple[Shape, ...]:
    """Return the mmul shapes of an architecture for one pair of types, best rate and reuse first."""
    found = {
        Shape(m=m, k=k, n=n, issue=issue)
        for row in mmul_table().get(arch, [])
        if _NAMES.get(a, a) in row["a"] and _NAMES.get(b, b) in row["b"]
        for listed in row["shapes"].values()
        for m, k, n, issue, _ in listed
    }
    return tuple(sorted(found, key=lambda s: (-s.m * s.k * s.n / s.issue, -s.m * s.n, s.m, s.k)))


def peak_macs(arch: str, a: str, b: str) -> float | None:
    """Return the most MACs per cycle of a core, or None for a pair that its vector unit does not have."""
    other = _OTHER_PEAKS.get(arch, {}).get((a, b))
    if other:
        return other
    listed = shapes(arch, a, b)
    return listed[0].m * listed[0].k * listed[0].n / listed[0].issue if listed else None


def accumulator_lanes(arch: str, a: str, b: str) -> int:
    """Return how many accumulators of a product fit into the registers: what bounds register blocking.

    AIE: 8 registers of 384 bits, 48 bits a lane, 96 for 32-bit and complex operands [AM009]; fp32 accumulates in
    the 16 vector registers of 256 bits, half of which hold operands. AIE-ML: 8 registers of 1024 bits [AM020].
    """
    wide = any(t.startswith("c") or t in ("int32", "cfloat") for t in (a, b))
    if arch != "aie":
        return 8 * 1024 // (64 if wide else 32)
    return 64 if "fp32" in (a, b) else 8 * 384 // (96 if wide else 48)


def best_shape(arch: str, a: str, b: str, size: tuple[int, int, int]) -> Shape | None:
    """Return the mmul shape that wastes least on M x K x N, or None for a pair without multiplier.

    Shapes of which a whole register block fits the accumulators come first.
    """
    m, k, n = size

    def waste(s: Shape) -> tuple[float, int]:
        padded = -(-m // s.m) * -(-k // s.k) * -(-n // s.n) * s.issue
        return padded, -s.m * s.n

    lanes = accumulator_lanes(arch, a, b)
    listed = shapes(arch, a, b)
    if listed:
        fitting = [s for s in listed if s.m * s.n * REGISTER_BLOCK**2 <= lanes]
        return min(fitting or listed, key=waste)
    peak = peak_macs(arch, a, b)
    return Shape(m=2, k=4, n=4, issue=32 / peak) if peak else None
