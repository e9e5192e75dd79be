"""The inner loop of a chained layer's kernel, from how the layer is cut: its registers and its loads."""

from __future__ import annotations

from aieloom.cost.machine import access_count
from aieloom.hardware.registers import Registers, kept, operand_vectors, register_files
from aieloom.spec.architecture import Architecture
from aieloom.strategies.chained.grid import BLOCK, PIXELS, ChainGrid, row_loads

ACCUMULATOR = {1: "acc32", 2: "accfloat"}  # by the bytes of an element: of int8, of bfloat16


def chain_registers(grid: ChainGrid) -> Registers:
    """Return what a chained kernel keeps: its sums, and at one tap the lines still needed, their shifted pixels and weights.

    A tap's products stand in one block of code: its shifts come first and weights one after another, or its weights first and
    rows one after another, whichever needs less; the compiler is free to choose.
    """
    files, size = register_files(Architecture.AIE_ML), grid.element_bytes
    vector, outputs = access_count(PIXELS * BLOCK, size), grid.sums // grid.step_rows
    weights, taps = operand_vectors(files, BLOCK * grid.mmul[2] * size), grid.taps[1]
    most = 0
    for tap in range(taps):
        shifted = bool(tap % PIXELS)
        seen = {v for later in range(tap + shifted, taps) for v in {later // PIXELS, -(-later // PIXELS)}}
        lines = grid.step_rows * len(seen) * vector
        by_weights = lines + shifted * grid.step_rows * vector + weights
        by_rows = lines + shifted * vector + outputs * weights
        most = max(most, min(by_weights, by_rows))
    widened = operand_vectors(files, vector) - vector  # the pixels that a product reads
    lanes = PIXELS * grid.mmul[2]
    return kept(
        files, accumulator=ACCUMULATOR[size], lanes=lanes, sums=grid.sums, operands=most + max(0, widened)
    )


def chain_pairs(grid: ChainGrid) -> int:
    """Return the cycles of a call in which both load units load: a row's pixels once, the weights for each kernel column."""
    size, (_, taps) = grid.element_bytes, grid.taps
    vectors, short = row_loads(taps, size)
    pixels = grid.step_rows * (vectors * access_count(PIXELS * BLOCK, size) - short)
    outputs = grid.step_blocks * grid.halves * grid.positions
    weights = taps * outputs * access_count(BLOCK * grid.mmul[2], size)
    trips = sum(grid.trips(p) for p in range(len(grid.in_blocks)))
    return grid.block_steps * grid.row_steps * grid.col_steps * trips * ((pixels + weights) // 2)
