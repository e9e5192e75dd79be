"""Layers of a streaming kernel that see neighbours: each a task with a line buffer on every way of beats.

Its line buffer has a bank for each row and each column that the windows of a beat see, so that a beat of results leaves
in every cycle however many places a window has. A window that is the whole image needs no place of the image
twice: there a fold for each channel takes what comes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from aieloom.pl.line_store import LOOP_CYCLES, LineStage
from aieloom.pl.lines.memory import FIFO_DEPTH, queue_of, stage_memories
from aieloom.pl.lines.schedule import Rows, Schedule, rings
from aieloom.pl.lines.shape import Shape, Ways, bands_of, rows_seen, sees_image
from aieloom.pl.steps import Lines, Passes, PlStep
from aieloom.spec.device import Device

MOST_TAPS = 64  # places of a window that are folded in one cycle
FLOAT_BYTES = 4
TAKE_CYCLES = 2  # to look up and put back the fold of a channel (estimate)


@dataclass(frozen=True, slots=True)
class _Way:
    """A layer on every way: what comes to it, and what it is asked to send."""

    step: PlStep
    beat: int
    out_beat: int
    bands: tuple[Rows, ...]
    channels: int
    count: int
    wraps: bool


def stages_of(
    device: Device, shape: Shape, ways: Ways, nearly: float
) -> tuple[tuple[LineStage, ...], tuple[Rows, ...]]:
    """Return a kernel's stages on so many ways, each as fast as it may be, and the bands that reach the writers."""
    bands, channels = bands_of(shape, ways), shape.channels(ways)
    found: list[LineStage] = []
    for step, (beat, out_beat) in zip(shape.windows, pairwise(shape.beats), strict=True):
        way = _Way(step, beat, out_beat, bands, channels, ways.count, shape.wraps and not found)
        found.append(_stage(device, way, nearly))
        bands = tuple(_sent(way))
    return tuple(found), bands


def _stage(device: Device, way: _Way, nearly: float) -> LineStage:
    if way.step.passes:
        return _passes(device, way, way.step.passes)
    return _folds(way) if sees_image(way.step) else _least(device, way, nearly)


def _sent(way: _Way) -> Iterator[Rows]:
    """Yield the rows that a stage sends: of all channels of its way, one row after another."""
    channels, height, width = way.step.y.shape
    if way.step.passes:  # no more than there are
        return iter((Rows(0, 0, 0, channels),))
    return (Rows(y, y, y, way.channels * (width // way.out_beat)) for y in range(height))


def _folds(way: _Way) -> LineStage:
    """Return the stage of a window that is the image."""
    lines, beats = way.step.lines, sum(b.count for b in way.bands)
    assert lines is not None
    together = lines.cycles * (way.beat if lines.dsp else 1)  # floats are added one after another
    take = together + TAKE_CYCLES - 1
    return LineStage(
        step=way.step,
        whole=True,
        beat=way.beat,
        out_beat=way.out_beat,
        depth=way.channels,
        storage="lutram",
        bands=tuple(b.count for b in way.bands),
        needs=(beats,),
        room=(beats,),
        round_beats=way.channels,
        cycles=beats * take + way.channels + 2 * LOOP_CYCLES,
        take_cycles=take,
    )


def _passes(device: Device, way: _Way, passes: Passes) -> LineStage:
    """Return the stage of a layer that goes over all channels several times."""
    channels, beats = way.step.x.shape[0], sum(b.count for b in way.bands)
    size = 8 * (way.step.x.dtype.bytes if way.step.x.quant else FLOAT_BYTES)
    queues = tuple(
        queue_of(
            device,
            f"{way.step.layer}_{q.name}",
            q.what,
            images=2,
            depth=2 * q.each * channels + FIFO_DEPTH,
            bits=8 * FLOAT_BYTES if q.is_float else size,
        )
        for q in passes.queues
    )
    return LineStage(
        step=way.step,
        whole=False,
        beat=way.beat,
        out_beat=way.out_beat,
        depth=channels,
        storage=max((q.storage for q in queues), key=("lutram", "bram", "uram").index),
        bands=tuple(b.count for b in way.bands),
        needs=(beats,),
        room=(beats,),
        round_beats=channels,
        cycles=passes.interval(beats, channels),
        delay=passes.delay(channels),
        queues=queues,
    )


def _least(device: Device, way: _Way, nearly: float) -> LineStage:
    """Return the fastest stage with the least memory."""
    lines, height = way.step.lines, way.step.x.shape[1]
    assert lines is not None
    row = way.channels * (way.step.y.shape[2] // way.out_beat)
    seen = (rows_seen(lines, y, y, height) for y in range(way.step.y.shape[1]))
    rounds = tuple(Rows(low, high, high, row) for low, high in seen)
    tried = [
        _with_rows(device, way, row, *ring) for ring in rings(way.bands, rounds, height, lines.kernel[0])
    ]
    fastest = min(t.cycles for t in tried)
    near = [t for t in tried if t.cycles <= nearly * fastest]
    return min(near, key=lambda t: (sum(stage_memories(device, t, way.count)[1:]), t.rows))


def _with_rows(device: Device, way: _Way, row: int, held: int, plan: Schedule) -> LineStage:
    """Return the stage whose ring has `held` rows, and which sends `row` beats a round."""
    lines, (_, height, width) = way.step.lines, way.step.x.shape
    assert lines is not None
    row_banks = lines.kernel[0]
    banks = -(-_columns_seen(lines, way.out_beat) // way.beat) * way.beat
    kept, columns = held // row_banks, -(-width // banks)
    made = LineStage(
        step=way.step,
        whole=False,
        beat=way.beat,
        out_beat=way.out_beat,
        wraps=way.wraps,
        row_banks=row_banks,
        banks=banks,
        rows=held,
        columns=columns,
        depth=way.channels * kept * columns,
        turn=-(-height // row_banks) % kept * way.channels * columns,
        storage="bram",
        bands=tuple(b.count for b in way.bands),
        needs=plan.needs,
        room=plan.room,
        round_beats=row,
        cycles=plan.cycles,
    )
    return replace(made, storage=stage_memories(device, made, way.count)[0])


def _columns_seen(lines: Lines, beat: int) -> int:
    """Return how many neighbouring columns the windows of `beat` results see together at most."""
    up, stride = lines.up[1], lines.stride[1]
    apart = max((x + beat - 1) // up - x // up for x in range(0, up * beat, beat))
    return apart * stride + lines.kernel[1]
