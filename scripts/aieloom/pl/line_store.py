"""What a kernel keeps that needs lines of an image: parts with line buffers, tasks that move beats, queues between them.

A part has readers, ways of beats, stages and writers. Where several tensors meet or part, parts stand around tasks that move
beats in order of rows: one joins what several inlets bring, one gives several outlets the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.network.tensor import TensorType
from aieloom.pl.ends import Inlet, Outlet
from aieloom.pl.steps import PlStep
from aieloom.pl.storage import Figures

BRING, MERGE, FORK, SEND = "bring", "join", "fork", "send"  # what a task that moves beats does
LOOP_CYCLES = 20  # a loop runs empty before the task begins again (estimate)


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A queue inside a kernel: `images` wait in it, so that no way, and no pass, holds up another; of a short one 0."""

    name: str
    what: str  # of what
    images: int
    depth: int  # beats, or values
    bits: int  # of one
    storage: str  # bram | uram | lutram
    bram36: int = 0
    uram288: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LineStage:
    """A layer that sees neighbours (`Lines`): on each way a task with a line buffer of its own.

    The line buffer is `[row_banks][banks][depth]` memories, so that all that the windows of a beat see is read in one cycle.
    A round is a row of the result, sent when `needs` beats of an image have come, while up to `room` come (see
    `pl.lines.schedule`). A layer whose window is the whole image keeps no lines but a fold for each channel: it takes
    the image, a beat in `take_cycles`, then sends the folds' results. A layer of several passes (`PlStep.passes`) is a
    chain of tasks that takes one image while others are under way in it, each for `delay` cycles.
    """

    step: PlStep
    whole: bool
    beat: int  # values that come together
    out_beat: int  # and that leave together
    wraps: bool = False  # a beat may go on in the next row
    row_banks: int = 1
    banks: int = 1
    rows: int = 1  # of the image that the line buffer holds
    columns: int = 1  # words of a bank for a row of a channel
    depth: int  # words of a bank: channels x rows of a bank x columns
    turn: int = 0  # words of a bank from an image's first row to the next one's, in the ring
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
class LineTasks:
    """The tasks of a part: `readers` fill the line buffer of every writer.

    A reader sends a beat on each of `together` ways in a cycle, for so many rows of a block's channels lie in a word. What
    comes on a way passes its `stages`, tasks between the reader and the writers. `beat` and `bands` say what
    reaches the writers, `read_beat` and `read_bands` what a reader takes from its streams for each way.

    A line buffer is `[ways][copies][banks][depth]` memories, each written and read at most once a cycle: a way brings
    a beat of neighbouring pixels, or of one pixel of each lane, into as many banks of its own, in every copy; a word
    that leaves takes `pixels` neighbouring pixels from each copy. A writer's round is one tile of its stream, sent when
    `needs` beats of each way have come, while up to `room` come, which later rounds and the next image need. Where
    each writer's tiles see rows of their own, it keeps only those (`own_rows`, see pl.lines.own_rows).
    """

    readers: int
    together: int  # ways of a reader: of its channels, way i brings every so-manieth from channel i on
    stride: int  # values of a row that a reader passes in a cycle: a beat, or one of which the rest fills up
    beat: int  # values
    copies: int
    pixels: int
    banks: int
    step: int  # columns from a pixel of one bank to one of the next
    skew: int | None  # None: a beat's values lie in banks one after another; else see pl.lines.banks
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
    own_rows: tuple[
        tuple[int, ...], ...
    ] = ()  # of each writer, where each row lies in its ring, or -1; (): all in turn
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


@dataclass(frozen=True, slots=True, kw_only=True)
class LinePart(Figures):
    """What brings a tensor from an inlet, or from a queue, to an outlet, or to a queue, by line buffers."""

    name: str  # its namespace
    what: str  # it does, for people
    steps: tuple[PlStep, ...]
    inlet: Inlet
    outlet: Outlet
    holds: TensorType  # what reaches the writers
    tasks: LineTasks

    @property
    def y(self) -> TensorType:
        """What leaves."""
        return self.steps[-1].y if self.steps else self.inlet.x


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A task that moves beats in order of rows, one a cycle: BRING from a port, MERGE, FORK, SEND to a port.

    `takes` and `gives` are queues or ports; `tensors` are what it moves, one after another.
    """

    kind: str
    number: int  # of the inlet or the outlet
    takes: tuple[str, ...]
    gives: tuple[str, ...]
    tensors: tuple[TensorType, ...]

    @property
    def name(self) -> str:
        """Its task's name."""
        return f"{self.kind}_{self.number}" if self.kind in (BRING, SEND) else self.kind


@dataclass(frozen=True, slots=True, kw_only=True)
class LineStore:
    """A kernel's parts in the order of the data, the tasks around them, and the queues between all these.

    Of a kernel that one part makes there is nothing but this part: it reads the inlet and serves the outlet. Else each tensor
    is put in order of rows and waits in a queue; the join takes a beat of each queue; each outlet has its result in a queue.
    """

    parts: tuple[LinePart, ...]
    moves: tuple[Move, ...] = ()
    queues: tuple[Queue, ...] = ()
    functions: tuple[PlStep, ...] = ()  # of each value behind the join, in its task

    @property
    def only(self) -> LinePart | None:
        """The part that is all there is; None where there is more."""
        return self.parts[0] if len(self.parts) == 1 and not self.moves else None

    @property
    def images(self) -> tuple[Queue, ...]:
        """The queues in which images wait."""
        return tuple(q for q in self.queues if q.images)

    def reading(self, inlet: Inlet) -> LinePart | None:
        """Return the part that reads an inlet; None where beats come and are moved on."""
        return next((p for p in self.parts if p.inlet.port == inlet.port), None)

    def serving(self, outlet: Outlet) -> LinePart | None:
        """Return the part that serves an outlet."""
        return next((p for p in self.parts if p.outlet.port == outlet.port), None)
