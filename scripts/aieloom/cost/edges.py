"""What it takes to move data: streams, PLIO, DMA between tiles, memory tiles, cascade; in AIE cycles.

Rates are documented [AM009, AM020, UG1079]; a DMA's set-up and locks are an estimate (10..30 cycles).
"""

from __future__ import annotations

from aieloom.cost.machine import STREAM_BYTES
from aieloom.spec.architecture import Architecture

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
