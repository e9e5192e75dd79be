"""The plan of programmable logic: steps, streams, image buffers, kernels between AIE layers, movers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aieloom.model.tensor import TensorType
from aieloom.plan.layout import TileGrid, Window
from aieloom.plan.passes import Passes
from aieloom.plan.template import TemplateUse
from aieloom.spec.lines import KeyPath
from aieloom.spec.types import DataType


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
class LineTable:
    """A function of a 16-bit element by table: an entry every 2^shift elements, between them a straight line.

    With place = element + 2^15, index = place >> shift and rest = place % 2^shift the result is
    values[index] + (((values[index + 1] - values[index]) * rest + 2^shift / 2) >> shift)
    [tensorflow/lite/kernels/internal/common.h: the 16-bit lookup, whose shift is 7].
    """

    values: tuple[int, ...]  # 2^(16 - shift) + 1
    shift: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """What a layer sees that gives each channel's rows in order from the rows of that channel: all pairs are (y, x).

    Its result at (y, x) is a fold of the places from (y / up * stride - before) on, `kernel` of them each way, row by row.
    The template `fold` prints the C++ struct of that fold: `take(value, inside)` of each place, then `result()`.
    """

    kernel: tuple[int, int]
    stride: tuple[int, int]
    before: tuple[int, int]
    up: tuple[int, int]
    fold: str
    cycles: int  # of a `take` that depends on the one before it
    dsp: int  # of a `take`
    lut: int  # of a `take`


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
    strategy: str | None = None  # what the layer asks of its kernel, where the user says: FRAME or STREAMING
    readers: int | None = None  # of a streaming kernel, where the user says
    lines: Lines | None = None  # of a WINDOW or REORDER that needs lines of an image, not all of it
    passes: Passes | None = None  # of a WINDOW that goes over all channels of a pixel
    beats: str = ""  # of a JOIN that streams: the template of its task, which joins beats in row order


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
    """One stream in plain order: channel, row, column; the last word is filled up with zeros.

    `by_row`, inside the PL, the order is row, channel, column, so that a reader needs no more than the lines that it sees;
    a word is then a beat of neighbouring values that divides a row.
    """

    bits: int
    words: int
    elements: int
    dtype: DataType  # float32 between two PL kernels where tensors are bfloat16: the PL rounds only what leaves it
    streams: int = 1
    by_row: bool = False


Streams = TiledStreams | RasterStream


def is_by_row(streams: Streams) -> bool:
    """Tell whether a stream inside the PL carries an image row by row."""
    return isinstance(streams, RasterStream) and streams.by_row


KERNEL_PREFIX = "pl_"  # of a PL kernel's name: a layer called `tanh` must not collide with C's
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

    @property
    def from_memory(self) -> bool:
        """Whether a mover sends it."""
        return isinstance(self.streams, RasterStream) and not self.producer.startswith(KERNEL_PREFIX)


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

    @property
    def to_memory(self) -> bool:
        """Whether a mover takes it."""
        return isinstance(self.streams, RasterStream) and not self.reader.startswith(KERNEL_PREFIX)


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A queue inside a kernel: `images` wait in it, so that no way, and no pass, holds up another."""

    images: int
    depth: int  # beats, or values
    bits: int  # of one
    storage: str  # bram | uram | lutram
    bram36: int = 0
    uram288: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LineStage:
    """A layer of a streaming kernel that sees neighbours (`Lines`): on each way a task with a line buffer of its own.

    The line buffer is `[row_banks][banks][depth]` memories, so that all that the windows of a beat see is read in one cycle.
    A round is a row of the result, sent when `needs` beats of an image have come, while up to `room` come (see
    `plan.lines.schedule`). A layer whose window is the whole image keeps no lines but a fold for each channel: it takes
    the image, a beat in `take_cycles`, then sends the folds' results. A layer of several passes (`PlStep.passes`) is a
    chain of tasks that takes one image while others are under way in it, each for `delay` cycles.
    """

    step: PlStep
    whole: bool
    beat: int  # values that come together
    out_beat: int  # and that leave together
    wraps: bool  # a beat may go on in the next row
    row_banks: int
    banks: int
    rows: int  # of the image that the line buffer holds
    columns: int  # words of a bank for a row of a channel
    depth: int  # words of a bank: channels x rows of a bank x columns
    turn: int  # words of a bank from an image's first row to the next one's, in the ring
    storage: str  # lutram | bram | uram
    bands: tuple[int, ...]  # beats that come, in each band: rows that come together
    needs: tuple[int, ...]
    room: tuple[int, ...]
    round_beats: int  # that a round sends
    cycles: int  # of an image, one after another
    take_cycles: int = 1
    delay: int = 0  # of passes: from an image's last beat to its first result
    queues: tuple[Queue, ...] = ()  # between passes


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamingPlan:
    """How a streaming PL kernel works: `readers` processes fill the line buffer of every writer.

    A reader sends a beat on each of `together` ways in a cycle, for so many rows of a block's channels lie in a word. What
    comes on a way passes its `stages`, tasks between the reader and the writers. `beat` and `bands` say what
    reaches the writers, `read_beat` and `read_bands` what a reader takes from its streams for each way.

    A line buffer is `[ways][copies][banks][depth]` memories, each written and read at most once a cycle: a way brings
    a beat of neighbouring pixels, or of one pixel of each lane, into as many banks of its own, in every copy; a word
    that leaves takes `pixels` neighbouring pixels from each copy. A writer's round is one tile of its stream, sent when
    `needs` beats of each way have come, while up to `room` come, which later rounds and the next image need.
    """

    readers: int
    together: int  # ways of a reader: of its channels, way i brings every so-manieth from channel i on
    stride: int  # values of a row that a reader passes in a cycle: a beat, or one of which the rest fills up
    beat: int  # values
    copies: int
    pixels: int
    banks: int
    step: int  # columns from a pixel of one bank to one of the next
    skew: int | None  # None: a beat's values lie in banks one after another; else see plan.lines.banks
    apart: tuple[
        int, int
    ]  # columns between values of a beat, and between those that a word takes from a copy
    rows: int  # of an image that a line buffer holds
    channels: int  # that a way brings
    columns: int  # words of a bank for a row of a channel
    depth: int  # words of a bank: rows x channels x columns
    turn: int  # words of a bank from an image's first row to the next one's, in the ring
    storage: str  # lutram | bram | uram
    bands: tuple[int, ...]  # beats of each way in each band: rows that come together
    round_words: int
    needs: tuple[int, ...]
    room: tuple[int, ...]
    writer_cycles: int  # of an image in a writer, one after another
    stages: tuple[LineStage, ...] = ()

    @property
    def beats(self) -> int:
        """Beats of an image that reach the writers on each way."""
        return sum(self.bands)

    @property
    def ways(self) -> int:
        """Ways of beats to the writers."""
        return self.readers * self.together

    @property
    def read_beat(self) -> int:
        """Values that a reader takes in a cycle for each way."""
        return self.stages[0].beat if self.stages else self.beat

    @property
    def read_bands(self) -> tuple[int, ...]:
        """Beats that a reader takes in each band."""
        return self.stages[0].bands if self.stages else self.bands


