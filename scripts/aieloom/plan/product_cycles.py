"""The cycles of a generated kernel of matrix products: schedules of its code, written as its template writes it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from aieloom.cost.blocks import LOCK, LONG, MOST_UNROLLED, Nest, Rows, call_cycles, nest_of, rows_of
from aieloom.cost.machine import SUM_BYTES
from aieloom.cost.product_code import Flight, Operand, Products, Scale, trip_of
from aieloom.hardware.mmul import MmulMode
from aieloom.layout.grid import TileGrid
from aieloom.network.layers import Requant
from aieloom.plan.scaling_code import scaled_back
from aieloom.schedule.code import Code
from aieloom.schedule.loops import FEW_TRIPS, Write
from aieloom.spec.architecture import Architecture
from aieloom.spec.types import DataType


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductCode:
    """An im2col_gemm kernel's code: blocks of mmuls in flight, how it begins and ends its sums."""

    architecture: Architecture
    mode: MmulMode
    dtype: DataType
    requant: Requant | None
    block: tuple[int, int]


def scheduled_product(code: ProductCode, grid: TileGrid) -> int:
    """Return the cycles of a call: of a chain those of its slowest core."""
    (m, k, n), block = grid.mmul, code.block
    rows, depth, cols = grid.tile_m // m // block[0], grid.tile_k // k, grid.tile_n // n // block[1]
    passes, cascade = grid.passes, grid.cascade
    few, turns = depth if depth <= FEW_TRIPS else 0, (rows > 1, cols > 1)
    is_float = code.dtype is DataType.FLOAT32

    def nest(start: str, end: str) -> int:
        return _nest(code, few, turns, start, end).cycles((depth,), (rows, cols))

    products, _ = _code(code)
    machine = products.machine
    if cascade > 1:
        first = call_cycles(1, machine) + nest("rows", "cascade")
        last = call_cycles(2, machine) + nest("cascade", "elements")
        middle = call_cycles(1, machine) + nest("cascade", "cascade")
        return max(first, last, middle if cascade > 2 else 0)
    if passes == 1 and not is_float:
        return call_cycles(2, machine) + nest("rows", "elements")
    all_rows, all_cols = rows * code.block[0], cols * code.block[1]
    scale = None if is_float else _scale(code)
    around = begin_and_finish(products, (all_rows, all_cols), scale)
    return call_cycles(2, machine) + around + passes_cycles(passes, nest("sums", "sums"), products)


@lru_cache(maxsize=4096)
def _nest(code: ProductCode, few: int, turns: tuple[bool, bool], start: str, end: str) -> Nest:
    """Return the schedules of a kernel's blocks.

    `few` is the depth where that loop may be flattened, else 0; `turns` says which of the loops around turn at all.
    """
    products, trip = _code(code)
    starts = {
        "rows": products.begin_with_rows,
        "cascade": products.begin_with_cascade,
        "sums": products.begin_with_sums,
    }

    def elements(run: Code) -> None:
        products.end_in_elements(run, _scale(code))

    ends = {"elements": elements, "cascade": products.end_in_cascade, "sums": products.end_in_sums}
    outer = [1 + turn for turn in turns]
    return nest_of(starts[start], [(trip, few or LONG)], ends[end], outer, products.machine)


@lru_cache(maxsize=256)
def _scale(code: ProductCode) -> Scale:
    m, _, n = code.mode.shape
    return scaled_back(code.requant, lanes=m * n, size=code.dtype.bytes, architecture=code.architecture)


def passes_cycles(passes: int, each: int, products: Products) -> int:
    """Return the cycles of all passes, each with a buffer of its own."""
    return each if passes == 1 else passes * (each + LOCK + products.machine.branch)


def begin_and_finish(products: Products, size: tuple[int, int], scale: Scale | None) -> int:
    """Return the cycles of what begins all sums in memory, and makes elements of them where they have an array of their own."""
    rows, cols = size
    begin, finish = _row_loops(products, min(cols, MOST_UNROLLED + 1), scale)
    return begin.cycles(rows, cols) + (finish.cycles(rows, cols) if finish else 0)


@lru_cache(maxsize=4096)
def _row_loops(products: Products, cols: int, scale: Scale | None) -> tuple[Rows, Rows | None]:
    bias, machine = SUM_BYTES * products.lanes, products.machine

    def load(code: Code) -> None:
        code.keep("bias", code.load(bias, (0,), "rows"))

    def store(code: Code) -> None:
        code.store(bias, code.kept("bias", bias), "sums")

    begin = rows_of(load, store, cols, machine)
    if scale is None:
        return begin, None
    alone = Flight(name="block", row="row", axes=(0,))

    def finish(code: Code) -> None:
        code.begin(products.total(alone.name), code.load(bias, (0, 1), "sums"))
        code.store(products.element * products.lanes, scale(code, products.take(code, alone), (0,)), "out")

    return begin, rows_of(lambda _: None, finish, cols, machine)


@lru_cache(maxsize=4096)
def _code(code: ProductCode) -> tuple[Products, Write]:
    """Return the products in flight, and what writes one step over K."""
    m, k, n = code.mode.shape
    rows, cols = (range(count) for count in code.block)
    flight = tuple(Flight(name=f"c{r}{c}", row=f"row{r}", axes=(0,)) for r in rows for c in cols)
    products = Products(
        mode=code.mode,
        architecture=code.architecture,
        element=code.dtype.bytes,
        flight=flight,
        is_float=code.requant is None,
    )
    size = code.dtype.bytes
    operands = [Operand(name=f"a{r}", size=m * k * size, axes=(0,), base="weights") for r in rows]
    operands += [Operand(name=f"b{c}", size=k * n * size, axes=(1,), base="in") for c in cols]
    return products, trip_of(products, operands, [(f"c{r}{c}", f"a{r}", f"b{c}") for r in rows for c in cols])
