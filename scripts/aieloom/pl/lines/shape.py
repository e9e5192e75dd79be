"""A streaming kernel's numbers that do not depend on how many ways beats have: its levels, beats, rounds and bands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd

from aieloom.layout.grid import RowGrid, Strips, TileGrid
from aieloom.network.tensor import TensorType
from aieloom.pl.lines.banks import Access, skewed
from aieloom.pl.lines.own_rows import OwnRows, own_rows_of
from aieloom.pl.lines.schedule import Rows
from aieloom.pl.steps import REORDER, WINDOW, Lines, PlStep
from aieloom.pl.streams import MOST_TOGETHER, RasterStream, Streams, TiledStreams, is_by_row

MOST_WAYS = 16  # where readers have several: each bit of a word comes from one of so many memories
ROWS_TO_ROWS = (
    "pixel_shuffle",
    "upsample",
    "identity",
)  # reorderings whose every row shows one row of the input, in order


@dataclass(frozen=True, slots=True)
class Level:
    """A layer that sees neighbours, and the functions of each value before it; the last level has no such layer."""

    functions: tuple[PlStep, ...]
    window: PlStep | None


def levels_of(steps: Sequence[PlStep], sink: Streams) -> tuple[tuple[Level, ...], tuple[PlStep, ...]]:
    """Return a kernel's levels, and the reorderings behind them, which its writer to memory does.

    A reordering before a window, or before a layer on the array, is a level of its own.
    """
    windows = [i for i, s in enumerate(steps) if s.kind == WINDOW]
    to_memory = not isinstance(sink, TiledStreams) and not sink.by_row
    first_free = windows[-1] + 1 if windows and to_memory else 0 if to_memory else len(steps)
    levels: list[Level] = []
    functions: list[PlStep] = []
    late: list[PlStep] = []
    for i, step in enumerate(steps):
        if step.kind == WINDOW or (step.kind == REORDER and i < first_free):
            levels.append(Level(tuple(functions), step))
            functions = []
        elif step.kind == REORDER:
            late.append(step)
        else:
            functions.append(step)
    return (*levels, Level(tuple(functions), None)), tuple(late)


@dataclass(frozen=True, slots=True)
class Ways:
    """Ways of beats: of each of so many readers as many as it sends a beat on in a cycle."""

    readers: int
    together: int

    @property
    def count(self) -> int:
        """Ways of all readers."""
        return self.readers * self.together


@dataclass(frozen=True)
class Shape:
    """A kernel's numbers that do not depend on how many ways it has."""

    source: Streams
    sink: Streams
    arrives: TensorType  # what the source brings
    x: TensorType  # what reaches the writers
    windows: tuple[PlStep, ...]
    beats: tuple[int, ...]  # values side by side: from the source, and from each window
    wraps: bool  # a beat from the source may go on in the next row
    in_lanes: int
    out_lanes: int
    step: int  # columns from a pixel of one bank to one of the next
    pixels: int
    banks: int
    skew: int | None  # None: neighbours of a beat lie in banks one after another
    apart: tuple[int, int]  # columns between the values of a beat, and those that a word takes from a copy
    result_rows: (
        int  # rows of the result that a row of `x` becomes, where the result leaves row by row; else 0
    )

    @cached_property
    def rounds(self) -> tuple[Rows, ...]:
        """For each tile of a stream the rows that all streams' tiles of that round read, and its words.

        What goes to memory leaves row by row, or, where one row is no part of the input's rows, in whole.
        """
        sink, height = self.sink, self.x.shape[1]
        if isinstance(sink, TiledStreams):
            return tuple(round_of(sink, self.out_lanes, number) for number in range(sink.grid.rounds))
        if self.result_rows:
            return tuple(Rows(y, y, y, sink.words // height) for y in range(height))
        return (Rows(0, height - 1, height - 1, sink.words),)

    @cached_property
    def own_rows(self) -> OwnRows | None:
        """Which rows each writer keeps, where its tiles see no others; None: all rows."""
        return _own_rows(self.sink)

    @property
    def beat(self) -> int:
        """Values side by side that reach the writers."""
        return self.beats[-1]

    @property
    def stride(self) -> int:
        """Values of a row that a reader passes in a cycle."""
        if not isinstance(self.source, TiledStreams):
            return self.beats[0]
        return stride_of(self.source.grid, self.in_lanes, self.arrives, self.beats[0])

    @property
    def copies(self) -> int:
        """Line buffers of a writer: rows of K that a word shows."""
        return self.out_lanes // self.pixels

    @property
    def writers(self) -> int:
        """Streams that leave."""
        return self.sink.streams

    @property
    def parts(self) -> int:
        """Streams whose channels differ."""
        return self.source.grid.parts if isinstance(self.source, TiledStreams) else 1

    @property
    def on_one_way(self) -> str:
        """The layer that takes all channels one after another; "" without one."""
        return next((s.layer for s in self.windows if s.passes), "")

    def ways(self, readers: int | None) -> tuple[Ways, ...]:
        """Return the ways that there may be, with so many readers or any, the fewest first; one for layers of passes."""
        if self.on_one_way:
            return (Ways(1, 1),)
        rows = rows_of_word(self.source.grid, self.in_lanes) if isinstance(self.source, TiledStreams) else 1
        found = [
            Ways(n, rows_together)
            for n in ([readers] if readers else divisors(self.parts))
            for rows_together in divisors(rows)
            if rows_together == 1 or n * rows_together <= MOST_WAYS
        ]
        return tuple(sorted(found, key=lambda w: (w.count, w.together)))

    def channels(self, ways: Ways) -> int:
        """Return the channels that come on a way."""
        if isinstance(self.source, TiledStreams):
            return self.source.grid.parts * self.source.grid.tile_m // ways.count
        return self.arrives.shape[0]


def stride_of(grid: TileGrid, lanes: int, x: TensorType, beat: int) -> int:
    """Return the values of a row that a reader passes in a cycle: a beat, or all in a word, of which one is no filling.

    The columns of a block behind an image's only pixel fill up.
    """
    lone = x.shape[1:] == (1, 1) and not isinstance(grid, RowGrid)
    return gcd(lanes, grid.mmul[2]) if lone else beat


def sees_image(step: PlStep) -> bool:
    """Tell whether a layer's one window is its whole image."""
    lines, (_, height, width) = step.lines, step.x.shape
    return (
        lines is not None
        and (height, width) == lines.kernel
        and step.y.shape[1:] == (1, 1)
        and lines.before == (0, 0)
        and height * width > 1
    )


def may_wrap(source: Streams, arrives: TensorType, windows: Sequence[PlStep]) -> bool:
    """Tell whether beats may go on in the next row, and get longer by it: where rows lie in memories of their own."""
    if not isinstance(source, TiledStreams) or isinstance(source.grid, RowGrid) or not windows:
        return False
    lines, width = windows[0].lines, arrives.shape[2]
    beat = gcd(_lanes(source, arrives), source.grid.run)
    rows = lines is not None and lines.kernel[0] > 1 and not sees_image(windows[0])
    return rows and width % beat != 0 and width > beat


def may_copy(source: Streams, windows: Sequence[PlStep]) -> bool:
    """Tell whether neighbours that come side by side may lie in memories of their own whatever a word that leaves shows."""
    return not isinstance(source, TiledStreams) and not windows


def rows_of_word(grid: TileGrid, lanes: int) -> int:
    """Return how many rows of a block, which are channels, lie in a word of a layer on the array in whole; 1 if none does."""
    rows, _, columns = grid.mmul
    return lanes // columns if lanes % columns == 0 and rows * columns % lanes == 0 else 1


def divisors(number: int) -> tuple[int, ...]:
    """Return what divides a number, the least first."""
    return tuple(n for n in range(1, number + 1) if number % n == 0)


def shape_of(
    source: Streams,
    sink: Streams,
    arrives: TensorType,
    windows: Sequence[PlStep] = (),
    late: Sequence[PlStep] = (),
    *,
    wraps: bool = False,
    singly: bool = False,
) -> Shape:
    """Return the shape of a kernel with these layers that see neighbours, and these reorderings `late`, in the writer.

    With `wraps`, where `may_wrap`, a beat is as long as a word's row, and may go on in the image's next row. With `singly`,
    where `may_copy`, each value of a word that leaves has a copy of its own, so that beats are as long as what comes allows.
    """
    x = windows[-1].y if windows else arrives
    in_lanes, out_lanes = _lanes(source, arrives), _lanes(sink, arrives)
    grid = source.grid if isinstance(source, TiledStreams) else None
    stride, pixels = _reads(sink, out_lanes)
    if singly or (stride > 1 and may_copy(source, windows)):
        stride, pixels = 1, 1  # each value from a copy of its own: neighbours come side by side
    lanes = grid.strips if grid and _reads_anywhere(sink) and not windows else None
    if lanes:  # a bank for each lane's strip
        step, banks, pixels = lanes.steps, lanes.count, 1
        beats: tuple[int, ...] = (gcd(in_lanes, banks),)
    else:
        run = gcd(in_lanes, 0 if wraps else arrives.shape[2])  # neighbouring pixels of a word that arrives
        beats = _beats(gcd(run, grid.run) if grid else run, windows, stride, pixels)
        step, banks = stride, max(pixels, beats[-1])
    apart, skew = step, None
    written = _written(lanes, beats[-1], x.shape[2])
    if read := _read_together(lanes, sink, out_lanes, x.shape[2]):
        found = skewed(x.shape[2], written, read)
        if found and found.banks // read.count < banks // pixels:
            step, banks, skew, pixels, apart = found.step, found.banks, found.skew, read.count, read.apart
    return Shape(
        source=source,
        sink=sink,
        arrives=arrives,
        x=x,
        windows=tuple(windows),
        beats=beats,
        wraps=wraps,
        in_lanes=in_lanes,
        out_lanes=out_lanes,
        step=step,
        pixels=pixels,
        banks=banks,
        skew=skew,
        apart=(written.apart, apart),
        result_rows=_result_rows(x, late, sink),
    )


def _written(lanes: Strips | None, beat: int, width: int) -> Access:
    """Return what is written together: lanes of a convolution, or neighbours."""
    if lanes is None:
        return Access.neighbours(beat, width)
    return Access.lanes(beat, lanes.steps, lanes.count, range(lanes.steps))


def _read_together(lanes: Strips | None, sink: Streams, out_lanes: int, width: int) -> Access | None:
    """Return what a word takes from a copy where banks may be skewed: into lanes, or from `lanes` into rows."""
    if is_by_row(sink) and lanes is not None:
        return Access.neighbours(out_lanes, width)
    if not isinstance(sink, TiledStreams) or not (into := sink.grid.strips):
        return None
    together, left = gcd(out_lanes, into.count), sink.window.padding[1]
    apart = into.steps * sink.window.stride[1]
    return Access.lanes(together, apart, into.count, range(-left, into.columns - left))


def _lanes(streams: Streams, x: TensorType) -> int:
    """Return the values of a word."""
    dtype = streams.dtype if isinstance(streams, RasterStream) else x.dtype
    return streams.bits // (8 * dtype.bytes)


def _reads_anywhere(sink: Streams) -> bool:
    """Tell whether the values of a word that leaves may lie anywhere in a line: each has a copy of its own."""
    return not isinstance(sink, TiledStreams) or sink.grid.strips is not None


def _reads(sink: Streams, lanes: int) -> tuple[int, int]:
    """Return how far a word's neighbouring pixels lie apart, and how many a word takes from a copy."""
    if is_by_row(sink):
        return 1, lanes
    if _reads_anywhere(sink):
        return 1, 1
    assert isinstance(sink, TiledStreams)
    if not sink.grid.by_mmul:  # neighbours of a line, whatever the convolution does with them
        return 1, lanes
    return sink.window.stride[1], gcd(gcd(lanes, sink.grid.mmul[2]), sink.window.out_width)


def _beats(run: int, windows: Sequence[PlStep], stride: int, pixels: int) -> tuple[int, ...]:
    """Return how many values leave the readers and each window side by side, where `run` neighbours arrive.

    A window sends as few as keep up with what comes, of those that its reader's memories take in one cycle.
    """
    last = run if pixels == 1 else gcd(run, pixels)
    if not windows:
        return (1 if stride > 1 else last,)
    found = [run]
    for number, step in enumerate(windows):
        width, most = step.y.shape[2], MOST_TOGETHER
        if number + 1 == len(windows):
            width = width if pixels == 1 else gcd(width, pixels)
            most = most if stride == 1 else 1
        fits = [n for n in range(1, most + 1) if width % n == 0]
        coming = step.x.shape[1] * step.x.shape[2] // found[-1]
        enough = [n for n in fits if step.y.shape[1] * step.y.shape[2] // n <= coming]
        found.append(enough[0] if enough else fits[-1])
    return tuple(found)


def _result_rows(x: TensorType, late: Sequence[PlStep], sink: Streams) -> int:
    """Return how many rows of the result one row of `x` becomes, if the result can leave row by row; else 0."""
    y = late[-1].y if late else x
    if isinstance(sink, TiledStreams):
        return 0
    if sink.by_row:
        return 1
    ordered = all(s.op in ROWS_TO_ROWS for s in late)
    whole = y.shape[2] * y.dtype.bytes * 8 % sink.bits == 0  # words of a row
    return y.shape[1] // x.shape[1] if ordered and whole and y.shape[0] == 1 else 0


def round_of(sink: TiledStreams, lanes: int, number: int) -> Rows:
    """Return the rows that all streams' tiles of a round read, and the words of one."""
    grid = sink.grid
    low, high = _tile_rows(sink, number * grid.groups, grid.groups)
    return Rows(low, high, high, grid.passes * grid.in_elements // lanes)


def _tile_rows(sink: TiledStreams, tile: int, count: int) -> tuple[int, int]:
    """Return the first and the last row of the image that `count` tiles from this one on see."""
    grid, window = sink.grid, sink.window
    first, last = tile * grid.tile_n, min((tile + count) * grid.tile_n, window.pixels) - 1
    if isinstance(grid, RowGrid):
        last = (first // window.out_width + count * grid.out_rows - 1) * window.out_width
    top = first // window.out_width * window.stride[0] - window.padding[0]
    end = last // window.out_width * window.stride[0] - window.padding[0] + window.kernel[0] - 1
    return min(max(top, 0), window.height - 1), min(max(end, 0), window.height - 1)


def _own_rows(sink: Streams) -> OwnRows | None:
    """Return which rows each writer keeps, where its tiles see no others."""
    if not isinstance(sink, TiledStreams) or sink.streams != sink.grid.in_streams:
        return None
    grid, pixels = sink.grid, sink.window.pixels
    seen = [
        [
            _tile_rows(sink, tile, 1) if tile * grid.tile_n < pixels else None
            for tile in range(stream // grid.cascade, grid.rounds * grid.groups, grid.groups)
        ]
        for stream in range(grid.in_streams)
    ]
    return own_rows_of(seen, sink.window.height)


def bands_of(shape: Shape, ways: Ways) -> tuple[Rows, ...]:
    """Return which rows come from the source together, in the order of their coming, and the beats on each way."""
    source, (channels, height, width), beat = shape.source, shape.arrives.shape, shape.stride
    if isinstance(source, TiledStreams):
        grid = source.grid
        step, pixels = grid.groups * grid.tile_n, height * width
        beats = grid.groups * grid.parts * grid.out_elements // (ways.count * beat)
        found = []
        for number in range(grid.rounds):
            first, end = min(number * step, pixels - 1), min((number + 1) * step, pixels)
            found.append(Rows(first // width, end // width - 1, (end - 1) // width, beats))
        return tuple(found)
    beats = source.words * shape.in_lanes // beat  # with what fills up the last word
    if channels > 1 and not source.by_row:
        return (Rows(0, height - 1, height - 1, beats),)
    each = channels * width // beat
    last = height - 1
    return (*(Rows(y, y, y, each) for y in range(last)), Rows(last, last, last, beats - each * last))


def rows_seen(lines: Lines, first: int, last: int, height: int) -> tuple[int, int]:
    """Return the first and the last row of an image of `height` that results in rows `first` to `last` see."""
    top = first // lines.up[0] * lines.stride[0] - lines.before[0]
    end = last // lines.up[0] * lines.stride[0] - lines.before[0] + lines.kernel[0] - 1
    return min(max(top, 0), height - 1), min(max(end, 0), height - 1)
