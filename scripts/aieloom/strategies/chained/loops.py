"""The loops of a chained layer's kernel, from how the layer is cut: for the cost model."""

from __future__ import annotations

from aieloom.cost.machine import SUM_BYTES, access_count
from aieloom.hardware.registers import Registers, kept, operand_vectors, register_files
from aieloom.network.layers import Requant
from aieloom.plan.requant import epilogue
from aieloom.spec.architecture import Architecture
from aieloom.strategies.chained.cost import Chained
from aieloom.strategies.chained.grid import BLOCK, PIXELS, ChainGrid

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


def chained_of(grid: ChainGrid, requant: Requant | None) -> Chained:
    """Return a kernel call as the cost model takes it."""
    size, n = grid.element_bytes, grid.mmul[2]
    vectors = -(-(grid.taps[1] + PIXELS - 1) // PIXELS)
    short = (grid.taps[1] - 1) % PIXELS in (1, 2) and size > 1  # the last load is half a vector
    lanes = PIXELS * n
    outputs = grid.step_blocks * grid.halves * grid.positions
    results = grid.step_rows // grid.fold * grid.step_blocks * grid.halves
    early = requant is not None and not requant.wrap  # sums are compared before they are scaled
    start = access_count(lanes, SUM_BYTES) * grid.step_blocks * grid.halves
    stored = grid.step_rows // grid.fold * grid.step_blocks
    return Chained(
        steps=grid.block_steps,
        blocks=grid.row_steps * grid.col_steps,
        trips=tuple(grid.trips(p) for p in range(len(grid.in_blocks))),
        rows=grid.step_rows,
        outputs=outputs,
        taps=grid.taps[1],
        pixel_loads=vectors * access_count(PIXELS * BLOCK, size) - short,
        weight_loads=access_count(BLOCK * n, size),
        issue=1.0,
        start_loads=start,
        scaled=results if early else grid.sums,
        end=epilogue(lanes, size, requant, Architecture.AIE_ML),
        results=results,
        halves=grid.halves,
        fold=grid.fold,
        stores=stored * access_count(PIXELS * BLOCK // grid.fold, size),
    )
