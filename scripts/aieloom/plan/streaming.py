"""Streaming PL kernels between AIE layers: readers and writers side by side, line buffers in place of frames.

One task per share of the incoming channels reads, computes and passes on one beat (a few neighbouring pixels of a
channel) a cycle; one task per outgoing stream keeps the rows that its next tiles need and sends one word a cycle. Every
line buffer is an array of its writer alone, in as many memories that no cycle reads or writes more than one word
of any: a reader has its own banks, neighbouring pixels lie in neighbouring banks, and rows of K that share a word have
copies. A writer works to a schedule made here: which beats it must have before a tile, and which it takes while
it sends one. Rows go into places that the tile being sent does not read, so that writing and reading never
meet, and the last of them `MARGIN` cycles before the next tile begins, which covers the pipeline's depth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import gcd

from aieloom.model.tensor import TensorType
from aieloom.plan.gap import (
    BRAM_SHARE,
    PIPELINE_CYCLES,
    STREAM_LOOP_CYCLES,
    URAM_WORDS,
    Sketch,
    Storage,
    raster,
)
from aieloom.plan.layout import TileGrid
from aieloom.plan.logic import (
    REORDER,
    ROUND_CYCLES,
    GapPlan,
    PlStep,
    StreamingPlan,
    Streams,
    TiledStreams,
)
from aieloom.plan.rows import LaneGrid, LineGrid, RowGrid
from aieloom.plan.streamable import CannotStream, check_streamable
from aieloom.plan.template import TemplateUse
from aieloom.spec.device import Device
from aieloom.spec.types import DataType

MARGIN = (
    64  # cycles between a line buffer's last write and the tile that may read it: more than the loop's depth
)
NEARLY = 1.1  # readers are chosen that lose at most a tenth against the most there can be
LUTRAM_WORDS = 64  # memories up to this size are made of LUTs
BRAM18_WORDS = (
    512  # 32-bit words of half a block RAM (18 Kb as 512 x 36), which has a port each to write and read
)
ROM_PORTS = 2  # a table in block RAM is read twice a cycle [UG1399 bind_storage: rom_np adds copies]
LUT_PER_READER = 500  # loop, address of a beat (estimate)
LUT_PER_COPY = 900  # address generator of im2col: constant divisions of short numbers (estimate)
LUT_PER_WRITER = 600  # schedule and stream register (estimate)
FIFO_DEPTH = 32  # of the queues between tasks: one LUT shift register per bit [AM004]
FIFO_EXTRA_BITS = 18  # address, bank and validity of a beat (estimate)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows of the image that arrive together, or that a tile needs, and how many beats or words that are."""

    low: int
    high: int  # the last row that is whole then
    touched: int  # the last row of which something comes
    count: int


@dataclass(frozen=True, slots=True)
class _Shape:
    """A kernel's numbers that do not depend on how many readers it has."""

    source: Streams
    sink: Streams
    x: TensorType
    in_lanes: int
    out_lanes: int
    step: int  # columns from a pixel of one bank to one of the next
    pixels: int
    banks: int
    beat: int
    rounds: tuple[_Rows, ...]

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


