"""Which mmul a published kernel would take: shapes of a pair of types, peaks, blocks that registers hold; no fitted number.

Peaks in MAC per cycle: AM009 and AM020 (vector units), the mmul tables of spec/architectures/ for the shapes.
"""

from __future__ import annotations

from functools import cache

from aieloom.cost.machine import Shape
from aieloom.hardware.registers import block_registers, register_files
from aieloom.spec.architecture import Architecture

_BLOCKS = (
    (2, 2),
    (1, 2),
    (2, 1),
)  # mmul blocks in flight along M and N, the documented standard form first [aie_api]

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


@cache
def shapes(arch: str, a: str, b: str) -> tuple[Shape, ...]:
    """Return the mmul shapes of an architecture for one pair of types, best rate and reuse first."""
    found = {
        Shape(m=m, k=k, n=n, issue=issue)
        for row in Architecture(arch).facts.mmul
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


def register_block(arch: str, a: str, b: str, shape: Shape) -> tuple[int, int]:
    """Return the mmul blocks along M and N that the registers hold: 2 x 2 if they can, at least one.

    Sums are as wide as the architecture's file says.
    """
    facts, files = Architecture(arch).facts, register_files(Architecture(arch))
    wide = any(t.startswith("c") or t == "int32" for t in (a, b))
    sums = facts.sums["wide" if wide else "narrow"]
    accumulator = "accfloat" if "fp32" in (a, b) or "bf16" in (a, b) else sums
    sizes = [facts.float_bytes if t == "fp32" else BYTES[t] for t in (a, b)]

    def held(block: tuple[int, int]) -> bool:
        keeps = block_registers(
            files, accumulator=accumulator, shape=(shape.m, shape.k, shape.n),
            sizes=(sizes[0], sizes[1]), block=block,
        )  # fmt: skip
        return keeps.fit(files)

    return next((block for block in _BLOCKS if held(block)), (1, 1))


def best_shape(arch: str, a: str, b: str, size: tuple[int, int, int]) -> Shape | None:
    """Return the mmul shape that wastes least on M x K x N, or None for a pair without multiplier.

    Shapes of which the registers hold the most blocks come first.
    """
    m, k, n = size

    def waste(s: Shape) -> tuple[float, int]:
        padded = -(-m // s.m) * -(-k // s.k) * -(-n // s.n) * s.issue
        return padded, -s.m * s.n

    listed = shapes(arch, a, b)
    if listed:
        blocks = {s: register_block(arch, a, b, s) for s in listed}
        most = max(rows * cols for rows, cols in blocks.values())
        return min((s for s in listed if blocks[s][0] * blocks[s][1] == most), key=waste)
    peak = peak_macs(arch, a, b)
    return Shape(m=2, k=4, n=4, issue=32 / peak) if peak else None
