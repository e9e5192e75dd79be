"""The matrix engine of a board's logic as a frozen value, and what a product takes on it and on the processor."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from functools import cache

from aieloom.errors import CannotFit
from aieloom.matrix_engine.arithmetic import BYTES, Element
from aieloom.matrix_engine.block import Block, Budget, built, longest_chain, memory_blocks, solve_block
from aieloom.spec.board import Board
from aieloom.units.logic import kernel
from aieloom.units.plan import Plan
from aieloom.units.types import Cause, Link, Turn, Unit, Use, turn

NAME = "gemm_engine"
PORTS = ("a", "b", "c", "r")
MODEL = (
    "model of the matrix engine in the logic, calibrated on SoCaffe's published cycles (0.2 % on five blocks)"
)
LARGEST_THRESHOLD = 4096
RESULT_BYTES = 4  # of an element of C and of the result in device memory: float32, or int32 of int8


@dataclass(frozen=True, slots=True, kw_only=True)
class EnginePlan:
    """An engine with its clock; elements of A and B, of `block.element`, lie in device memory as `memory_bytes` each."""

    board: Board = field(metadata={"printed": False})
    block: Block
    clock_mhz: float

    @property
    def element(self) -> Element:
        """The type that it computes with."""
        return self.block.element

    @property
    def placed(self) -> tuple[Unit, tuple[Link, ...]]:
        """The engine as a unit, and its memory ports."""
        block = self.block
        use = Use(dsp=block.dsp, lut=block.lut, ff=block.ff, bram36=block.bram)
        return kernel(self.board, NAME, PORTS, body=self, clock_mhz=self.clock_mhz, use=use)

    @property
    def crowded(self) -> tuple[str, ...]:
        """What is said where it takes more of the logic than the board's margin."""
        block = self.block
        used = {"dsp": block.dsp, "lut": block.lut, "ff": block.ff, "bram36": block.bram}
        return tuple(self.board.logic.crowded(used, self.clock_mhz))

    @property
    def memory_bytes(self) -> int:
        """Bytes of an element of A or B in device memory: float16 lies there as float32."""
        return BYTES["float32"] if self.element == "float16" else BYTES[self.element]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductCost:
    """Modelled microseconds of one product, C = alpha A B + beta C."""

    blocks: tuple[int, int, int]  # along M, N, K
    engine_us: float  # the engine alone, block after block
    host_us: float  # the processor that lays out blocks, takes results and starts the engine
    processor_us: float  # the product on the processor alone
    bottleneck: str

    @property
    def total_us(self) -> float:
        """With the engine, end to end."""
        return self.engine_us + self.host_us

    @property
    def on_engine(self) -> bool:
        """Whether the engine is the faster way."""
        return self.total_us < self.processor_us


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A task of the engine: C of M x N values, each a sum of K products; it `adds` where beta is not 0."""

    size: tuple[int, int, int]  # M, N, K
    adds: bool
    cost: ProductCost

    def turn(self, task: str) -> Turn:
        """Return it as a turn of the engine, which the host program starts."""
        return turn(NAME, {Cause.COMPUTE: self.cost.engine_us, Cause.HOST: self.cost.host_us}, task)


def engine_of(plan: Plan) -> EnginePlan:
    """Return the engine of a design that has one."""
    return plan.units[0].read(EnginePlan)


def plan_engine(board: Board, element: Element, sizes: tuple[int, int, int] | None = None) -> EnginePlan:
    """Return a board's engine: of given sizes M, N, K of the block, else the solved ones.

    Raises:
        CannotFit: the logic has no room for it.
    """
    margin, budget = map(Budget.of, board.rooms)
    block = _block(element, sizes, margin) or _block(element, sizes, budget)
    if block is None:
        if sizes is None:
            solve_block(element, budget)  # says what is missing
        assert sizes
        best = solve_block(element, budget)
        bram, most = memory_blocks(*sizes, element), longest_chain(element, budget)
        text = (
            f"a block of {' x '.join(map(str, sizes))} (M x N x K) in {element} does not fit the logic of {board.name}: "
            f"it takes {bram:,} block RAMs of {budget.bram:,}, and K is {most:,} at most by DSP slices, LUTs and flip-flops"
        )
        remedy = f"leave the block out, or use a smaller one: {best.m} x {best.n} x {best.k} fits"
        raise CannotFit(rule="engine-1", text=text, remedy=remedy)
    return EnginePlan(board=board, block=block, clock_mhz=board.clocks.default_pl_mhz)


def _block(element: Element, sizes: tuple[int, int, int] | None, budget: Budget) -> Block | None:
    """Return the block of the sizes, or the solved one, that a budget holds; None where it holds none."""
    if sizes:
        return built(*sizes, element, budget)
    with contextlib.suppress(CannotFit):
        return solve_block(element, budget)
    return None


def product_cost(engine: EnginePlan, m: int, n: int, k: int, *, adds: bool = False) -> ProductCost:
    """Return what a product takes; it `adds` when beta is not 0."""
    block, board = engine.block, engine.board
    blocks = (-(-m // block.m), -(-n // block.n), -(-k // block.k))
    count = blocks[0] * blocks[1] * blocks[2]
    sizes = (block.m * block.k, block.k * block.n)
    compute_us = block.cycles / engine.clock_mhz
    port_us = max(sizes) * engine.memory_bytes / board.memory.port_mb_s
    bank_us = sum(sizes) * engine.memory_bytes / board.memory.bank_mb_s
    block_us = max(compute_us, port_us, bank_us)
    slowest = {compute_us: "the engine", port_us: "a memory port", bank_us: "the memory bank"}[block_us]
    cpu = board.processor
    laid_out = (
        count * block.m * block.k / blocks[1] + count * block.k * block.n / blocks[0] + (1 + adds) * m * n
    )
    starts = cpu.kernel_start_us + (3 + adds) * cpu.sync_us
    host_us = laid_out * cpu.cycles_per_operation / cpu.mhz + starts
    return ProductCost(
        blocks=blocks,
        engine_us=count * block_us,
        host_us=host_us,
        processor_us=m * n * k * cpu.cycles_per_operation / cpu.mhz,
        bottleneck=slowest if count * block_us > host_us else "the host program",
    )


def check_memory(engine: EnginePlan, m: int, n: int, k: int, *, adds: bool = False) -> None:
    """Check that the board's memory holds a product's matrices, filled up to whole blocks; it `adds` when beta is not 0.

    Raises:
        CannotFit: it does not; of a board whose file does not say how much it has nothing is known.
    """
    block, board = engine.block, engine.board
    rows, columns, depth = (-(-size // of) * of for size, of in ((m, block.m), (n, block.n), (k, block.k)))
    wanted = depth * (rows + columns) * engine.memory_bytes + (1 + adds) * rows * columns * RESULT_BYTES
    if board.memory.mib is not None and wanted > board.memory.mib << 20:
        text = (
            f"the matrices of {m} x {k} x {n} (M x K x N) in {engine.element} take {wanted:,} bytes of device memory; "
            f"{board.name} has {board.memory.mib << 20:,}"
        )
        remedy = "multiply parts of them, or use a board with more memory"
        raise CannotFit(rule="engine-1", text=text, remedy=remedy)


@cache
def threshold(engine: EnginePlan) -> int:
    """Return the smallest side of a cube from which on products are faster on the engine than on the processor; 0: never."""
    return next((s for s in range(1, LARGEST_THRESHOLD) if product_cost(engine, s, s, s).on_engine), 0)
