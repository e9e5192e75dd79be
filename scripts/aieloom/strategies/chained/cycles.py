"""The cycles of a chained layer's kernel, by schedules of its code as its template writes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from aieloom.cost.blocks import Nest, call_cycles
from aieloom.cost.machine import SUM_BYTES
from aieloom.hardware.registers import FLOAT_SUMS, LANE_BITS
from aieloom.network.layers import Requant
from aieloom.plan.scaling_code import VECTOR_BYTES, Scaling, scaling_of
from aieloom.schedule.code import Code, Total
from aieloom.schedule.machine import Machine, machine_of
from aieloom.spec.architecture import Architecture
from aieloom.strategies.chained.cost import ACCUMULATOR
from aieloom.strategies.chained.grid import BLOCK, PIXELS, ChainGrid, row_loads

PIXEL_AXES, WEIGHT_AXES = (1, 2), (0,)  # steps along the channels, down the rows, along a row


def chained_nest(grid: ChainGrid, requant: Requant | None) -> Nest:
    """Return the kernel's loops."""
    outer = (grid.block_steps, grid.row_steps, grid.col_steps)
    trips = tuple(grid.trips(p) for p in range(len(grid.in_blocks)))
    code = _Code(
        rows=grid.step_rows, blocks=grid.step_blocks * grid.halves, halves=grid.halves, positions=grid.positions,
        fold=grid.fold, taps=grid.taps[1], element=grid.element_bytes, outputs=grid.mmul[2],
        bounds=(grid.low is not None) + (grid.high is not None), early=requant is not None and not requant.wrap,
        scale=scaling_of(
            requant, lanes=PIXELS * grid.mmul[2], size=grid.element_bytes, architecture=Architecture.AIE_ML
        ),
    )  # fmt: skip
    return Nest(blocks=code, trips=trips, outer=outer)


def scheduled_chained(grid: ChainGrid, requant: Requant | None) -> int:
    """Return the cycles of a call."""
    nest = chained_nest(grid, requant)
    return call_cycles(1 + len(nest.trips), nest.blocks.machine) + nest.cycles


@dataclass(frozen=True, slots=True, kw_only=True)
class _Code:
    """What a kernel's code is made for."""

    rows: int  # of pixels in flight
    blocks: int  # mmuls along the output channels, halves of blocks of 8 apart
    halves: int
    positions: int  # sums of which each output is the largest
    fold: int  # neighbouring pixels each way of which the largest is kept
    taps: int  # kernel columns
    element: int  # bytes
    outputs: int  # of an mmul
    bounds: int  # how many of a lower and an upper one
    early: bool  # integers are compared before they are scaled, which is dearer
    scale: Scaling

    @property
    def machine(self) -> Machine:
        """The core."""
        return machine_of(Architecture.AIE_ML)

    @property
    def lanes(self) -> int:
        """Sums of an mmul."""
        return PIXELS * self.outputs

    @property
    def words(self) -> int:
        """Bytes of an mmul's sums."""
        return SUM_BYTES * self.lanes

    def total(self, r: int, i: int, p: int) -> Total:
        """Return the sums of a row, an mmul of its channels and a position."""
        accumulator = ACCUMULATOR[self.element]
        bits = LANE_BITS[accumulator] * self.lanes
        return Total(f"c{r}_{i}_{p}", "accumulator", bits, is_float=accumulator == FLOAT_SUMS)

    def start(self, code: Code) -> None:
        """Begin the sums with biases that are there for all steps over the image."""
        for r, i, p in self._in_flight():
            code.begin(self.total(r, i, p), code.kept(f"start{i}", self.words))

    def _in_flight(self) -> Iterator[tuple[int, int, int]]:
        return product(range(self.rows), range(self.blocks), range(self.positions))

    def trip(self, code: Code) -> None:
        """Multiply a kernel row of a block of input channels: pixels are loaded once and shifted along its columns."""
        pixel, weight = PIXELS * BLOCK * self.element, BLOCK * self.outputs * self.element
        vectors, short = row_loads(self.taps, self.element)
        lines = [
            [code.load(pixel // (1 + (short and v == vectors - 1)), PIXEL_AXES, "in") for v in range(vectors)]
            for _ in range(self.rows)
        ]
        for tap in range(self.taps):
            v, shift = divmod(tap, PIXELS)
            seen = [
                code.op("shuffle", [line[v], line[v + 1]], slots=-(-pixel // VECTOR_BYTES), bits=8 * pixel)
                if shift
                else line[v]
                for line in lines
            ]
            for i, p in product(range(self.blocks), range(self.positions)):
                weights = code.load(weight, WEIGHT_AXES, "weights")
                for r in range(self.rows):
                    code.mac(self.total(r, i, p), [seen[r], weights], slots=1)

    def end(self, code: Code) -> None:
        """Take the largest sums, scale them back, put halves together, and store."""
        for r in range(0, self.rows, self.fold):
            made = [self._elements(code, r, i) for i in range(self.blocks)]
            for b in range(self.blocks // self.halves):
                self._stored(code, made[b * self.halves : (b + 1) * self.halves])

    def _elements(self, code: Code, r: int, i: int) -> int:
        """Return an mmul's elements: integers are compared before they are scaled, which is dearer."""
        totals = [self.total(r + f, i, p) for f in range(self.fold) for p in range(self.positions)]
        size = self.words if self.early else self.element * self.lanes
        values = [code.take(t, bits=8 * self.words) for t in totals]
        if not self.early:
            values = [self.scale(code, v, WEIGHT_AXES) for v in values]
        largest = values[0]
        for v in values[1:]:
            largest = code.op("compare", [largest, v], slots=-(-size // VECTOR_BYTES), bits=8 * size)
        if not self.early:
            return largest
        again = code.op("srs", [largest], bits=8 * self.words)
        return self.scale(code, again, WEIGHT_AXES)

    def _stored(self, code: Code, halves: list[int]) -> None:
        size = PIXELS * BLOCK * self.element
        whole = halves[0]
        if len(halves) > 1:
            whole = code.op("shuffle", halves, slots=2 * -(-size // VECTOR_BYTES), bits=8 * size)
        if self.fold > 1:
            size //= self.fold
            even, odd = (code.op("shuffle", [whole], bits=8 * size) for _ in range(2))
            whole = code.op("compare", [even, odd], bits=8 * size)
        for _ in range(self.bounds):
            whole = code.op("compare", [whole, code.constant(size)], bits=8 * size)
        code.store(size, whole, "out")
