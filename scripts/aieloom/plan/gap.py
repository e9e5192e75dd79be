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

from collections.abc import Sequence
from dataclasses import dataclass

from aieloom.model.tensor import TensorType
from aieloom.plan.layout import words_of
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

BRAM36_WORDS = 1024  # 32-bit words of one block RAM (36 Kb as 1K x 36)
URAM_WORDS = 4096  # 32-bit words of one UltraRAM (4K x 72)
BRAM_KEPT = 100  # block RAMs left for tables and data movers where image buffers compete
BRAM_SHARE = 0.25  # an image buffer beyond this share of the block RAM goes to UltraRAM
PING_PONG = 2  # dataflow doubles an array between two processes
STREAM_LOOP_CYCLES = 4  # leaving one stream's loop and entering the next (estimate)
PIPELINE_CYCLES = 60  # depth of all processes together (estimate)
LUT_PER_STREAM = 60  # register slice, multiplexer input and control of one stream (estimate)
LUT_BASE = 3000  # address generators and control of the processes (estimate)
RASTER_BITS = 128  # memory-side streams: one array stream's rate at 312.5 MHz [AM009]


def input_streams(draft: AieLayerDraft) -> TiledStreams:
    """Return the streams that feed a layer: one per group, shared by the group's cores."""
    grid = draft.grid
    words = words_of(grid.rounds * grid.passes * grid.in_elements, draft.dtype, draft.plio_bits)
    return _tiled(draft, grid.groups, words)


def output_streams(draft: AieLayerDraft) -> TiledStreams:
    """Return the streams that a layer's cores drain into: one per core."""
    words = words_of(draft.grid.rounds * draft.grid.out_elements, draft.dtype, draft.plio_bits)
    return _tiled(draft, draft.grid.cores, words)


def _tiled(draft: AieLayerDraft, streams: int, words: int) -> TiledStreams:
    return TiledStreams(
        layer=draft.name,
        grid=draft.grid,
        window=draft.window,
        bits=draft.plio_bits,
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
    """The memory of an image buffer, and how many blocks of it."""

    kind: str
    bram36: int
    uram288: int


def storages(device: Device, buffers: Sequence[tuple[int, int]]) -> list[Storage]:
    """Choose the memories of all image buffers, each given as (elements, lanes).

    Block RAM while a buffer is small, then UltraRAM; where that runs out, the smaller ones go back to block RAM.
    """
    logic = device.logic
    in_bram = [Storage("bram", -(-n // BRAM36_WORDS) * lanes * PING_PONG, 0) for n, lanes in buffers]
    in_uram = [Storage("uram", 0, -(-n // URAM_WORDS) * lanes * PING_PONG) for n, lanes in buffers]
    share = logic.bram36 * logic.usable_fraction * BRAM_SHARE
    found = [b if b.bram36 <= share else u for b, u in zip(in_bram, in_uram, strict=True)]
    for i in sorted(range(len(found)), key=lambda i: in_bram[i].bram36):
        full = sum(s.uram288 for s in found) > logic.uram288 * logic.usable_fraction
        room = logic.bram36 * logic.usable_fraction - sum(s.bram36 for s in found) - BRAM_KEPT
        if full and in_bram[i].bram36 <= room:
            found[i] = in_bram[i]
    return found


def lanes_of(sink: Streams, x: TensorType) -> int:
    """Return how many elements an output word holds: as many copies of the image buffer are read at once."""
    return sink.bits // (x.dtype.bytes * 8)


def buffers_of(steps: Sequence[PlStep], x: TensorType, sink: Streams) -> tuple[tuple[TensorType, int], ...]:
    """Return the image buffers of a gap's kernel as (what it holds, lanes): one before each window, then the last."""
    inner, holds = [], x
    for step in steps:
        if step.kind == WINDOW:
            inner.append((holds, 1))
            holds = step.y
    return (*inner, (holds, lanes_of(sink, x)))


def gap_plan(
    *,
    name: str,
    steps: tuple[PlStep, ...],
    source: Streams,
    sink: Streams,
    x: TensorType,
    storage: Sequence[Storage],
    clock_mhz: float,
) -> GapPlan:
    """Return the kernel `name` that does `steps` between `source` and `sink`; `x` is what arrives.

    `storage` has the memory of each of `buffers_of`.
    """
    size = x.dtype.bytes * 8
    buffers = buffers_of(steps, x, sink)
    windows = [step for step in steps if step.kind == WINDOW]
    stages = tuple(
        GapStage(window=step, holds=held, storage=memory.kind)
        for step, (held, _), memory in zip(windows, buffers, storage, strict=False)
    )
    holds, lanes = buffers[-1]
    folds = [step.window.cycles for step in stages]
    values = source.words * source.streams * (source.bits // size)
    gathered = sink.words * sink.streams
    cycles = max(
        values + source.streams * STREAM_LOOP_CYCLES, gathered + sink.streams * STREAM_LOOP_CYCLES, *folds
    )
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
        storage=storage[-1].kind,
        clock_mhz=clock_mhz,
        cycles=cycles,
        latency_cycles=values + sum(folds) + gathered + PIPELINE_CYCLES,
        bram36=sum(b.bram36 for b in storage) + sum(s.bram36 for s in steps),
        uram288=sum(b.uram288 for b in storage),
        dsp=sum(s.dsp for s in steps),
        lut=LUT_BASE + LUT_PER_STREAM * (source.streams + sink.streams) + sum(s.lut for s in steps),
        template=TemplateUse(template="gap.cpp.j2", output=f"src/pl/{name}.cpp"),
        why=(
            *(f"image buffer for {s.window.layer}: {s.holds.elements} values in {s.storage}" for s in stages),
            f"image buffer: {holds.elements} values x {lanes} copies (one per element of an output word) "
            f"in {storage[-1].kind}",
            f"one value a cycle in: {values} cycles; one word a cycle out: {gathered} cycles",
            *(line for s in steps for line in s.why),
        ),
    )


def mover_plan(
    device: Device, name: str, streams: Streams, clock_mhz: float, *, reads_memory: bool
) -> MoverPlan:
    """Return the kernel that carries `streams` from or to memory, as wide as the memory port allows.

    A memory word holds one stream word of as many streams as divide their number and fit into the port.
    """
    most = max(1, device.platform.axi_max_bits // streams.bits)
    together = max(d for d in range(1, most + 1) if streams.streams % d == 0)
    direction = "mm2s" if reads_memory else "s2mm"
    return MoverPlan(
        name=name,
        reads_memory=reads_memory,
        streams=streams.streams,
        bits=streams.bits,
        memory_bits=together * streams.bits,
        words=streams.words,
        clock_mhz=clock_mhz,
        cycles=streams.words * (streams.streams // together),
        bram36=15,  # burst buffers of one 512-bit m_axi port (estimate)
        lut=4000,
        template=TemplateUse(template=f"{direction}.cpp.j2", output=f"src/pl/{name}.cpp"),
    )
