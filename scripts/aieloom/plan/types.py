"""The plan: every decision about a design as one frozen value. plan.json is this, printed.

Templates print it, the rules check it, the reference computes in its order, the report draws it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aieloom.model.network import Requant
from aieloom.model.tensor import TensorType
from aieloom.plan.layout import TileGrid, Window
from aieloom.plan.memory import Address, MemoryMap, Need
from aieloom.spec.device import Device, Tile
from aieloom.spec.lines import KeyPath
from aieloom.spec.types import Buffers, DataType


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A rectangle of tiles: lower-left corner, width, height."""

    col: int
    row: int
    cols: int
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateUse:
    """One generated file: which template prints it, and where it goes below the build folder."""

    template: str
    output: str


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
    region: Region | None  # where the user wants it
    kernel_cycles: int  # modelled cycles of one kernel call
    templates: tuple[TemplateUse, ...]
    why: tuple[str, ...]
    requant: Requant | None = None  # of integers: how sums become elements
    inputs: tuple[str, ...] = ()  # the layer that it reads, or INPUT: the planner writes it
    plio_out_bits: int | None = None  # of the streams out of the array, when they are not plio_bits
    accumulator: str = ""  # of a chain of cores: the accumulator's tag, what a cascade carries

    @property
    def out_bits(self) -> int:
        """Width of the streams out of the array."""
        return self.plio_out_bits or self.plio_bits

    @property
    def slot_columns(self) -> int:
        """Columns that a core takes with the memory beside it, or a chain of cores."""
        return self.memory.memories if self.grid.cascade == 1 else self.grid.cascade


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Lut:
    """A function by table: index min(entries-1, round(x * scale) + offset), halves away from zero.

    `x >= high` gives `above`, `x < low` gives `below`. Inputs and values are float32.
    """

    entries: int
    low: float
    high: float
    scale: float
    offset: int
    above: float
    below: float
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementTable:
    """A function of an 8-bit element by table: `values[element + 128]`."""

    values: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlStep:
    """What one layer on the PL does to the data that passes.

    ELEMENTWISE is a function of each value. REORDER says which place of the input each place of the output
    shows. WINDOW is a process of its own between two image buffers: it may read any of its input's values, in
    any order and more than once, and gives its output's values in order of channel, row and column. JOIN is such a
    process that reads an image buffer for each of its inputs.
    `template` prints its C++ function `function`; `detail` is what that template reads.
    """

    layer: str
    layer_index: int
    op: str
    at: KeyPath
    kind: str  # ELEMENTWISE, REORDER, WINDOW or JOIN
    function: str
    template: str
    detail: Any
    x: TensorType
    y: TensorType
    bram36: int
    dsp: int
    lut: int
    clock_mhz: float | None
    why: tuple[str, ...]
    cycles: int = (
        0  # modelled: of one image, of a WINDOW's or JOIN's process; the others work while data passes
    )
    inputs: tuple[str, ...] = ()  # the layers that it reads, or INPUT: the planner writes them
    others: tuple[TensorType, ...] = ()  # of a JOIN: types of the inputs behind the first, x
    strategy: str = "frame"  # what the layer asks of its kernel: FRAME or STREAMING
    readers: int | None = None  # of a streaming kernel, where the user says


ELEMENTWISE = "elementwise"
REORDER = "reorder"
WINDOW = "window"
JOIN = "join"
FRAME = "frame"  # one image buffer between a reader and a writer
STREAMING = "streaming"  # several readers, a writer with a line buffer for every stream that leaves


@dataclass(frozen=True, slots=True, kw_only=True)
class GapStage:
    """A WINDOW or JOIN step in a gap's kernel with the image buffer that it reads; a JOIN reads those of all inlets."""

    window: PlStep
    holds: TensorType  # what the buffer holds, as its producer gave it
    storage: str  # bram | uram


@dataclass(frozen=True, slots=True, kw_only=True)
class TiledStreams:
    """The streams of an AIE layer, seen from the PL; elements in TileGrid's order."""

    layer: str
    grid: TileGrid
    window: Window
    bits: int
    streams: int
    words: int  # stream words of one image on each stream


@dataclass(frozen=True, slots=True, kw_only=True)
class RasterStream:
    """One stream in plain order: channel, row, column; the last word is filled up with zeros."""

    bits: int
    words: int
    elements: int
    dtype: DataType  # float32 between two PL kernels where tensors are bfloat16: the PL rounds only what leaves it
    streams: int = 1


Streams = TiledStreams | RasterStream
PING_PONG = 2  # dataflow doubles an array between two processes


