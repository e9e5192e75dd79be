"""The cycles of a convolution in lanes by schedules of its kernel's code, as its template writes it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from aieloom.cost.blocks import LONG, Nest, call_cycles, nest_of
from aieloom.cost.product_code import Flight, Operand, Products, Scale
from aieloom.hardware.mmul import MmulMode
from aieloom.network.layers import Requant
from aieloom.plan.product_cycles import begin_and_finish, passes_cycles
from aieloom.plan.scaling_code import scaled_back
from aieloom.schedule.code import Code
from aieloom.schedule.loops import FEW_TRIPS, Write
from aieloom.spec.architecture import Architecture
from aieloom.spec.types import DataType
from aieloom.strategies.lanes.grid import LaneGrid


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneCode:
    """What a kernel's code is made for, beside its cut."""

    architecture: Architecture
    mode: MmulMode
    dtype: DataType
    requant: Requant | None

    @property
    def scale(self) -> Scale:
        """What makes elements of sums."""
        return _scale(self)


@lru_cache(maxsize=256)
def _scale(kernel: LaneCode) -> Scale:
    m, _, n = kernel.mode.shape
    return scaled_back(kernel.requant, lanes=m * n, size=kernel.dtype.bytes, architecture=kernel.architecture)


def scheduled_lanes(grid: LaneGrid, kernel: LaneCode) -> int:
    """Return the cycles of a call, by schedules of the kernel's code as its template writes it."""
    outputs, lines, steps = grid.held
    outer = (grid.tile_m // kernel.mode.shape[0] // outputs, grid.out_rows // lines, grid.steps // steps)
    trips = grid.window.kernel[0] * grid.blocks
    found = _nest(
        kernel,
        grid.held,
        (grid.window.stride[1], grid.window.kernel[1]),
        trips if trips <= FEW_TRIPS else 0,
        tuple(t > 1 for t in outer),
        is_whole=grid.passes == 1,
    )
    each = found.cycles((trips,), outer)
    products, machine = _products(kernel, grid.held), found.machine
    if grid.passes == 1:
        return call_cycles(2, machine) + each
    size = (grid.tile_m // kernel.mode.shape[0], grid.out_rows * grid.steps)
    around = begin_and_finish(products, size, kernel.scale)
    return call_cycles(2, machine) + around + passes_cycles(grid.passes, each, products)


@lru_cache(maxsize=4096)
def _products(kernel: LaneCode, held: tuple[int, int, int]) -> Products:
    blocks = product(*(range(count) for count in held))
    return Products(
        mode=kernel.mode,
        architecture=kernel.architecture,
        element=kernel.dtype.bytes,
        flight=tuple(Flight(name=f"c{r}{y}{x}", row=f"row{r}", axes=(0,)) for r, y, x in blocks),
        is_float=kernel.requant is None,
    )


@lru_cache(maxsize=4096)
def _nest(
    kernel: LaneCode,
    held: tuple[int, int, int],
    row: tuple[int, int],
    few: int,
    turns: tuple[bool, ...],
    *,
    is_whole: bool,
) -> Nest:
    """Return the schedules of a kernel's blocks; `row` are the stride and the kernel's columns."""
    products = _products(kernel, held)

    def elements(code: Code) -> None:
        products.end_in_elements(code, kernel.scale)

    start, end = (
        (products.begin_with_rows, elements) if is_whole else (products.begin_with_sums, products.end_in_sums)
    )
    trip = _trip(kernel, products, held, row)
    return nest_of(start, [(trip, few or LONG)], end, [1 + turn for turn in turns], products.machine)


def _trip(kernel: LaneCode, products: Products, held: tuple[int, int, int], row: tuple[int, int]) -> Write:
    """Return what writes a trip: tap by tap its fresh pixels, its weights and its products."""
    (stride, taps), (m, k, n) = row, kernel.mode.shape
    outputs, lines, steps = (range(count) for count in held)
    size = kernel.dtype.bytes

    def write(code: Code) -> None:
        there: dict[str, int] = {}
        for tap in range(taps):
            for y, x in product(lines, steps):
                name = f"p{y}_{x * stride + tap}"
                if name not in there:
                    pixels = Operand(name=name, size=k * n * size, axes=(1, 2), base="in")
                    there[name] = products.load(code, pixels)
            for r in outputs:
                weights = Operand(name=f"w{r}_{tap}", size=m * k * size, axes=(0,), base=f"weights{r}")
                there[weights.name] = products.load(code, weights)
            for r, y, x in product(outputs, lines, steps):
                products.multiply(
                    code, f"c{r}{y}{x}", there[f"w{r}_{tap}"], there[f"p{y}_{x * stride + tap}"]
                )

    return write