def streaming_plan(device: Device, sketch: Sketch) -> GapPlan:
    """Return the kernel that does its steps with line buffers.

    Raises:
        CannotStream: it has branches, one of its layers needs an image buffer, or the readers do not divide the channels.
    """
    check_streamable(sketch.steps, sketch.inlets, sketch.outlets)
    steps, x = sketch.steps, sketch.inlets[0].x
    source, sink = sketch.inlets[0].streams, sketch.outlets[0].streams
    shape = _shape(source, sink, x, _result_rows(steps, sink))
    made = _with_readers(device, shape, steps)
    reads, line_bram, line_uram = reader_cycles(made, source), *_memories(device, shape, made)[1:]
    lanes = made.readers * made.beat
    return GapPlan(
        name=sketch.name,
        steps=steps,
        inlets=sketch.inlets,
        outlets=(replace(sketch.outlets[0], storage=made.storage),),
        read_order=sketch.read_order,
        x=x,
        y=steps[-1].y if steps else x,
        stages=(),
        holds=x,
        clock_mhz=sketch.clock_mhz,
        cycles=max(reads, made.writer_cycles),
        latency_cycles=_latency(made, reads),
        bram36=line_bram + sum(s.bram36 for s in steps) * made.readers * -(-made.beat // ROM_PORTS),
        uram288=line_uram,
        dsp=sum(s.dsp for s in steps) * lanes,
        lut=_luts(shape, made, steps),
        template=TemplateUse(template="streaming.cpp.j2", output=f"src/pl/{sketch.name}.cpp"),
        why=_why(shape, made, reads),
        streaming=made,
    )


def reader_cycles(plan: StreamingPlan, source: Streams) -> int:
    """Return the cycles of an image in each reader: one beat a cycle, one stream after another."""
    loops = source.grid.rounds * source.streams // plan.readers if isinstance(source, TiledStreams) else 1
    return plan.beats + loops * STREAM_LOOP_CYCLES


def _shape(source: Streams, sink: Streams, x: TensorType, result_rows: int = 0) -> _Shape:
    size = x.dtype.bytes * 8
    in_lanes, out_lanes = source.bits // size, sink.bits // size
    grid = source.grid if isinstance(source, TiledStreams) else None
    stride, pixels = _reads(sink, out_lanes)
    if isinstance(grid, LaneGrid) and _reads_anywhere(sink):  # a bank for each lane's stretch
        step, banks = grid.steps, grid.mmul[2]
        beat = gcd(in_lanes, banks)
    else:
        run = gcd(
            gcd(in_lanes, x.shape[2]), grid.run if grid else in_lanes
        )  # neighbours in a word that arrives
        beat = 1 if stride > 1 else run if pixels == 1 else gcd(run, pixels)
        step, banks = stride, max(pixels, beat)
    return _Shape(
        source=source,
        sink=sink,
        x=x,
        in_lanes=in_lanes,
        out_lanes=out_lanes,
        step=step,
        pixels=pixels,
        banks=banks,
        beat=beat,
        rounds=_rounds(sink, x, out_lanes, result_rows),
    )


def _reads_anywhere(sink: Streams) -> bool:
    """Tell whether the values of a word that leaves lie anywhere in a line: each has a copy of its own."""
    return not isinstance(sink, TiledStreams) or isinstance(sink.grid, LaneGrid)


def _reads(sink: Streams, lanes: int) -> tuple[int, int]:
    """Return how far a word's neighbouring pixels lie apart, and how many a word takes from a copy."""
    if _reads_anywhere(sink):
        return 1, 1
    assert isinstance(sink, TiledStreams)
    if isinstance(sink.grid, LineGrid):  # neighbours of a line, whatever the convolution does with them
        return 1, lanes
    return sink.window.stride[1], gcd(gcd(lanes, sink.grid.mmul[2]), sink.window.out_width)


LEAST_ROUND = 8 * ROUND_CYCLES  # words to memory between two stops of a writer
ROWS_TO_ROWS = (
    "pixel_shuffle",
    "upsample",
    "identity",
)  # reorderings whose every row shows one row of the input, in order


def _result_rows(steps: Sequence[PlStep], sink: Streams) -> int:
    """Return how many rows of the result one row of the input becomes, if the result can leave row by row; else 0."""
    if isinstance(sink, TiledStreams) or not steps:
        return 0
    x, y = steps[0].x, steps[-1].y
    ordered = all(s.kind != REORDER or s.op in ROWS_TO_ROWS for s in steps)
    whole = y.shape[2] * y.dtype.bytes * 8 % sink.bits == 0  # words of a row
    return y.shape[1] // x.shape[1] if ordered and whole and y.shape[0] == 1 else 0


def _rounds(sink: Streams, x: TensorType, lanes: int, result_rows: int) -> tuple[_Rows, ...]:
    """Return for each tile of a stream the rows that all streams' tiles of that round read, and its words.

    What goes to memory leaves a few rows at a time, or, where one row is no part of the input's rows, in whole.
    """
    if not isinstance(sink, TiledStreams) and result_rows:
        height = x.shape[1]
        each = sink.words // height
        together = next(
            n for n in range(1, height + 1) if height % n == 0 and (n * each >= LEAST_ROUND or n == height)
        )
        return tuple(
            _Rows(top, top + together - 1, top + together - 1, together * each)
            for top in range(0, height, together)
        )
    if not isinstance(sink, TiledStreams):
        return (_Rows(0, x.shape[1] - 1, x.shape[1] - 1, sink.words),)
    grid, window, found = sink.grid, sink.window, []
    step = grid.groups * grid.tile_n
    for number in range(grid.rounds):
        first, last = number * step, min((number + 1) * step, window.pixels) - 1
        if isinstance(grid, RowGrid):
            last = (first // window.out_width + grid.groups * grid.out_rows - 1) * window.out_width
        top = first // window.out_width * window.stride[0] - window.padding[0]
        end = last // window.out_width * window.stride[0] - window.padding[0] + window.kernel[0] - 1
        rows = [min(max(row, 0), window.height - 1) for row in (top, end)]
        found.append(_Rows(rows[0], rows[1], rows[1], grid.passes * grid.in_elements // lanes))
    return tuple(found)


def _bands(shape: _Shape, readers: int) -> tuple[_Rows, ...]:
    """Return which rows come together, in the order of their coming, and the beats of each reader."""
    source, (channels, height, width) = shape.source, shape.x.shape
    if isinstance(source, TiledStreams):
        grid = source.grid
        step, pixels = grid.groups * grid.tile_n, height * width
        beats = grid.groups * (grid.parts // readers) * grid.out_elements // shape.beat
        found = []
        for number in range(grid.rounds):
            first, end = min(number * step, pixels - 1), min((number + 1) * step, pixels)
            found.append(_Rows(first // width, end // width - 1, (end - 1) // width, beats))
        return tuple(found)
    beats = source.words * shape.in_lanes // shape.beat  # with what fills up the last word
    if channels > 1:
        return (_Rows(0, height - 1, height - 1, beats),)
    each = width // shape.beat
    last = height - 1
    return (*(_Rows(y, y, y, each) for y in range(last)), _Rows(last, last, last, beats - each * last))


def _with_readers(device: Device, shape: _Shape, steps: Sequence[PlStep]) -> StreamingPlan:
    """Return the plan with the readers that the user wants, or the fewest that come near the most."""
    asking = next((s for s in steps if s.readers), None)
    if asking and asking.readers:
        if shape.parts % asking.readers:
            legal = ", ".join(str(n) for n in range(1, shape.parts + 1) if shape.parts % n == 0)
            text = (
                f"{asking.readers} readers, but the channels come in {shape.parts} parts, "
                "and each reader takes as many of them as the others"
            )
            raise CannotStream(
                "stream-2", asking, "readers", text, f"use one of {legal}, or a smaller M in the tile before"
            )
        return _planned(device, shape, asking.readers)
    choices = [_planned(device, shape, n) for n in range(1, shape.parts + 1) if shape.parts % n == 0]
    cycles = [max(reader_cycles(p, shape.source), p.writer_cycles) for p in choices]
    return next(p for p, c in zip(choices, cycles, strict=True) if c <= NEARLY * min(cycles))


def _planned(device: Device, shape: _Shape, readers: int) -> StreamingPlan:
    bands = _bands(shape, readers)
    before, during = _schedule(bands, shape.rounds)
    span = _rows_held(bands, shape.rounds, before, during, shape.x.shape[1])
    rows = min(1 << (span - 1).bit_length(), shape.x.shape[1])  # a power of two makes addresses short
    channels = shape.x.shape[0]
    if isinstance(shape.source, TiledStreams):
        channels = shape.source.grid.parts // readers * shape.source.grid.tile_m
    across = -(-shape.x.shape[2] // shape.step)
    columns = -(-across // shape.banks) * shape.step
    made = StreamingPlan(
        readers=readers,
        beat=shape.beat,
        copies=shape.copies,
        pixels=shape.pixels,
        banks=shape.banks,
        step=shape.step,
        rows=rows,
        channels=channels,
        columns=columns,
        depth=channels * rows * columns,
        storage="bram",
        bands=tuple(b.count for b in bands),
        round_words=shape.rounds[0].count,
        before=before,
        during=during,
    )
    tight = replace(made, rows=span, depth=made.depth // rows * span)
    if _cost(device, shape, tight) < _cost(device, shape, made):
        made = tight
    return replace(made, storage=_memories(device, shape, made)[0])


def _cost(device: Device, shape: _Shape, plan: StreamingPlan) -> float:
    """Return the share of the device's memories that line buffers take."""
    _, bram, uram = _memories(device, shape, plan)
    return bram / device.logic.bram36 + uram / device.logic.uram288


def _schedule(bands: Sequence[_Rows], rounds: Sequence[_Rows]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the beats that a writer takes before each round, and those that it takes during it."""
    ends = list(accumulate(b.count for b in bands))
    needs = [next(end for end, b in zip(ends, bands, strict=True) if b.high >= r.high) for r in rounds]
    needs[-1] = ends[-1]  # an image is taken in whole, also rows that no tile reads
    before, during, taken = [], [], 0
    for number, r in enumerate(rounds):
        before.append(max(0, needs[number] - taken))
        taken += before[-1]
        ahead = needs[number + 1] - taken if number + 1 < len(rounds) else 0
        during.append(max(0, min(ahead, r.count - MARGIN)))
        taken += during[-1]
    return tuple(before), tuple(during)


def _rows_held(
    bands: Sequence[_Rows], rounds: Sequence[_Rows], before: Sequence[int], during: Sequence[int], height: int
) -> int:
    """Return how many rows a line buffer needs.

    In every round the rows that it and later rounds read and those that come meanwhile have places of their own.
    """
    ends = list(accumulate(b.count for b in bands))
    span, taken = 1, 0
    for number in range(len(rounds)):
        begun, taken = taken, taken + before[number] + during[number]
        arriving = [b for b, end in zip(bands, ends, strict=True) if begun < end and end - b.count < taken]
        low = min([r.low for r in rounds[number:]] + [b.low for b in arriving])
        come = [b.touched for b, end in zip(bands, ends, strict=True) if end - b.count < taken]
        span = max(span, max(come) - low + 1)
    return min(span, height)


def _memories(device: Device, shape: _Shape, plan: StreamingPlan) -> tuple[str, int, int]:
    """Return the memory of the line buffers: its kind, and its block RAMs and UltraRAMs."""
    arrays = shape.writers * plan.readers * plan.copies * plan.banks
    if plan.depth <= LUTRAM_WORDS:
        return "lutram", 0, 0
    narrow = 4 if shape.x.dtype is DataType.INT8 else 1
    halves = -(-plan.depth // (BRAM18_WORDS * narrow))
    bram = -(-arrays * halves // 2)
    if (
        bram <= device.logic.bram36 * device.logic.usable_fraction * BRAM_SHARE
        or plan.depth < URAM_WORDS // 2
    ):
        return "bram", bram, 0
    return "uram", 0, arrays * -(-plan.depth // URAM_WORDS)


def _luts(shape: _Shape, plan: StreamingPlan, steps: Sequence[PlStep]) -> int:
    size = shape.x.dtype.bytes * 8
    queues = plan.readers * (shape.writers + (shape.writers > 1)) * (plan.beat * size + FIFO_EXTRA_BITS)
    readers = plan.readers * (LUT_PER_READER + plan.beat * sum(s.lut for s in steps))
    chosen = plan.readers * shape.out_lanes * size // 2  # the word's bits from one of the readers' banks
    lutram = (
        plan.depth * size * plan.readers * plan.copies * plan.banks // 32 if plan.storage == "lutram" else 0
    )
    return queues + readers + shape.writers * (LUT_PER_WRITER + plan.copies * LUT_PER_COPY + chosen + lutram)


def _latency(plan: StreamingPlan, reads: int) -> int:
    """Return cycles from the first word in to the last word out when the readers never wait."""
    now, taken = 0.0, 0
    for before, during in zip(plan.before, plan.during, strict=True):
        taken += before
        now = max(now + before, reads * taken / plan.beats) + plan.round_words + ROUND_CYCLES
        taken += during
        now = max(now, reads * taken / plan.beats)
    return round(now) + PIPELINE_CYCLES


def _why(shape: _Shape, plan: StreamingPlan, reads: int) -> tuple[str, ...]:
    functions = "" if plan.beat == 1 else f", {plan.beat} values side by side"
    return (
        f"{plan.readers} reader(s), one beat of {plan.beat} value(s) a cycle each{functions}: {reads} cycles an image",
        f"{shape.writers} writer(s), one word of {shape.out_lanes} values a cycle each: {plan.writer_cycles} cycles an image",
        f"each writer's line buffer: {plan.rows} rows in {plan.readers} x {plan.copies} x {plan.banks} memories "
        f"(readers x copies x banks) of {plan.depth} values in {plan.storage}",
    )


MANY_READERS = 4  # what a search reckons with before it knows how the layer before is cut


def least_read(grid: TileGrid, lanes: int, x: TensorType) -> int:
    """Return the fewest cycles in which any streaming kernel reads an image from a layer that is cut so."""
    neighbours = (
        lanes if isinstance(grid, LaneGrid) else gcd(lanes, x.shape[2])
    )  # lanes have banks of their own
    beat = gcd(neighbours, grid.mmul[2])
    return grid.rounds * grid.groups * (grid.out_elements // beat + STREAM_LOOP_CYCLES)


def least_written(grid: TileGrid, kernel: GapPlan, lanes: int) -> tuple[int, Storage]:
    """Return about the cycles and memory with which `kernel` would feed a layer that is cut so.

    Both depend on the layer before too; the simulation and the plan know it.
    """
    assert isinstance(kernel.sink, TiledStreams)
    source = raster(kernel.x)
    sink = replace(kernel.sink, grid=grid, bits=lanes * 8 * kernel.x.dtype.bytes, streams=grid.groups)
    shape = _shape(source, sink, kernel.x)
    first = shape.rounds[0]
    rows = min(1 << (2 * (first.high - first.low + 1) - 1).bit_length(), kernel.x.shape[1])
    channels, _, width = kernel.x.shape
    readers = min(MANY_READERS, channels)
    depth = -(-channels // readers) * rows * -(-width // shape.pixels)
    halves = -(-depth // BRAM18_WORDS) if depth > LUTRAM_WORDS else 0
    bram = -(-grid.groups * readers * shape.copies * shape.pixels * halves // 2)
    filled = channels * (first.high - first.low + 1) * width // (readers * lanes)
    return filled + sum(r.count + ROUND_CYCLES for r in shape.rounds), Storage("bram", bram, 0)