LOOP_CYCLES = 20  # a loop runs empty before the task begins again (estimate)


@dataclass(frozen=True, slots=True, kw_only=True)
class LineJunction:
    """A streaming kernel where several tensors meet or part: streaming parts around tasks that move a beat of a row a cycle.

    What an inlet brings is put in row order by its part and waits in its queue. The join takes a beat of each queue and
    gives the results, which `middle` works on; each outlet has them in a queue of its own, behind which its part keeps the
    lines that leave. None: words of the stream, from or to another PL kernel, are beats already.
    """

    entries: tuple[GapPlan | None, ...]
    kept: tuple[Queue, ...]  # before the join, one for each inlet; () without a join
    functions: tuple[PlStep, ...]  # of each value behind the join, in its task
    joined: TensorType  # what comes from the join, or from the one inlet
    middle: GapPlan | None
    given: tuple[Queue, ...]  # one for each outlet; () where there is only one
    exits: tuple[GapPlan | None, ...]

    @property
    def parts(self) -> tuple[GapPlan, ...]:
        """Its streaming parts, in the order of the data."""
        return tuple(p for p in (*self.entries, self.middle, *self.exits) if p)

    @property
    def queues(self) -> tuple[Queue, ...]:
        """Its queues that hold images."""
        return (*self.kept, *self.given)


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
    streaming: StreamingPlan | None = None  # None: image buffers, or a junction
    junction: LineJunction | None = None  # a streaming kernel of several inlets or outlets

    @property
    def gives_while_taking(self) -> bool:
        """Whether it keeps lines, not images: a streaming kernel."""
        return self.streaming is not None or self.junction is not None

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
