"""A matrix product on the array as frozen values: what is asked for, how it is cut, where everything stands."""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.hardware.mmul import Shape
from aieloom.pl.movers import MoverPlan
from aieloom.plan.gemm import Blocking, blocking_of
from aieloom.plan.rates import Rate
from aieloom.plan.types import ArrayPart, RuleResult
from aieloom.spec.device import Device
from aieloom.spec.types import DataType
from aieloom.strategies.array_gemm.grid import ArrayGrid

TAIL_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the user asks for; what is None, the planner chooses."""

    m: int
    k: int
    n: int
    dtype: DataType
    out: DataType
    shift: int = 0  # of integers: sums are shifted right by it, halves up, and saturated
    cores: int | None = None  # at most so many
    tile: Shape | None = None
    grid: Shape | None = None  # X, Y, Z
    # how many passes over K: each tile of A ends with a word that says whether it is the last
    told: bool = False

    @property
    def tail_bytes(self) -> int:
        """Bytes behind each tile of A: of those that tell, what a core's vectors are aligned to."""
        return TAIL_BYTES if self.told else 0

    @property
    def size(self) -> Shape:
        """M, K and N."""
        return self.m, self.k, self.n

    @property
    def types(self) -> tuple[DataType, DataType, DataType]:
        """Types of A, B and C."""
        return self.dtype, self.dtype, self.out

    @property
    def sums(self) -> DataType:
        """Type of the sums: that of C when it is not narrowed."""
        return DataType.INT32 if self.dtype is DataType.INT8 else DataType.FLOAT32


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A compute unit of a mover's kernel: it serves the streams of a matrix (A, B, C: 0, 1, 2) from the `first` on."""

    matrix: int
    name: str
    first: int
    mover: MoverPlan
    bank: str  # of its memory port


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Modelled time: the three rates, whose intervals are those of one product."""

    produced_by: str
    pass_cycles: int  # of a core, between two tiles
    fill_cycles: int  # of the slower of A's and B's streams for a tile
    drain_cycles: int  # of C's stream for a tile
    # of the product itself, blocks following one another: the figure of publications about arrays
    steady_tera_ops: float
    array: Rate  # with streams that never run dry
    memory: Rate  # with the data movers and what their memory carries
    system: Rate  # with the host program, which tiles the matrices itself

    @property
    def rates(self) -> tuple[Rate, Rate, Rate]:
        """The three, the most optimistic first."""
        return self.array, self.memory, self.system


@dataclass(frozen=True, slots=True, kw_only=True)
class CorePlace:
    """A core: its chain, its link in it, the part of K that it has, and its tile."""

    x: int
    z: int
    link: int
    part: int
    tile: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedProduct:
    """What a product's cores are made of, and its movers; `array` has kernels, streams and memory as rules read them."""

    request: Request
    device: Device
    cut: ArrayGrid
    accumulator: str
    flattened: bool  # the kernels' loop over K
    plio_bits: int
    cores: tuple[CorePlace, ...]  # chain after chain [x][z], link after link
    array: ArrayPart
    units: tuple[Unit, ...]  # of the movers, in the order of A's, B's and C's streams
    cost: Cost
    checks: tuple[RuleResult, ...]

    @property
    def movers(self) -> tuple[MoverPlan, ...]:
        """The kernels of the movers, each once."""
        return tuple({u.mover.name: u.mover for u in self.units}.values())

    @property
    def block(self) -> Blocking:
        """Blocks of mmuls that a kernel has in flight."""
        return blocking_of(self.cut)

    @property
    def separate_sums(self) -> bool:
        """Whether sums wait between passes in an array of their own: C's type could not hold them."""
        return self.cut.times[1] > 1 and self.request.out is not self.request.sums
