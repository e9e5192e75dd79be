"""What a core of each architecture issues, and what it takes to move data: documented rates, no fitted number.

Peaks in MAC per cycle: AM009 and AM020 (vector units), the mmul tables of spec/architectures/ for the shapes. Streams, PLIO,
DMA between tiles, in AIE cycles: AM009, AM020, UG1079; a DMA's set-up and locks are an estimate (10..30 cycles).
"""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.spec.architecture import Architecture

LOAD_BYTES = 32  # one load unit, one cycle [AM009, AM020]
SUM_BYTES = 4  # of a bias, and of a sum between passes: float32 or int32
STREAM_BYTES = 4  # one stream word [UG1079]
DEFAULT_AIE_MHZ = 1250.0  # -2M speed grade of VCK190 and VEK280
# float32 on AIE-ML is made of bfloat16. A product at the default accuracy ("fast") is six of them [UG1603 Floating-Point
# Accuracy]; before, each operand is split in three parts, for which two multiplications of 16 lanes subtract what a part
# holds. Where the operands of a register block are shared, so are their parts.
FLOAT_PRODUCTS = 6
_SPLIT_PRODUCTS = 2
_SPLIT_LANES = 16


def emulated_issue(issue: float) -> float:
    """Return the MAC slots of a float32 mmul of AIE-ML; the table's lower bound is rounded up from the documented peak."""
    return issue // FLOAT_PRODUCTS * FLOAT_PRODUCTS


def split_macs(elements: int) -> int:
    """Return the MAC slots of splitting an operand of so many float32 elements into bfloat16 parts."""
    return _SPLIT_PRODUCTS * -(-elements // _SPLIT_LANES)


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


HOP_CYCLES = 4  # one stream switch on the way [AM009]
DMA_SETUP_CYCLES = 20  # locks and descriptor of one buffer (estimate)


def stream_cycles(size: float) -> float:
    """Return cycles of `size` bytes on one 32-bit array stream."""
    return size / STREAM_BYTES


def plio_cycles(size: float, *, bits: int, pl_mhz: float, aie_mhz: float) -> float:
    """Return cycles of `size` bytes through one PLIO: the slower of the PL port and the array's stream."""
    return size / min(bits / 8 * pl_mhz / aie_mhz, STREAM_BYTES)


def cascade_cycles(values: float, *, accumulator_bits: int, arch: str) -> float:
    """Return cycles of accumulator values over a cascade link."""
    return values * accumulator_bits / Architecture(arch).facts.cascade_bits