@dataclass(frozen=True, slots=True, kw_only=True)
class Inlet:
    """Where a tensor enters a PL kernel, and how many images of it the kernel's first buffer holds.

    `producer` is the AIE layer, PL kernel or mover that sends it.
    """

    port: str
    streams: Streams
    x: TensorType
    producer: str
    depth: int = PING_PONG
    storage: str = "bram"

    @property
    def dtype(self) -> DataType:
        """Type of the elements on the streams."""
        return self.streams.dtype if isinstance(self.streams, RasterStream) else self.x.dtype


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlet:
    """Where a PL kernel's result leaves it, with an image buffer of `lanes` copies of its own.

    `reader` is the AIE layer, or the PL kernel or mover whose port `reader_port` takes it.
    """

    port: str
    streams: Streams
    dtype: DataType
    lanes: int  # elements of one output word: as many copies of the buffer, each read once a cycle
    storage: str  # bram | uram
    reader: str
    reader_port: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamingPlan:
    """How a streaming PL kernel works: `readers` processes fill the line buffer of every writer.

    A line buffer is `[readers][copies][banks][depth]` memories, each written and read at most once a cycle: a reader
    writes a beat of neighbouring pixels into as many banks of its own, in every copy; a word that leaves takes `pixels`
    neighbouring pixels from each copy. A writer's round is one tile of its stream: it takes `before[round]` beats of
    each reader, then sends the tile and takes `during[round]` more meanwhile, which later rounds need.
    """

    readers: int
    beat: int  # values
    copies: int
    pixels: int
    banks: int
    rows: int  # of the image that a line buffer holds
    channels: int  # that a reader brings
    columns: int  # words of a bank for a row of a channel
    depth: int  # words of a bank: channels x rows x columns
    storage: str  # lutram | bram | uram
    bands: tuple[int, ...]  # beats of each reader in each band: rows that come together
    round_words: int
    before: tuple[int, ...]
    during: tuple[int, ...]

    @property
    def beats(self) -> int:
        """Beats of an image from each reader."""
        return sum(self.bands)

    @property
    def writer_cycles(self) -> int:
        """Cycles of an image in a writer that never waits."""
        return sum(self.before) + len(self.before) * (self.round_words + ROUND_CYCLES)


ROUND_CYCLES = 40  # a writer's two loops run empty before the next one begins (estimate)


@dataclass(frozen=True, slots=True, kw_only=True)
class GapPlan:
    """A PL kernel between AIE layers (or memory): read, untile, compute, gather, write, image after image.

    A JOIN, always its first step, reads several inlets; a tensor with several readers leaves by several outlets.
    """

    name: str
    steps: tuple[PlStep, ...]
    inlets: tuple[Inlet, ...]
    outlets: tuple[Outlet, ...]
    read_order: tuple[int, ...]  # the inlets in the order of those who send them: see plan.graph
    x: TensorType  # what arrives at the first inlet, before the steps
    y: TensorType  # what leaves
    stages: tuple[GapStage, ...]  # image buffers and processes before the last buffer
    holds: TensorType  # what the last image buffer holds, from which the result is gathered
    clock_mhz: float
    cycles: int  # modelled: of one image, the longest process
    latency_cycles: int  # modelled: first word in to last word out
    bram36: int
    uram288: int
    dsp: int
    lut: int
    template: TemplateUse
    why: tuple[str, ...]
    streaming: StreamingPlan | None = None  # None: an image buffer between one reader and one writer

    @property
    def source(self) -> Streams:
        """The streams of the first inlet."""
        return self.inlets[0].streams

    @property
    def sink(self) -> Streams:
        """The streams of the first outlet."""
        return self.outlets[0].streams

    @property
    def lanes(self) -> int:
        """Elements of a word of the first outlet."""
        return self.outlets[0].lanes

    @property
    def storage(self) -> str:
        """Memory of the first outlet's buffer."""
        return self.outlets[0].storage

    @property
    def join(self) -> PlStep | None:
        """Its join, if it has one."""
        return self.steps[0] if self.steps and self.steps[0].kind == JOIN else None


@dataclass(frozen=True, slots=True, kw_only=True)
class MoverPlan:
    """A PL kernel between memory and streams: `words` per stream and image."""

    name: str
    reads_memory: bool
    streams: int
    bits: int
    memory_bits: int
    words: int
    clock_mhz: float
    cycles: int  # modelled: of one image
    bram36: int
    lut: int
    template: TemplateUse


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """One stream_connect of system.cfg."""

    source: str
    target: str
    bits: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StageCost:
    """Modelled time of one stage of the pipeline; `produced_by` names the model."""

    name: str
    kind: str  # aie | pl | mover
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleResult:
    """A design rule with the worst case found: what was used of how much."""

    rule: str
    what: str
    used: float
    limit: float
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that is decided about a design."""

    project: str
    device: Device
    graph_class: str
    graph_name: str
    x: TensorType
    y: TensorType
    aie: tuple[AieLayerPlan, ...]
    gaps: tuple[GapPlan, ...]
    mm2s: MoverPlan
    s2mm: MoverPlan
    plios: tuple[PlioPlan, ...]
    connections: tuple[Connection, ...]
    host_im2col: TiledStreams | None  # the first layer's streams, when the host program tiles its input
    cost: CostSummary
    checks: tuple[RuleResult, ...]

    @property
    def steps(self) -> tuple[AieLayerDraft | PlStep, ...]:
        """What is done to the data, in order of evaluation."""
        found: list[AieLayerDraft | PlStep] = [layer.draft for layer in self.aie]
        found += [step for gap in self.gaps for step in gap.steps]
        return tuple(sorted(found, key=lambda s: s.layer_index))

    @property
    def tiles_in_use(self) -> int:
        """Tiles of which the core or the memory is used."""
        return len({t for layer in self.aie for t in layer.tiles})

    @property
    def cores(self) -> int:
        """Kernels, each on a core of its own."""
        return sum(len(layer.kernels) for layer in self.aie)
