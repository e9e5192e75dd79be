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
    outputs: int  # blocks of output channels in flight
    sums: int  # blocks of sums in flight
    weights: int  # loads of 256 bits of a trip
    pixels: int
    macs: float  # cycles of a trip's products, and of splitting operands where those are made of parts

    @property
    def trip(self) -> Ops:
        """What a trip of the inner loop does; weights and pixels come over a load unit each."""
        return Ops(
            loads=self.weights + self.pixels, load_slots=max(self.weights, self.pixels), macs=self.macs
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
    weights, pixels = sum(len(t.weights) for t in grid.trip), sum(len(t.pixels) for t in grid.trip)
    sums = prod(grid.held)
    issue: float = mode.issue_cycles
    splits = 0
    if mode.emulated:
        issue = emulated_issue(issue)
        splits = weights * split_macs(m * k) + pixels * split_macs(k * n)
    return Lanes(
        blocks=grid.tile_m // m * grid.out_rows * grid.steps // sums,
        trips=grid.window.kernel[0] * grid.blocks,
        outputs=grid.held[0],
        sums=sums,
        weights=weights * access_count(m * k, dtype.bytes),
        pixels=pixels * access_count(k * n, dtype.bytes),
        macs=sums * grid.window.kernel[1] * issue + splits,
    )


def lane_program(grid: LaneGrid, mode: MmulMode) -> int:
    """Estimate the kernel's program memory: the unrolled taps of a trip."""
    unrolled = prod(grid.held) * grid.window.kernel[1] * mode.issue_cycles
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
    return (
        f"sums in flight: {outputs} x {m} channels by {lines} rows x {steps} columns of {n} lanes; a trip of the inner loop "
        f"multiplies for {d.trip.macs:g} cycles while weights take {d.weights} loads and pixels {d.pixels}, a load unit each"
    )
