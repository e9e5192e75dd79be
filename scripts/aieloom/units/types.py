"""What stands in a design and what it does, in the words of every kind of design.

A *unit* is what stands there: a group of cores, a kernel in the logic, a part of the host program. A *task* is a layer as a
unit executes it. A spatial design has a unit for each task, an engine is one unit for many tasks, a circuit one unit with all
tasks; the rest is the schedule. The order of units is that of system.cfg: who makes a plan appends, nobody sorts.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, cast

from aieloom.network.tensor import TensorType
from aieloom.spec.device import Tile

KindT = TypeVar("KindT")

VIEW = ""  # the unit of a task that moves nothing
PROCESSOR = "processor"  # the unit that the host program is, where it is one


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A layer, or layers that are fused, as one unit executes it."""

    name: str
    layers: tuple[str, ...]  # of the network; the last one's output is y
    op: str
    xs: tuple[TensorType, ...]
    y: TensorType
    inputs: tuple[str, ...]  # tensors: names of layers, or INPUT
    unit: str  # which executes it, or VIEW
    form: object = None  # what its kind of unit must know of it, where the unit's body does not say it

    @property
    def x(self) -> TensorType:
        """The type of its first input."""
        return self.xs[0]

    @property
    def sends(self) -> str:
        """The tensor that goes to its unit, where it takes one."""
        return self.inputs[0]

    @property
    def receives(self) -> str:
        """The tensor that comes back."""
        return self.layers[-1]

    def read(self, kind: type[KindT]) -> KindT:
        """Return the form, which its kind of unit made as a `kind`."""
        assert isinstance(self.form, kind)
        return self.form


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What a unit takes of the device; `lutram` are LUTs that hold lines, among `lut`."""

    cores: int = 0
    tiles: int = 0  # of which the core or the memory is used
    memory_bytes: int = 0  # of cores' data memories
    memory_tiles: int = 0
    plio_in: int = 0
    plio_out: int = 0
    dsp: int = 0
    lut: int = 0
    lutram: int = 0
    ff: int = 0
    bram36: int = 0
    uram288: int = 0

    def __add__(self, other: Use) -> Use:
        """Return what both take."""
        return Use(**{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)})


def logic_use(parts: Collection[object], copies: int = 1) -> Use:
    """Return what copies of kernels in the logic, each of which says what it takes, take of it together (estimates)."""
    kinds = ("dsp", "lut", "lutram", "ff", "bram36", "uram288")
    return Use(**{kind: copies * sum(getattr(part, kind, 0) for part in parts) for kind in kinds})


@dataclass(frozen=True, slots=True)
class Address:
    """A byte in a tile's data memory, as ADF's `address(col, row, offset)`."""

    col: int
    row: int
    offset: int

    @property
    def tile(self) -> Tile:
        """The tile whose memory it is."""
        return self.col, self.row


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelPlan:
    """One kernel on one core: `blocks[role]` has the address of each copy of a block."""

    group: int
    part: int
    tile: Tile
    blocks: dict[str, tuple[Address, ...]]
    link: int = 0  # its place in its chain

    @property
    def memory_tiles(self) -> tuple[Tile, ...]:
        """Tiles whose memory it uses, its own first."""
        return tuple(dict.fromkeys([self.tile, *(a.tile for places in self.blocks.values() for a in places)]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Cores:
    """A place on the array."""

    kernels: tuple[KernelPlan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Logic:
    """A place in the programmable logic."""

    instances: tuple[str, ...]  # compute units as v++ names them
    clock_mhz: float
    clock_origin: str  # which clock of the platform it is, or is derived from


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A group of cores, a kernel in the logic, or a part of the host program."""

    name: str  # of its source, and in system.cfg
    place: Cores | Logic | None  # None: in the host program
    body: object = None  # what it is made of
    use: Use = Use()  # of all instances
    lead: str = ""  # the unit whose body it shares: of an engine's movers, of a layer's copy

    def read(self, kind: type[KindT]) -> KindT:
        """Return the body, which its kind of unit made as a `kind`."""
        assert isinstance(self.body, kind)
        return self.body


