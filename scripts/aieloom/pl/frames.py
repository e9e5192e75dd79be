"""PL kernels that keep whole images: what they read, do, and write, and what that costs.

One kernel, processes in dataflow, each a loop at one element or word a cycle:
read (streams, one after another, and functions of each value) -> untile into the frame buffer -> gather in the
next layer's order -> write (streams, one after another). Of more streams than one process serves well each reads, or
writes, a share; one more brings the shares in order, or deals them out. The buffer holds one image and has one copy per
element of an output word, so that a word is gathered in one cycle; dataflow doubles it (ping-pong).
A WINDOW step (a pool, a softmax) adds a frame buffer and a process that reads it: ... untile into a buffer ->
fold, and functions of each result -> the next buffer ... -> gather. Functions and reorderings commute, so that between
two buffers their order does not matter; a WINDOW commutes with nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from aieloom.network.tensor import TensorType
from aieloom.pl.ends import PING_PONG, Inlet, Outlet
from aieloom.pl.kernel import FrameStage, FrameStore, PlKernel, Sketch
from aieloom.pl.steps import JOIN, WINDOW, PlStep
from aieloom.pl.storage import Figures, Storage, buffer_storage, stored_in
from aieloom.pl.streams import shares_of
from aieloom.spec.device import Device
from aieloom.spec.types import DataType

STREAM_LOOP_CYCLES = 4  # leaving one stream's loop and entering the next (estimate)
PIPELINE_CYCLES = 60  # depth of all processes together (estimate)
LUT_PER_STREAM = 60  # register slice, multiplexer input and control of one stream (estimate)
LUT_BASE = 3000  # address generators and control of the processes (estimate)


def beats_read(words: int, streams: int, bits: int, dtype: DataType) -> int:
    """Return the cycles in which a PL kernel takes an image: one value a cycle."""
    return words * streams * (bits // (8 * dtype.bytes))


def loop_cycles(beats: int, streams: int) -> int:
    """Return the cycles of a process that serves streams one after another.

    Where several share them, the queues between hide the steps from one process to the next, not those within one.
    """
    return beats + streams * STREAM_LOOP_CYCLES


def frame_kernel(device: Device, sketch: Sketch) -> PlKernel:
    """Return the kernel with its frame buffers and its costs."""
    share = sketch.bram_share
    stages, holds = _stages(device, sketch.steps, sketch.x, share)
    entries, inlets = _entries(device, sketch, stages)
    stored = [buffer_storage(device, holds, o.lanes, share=share) for o in sketch.outlets]
    outlets = tuple(replace(o, storage=s.kind) for o, s in zip(sketch.outlets, stored, strict=True))
    buffers = [*entries, *(stored_in(s.storage, s.holds, 1) for s in stages[1:]), *stored]
    folds = [s.window.cycles for s in stages]
    values = [beats_read(i.streams.words, i.streams.streams, i.streams.bits, i.dtype) for i in inlets]
    gathered = [o.streams.words * o.streams.streams for o in outlets]
    counts = [*(i.streams.streams for i in inlets), *(o.streams.streams for o in outlets)]
    queues = sum(len(shares) for n in counts if len(shares := shares_of(n)) > 1)
    loops = [loop_cycles(beats, count) for beats, count in zip([*values, *gathered], counts, strict=True)]
    figures = Figures(
        cycles=max(*loops, *folds),
        latency_cycles=max(values) + sum(folds) + max(gathered) + PIPELINE_CYCLES,
        bram36=sum(b.bram36 for b in buffers) + sum(s.bram36 for s in sketch.steps),
        uram288=sum(b.uram288 for b in buffers),
        dsp=sum(s.dsp for s in sketch.steps),
        lut=LUT_BASE + LUT_PER_STREAM * (sum(counts) + queues) + sum(s.lut for s in sketch.steps),
        why=(
            *_buffer_notes(stages, inlets, outlets, holds),
            f"one value a cycle in: {_beats(values)} cycles; one word a cycle out: {_beats(gathered)} cycles",
            *_share_notes(inlets, outlets),
            *(line for s in sketch.steps for line in s.why),
        ),
    )
    store = FrameStore(stages=stages, holds=holds)
    return sketch.kernel(store, figures, inlets=inlets, outlets=outlets)


def _stages(
    device: Device, steps: tuple[PlStep, ...], x: TensorType, share: float
) -> tuple[tuple[FrameStage, ...], TensorType]:
    """Return the buffers that WINDOW and JOIN steps read, and what the last buffer holds."""
    stages, holds = [], x
    for step in steps:
        if step.kind in (WINDOW, JOIN):
            stages.append(
                FrameStage(
                    window=step, holds=holds, storage=buffer_storage(device, holds, 1, share=share).kind
                )
            )
            holds = step.y
    return tuple(stages), holds


def _entries(
    device: Device, sketch: Sketch, stages: Sequence[FrameStage]
) -> tuple[list[Storage], tuple[Inlet, ...]]:
    """Return the buffers of the first stage, and the inlets: before a join each has one of its own."""
    if not sketch.join:
        return [stored_in(s.storage, s.holds, 1) for s in stages[:1]], sketch.inlets
    kept = [buffer_storage(device, i.x, 1, i.depth, sketch.bram_share) for i in sketch.inlets]
    return kept, tuple(replace(i, storage=s.kind) for i, s in zip(sketch.inlets, kept, strict=True))


def _share_notes(inlets: Sequence[Inlet], outlets: Sequence[Outlet]) -> Iterator[str]:
    """Yield a line for each end whose streams several processes share."""
    ends: tuple[Inlet | Outlet, ...] = (*inlets, *outlets)
    for end in ends:
        shares = shares_of(end.streams.streams)
        if len(shares) > 1:
            yield f"{end.port}: {len(shares)} processes share {end.streams.streams} streams, at most {len(shares[0])} each"


def _beats(numbers: Sequence[int]) -> str:
    return " and ".join(map(str, numbers))


def _buffer_notes(
    stages: Sequence[FrameStage], inlets: Sequence[Inlet], outlets: Sequence[Outlet], holds: TensorType
) -> Iterator[str]:
    """Yield a line for each frame buffer."""
    for inlet in inlets if len(inlets) > 1 else ():
        most = max(i.depth for i in inlets)
        waits = (
            f", which waits for {inlet.depth - PING_PONG} more than a ping-pong"
            if inlet.depth == most
            else ""
        )
        yield (
            f"frame buffer for what {inlet.producer} sends: {inlet.x.elements} values x {inlet.depth} images "
            f"in {inlet.storage}{waits if inlet.depth > PING_PONG else ''}"
        )
    for s in stages[len(inlets) > 1 :]:
        yield f"frame buffer for {s.window.layer}: {s.holds.elements} values in {s.storage}"
    for outlet in outlets:
        yield (
            f"frame buffer{f' for {outlet.reader}' if len(outlets) > 1 else ''}: {holds.elements} values x "
            f"{outlet.lanes} copies (one per element of an output word) in {outlet.storage}"
        )
