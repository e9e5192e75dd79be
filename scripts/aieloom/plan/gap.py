"""PL kernels between AIE layers: what they read, do, and write, and what that costs.

One kernel per gap, processes in dataflow, each a loop at one element or word a cycle:
read (streams, one after another) -> functions of each value -> untile into the image buffer -> gather in the
next layer's order -> write (streams, one after another). The buffer holds one image and has one copy per
element of an output word, so that a word is gathered in one cycle; dataflow doubles it (ping-pong).
A WINDOW step (a pool, a softmax) adds an image buffer and a process that reads it: ... untile into a buffer ->
fold -> functions of each result -> the next buffer ... -> gather. Functions and reorderings commute, so that between
two buffers their order does not matter; a WINDOW commutes with nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import gcd

import numpy as np

from aieloom.model.tensor import TensorType
from aieloom.plan.layout import TILED, TileGrid, words_of
from aieloom.plan.linked_grid import LinkedGrid
from aieloom.plan.logic import (
    PING_PONG,
    GapPlan,
    GapStage,
    Inlet,
    MoverPlan,
    Outlet,
    RasterStream,
    Streams,
    TiledStreams,
)
from aieloom.plan.steps import JOIN, WINDOW, PlStep
from aieloom.plan.template import TemplateUse
from aieloom.plan.types import AieLayerDraft
from aieloom.plan.weights import BITS, StreamedWeights
from aieloom.spec.device import Device
from aieloom.spec.types import DataType

CHAIN_TEMPLATE = "gap.cpp.j2"  # one inlet, one outlet, elements of one type
BRAM36_WORDS = 1024  # 32-bit words of one block RAM (36 Kb as 1K x 36)
MOVER_BRAM36 = 15  # burst buffers of one 512-bit m_axi port (estimate)
URAM_WORDS = 4096  # 32-bit words of one UltraRAM (4K x 72)
BRAM_SHARE = 0.25  # an image buffer beyond this share of the block RAM goes to UltraRAM
WORD_BYTES = 4
STREAM_LOOP_CYCLES = 4  # leaving one stream's loop and entering the next (estimate)
PIPELINE_CYCLES = 60  # depth of all processes together (estimate)
LUT_PER_STREAM = 60  # register slice, multiplexer input and control of one stream (estimate)
LUT_BASE = 3000  # address generators and control of the processes (estimate)
MOST_TOGETHER = 16  # values of a beat inside a streaming kernel
MOST_STREAMS = 16  # that one loop serves: as many as AMD's switch for AXI streams [PG085]; see plan.fanout
RASTER_BITS = 128  # memory-side streams: one array stream's rate at 312.5 MHz [AM009]


def input_streams(draft: AieLayerDraft) -> TiledStreams:
    """Return the streams that feed a layer: one per group and link, shared by the group's cores."""
    if isinstance(draft.grid, LinkedGrid):
        assert draft.grid.entry is not None
        return draft.grid.entry
    bits = draft.plio_bits
    return _tiled(draft, draft.grid.in_streams, input_words(draft.grid, draft.dtype, bits), bits)


def output_streams(draft: AieLayerDraft) -> TiledStreams:
    """Return the streams that a layer's cores drain into: one per core or chain."""
    if isinstance(draft.grid, LinkedGrid):
        assert draft.grid.exit is not None
        return draft.grid.exit
    bits = draft.out_bits
    return _tiled(draft, draft.grid.chains, output_words(draft.grid, draft.dtype, bits), bits)


def input_words(grid: TileGrid, dtype: DataType, bits: int) -> int:
    """Return the stream words of one image on each input stream of a layer that is cut so."""
    return words_of(grid.rounds * grid.passes * grid.in_elements, dtype, bits)


def output_words(grid: TileGrid, dtype: DataType, bits: int) -> int:
    """Return the stream words of one image on each output stream of a layer that is cut so."""
    return words_of(grid.rounds * grid.out_elements, dtype, bits)


