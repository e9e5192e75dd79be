"""The plan of a kernel of the programmable logic: inlets, steps with the memories between them, outlets."""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.cpp_text import TemplateUse
from aieloom.model.tensor import TensorType
from aieloom.pl.line_store import Queue, StreamingPlan
from aieloom.pl.steps import JOIN, PlStep
from aieloom.pl.streams import RasterStream, Streams
from aieloom.spec.types import DataType

# Flip-flops for each LUT of logic (estimates), as AMD's designs for the VCK190 report: an FFT in HLS 1.6, a product's movers in
# HLS 2.0, movers of an FFT and of a product 2.8 and 3.7 [Vitis-Tutorials, AI Engine design tutorials 06 and 10, resources].
FF_PER_LUT = 2
KERNEL_PREFIX = "pl_"  # of a PL kernel's name: a layer called `tanh` must not collide with C's
PING_PONG = 2  # dataflow doubles an array between two processes
BRAM_SHARE = 0.25  # a frame buffer beyond this share of the block RAM goes to UltraRAM


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameStage:
    """A WINDOW or JOIN step in a gap's kernel with the image buffer that it reads; a JOIN reads those of all inlets."""

    window: PlStep
    holds: TensorType  # what the buffer holds, as its producer gave it
    storage: str  # bram | uram


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
class LineJunction:
    """A streaming kernel where several tensors meet or part: streaming parts around tasks that move a beat of a row a cycle.

    What an inlet brings is put in row order by its part and waits in its queue. The join takes a beat of each queue and
    gives the results, which `middle` works on; each outlet has them in a queue of its own, behind which its part keeps the
    lines that leave. None: words of the stream, from or to another PL kernel, are beats already.
    """

    entries: tuple[PlKernel | None, ...]
    kept: tuple[Queue, ...]  # before the join, one for each inlet; () without a join
    functions: tuple[PlStep, ...]  # of each value behind the join, in its task
    joined: TensorType  # what comes from the join, or from the one inlet
    middle: PlKernel | None
    given: tuple[Queue, ...]  # one for each outlet; () where there is only one
    exits: tuple[PlKernel | None, ...]

    @property
    def parts(self) -> tuple[PlKernel, ...]:
        """Its streaming parts, in the order of the data."""
        return tuple(p for p in (*self.entries, self.middle, *self.exits) if p)

    @property
    def queues(self) -> tuple[Queue, ...]:
        """Its queues that hold images."""
        return (*self.kept, *self.given)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlKernel:
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
    stages: tuple[FrameStage, ...]  # image buffers and processes before the last buffer
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
    lutram: int = 0  # of the LUTs, those that hold lines
    streaming: StreamingPlan | None = None  # None: image buffers, or a junction
    junction: LineJunction | None = None  # a streaming kernel of several inlets or outlets

    @property
    def gives_while_taking(self) -> bool:
        """Whether it keeps lines, not images: a streaming kernel."""
        return self.streaming is not None or self.junction is not None

    @property
    def ff(self) -> int:
        """Flip-flops (estimate)."""
        return FF_PER_LUT * (self.lut - self.lutram)

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
class Sketch:
    """A PL kernel before its buffers are: what enters, what is done, and where the result goes."""

    name: str
    steps: tuple[PlStep, ...]
    inlets: tuple[Inlet, ...]
    outlets: tuple[Outlet, ...]  # with the storage still open
    read_order: tuple[int, ...]
    clock_mhz: float
    bram_share: float = BRAM_SHARE  # 0: all its image buffers are UltraRAM
    nearly: float = 1.0  # times the fewest cycles that it may take for less memory, where it keeps lines