HOST = Unit(name=PROCESSOR, place=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """Where a link begins or ends: a port of a compute unit, or of a kernel on a core, by number."""

    unit: str
    port: str
    instance: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plio:
    """A way between logic and array."""

    name: str  # in the graph, and in system.cfg
    is_input: bool  # of the array


@dataclass(frozen=True, slots=True, kw_only=True)
class Fifo:
    """A way between two kernels in the logic."""

    depth: int  # words that may wait; 0: as the linker makes it


@dataclass(frozen=True, slots=True, kw_only=True)
class Inside:
    """A way within the array; by a memory tile it leads to or from the buffer there."""

    by: Literal["cascade", "neighbour", "memory_tile"]
    buffer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bank:
    """A way to device memory: the bank that a memory port is connected to."""

    tag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A way on which data goes; one to memory begins at the unit, whichever way they go."""

    source: End
    target: End | None  # None: device memory, or the buffer that the way names
    way: Plio | Fifo | Inside | Bank
    bits: int = 0  # 0: as wide as the hardware has it


@dataclass(frozen=True, slots=True, kw_only=True)
class Buffer:
    """Memory that more than one unit, or the host program, sees."""

    name: str
    where: Literal["device", "memory_tile"]
    offset: int
    bytes: int  # of all copies
    tile: Tile | None = None  # of a memory tile: column and row among them
    life: tuple[int, int] = (0, 0)  # the first and the last turn in which it holds something


class Cause(StrEnum):
    """What time goes to."""

    COMPUTE = "compute"
    STREAM = "stream"
    READ = "read"
    WRITE = "write"
    BANK = "bank"
    HOST = "the processor"
    START = "start"


@dataclass(frozen=True, slots=True, kw_only=True)
class Time:
    """Modelled microseconds of a unit's work on one image in a turn, by what they go to (a Cause or words); they add up."""

    unit: str
    us: Mapping[str, float]
    bytes: float = 0  # that cross its memory ports

    @property
    def total_us(self) -> float:
        """All of them."""
        return sum(self.us.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What the host program or a sequencer starts: linked units, an engine, functions of the host program."""

    units: tuple[str, ...]
    tasks: tuple[str, ...] = ()
    times: tuple[Time, ...] = ()
    record: object = None  # of a list of commands: what says it
    ahead: bool = False  # for the next batch, while this one is computed
    name: str = ""  # what is done, for people: a layer, or what the host program does beside layers
    op: str = ""

    @property
    def total_us(self) -> float:
        """Modelled microseconds of its slowest unit."""
        return max((time.total_us for time in self.times), default=0.0)

    @property
    def bytes(self) -> float:
        """Bytes that cross memory ports."""
        return sum(time.bytes for time in self.times)

    @property
    def us(self) -> Mapping[str, float]:
        """What the time of its slowest unit goes to."""
        return max(self.times, key=lambda time: time.total_us).us if self.times else {}

    @property
    def bound(self) -> str:
        """What most of it goes to; nothing of what takes no time."""
        return max(self.us, key=lambda what: self.us[what], default="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """In which order units work: turns follow one another, the units of a turn are a pipeline."""

    kind: Literal[
        "stream", "commands", "once"
    ]  # the host program has the turns in it, reads them, or runs once
    batch: int
    turns: tuple[Turn, ...]
    copies: int = 1  # of the whole design, side by side


def turn(
    unit: str,
    us: Mapping[str, float],
    *tasks: str,
    name: str = "",
    op: str = "",
    bytes: float = 0,
    ahead: bool = False,
) -> Turn:
    """Return a turn of one unit."""
    time = Time(unit=unit, us=us, bytes=bytes)
    return Turn(units=(unit,), tasks=tasks, times=(time,), ahead=ahead, name=name, op=op)


StepT = TypeVar("StepT", bound="LayerStep")


class LayerStep:
    """A step that is one layer as the network has it; a kind of step says where its own are not."""

    __slots__ = ()
    unit: ClassVar[str] = PROCESSOR  # the kind of unit that such steps are made for
    product: ClassVar[None] = None  # what an engine multiplies
    fold: ClassVar[tuple[int, int]] = (1, 1)  # rows and columns of the image that are channels of one pixel
    rounds: ClassVar[bool] = False  # it rounds another layer's results, as a quantised model does

    if TYPE_CHECKING:  # a dataclass would take a property for the default of its field

        @property
        def layer(self) -> str: ...  # noqa: D102
        @property
        def x(self) -> TensorType: ...  # noqa: D102

    @property
    def name(self) -> str:
        """The layer's name."""
        return self.layer

    @property
    def fused(self) -> tuple[str, ...]:
        """The layers that it does beside its own: none."""
        return ()

    @property
    def gives(self) -> str:
        """The tensor that it makes."""
        return self.layer

    @property
    def part_of(self) -> str:
        """The layer whose trained tensors it reads."""
        return self.layer

    @property
    def taken(self) -> TensorType:
        """What it reads first, as the network has it."""
        return self.x

    @property
    def others(self) -> tuple[TensorType, ...]:
        """Types of its inputs behind the first: none."""
        return ()

    @property
    def words(self) -> int:
        """Words of a row on the row unit."""
        return 0

    @property
    def products(self) -> int:
        """Multiplications of an image that an engine or unit does by weights."""
        return 0

    def reading(self: StepT, inputs: tuple[str, ...]) -> StepT:
        """Return it with other inputs."""
        made: StepT = replace(cast(Any, self), inputs=inputs)
        return made
