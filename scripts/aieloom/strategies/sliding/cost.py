"""The inner loop of a sliding convolution's kernel: its products, which its template prints, its loads, its registers."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from aieloom.cost.loops import Loop, Ops, paired_loads
from aieloom.hardware.registers import FLOAT_SUMS, RegisterFiles, Registers, kept, operand_vectors
from aieloom.spec.types import DataType
from aieloom.strategies.sliding.grid import LANES, LineGrid


class Slide(NamedTuple):
    """A product of a line: 8 neighbouring pixels from `start` on, times one weight."""

    sum: str
    weights: int  # number of the vector
    coefficient: int
    start: int


def slides_of(taps: int, together: int, vectors: int) -> tuple[Slide, ...]:
    """Return the products of a line by so many taps for outputs together; neighbours add to different sums."""
    apart = vectors > 1  # each output's taps have a vector of their own
    return tuple(
        Slide(f"s{o}", o if apart else 0, tap if apart else o * taps + tap, tap)
        for tap in range(taps)
        for o in range(together)
    )


def trip_of(grid: LineGrid) -> Ops:
    """Return what a channel takes: every line is loaded in pieces of 128 bits and slid along by its taps."""
    lines, taps = grid.window.kernel
    loads = lines * (grid.line_loads + grid.weight_vectors)
    return Ops(loads=loads, load_slots=-(-loads // 2), macs=lines * taps * grid.together)


def channel_loop(grid: LineGrid) -> Loop:
    """Return the loop over channels of a block of sums."""
    return Loop(trips=grid.channels, body=(trip_of(grid),), pipelined=True)


def sliding_pairs(grid: LineGrid) -> float:
    """Return the cycles of one pass in which both load units load."""
    return prod(grid.blocks) * paired_loads(channel_loop(grid))


def sliding_registers(grid: LineGrid, files: RegisterFiles) -> Registers:
    """Return what a sliding kernel keeps: sums of 8 pixels, a line's 16 values, its weights.

    The line is a whole X register, so that no product widens it.
    """
    line = operand_vectors(files, 2 * LANES * DataType.FLOAT32.bytes)
    operands = line + grid.weight_vectors - files.widening
    return kept(files, accumulator=FLOAT_SUMS, lanes=LANES, sums=grid.together, operands=operands)
