"""What lies on the array and around it: every decision about layers with cores or kernels of their own, as one frozen value.

Templates print it, the rules check it, the reference computes in its order, the report draws it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, cast

from aieloom.cost.blocks import Loops
from aieloom.cpp_text import TemplateUse
from aieloom.hardware.registers import Registers
from aieloom.layout.grid import TileGrid, Window
from aieloom.network.layers import Requant
from aieloom.network.tensor import TensorType
from aieloom.pl.kernel import PlKernel
from aieloom.pl.movers import MoverPlan
from aieloom.plan.columns import registered_above
from aieloom.plan.frame import FramePlan
from aieloom.plan.memory import MemoryMap, Need
from aieloom.plan.processor import Function, ProcessorPlan
from aieloom.plan.shared_buffers import LinkedGrid, SharedBuffer
from aieloom.plan.subgraph import Subgraph
from aieloom.plan.weights import StreamedWeights, table_role
from aieloom.spec.device import Device, Tile
from aieloom.spec.lines import KeyPath
from aieloom.spec.types import Buffers, DataType
from aieloom.units.plan import Plan
from aieloom.units.types import KernelPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A rectangle of tiles: lower-left corner, width, height."""

    col: int
    row: int
    cols: int
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AieLayerDraft:
    """A layer on AI Engines before it has a place: what each core computes, holds and exchanges."""

    name: str
    class_name: str
    op: str
    layer_index: int
    at: KeyPath  # where its mapping stands in network.yaml
    x: TensorType
    y: TensorType
    dtype: DataType
    strategy: str
    grid: TileGrid
    window: Window
    has_bias: bool
    buffers: Buffers
    plio_bits: int
    needs: tuple[Need, ...]
    memory: MemoryMap
    stack_bytes: int
    program_bytes: int  # estimate for the kernel's code
    registers: Registers  # what its inner loop keeps
    region: Region | None  # where the user wants it
    kernel_cycles: int  # modelled cycles of one kernel call, bank conflicts among them
    bank_conflicts: int  # cycles of a call in which both load units want one bank
    templates: tuple[TemplateUse, ...]
    why: tuple[str, ...]
    requant: Requant | None = None  # of integers: how sums become elements
    inputs: tuple[str, ...] = ()  # the layer that it reads, or INPUT: the planner writes it
    plio_out_bits: int | None = None  # of the streams out of the array, when they are not plio_bits
    accumulator: str = ""  # of a chain of cores: the accumulator's tag, what a cascade carries
    streamed: StreamedWeights | None = None  # None: the weights are compiled into the cores
    loops: tuple[Loops, ...] = ()  # of its kernel, or of each kind of core in a chain
    pl: str = "frame"  # what it asks of the PL kernel that takes its results: FRAME or STREAMING
    fused: tuple[str, ...] = ()  # layers behind it that its kernels do as well, whose last result it gives
    # of the inner loop, by loads and MACs; 0: not said
    trip_cycles: float = field(default=0.0, metadata={"printed": False})
    logic: ClassVar[None] = None
    host: ClassVar[None] = None

    @property
    def others(self) -> tuple[TensorType, ...]:
        """Types of inputs behind the first: there are none."""
        return ()

    @property
    def out_bits(self) -> int:
        """Width of the streams out of the array."""
        return self.plio_out_bits or self.plio_bits

    @property
    def sources(self) -> tuple[str, ...]:
        """The files of its kernels that are compiled by themselves."""
        return tuple(use.output for use in self.templates if use.output.endswith(".cc"))

    @property
    def handed(self) -> bool:
        """Tell whether its one core reads what the core of the layer before it has left in its memory, beside it."""
        return isinstance(self.grid, LinkedGrid) and self.grid.handed

    @property
    def hands(self) -> bool:
        """Tell whether the core of the layer behind it so reads its results."""
        return isinstance(self.grid, LinkedGrid) and self.grid.hands

    @property
    def fed_role(self) -> str:
        """The input of its kernels that a kernel on the tile beside fills, empty where none does."""
        return table_role(self.grid.in_ports) if self.streamed and self.streamed.fed else ""

    @property
    def slot_columns(self) -> int:
        """Columns that a core takes with the memory beside it, or a chain of cores."""
        return self.grid.slot_columns(self.memory.memories)


@dataclass(frozen=True, slots=True, kw_only=True)
class AieLayerPlan:
    """A layer on AI Engines with its kernels placed, in the order of their output streams, chain after chain."""

    draft: AieLayerDraft
    kernels: tuple[KernelPlan, ...]

    @property
    def name(self) -> str:
        """The layer's name."""
        return self.draft.name

    @property
    def grid(self) -> TileGrid:
        """How its GEMM is cut."""
        return self.draft.grid

    @property
    def feeders(self) -> tuple[Tile, ...]:
        """The tiles beside its cores on which a kernel takes their weights."""
        fed = self.draft.streamed and self.draft.streamed.fed
        return tuple(k.memory_tiles[1] for k in self.kernels) if fed else ()

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """All tiles of which it uses the core or the memory."""
        return tuple(dict.fromkeys(t for k in self.kernels for t in k.memory_tiles))


@dataclass(frozen=True, slots=True, kw_only=True)
class PlioPlan:
    """One stream between PL and array."""

    name: str  # logical name: in the graph, and in stream_connect as ai_engine_0.<name>
    is_input: bool
    bits: int
    column: int  # of its interface tile
    layer: str
    stream: int  # index among the layer's streams of this direction
    kernels: tuple[int, ...]  # kernels of the layer that it feeds or drains
    clock_mhz: float
    data_file: str  # for simulations of the graph alone
    weights: bool = False  # it brings weights, once


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """One stream_connect of system.cfg."""

    source: str
    target: str
    bits: int
    depth: int = 0  # words of a FIFO between the two [UG1393 Specifying Streaming Connections]; 0: none


