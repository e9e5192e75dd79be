"""The inner loop of a convolution in lanes: its loads and products, its registers, how many sums it holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import prod

from aieloom.cost.loops import Loop, Ops, paired_loads
from aieloom.cost.machine import access_count, emulated_issue, split_macs
from aieloom.hardware.mmul import MmulMode
from aieloom.hardware.registers import Registers, kept, operand_vectors
from aieloom.plan.gemm import BASE_PROGRAM_BYTES, INSTRUCTION_BYTES, UNROLLED_COPIES
from aieloom.plan.product_cycles import ProductCode
from aieloom.spec.device import Device
from aieloom.spec.types import DataType
from aieloom.strategies.lanes.cycles import scheduled_lanes
from aieloom.strategies.lanes.grid import LaneGrid

HELD = (1, 2, 3, 4)  # blocks of sums in flight along a dimension


@dataclass(frozen=True, slots=True, kw_only=True)
class Lanes:
    """A pass: `blocks` of sums in flight, each over the kernel's rows and the blocks of input channels."""

    blocks: int
    trips: int  # kernel rows x blocks of input channels
    taps: int  # kernel columns
    outputs: int  # blocks of output channels in flight
    pixels: int  # blocks of pixels in flight
    columns: int  # blocks of input pixels that a trip loads: those in flight share them from tap to tap
    weight_loads: int  # of 256 bits, of one mmul
    pixel_loads: int
    issue: float  # cycles of one mmul
    split: tuple[
        int, int
    ]  # cycles of splitting the weights and the pixels of one, where products are made of parts

    @property
    def sums(self) -> int:
        """Blocks of sums in flight."""
        return self.outputs * self.pixels

    @property
    def trip(self) -> Ops:
        """What a trip of the inner loop does; weights and pixels come over a load unit each."""
        weights = self.outputs * self.taps * self.weight_loads
        pixels = self.columns * self.pixel_loads
        splits = self.outputs * self.taps * self.split[0] + self.columns * self.split[1]
        return Ops(
            loads=weights + pixels,
            load_slots=max(weights, pixels),
            macs=self.sums * self.taps * self.issue + splits,
        )

    @property
    def loop(self) -> Loop:
        """The inner loop of a block of sums."""
        return Loop(trips=self.trips, body=(self.trip,), pipelined=True)


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


def lanes_of(grid: LaneGrid, mode: MmulMode, dtype: DataType) -> Lanes:
    """Return a pass of a kernel by aie::mmul."""
    m, k, n = mode.shape
    outputs, lines, steps = grid.held
    return Lanes(
        blocks=grid.tile_m // m * grid.out_rows * grid.steps // (outputs * lines * steps),
        trips=grid.window.kernel[0] * grid.blocks,
        taps=grid.window.kernel[1],
        outputs=outputs,
        pixels=lines * steps,
        columns=lines * len(columns_seen(grid)),
        weight_loads=access_count(m * k, dtype.bytes),
        pixel_loads=access_count(k * n, dtype.bytes),
        issue=emulated_issue(mode.issue_cycles) if mode.emulated else mode.issue_cycles,
        split=(split_macs(m * k), split_macs(k * n)) if mode.emulated else (0, 0),
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


def lane_pairs(grid: LaneGrid, mode: MmulMode, dtype: DataType) -> float:
    """Return the cycles of one pass in which both load units load."""
    lanes = lanes_of(grid, mode, dtype)
    return lanes.blocks * paired_loads(lanes.loop)


def with_held(grid: LaneGrid, code: ProductCode, device: Device) -> LaneGrid:
    """Return the grid with the blocks of sums in flight that are fastest by schedules of their code, the fewest of those.

    They must fit the registers, and the unrolled code the program memory; a single block is always allowed.
    """
    part = replace(grid, m=grid.tile_m, k=grid.tile_k, n=grid.tile_n, groups=1)  # what a core sees of it
    return replace(grid, held=_fastest(part, code, device.tile.program_bytes))


@lru_cache(maxsize=16384)
def _fastest(grid: LaneGrid, code: ProductCode, program: int) -> tuple[int, int, int]:
    """Return the best `held` of a grid of one tile."""
    choices = list(_legal(grid, code.mode))
    fitting = [g for g in choices if lane_program(g, code.mode) <= program] or choices[:1]
    return min(fitting, key=lambda g: (scheduled_lanes(g, code), prod(g.held))).held


def _legal(grid: LaneGrid, mode: MmulMode) -> Iterator[LaneGrid]:
    """Yield the grid with blocks of sums in flight that divide a tile and fit the registers, one block first."""
    counts = (grid.tile_m // mode.shape[0], grid.out_rows, grid.steps)
    for held in product(HELD, HELD, HELD):
        even = all(count % each == 0 for count, each in zip(counts, held, strict=True))
        choice = replace(grid, held=held)
        if even and (prod(held) == 1 or lane_registers(choice, mode).fit(mode.files)):
            yield choice


def balance(grid: LaneGrid, mode: MmulMode, dtype: DataType) -> str:
    """Return why so many blocks of sums are in flight, as a sentence of the plan."""
    d = lanes_of(grid, mode, dtype)
    m, _, n = grid.mmul
    outputs, lines, steps = grid.held
    weights, pixels = d.outputs * d.taps * d.weight_loads, d.columns * d.pixel_loads
    return (
        f"sums in flight: {outputs} x {m} channels by {lines} rows x {steps} columns of {n} lanes; a trip of the inner loop "
        f"multiplies for {d.trip.macs:g} cycles while weights take {weights} loads and pixels {pixels}, a load unit each"
    )
