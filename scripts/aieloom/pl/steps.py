"""What each layer on programmable logic asks of its kernel: its kind, template, tables, the lines or passes that it needs.

Layers of passes go over all channels of a pixel several times: in a streaming kernel each pass is a task. The tasks stand in a
chain of queues, each of which holds what the passes of two images leave in it, so that no pass waits for another image's. From
one image to the next a task takes as long as it takes values in.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, TypeVar

from aieloom.network.tensor import TensorType
from aieloom.spec.lines import KeyPath
from aieloom.spec.quantize import Scales
from aieloom.units.types import LayerStep

BEATS, RESULTS = "beats", "results"  # the queues at the chain's ends


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """A task: what it takes and gives by name, the first of them value after value."""

    name: str
    takes: tuple[str, ...]
    gives: tuple[str, ...]
    ii: int  # cycles from one value to the next
    depth: int  # of its pipeline, in cycles (estimate)
    last: bool  # what it gives to the next pass comes behind an image's last value
    why: str  # its II and its depth, in words


@dataclass(frozen=True, slots=True, kw_only=True)
class Between:
    """A queue between passes: elements as the layer's, or floats; a value of each channel, or of each image."""

    name: str
    what: str
    is_float: bool
    each: bool  # of a channel


@dataclass(frozen=True, slots=True, kw_only=True)
class Passes:
    """The tasks in their order, the queues between them, and what they take."""

    values: str  # the type of the library that says what the tasks do with values
    tasks: tuple[Pass, ...]
    queues: tuple[Between, ...]
    dsp: int
    lut: int

    def interval(self, beats: int, channels: int) -> int:
        """Return the cycles of an image, which comes in so many beats, in the task that takes the longest."""
        first, *others = self.tasks
        return max(first.ii * beats, *(t.ii * channels for t in others))

    def delay(self, channels: int) -> int:
        """Return the cycles from an image's last beat until its first result has left."""
        _, *others = self.tasks
        return sum(t.depth for t in self.tasks) + sum(t.ii * channels for t in others if t.last)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lut:
    """A function by table: index min(entries-1, round(x * scale) + offset), halves away from zero.

    `x >= high` gives `above`, `x < low` gives `below`. Inputs and values are float32.
    """

    template: ClassVar[str] = "tables/NearestEntry"  # the type of the library that looks it up

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

    template: ClassVar[str] = "tables/EachElement"
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineTable:
    """A function of a 16-bit element by table: an entry every 2^shift elements, between them a straight line.

    With place = element + 2^15, index = place >> shift and rest = place % 2^shift the result is
    values[index] + (((values[index + 1] - values[index]) * rest + 2^shift / 2) >> shift)
    [tensorflow/lite/kernels/internal/common.h: the 16-bit lookup, whose shift is 7].
    """

    template: ClassVar[str] = "tables/StraightLines"

    values: tuple[int, ...]  # 2^(16 - shift) + 1
    shift: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """What a layer sees that gives each channel's rows in order from the rows of that channel: all pairs are (y, x).

    Its result at (y, x) is a fold of the places from (y / up * stride - before) on, `kernel` of them each way, row by row.
    `fold` is a type of the library, or the template of a C++ struct: `take(value, inside)` of each place, then `result()`.
    """

    kernel: tuple[int, int]
    stride: tuple[int, int]
    before: tuple[int, int]
    up: tuple[int, int]
    fold: str
    cycles: int  # of a `take` that depends on the one before it
    dsp: int  # of a `take`
    lut: int  # of a `take`


DetailT = TypeVar("DetailT")
CalledT = TypeVar("CalledT", bound="Detailed")


class Detailed(LayerStep):
    """A step whose operator keeps with it what its template prints."""

    __slots__ = ()
    detail: object

    @property
    def called(self: CalledT) -> CalledT:
        """The layer whose function is called, where some steps call none."""
        return self

    def read(self, kind: type[DetailT]) -> DetailT:
        """Return the detail, which the operator made as a `kind`."""
        assert isinstance(self.detail, kind)
        return self.detail


@dataclass(frozen=True, slots=True, kw_only=True)
class PlStep(Detailed):
    """What one layer on the PL does to the data that passes.

    ELEMENTWISE is a function of each value. REORDER says which place of the input each place of the output
    shows. WINDOW is a process of its own between two frame buffers: it may read any of its input's values, in
    any order and more than once, and gives its output's values in order of channel, row and column. JOIN is such a
    process that reads a frame buffer for each of its inputs.
    `template` is a type of the library, or prints the C++ function `function`; `detail` is what either takes.
    """

    layer: str
    layer_index: int
    op: str
    at: KeyPath
    kind: str  # ELEMENTWISE, REORDER, WINDOW or JOIN
    function: str
    template: str
    detail: object
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
    beats: str = ""  # of a JOIN of one place's values: the type of the library that joins them, or a template
    scaling: Scales = field(
        default=Scales.MULTIPLIER, metadata={"printed": False}
    )  # what `integer_step` follows
    host: ClassVar[None] = None
    folder: ClassVar[str] = "pl_templates"
    reason: ClassVar[str] = ""  # why it is on the processor, as where layers take turns
    weights: ClassVar[tuple[str, ...]] = ()

    @property
    def logic(self) -> PlStep:
        """Itself: a layer on programmable logic."""
        return self


ELEMENTWISE = "elementwise"
REORDER = "reorder"
WINDOW = "window"
JOIN = "join"
FRAME = "frame"  # one frame buffer between a reader and a writer
STREAMING = "streaming"  # several readers, a writer with a line buffer for every stream that leaves
