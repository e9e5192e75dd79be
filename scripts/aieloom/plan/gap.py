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

from dataclasses import dataclass

from aieloom.model.tensor import TensorType
from aieloom.plan.layout import TileGrid, words_of
from aieloom.plan.types import (
    WINDOW,
    AieLayerDraft,
    GapPlan,
    GapStage,
    MoverPlan,
    PlStep,
    RasterStream,
    Streams,
    TemplateUse,
    TiledStreams,
)
from aieloom.spec.device import Device
from aieloom.spec.types import DataType

BRAM36_WORDS = 1024  # 32-bit words of one block RAM (36 Kb as 1K x 36)
URAM_WORDS = 4096  # 32-bit words of one UltraRAM (4K x 72)
BRAM_SHARE = 0.25  # an image buffer beyond this share of the block RAM goes to UltraRAM
WORD_BYTES = 4
PING_PONG = 2  # dataflow doubles an array between two processes
STREAM_LOOP_CYCLES = 4  # leaving one stream's loop and entering the next (estimate)
PIPELINE_CYCLES = 60  # depth of all processes together (estimate)
LUT_PER_STREAM = 60  # register slice, multiplexer input and control of one stream (estimate)
LUT_BASE = 3000  # address generators and control of the processes (estimate)
RASTER_BITS = 128  # memory-side streams: one array stream's rate at 312.5 MHz [AM009]


def input_streams(draft: AieLayerDraft) -> TiledStreams:
    """Return the streams that feed a layer: one per group and link, shared by the group's cores."""
    bits = draft.plio_bits
    return _tiled(draft, draft.grid.in_streams, input_words(draft.grid, draft.dtype, bits), bits)


def output_streams(draft: AieLayerDraft) -> TiledStreams:
    """Return the streams that a layer's cores drain into: one per core or chain."""
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


def raster(tensor: TensorType, bits: int = RASTER_BITS) -> RasterStream:
    """Return one stream that carries `tensor` in plain order."""
    return RasterStream(
        bits=bits, words=words_of(tensor.elements, tensor.dtype, bits), elements=tensor.elements
    )


@dataclass(frozen=True, slots=True)
class Storage:
    """The memory of an image buffer: its kind, `bram` or `uram`, and how many blocks."""

    kind: str
    bram36: int
    uram288: int


def buffer_storage(device: Device, holds: TensorType, lanes: int) -> Storage:
    """Choose the memory of an image buffer: block RAM while it is small, then UltraRAM.

    A block RAM is narrowed to the element (1K x 36 is 4K x 9); an UltraRAM is always 72 bits wide, two words of 32.
    """
    narrow = WORD_BYTES // holds.dtype.bytes if holds.quant else 1  # of bfloat16 the buffers hold float32
    bram = -(-holds.elements // (BRAM36_WORDS * narrow)) * lanes * PING_PONG
    if bram <= device.logic.bram36 * device.logic.usable_fraction * BRAM_SHARE:
        return Storage("bram", bram, 0)
    return Storage("uram", 0, -(-holds.elements // URAM_WORDS) * lanes * PING_PONG)


def _stages(
    device: Device, steps: tuple[PlStep, ...], x: TensorType
) -> tuple[tuple[GapStage, ...], TensorType]:
    """Return the buffers that WINDOW steps read, and what the last buffer holds."""
    stages, holds = [], x
    for step in steps:
        if step.kind == WINDOW:
            stages.append(GapStage(window=step, holds=holds, storage=buffer_storage(device, holds, 1).kind))
            holds = step.y
    return tuple(stages), holds


def gap_plan(
    device: Device,
    *,
    name: str,
    steps: tuple[PlStep, ...],
    source: Streams,
    sink: Streams,
    x: TensorType,
    clock_mhz: float,
) -> GapPlan:
    """Return the kernel `name` that does `steps` between `source` and `sink`; `x` is what arrives."""
    size = x.dtype.bytes * 8
    lanes = sink.bits // size
    stages, holds = _stages(device, steps, x)
    storage = buffer_storage(device, holds, lanes)
    inner = [buffer_storage(device, s.holds, 1) for s in stages]
    folds = [s.window.cycles for s in stages]
    values = beats_read(source.words, source.streams, source.bits, x.dtype)
    gathered = sink.words * sink.streams
    cycles = max(loop_cycles(values, source.streams), loop_cycles(gathered, sink.streams), *folds)
    y = steps[-1].y if steps else x
    return GapPlan(
        name=name,
        steps=steps,
        source=source,
        sink=sink,
        x=x,
        y=y,
        stages=stages,
        holds=holds,
        lanes=lanes,
        storage=storage.kind,
        clock_mhz=clock_mhz,
        cycles=cycles,
        latency_cycles=values + sum(folds) + gathered + PIPELINE_CYCLES,
        bram36=storage.bram36 + sum(b.bram36 for b in inner) + sum(s.bram36 for s in steps),
        uram288=storage.uram288 + sum(b.uram288 for b in inner),
        dsp=sum(s.dsp for s in steps),
        lut=LUT_BASE + LUT_PER_STREAM * (source.streams + sink.streams) + sum(s.lut for s in steps),
        template=TemplateUse(template="gap.cpp.j2", output=f"src/pl/{name}.cpp"),
        why=(
            *(f"image buffer for {s.window.layer}: {s.holds.elements} values in {s.storage}" for s in stages),
            f"image buffer: {holds.elements} values x {lanes} copies (one per element of an output word) "
            f"in {storage.kind}",
            f"one value a cycle in: {values} cycles; one word a cycle out: {gathered} cycles",
            *(line for s in steps for line in s.why),
        ),
    )


def side_by_side(device: Device, streams: int, bits: int) -> int:
    """Return how many streams a word of a mover's memory port serves: as many as divide their number and fit."""
    most = max(1, device.platform.axi_max_bits // bits)
    return max(d for d in range(1, most + 1) if streams % d == 0)


def mover_cycles(device: Device, words: int, streams: int, bits: int) -> int:
    """Return the cycles of an image: one memory word a cycle."""
    return words * (streams // side_by_side(device, streams, bits))


def mover_plan(
    device: Device, name: str, streams: Streams, clock_mhz: float, *, reads_memory: bool
) -> MoverPlan:
    """Return the kernel that carries `streams` from or to memory, as wide as the memory port allows.

    A memory word holds one stream word of as many streams as divide their number and fit into the port.
    """
    together = side_by_side(device, streams.streams, streams.bits)
    direction = "mm2s" if reads_memory else "s2mm"
    return MoverPlan(
        name=name,
        reads_memory=reads_memory,
        streams=streams.streams,
        bits=streams.bits,
        memory_bits=together * streams.bits,
        words=streams.words,
        clock_mhz=clock_mhz,
        cycles=mover_cycles(device, streams.words, streams.streams, streams.bits),
        bram36=15,  # burst buffers of one 512-bit m_axi port (estimate)
        lut=4000,
        template=TemplateUse(template=f"{direction}.cpp.j2", output=f"src/pl/{name}.cpp"),
    )
