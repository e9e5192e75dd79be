"""The loops of a direct convolution's kernel, from how the layer is cut: for the cost model and the template."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import product
from math import prod

from aieloom.cost.kernels import Direct
from aieloom.cost.lanes import Lanes, lane_kernel
from aieloom.cost.loops import paired_loads
from aieloom.cost.machine import access_count, emulated_issue, split_macs
from aieloom.cost.parameters import load_parameters
from aieloom.hardware.mmul import MmulMode
from aieloom.hardware.registers import FLOAT_SUMS, RegisterFiles, Registers, kept, operand_vectors
from aieloom.model.network import Requant
from aieloom.plan.gemm import BASE_PROGRAM_BYTES, INSTRUCTION_BYTES, UNROLLED_COPIES
from aieloom.plan.requant import epilogue
from aieloom.plan.rows import LANES, LINE_STEP, LaneGrid, LineGrid
from aieloom.spec.architecture import Architecture
from aieloom.spec.device import Device
from aieloom.spec.types import DataType

HELD = (1, 2, 3, 4)  # blocks of sums in flight along a dimension


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


def lane_registers(grid: LaneGrid, mode: MmulMode) -> Registers:
    """Return what a kernel by aie::mmul keeps: its sums, and at one tap its weights and the columns that are still needed."""
    m, k, n = mode.shape
    outputs, lines, steps = grid.held
    stride, taps = grid.window.stride[1], grid.window.kernel[1]
    uses: dict[int, list[int]] = {}
    for step, tap in product(range(steps), range(taps)):
        uses.setdefault(step * stride + tap, []).append(tap)
    columns = max(sum(min(at) <= tap <= max(at) for at in uses.values()) for tap in range(taps))
    weights = outputs * operand_vectors(mode.files, m * k * mode.sizes[0])
    pixels = lines * columns * operand_vectors(mode.files, k * n * mode.sizes[1])
    return kept(
        mode.files, accumulator=mode.accumulator, lanes=m * n, sums=prod(grid.held), operands=weights + pixels
    )


def lanes_of(
    grid: LaneGrid, mode: MmulMode, dtype: DataType, requant: Requant | None, architecture: Architecture
) -> Lanes:
    """Return a call of a kernel by aie::mmul, as the cost model takes it."""
    m, k, n = mode.shape
    outputs, lines, steps = grid.held
    rows, row_blocks = grid.tile_m // m, grid.out_rows * grid.steps
    return Lanes(
        passes=grid.passes,
        blocks=rows * row_blocks // (outputs * lines * steps),
        trips=grid.window.kernel[0] * grid.blocks,
        taps=grid.window.kernel[1],
        outputs=outputs,
        pixels=lines * steps,
        columns=lines * len(columns_seen(grid)),
        weight_loads=access_count(m * k, dtype.bytes),
        pixel_loads=access_count(k * n, dtype.bytes),
        issue=emulated_issue(mode.issue_cycles) if mode.emulated else mode.issue_cycles,
        split=(split_macs(m * k), split_macs(k * n)) if mode.emulated else (0, 0),
        rows=rows,
        row_blocks=row_blocks,
        end=epilogue(m * n, dtype.bytes, requant, architecture),
    )


def columns_seen(grid: LaneGrid) -> tuple[int, ...]:
    """Return the columns, from the first one on, of which a trip loads a line's pixels for the sums in flight."""
    stride, taps = grid.window.stride[1], grid.window.kernel[1]
    return tuple(sorted({step * stride + tap for step in range(grid.held[2]) for tap in range(taps)}))


def lane_program(grid: LaneGrid, mode: MmulMode) -> int:
    """Estimate the kernel's program memory: the unrolled taps of a trip."""
    outputs, lines, steps = grid.held
    sums = outputs * lines * steps
    unrolled = sums * grid.window.kernel[1] * mode.issue_cycles
    return BASE_PROGRAM_BYTES + UNROLLED_COPIES * INSTRUCTION_BYTES * unrolled


def lane_pairs(grid: LaneGrid, mode: MmulMode, dtype: DataType, architecture: Architecture) -> float:
    """Return the cycles of one pass in which both load units load."""
    lanes = lanes_of(grid, mode, dtype, None, architecture)
    return paired_loads(*lane_kernel(load_parameters(), architecture.value, lanes).nodes)


def lane_cycles(grid: LaneGrid, mode: MmulMode, dtype: DataType, architecture: Architecture) -> float:
    """Model one pass, without entering and leaving the kernel and without scaling."""
    kernel = lane_kernel(
        load_parameters(), architecture.value, lanes_of(grid, mode, dtype, None, architecture)
    )
    return kernel.cycles - kernel.call


def with_held(grid: LaneGrid, mode: MmulMode, dtype: DataType, device: Device) -> LaneGrid:
    """Return the grid with the blocks of sums in flight that are fastest by the model, the fewest of those.

    They must fit the registers, and the unrolled code the program memory; a single block is always allowed.
    """
    part = replace(grid, m=grid.tile_m, k=grid.tile_k, n=grid.tile_n, groups=1)  # what a core sees of it
    held = _fastest(part, mode, dtype, device.architecture, device.tile.program_bytes)
    return replace(grid, held=held)


@lru_cache(maxsize=4096)
def _fastest(
    grid: LaneGrid, mode: MmulMode, dtype: DataType, architecture: Architecture, program: int
) -> tuple[int, int, int]:
    """Return the best `held` of a grid of one tile."""
    choices = list(_legal(grid, mode))
    fitting = [g for g in choices if lane_program(g, mode) <= program] or choices[:1]
    return min(fitting, key=lambda g: (lane_cycles(g, mode, dtype, architecture), prod(g.held))).held


def _legal(grid: LaneGrid, mode: MmulMode) -> Iterator[LaneGrid]:
    """Yield the grid with blocks of sums in flight that divide a tile and fit the registers, one block first."""
    counts = (grid.tile_m // mode.shape[0], grid.out_rows, grid.steps)
    for held in product(HELD, HELD, HELD):
        even = all(count % each == 0 for count, each in zip(counts, held, strict=True))
        choice = replace(grid, held=held)
        if even and (prod(held) == 1 or lane_registers(choice, mode).fit(mode.files)):
            yield choice


def balance(grid: LaneGrid, mode: MmulMode, dtype: DataType, architecture: Architecture) -> str:
    """Return why so many blocks of sums are in flight, as a sentence of the plan."""
    d = lanes_of(grid, mode, dtype, None, architecture)
    m, _, n = grid.mmul
    outputs, lines, steps = grid.held
    weights, pixels = d.outputs * d.taps * d.weight_loads, d.columns * d.pixel_loads
    return (
        f"sums in flight: {outputs} x {m} channels by {lines} rows x {steps} columns of {n} lanes; a trip of the inner loop "
        f"multiplies for {d.trip.macs:g} cycles while weights take {weights} loads and pixels {pixels}, a load unit each"
    )