def beats_read(words: int, streams: int, bits: int, dtype: DataType) -> int:
    """Return the cycles in which a PL kernel takes an image: one value a cycle."""
    return words * streams * (bits // (8 * dtype.bytes))


def loop_cycles(beats: int, streams: int) -> int:
    """Return the cycles of a process that serves streams one after another."""
    return beats + streams * STREAM_LOOP_CYCLES


def _tiled(draft: AieLayerDraft, streams: int, words: int, bits: int) -> TiledStreams:
    return TiledStreams(
        layer=draft.name,
        grid=draft.grid,
        window=draft.window,
        bits=bits,
        streams=streams,
        words=words,
    )


def raster(tensor: TensorType) -> RasterStream:
    """Return one stream that carries `tensor` in plain order, to or from memory."""
    words = words_of(tensor.elements, tensor.dtype, RASTER_BITS)
    return RasterStream(bits=RASTER_BITS, words=words, elements=tensor.elements, dtype=tensor.dtype)


def by_row(tensor: TensorType) -> RasterStream:
    """Return one stream that carries `tensor` inside the PL, row by row, in beats that divide a row.

    A beat has as many values as a word of an array stream, up to twice as many where no such number divides a row.
    """
    dtype = DataType.FLOAT32 if tensor.dtype is DataType.BFLOAT16 else tensor.dtype
    enough = min(MOST_TOGETHER, RASTER_BITS // (8 * dtype.bytes))
    fits = [n for n in range(1, 2 * enough) if tensor.shape[2] % n == 0]
    beat = next((n for n in fits if n >= enough), fits[-1])
    return RasterStream(
        bits=beat * 8 * dtype.bytes,
        words=tensor.elements // beat,
        elements=tensor.elements,
        dtype=dtype,
        by_row=True,
    )


@dataclass(frozen=True, slots=True)
class Storage:
    """The memory of an image buffer: its kind, `bram` or `uram`, and how many blocks."""

    kind: str
    bram36: int
    uram288: int


def buffer_storage(
    device: Device, holds: TensorType, lanes: int, depth: int = PING_PONG, share: float = BRAM_SHARE
) -> Storage:
    """Choose the memory of an image buffer of `depth` images: block RAM up to a share of it, then UltraRAM."""
    bram = stored_in("bram", holds, lanes, depth)
    if bram.bram36 <= device.logic.bram36 * device.logic.usable_fraction * share:
        return bram
    return stored_in("uram", holds, lanes, depth)


def stored_in(kind: str, holds: TensorType, lanes: int, depth: int = PING_PONG) -> Storage:
    """Return the blocks of a kind of memory that an image buffer takes.

    A block RAM is narrowed to the element (1K x 36 is 4K x 9); an UltraRAM is always 72 bits wide, two words of 32.
    """
    narrow = WORD_BYTES // holds.dtype.bytes if holds.quant else 1  # of bfloat16 the buffers hold float32
    if kind == "bram":
        return Storage(kind, -(-holds.elements // (BRAM36_WORDS * narrow)) * lanes * depth, 0)
    return Storage(kind, 0, -(-holds.elements // URAM_WORDS) * lanes * depth)


def _stages(
    device: Device, steps: tuple[PlStep, ...], x: TensorType, share: float
) -> tuple[tuple[GapStage, ...], TensorType]:
    """Return the buffers that WINDOW and JOIN steps read, and what the last buffer holds."""
    stages, holds = [], x
    for step in steps:
        if step.kind in (WINDOW, JOIN):
            kept = buffer_storage(device, holds, 1, share=share)
            stages.append(GapStage(window=step, holds=holds, storage=kept.kind))
            holds = step.y
    return tuple(stages), holds


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


def gap_plan(device: Device, sketch: Sketch) -> GapPlan:
    """Return the kernel with its buffers, its costs and its template."""
    steps, x = sketch.steps, sketch.inlets[0].x
    share = sketch.bram_share
    stages, holds = _stages(device, steps, x, share)
    stored = [buffer_storage(device, holds, o.lanes, share=share) for o in sketch.outlets]
    outlets = tuple(replace(o, storage=s.kind) for o, s in zip(sketch.outlets, stored, strict=True))
    inner = [stored_in(s.storage, s.holds, 1) for s in stages]
    joins = bool(steps) and steps[0].kind == JOIN
    kept = [buffer_storage(device, i.x, 1, i.depth, share) for i in sketch.inlets] if joins else inner[:1]
    inlets = (
        tuple(replace(i, storage=s.kind) for i, s in zip(sketch.inlets, kept, strict=True))
        if joins
        else sketch.inlets
    )
    buffers = [*kept, *inner[1:], *stored]
    folds = [s.window.cycles for s in stages]
    values = [beats_read(i.streams.words, i.streams.streams, i.streams.bits, i.dtype) for i in inlets]
    gathered = [o.streams.words * o.streams.streams for o in outlets]
    counts = [*(i.streams.streams for i in inlets), *(o.streams.streams for o in outlets)]
    loops = [loop_cycles(beats, count) for beats, count in zip([*values, *gathered], counts, strict=True)]
    plain = len(inlets) == len(outlets) == 1 and inlets[0].dtype is outlets[0].dtype is x.dtype
    return GapPlan(
        name=sketch.name,
        steps=steps,
        inlets=inlets,
        outlets=outlets,
        read_order=sketch.read_order,
        x=x,
        y=steps[-1].y if steps else x,
        stages=stages,
        holds=holds,
        clock_mhz=sketch.clock_mhz,
        cycles=max(*loops, *folds),
        latency_cycles=max(values) + sum(folds) + max(gathered) + PIPELINE_CYCLES,
        bram36=sum(b.bram36 for b in buffers) + sum(s.bram36 for s in steps),
        uram288=sum(b.uram288 for b in buffers),
        dsp=sum(s.dsp for s in steps),
        lut=LUT_BASE + LUT_PER_STREAM * sum(counts) + sum(s.lut for s in steps),
        template=TemplateUse(
            template=CHAIN_TEMPLATE if plain else "junction.cpp.j2", output=f"src/pl/{sketch.name}.cpp"
        ),
        why=(
            *_buffer_notes(stages, inlets, outlets, holds),
            f"one value a cycle in: {_beats(values)} cycles; one word a cycle out: {_beats(gathered)} cycles",
            *(line for s in steps for line in s.why),
        ),
    )


def _beats(numbers: Sequence[int]) -> str:
    return " and ".join(map(str, numbers))


def _buffer_notes(
    stages: Sequence[GapStage], inlets: Sequence[Inlet], outlets: Sequence[Outlet], holds: TensorType
) -> Iterator[str]:
    """Yield a line for each image buffer."""
    for inlet in inlets if len(inlets) > 1 else ():
        most = max(i.depth for i in inlets)
        waits = (
            f", which waits for {inlet.depth - PING_PONG} more than a ping-pong"
            if inlet.depth == most
            else ""
        )
        yield (
            f"image buffer for what {inlet.producer} sends: {inlet.x.elements} values x {inlet.depth} images "
            f"in {inlet.storage}{waits if inlet.depth > PING_PONG else ''}"
        )
    for s in stages[len(inlets) > 1 :]:
        yield f"image buffer for {s.window.layer}: {s.holds.elements} values in {s.storage}"
    for outlet in outlets:
        yield (
            f"image buffer{f' for {outlet.reader}' if len(outlets) > 1 else ''}: {holds.elements} values x "
            f"{outlet.lanes} copies (one per element of an output word) in {outlet.storage}"
        )


def side_by_side(device: Device, streams: int, bits: int) -> int:
    """Return how many streams a word of a mover's memory port serves: the largest power of two that divides them and fits.

    HLS has no ports of other widths: it pads their elements in memory, which the host program does not [UG1448 214-233].
    """
    return gcd(streams, max(1, device.platform.axi_max_bits // bits))  # of a power of two


def mover_cycles(device: Device, words: int, streams: int, bits: int) -> int:
    """Return the cycles of an image: one memory word a cycle."""
    return words * (streams // side_by_side(device, streams, bits))


def mover_plan(
    device: Device, name: str, streams: Streams, clock_mhz: float, *, reads_memory: bool
) -> MoverPlan:
    """Return the kernel that carries `streams` from or to memory, as wide as the memory port allows.

    A memory word holds one stream word of as many streams as `side_by_side` says.
    """
    shape = streams.streams, streams.bits, streams.words
    return _mover(device, name, shape, clock_mhz, reads_memory=reads_memory)


def pixel_columns(draft: AieLayerDraft) -> int | None:
    """Return the columns of a block of an image of one pixel, all but the first of which fill up.

    None: the image has more pixels, or streams do not carry whole memory words of channels each, one after another.
    """
    grid = draft.grid
    if grid.order != TILED or draft.x.shape[1:] != (1, 1) or draft.x.rows:
        return None
    lanes, columns = draft.plio_bits // (8 * draft.dtype.bytes), grid.mmul[2]
    alone = grid.groups == grid.rounds == 1 and grid.tile_n == columns
    whole = grid.cascade == 1 or (grid.passes == 1 and grid.tile_k % lanes == 0)
    return columns if alone and whole and columns > 1 and lanes % columns == 0 else None


def in_plain_order(draft: AieLayerDraft) -> bool:
    """Tell whether a layer's one stream carries an image as memory holds it, so that nobody need tile it."""
    streams, count = input_streams(draft), draft.x.elements
    if streams.streams > 1 or streams.words != words_of(count, draft.dtype, streams.bits):
        return False
    order = streams.grid.inputs(streams.window).flat()[:count]
    return len(order) == count and bool((order == np.arange(count)).all())


def pixel_mover(mover: MoverPlan, columns: int, dtype: DataType) -> MoverPlan:
    """Return the mover of images of one pixel, which lie in memory as they are: it adds the columns that fill up.

    It reads a stream word's bits at a time. Of several streams, one for each link of a chain of cores, it fills all at once.
    """
    read = mover.streams * -(-mover.words // columns)  # memory words
    return replace(
        mover,
        spread=columns,
        memory_bits=mover.bits,
        cycles=max(read, mover.words),
        element_bits=8 * dtype.bytes,
        template=TemplateUse(
            template="mm2s_pixel.cpp.j2" if mover.streams == 1 else "mm2s_pixels.cpp.j2",
            output=mover.template.output,
        ),
    )


def weight_mover(device: Device, layer: str, table: StreamedWeights, clock_mhz: float) -> MoverPlan:
    """Return the kernel that sends a layer's weights from memory, once."""
    shape = table.streams, BITS, table.stream_words
    return _mover(device, f"weights_{layer}", shape, clock_mhz, reads_memory=True)


def _mover(
    device: Device, name: str, shape: tuple[int, int, int], clock_mhz: float, *, reads_memory: bool
) -> MoverPlan:
    streams, bits, words = shape
    together = side_by_side(device, streams, bits)
    direction = "mm2s" if reads_memory else "s2mm"
    return MoverPlan(
        name=name,
        reads_memory=reads_memory,
        streams=streams,
        bits=bits,
        memory_bits=together * bits,
        words=words,
        clock_mhz=clock_mhz,
        cycles=mover_cycles(device, words, streams, bits),
        bram36=MOVER_BRAM36,
        lut=4000,
        template=TemplateUse(template=f"{direction}.cpp.j2", output=f"src/pl/{name}.cpp"),
    )
