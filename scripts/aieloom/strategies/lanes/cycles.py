"""The cycles of a convolution in lanes by schedules of its kernel's code, as its template writes it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from aieloom.cost.blocks import Nest, call_cycles
from aieloom.cost.product_code import Flight, Operand, Products
from aieloom.plan.product_cycles import ProductBlocks, ProductCode, begin_and_finish, passes_cycles
from aieloom.schedule.code import Code
from aieloom.strategies.lanes.grid import LaneGrid
from aieloom.strategies.lanes.loop import sum_name, taps_of


def lane_nest(grid: LaneGrid, code: ProductCode) -> Nest:
    """Return the kernel's loops."""
    outputs, lines, steps = grid.held
    is_whole = grid.passes == 1
    blocks = _Lanes(
        code=code,
        begins="rows" if is_whole else "sums",
        ends="elements" if is_whole else "sums",
        held=grid.held,
        stride=grid.window.stride[1],
        taps=grid.window.kernel[1],
    )
    outer = (grid.tile_m // code.mode.shape[0] // outputs, grid.out_rows // lines, grid.steps // steps)
    return Nest(blocks=blocks, trips=(grid.window.kernel[0] * grid.blocks,), outer=outer)


def scheduled_lanes(grid: LaneGrid, code: ProductCode) -> int:
    """Return the cycles of a call, by schedules of the kernel's code as its template writes it."""
    each, machine = lane_nest(grid, code).cycles, code.machine
    if grid.passes == 1:
        return call_cycles(2, machine) + each
    around = begin_and_finish(code, grid.size_in_blocks, is_scaled=True)
    return call_cycles(2, machine) + around + passes_cycles(grid.passes, each, machine)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lanes(ProductBlocks):
    """Blocks of sums of output channels, lines and steps of a row."""

    held: tuple[int, int, int]
    stride: int
    taps: int

    def products(self) -> Products:
        """Return the products in flight."""
        blocks = product(*(range(count) for count in self.held))
        return self.code.products(
            tuple(Flight(name=sum_name(r, y, x), row=f"row{r}", axes=(0,)) for r, y, x in blocks)
        )

    def trip(self, code: Code) -> None:
        """Write a trip: tap by tap its fresh pixels, its weights and its products."""
        products, (m, k, n), size = self.products(), self.code.mode.shape, self.code.dtype.bytes
        there: dict[str, int] = {}
        load = "aie::load_v<Mmul::size_{0}>({1.pointer} + {1.at} * Mmul::size_{0})"
        for tap in taps_of(self.held, self.stride, self.taps):
            pixels = [
                Operand(name=of.name, size=k * n * size, axes=(1, 2), base="in", text=load.format("B", of))
                for of in tap.pixels
            ]
            weights = [  # a row of their blocks has a pointer of its own
                Operand(
                    name=of.name, size=m * k * size, axes=(0,), base=of.pointer,
                    text=load.format("A", of) + self.code.from_stored,
                )
                for of in tap.weights
            ]  # fmt: skip
            products.write(code, [*pixels, *weights], tap.macs, there)
