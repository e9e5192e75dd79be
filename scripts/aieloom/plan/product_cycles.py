"""The cycles of a generated kernel of matrix products: schedules of its code, written as its template writes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from aieloom.cost.blocks import LOCK, MOST_UNROLLED, Nest, Rows, call_cycles, rows_of
from aieloom.cost.machine import SUM_BYTES
from aieloom.cost.product_code import Flight, Operand, Products
from aieloom.hardware.mmul import MmulMode
from aieloom.layout.grid import TileGrid
from aieloom.network.layers import Requant
from aieloom.plan.scaling_code import Scaling, scaling_of
from aieloom.schedule.code import Code
from aieloom.schedule.loops import Write
from aieloom.schedule.machine import Machine, machine_of
from aieloom.spec.architecture import Architecture
from aieloom.spec.types import DataType


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductCode:
    """What the code of a kernel by aie::mmul is made for, whatever its blocks: equal ones are scheduled once."""

    architecture: Architecture
    mode: MmulMode
    dtype: DataType
    scale: Scaling

    @property
    def machine(self) -> Machine:
        """The core."""
        return machine_of(self.architecture)

    @property
    def from_stored(self) -> str:
        """What makes weights of what is stored: bfloat16 weights are kept as their bits."""
        return ".cast_to<bfloat16>()" if self.dtype is DataType.BFLOAT16 else ""

    def products(self, flight: tuple[Flight, ...] = ()) -> Products:
        """Return its products with such blocks in flight."""
        return Products(
            mode=self.mode,
            architecture=self.architecture,
            element=self.dtype.bytes,
            flight=flight,
            is_float=self.scale.how is None,
        )


@lru_cache(maxsize=4096)
def product_code(
    architecture: Architecture, mode: MmulMode, dtype: DataType, requant: Requant | None
) -> ProductCode:
    """Return what the code of a kernel is made for that makes elements as `requant` says."""
    m, _, n = mode.shape
    scale = scaling_of(requant, lanes=m * n, size=dtype.bytes, architecture=architecture)
    return ProductCode(architecture=architecture, mode=mode, dtype=dtype, scale=scale)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductBlocks:
    """Blocks of sums in flight of a kernel by aie::mmul: how they begin and end, and how many of which names."""

    code: ProductCode
    begins: str  # with rows, cascade or sums
    ends: str  # in elements, cascade or sums

    @property
    def machine(self) -> Machine:
        """The core."""
        return self.code.machine

    def products(self) -> Products:
        """Return the products in flight."""
        raise NotImplementedError

    def start(self, code: Code) -> None:
        """Begin the sums."""
        products = self.products()
        begin: dict[str, Write] = {
            "rows": products.begin_with_rows,
            "cascade": products.begin_with_cascade,
            "sums": products.begin_with_sums,
        }
        begin[self.begins](code)

    def end(self, code: Code) -> None:
        """End the sums."""
        products = self.products()
        if self.ends == "elements":
            products.end_in_elements(code, self.code.scale)
        else:
            end: dict[str, Callable[[Code], None]] = {
                "cascade": products.end_in_cascade,
                "sums": products.end_in_sums,
            }
            end[self.ends](code)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Im2col(ProductBlocks):
    """Blocks of rows x columns of a tile."""

    block: tuple[int, int]

    def products(self) -> Products:
        """Return the products in flight."""
        rows, cols = (range(count) for count in self.block)
        return self.code.products(
            tuple(Flight(name=f"c{r}{c}", row=f"row{r}", axes=(0,)) for r in rows for c in cols)
        )

    def trip(self, code: Code) -> None:
        """Write a step over K."""
        (m, k, n), size = self.code.mode.shape, self.code.dtype.bytes
        rows, cols = (range(count) for count in self.block)
        load = "aie::load_v<Mmul::size_{}>({} + kt * {})"
        weights = [
            Operand(
                name=f"va{r}", size=m * k * size, axes=(0,), base="weights",
                text=load.format("A", f"a{r}", "kWeightStep") + self.code.from_stored,
            )
            for r in rows
        ]  # fmt: skip
        pixels = [
            Operand(name=f"vb{c}", size=k * n * size, axes=(1,), base="in", text=load.format("B", f"b{c}", "kInStep"))
            for c in cols
        ]  # fmt: skip
        macs = [(f"c{r}{c}", f"va{r}", f"vb{c}") for r in rows for c in cols]
        self.products().write(code, [*weights, *pixels], macs, {})


def product_nests(code: ProductCode, grid: TileGrid) -> tuple[Nest, ...]:
    """Return the loops of a kernel; of a chain those of its first core, of one between where there are, of its last."""
    m, k, n = grid.mmul
    rows, cols = grid.tile_m // m // grid.block[0], grid.tile_n // n // grid.block[1]
    ends = (("rows", "elements"),) if is_whole(code, grid) else (("sums", "sums"),)
    if grid.cascade > 1:
        between = (("cascade", "cascade"),) if grid.cascade > 2 else ()
        ends = (("rows", "cascade"), *between, ("cascade", "elements"))
    return tuple(
        Nest(
            blocks=_Im2col(code=code, begins=begin, ends=end, block=grid.block),
            trips=(grid.tile_k // k,),
            outer=(rows, cols),
        )
        for begin, end in ends
    )


def is_whole(code: ProductCode, grid: TileGrid) -> bool:
    """Tell whether sums begin with their row and end in elements in one nest of loops."""
    return grid.passes == 1 and code.dtype is not DataType.FLOAT32


def scheduled_product(code: ProductCode, grid: TileGrid) -> int:
    """Return the cycles of a call: of a chain those of its slowest core."""
    machine, nests = code.machine, product_nests(code, grid)
    if grid.cascade > 1:
        buffers = (*(1 for _ in nests[1:]), 2)
        return max(call_cycles(n, machine) + nest.cycles for n, nest in zip(buffers, nests, strict=True))
    each = nests[0].cycles
    if is_whole(code, grid):
        return call_cycles(2, machine) + each
    around = begin_and_finish(code, grid.size_in_blocks, is_scaled=code.dtype is not DataType.FLOAT32)
    return call_cycles(2, machine) + around + passes_cycles(grid.passes, each, machine)


def passes_cycles(passes: int, each: int, machine: Machine) -> int:
    """Return the cycles of all passes, each with a buffer of its own."""
    return each if passes == 1 else passes * (each + LOCK + machine.branch)


def begin_and_finish(code: ProductCode, size: tuple[int, int], *, is_scaled: bool) -> int:
    """Return the cycles of what begins all sums in memory, and makes elements of them where they have an array of their own."""
    begin, finish = _row_loops(code, min(size[1], MOST_UNROLLED + 1))
    return begin.cycles(*size) + (finish.cycles(*size) if is_scaled else 0)


@lru_cache(maxsize=4096)
def _row_loops(kernel: ProductCode, cols: int) -> tuple[Rows, Rows]:
    products, machine = kernel.products(), kernel.machine
    bias = SUM_BYTES * products.lanes

    def load(code: Code) -> None:
        code.keep("bias", code.load(bias, (0,), "rows"))

    def store(code: Code) -> None:
        code.store(bias, code.kept("bias", bias), "sums")

    alone = Flight(name="block", row="row", axes=(0,))

    def finish(code: Code) -> None:
        code.begin(products.total(alone.name), code.load(bias, (0, 1), "sums"))
        elements = kernel.scale(code, products.take(code, alone), (0,))
        code.store(products.element * products.lanes, elements, "out")

    return rows_of(load, store, cols, machine), rows_of(lambda _: None, finish, cols, machine, unrolled=1)
