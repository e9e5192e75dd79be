"""The inner loop of a sliding convolution's kernel: its loads and products, its registers."""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.cost.loops import Loop, Ops, paired_loads
from aieloom.hardware.registers import FLOAT_SUMS, RegisterFiles, Registers, kept, operand_vectors
from aieloom.spec.types import DataType
from aieloom.strategies.sliding.grid import LANES, LINE_STEP, LineGrid


@dataclass(frozen=True, slots=True, kw_only=True)
class Direct:
    """One pass of the generated direct convolution: `blocks` of sums in flight, each over all channels of the pass."""

    blocks: int
    channels: int
    lines: int  # kernel height
    taps: int  # kernel width
    outputs_together: int  # channels of a block of 8 pixels
    line_loads: int  # 128-bit loads of a line
    weight_loads: int  # vectors of weights for a line
    row_vectors: int  # vectors of the whole output tile
    outputs: int  # channels of the tile


def direct_pairs(d: Direct) -> float:
    """Return the cycles of one pass in which both load units load."""
    return d.blocks * paired_loads(channel_loop(d))


def channel_loop(d: Direct) -> Loop:
    """Return the loop over channels: every line is loaded in pieces of 128 bits and slid along by its taps."""
    loads = d.lines * (d.line_loads + d.weight_loads)
    macs = d.lines * d.taps * d.outputs_together
    step = Ops(loads=loads, load_slots=-(-loads // 2), macs=macs)
    return Loop(trips=d.channels, body=(step,), pipelined=True)


def direct_of(grid: LineGrid) -> Direct:
    """Return one pass of a sliding kernel's call, as the cost model and the template take it."""
    together = grid.together
    taps = grid.window.kernel[1]
    return Direct(
        blocks=grid.tile_m // together * grid.out_rows * (grid.window.out_width // LANES),
        channels=grid.channels,
        lines=grid.window.kernel[0],
        taps=taps,
        outputs_together=together,
        line_loads=-(-(LANES + taps - 1) // LINE_STEP),
        weight_loads=grid.weight_vectors,
        row_vectors=grid.out_elements // LANES,
        outputs=grid.tile_m,
    )


def sliding_registers(grid: LineGrid, files: RegisterFiles) -> Registers:
    """Return what a sliding kernel keeps: sums of 8 pixels, a line's 16 values, its weights.

    The line is a whole X register, so that no product widens it.
    """
    d = direct_of(grid)
    line = operand_vectors(files, 2 * LANES * DataType.FLOAT32.bytes)
    operands = line + d.weight_loads - files.widening
    return kept(files, accumulator=FLOAT_SUMS, lanes=LANES, sums=d.outputs_together, operands=operands)