@dataclass(frozen=True, slots=True, kw_only=True)
class StageCost:
    """Modelled time of one stage of the pipeline; `produced_by` names the model."""

    name: str
    kind: str  # aie | pl | mover | ps
    interval_us: float
    latency_us: float
    cycles: int
    clock_mhz: float
    after: tuple[str, ...] = ()  # the stages whose results it needs


@dataclass(frozen=True, slots=True, kw_only=True)
class CostSummary:
    """Modelled performance of the whole design."""

    produced_by: str
    stages: tuple[StageCost, ...]
    latency_us: float
    interval_us: float
    throughput_fps: float
    bottleneck: str

    def stage(self, name: str) -> StageCost:
        """Return a stage by its name."""
        return next(s for s in self.stages if s.name == name)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleResult:
    """A design rule with the worst case found: what was used of how much."""

    rule: str
    what: str
    used: float
    limit: float
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayPart:
    """Layers with cores or a kernel of their own: the array, and around it the kernels in the logic, the movers, the streams.

    It is the whole of a spatial design (`array_of`), the graph of an engine on the array, or the layers of a design in turn
    that have cores of their own.
    """

    project: str
    device: Device = field(metadata={"printed": False})  # the plan has it
    graph_class: str
    graph_name: str
    x: TensorType
    y: TensorType
    aie: tuple[AieLayerPlan, ...] = field(metadata={"printed": False})  # so are its units and links
    pl: tuple[PlKernel, ...] = field(metadata={"printed": False})
    # in the order in which they run: one, or several with the processor between
    subgraphs: tuple[Subgraph, ...]
    plios: tuple[PlioPlan, ...]
    connections: tuple[Connection, ...] = field(metadata={"printed": False})
    cost: CostSummary
    checks: tuple[RuleResult, ...]
    # how images are cut; then `x` and `y` are the image's, the layers' a tile's
    frame: FramePlan | None = None
    # the layers of further copies of the design, under names of their own
    others: tuple[AieLayerPlan, ...] = field(default=(), metadata={"printed": False})
    copies: int = 1

    @property
    def all_aie(self) -> tuple[AieLayerPlan, ...]:
        """The layers on AI Engines of all copies."""
        return (*self.aie, *self.others)

    vitis: str | None = None  # the release that it is for; None: the newest
    buffers: tuple[SharedBuffer, ...] = ()  # in memory tiles, between layers of chains
    processor: ProcessorPlan | None = None  # layers that run in the host program
    # the kernels that send weights, in the order of their layers
    weights: tuple[MoverPlan, ...] = field(default=(), metadata={"printed": False})
    # on the design as a whole: what of the budget it leaves, and why
    remarks: tuple[str, ...] = field(default=(), metadata={"printed": False})

    @property
    def movers(self) -> tuple[MoverPlan, ...]:
        """The kernels between memory and streams."""
        return (*(m for s in self.subgraphs for m in (s.mm2s, s.s2mm)), *self.weights)

    @property
    def units(self) -> tuple[MoverPlan | PlKernel, ...]:
        """The kernels on programmable logic, in the order in which tools are told of them."""
        found: list[MoverPlan | PlKernel] = []
        for s in self.subgraphs:
            found += [s.mm2s, *(g for g in self.pl if g.name in s.kernels), s.s2mm]
        return (*found, *self.weights)

    def streams_of(self, layer: str, *, is_input: bool) -> tuple[PlioPlan, ...]:
        """Return a layer's streams of elements; those that bring weights are not among them."""
        return tuple(p for p in self.plios if p.layer == layer and p.is_input == is_input and not p.weights)

    @property
    def board(self) -> Device:
        """The device, as other kinds of plan call it."""
        return self.device

    @property
    def elements(self) -> DataType:
        """The type of what the device is sent."""
        return self.subgraphs[0].x.dtype

    @property
    def steps(self) -> tuple[AieLayerDraft | Function, ...]:
        """What is done to an image, in order of evaluation; to the whole one where it is cut into tiles."""
        whole = self.frame.steps if self.frame else self.tile_steps
        return cast(tuple[AieLayerDraft | Function, ...], whole)

    @property
    def tile_steps(self) -> tuple[AieLayerDraft | Function, ...]:
        """What is done to one input of the design: a tile of an image that is cut, else an image."""
        found: list[AieLayerDraft | Function] = [layer.draft for layer in self.aie]
        found += [step for kernel in self.pl for step in kernel.steps]
        found += self.processor.steps if self.processor else ()
        return tuple(sorted(found, key=lambda s: s.layer_index))

    @property
    def tiles(self) -> int:
        """Inputs of the design that make an image."""
        return self.frame.tiles if self.frame else 1

    @property
    def register_mhz(self) -> float:
        """The PL clock above which inputs enter the array by channels with registers (--pl-register-threshold)."""
        return registered_above(
            self.device, ((p.column, p.bits, p.clock_mhz) for p in self.plios if p.is_input)
        )

    @property
    def needed_register_mhz(self) -> float | None:
        """That clock where the compiler's default does not do; None where it does."""
        asked = self.register_mhz
        return None if asked == self.device.register_thresholds[0] else asked

    @property
    def tiles_in_use(self) -> int:
        """Tiles of which the core or the memory is used."""
        return len({t for layer in self.all_aie for t in layer.tiles})

    @property
    def cores(self) -> int:
        """Kernels, each on a core of its own."""
        return sum(len(layer.kernels) + len(layer.feeders) for layer in self.all_aie)


def array_of(plan: Plan) -> ArrayPart:
    """Return what a spatial design has on the array and around it."""
    return plan.read(ArrayPart)
