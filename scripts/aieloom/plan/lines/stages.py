"""Layers of a streaming kernel that see neighbours: each a task with a line buffer behind every reader.

Its line buffer has a bank for each row and each column that the windows of a beat see, so that a beat of results leaves
in every cycle however many places a window has. A window that is the whole image needs no place of the image
twice: there a fold for each channel takes what comes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from aieloom.plan.lines.memory import stage_memories
from aieloom.plan.lines.schedule import Rows, rows_held, schedule
from aieloom.plan.lines.shape import Shape, bands_of, rows_seen
from aieloom.plan.logic import Lines, LineStage, PlStep
from aieloom.spec.device import Device

NEARLY = 1.1  # what is chosen loses at most a tenth against the most there can be
MOST_TAPS = 64  # places of a window that are folded in one cycle
TAKE_CYCLES = 2  # to look up and put back the fold of a channel (estimate)


@dataclass(frozen=True, slots=True)
class _Way:
    """A layer in the way of every reader: what comes to it, and what it is asked to send."""

    step: PlStep
    beat: int
    out_beat: int
    bands: tuple[Rows, ...]
    channels: int
    readers: int


def stages_of(device: Device, shape: Shape, readers: int) -> tuple[tuple[LineStage, ...], tuple[Rows, ...]]:
    """Return a kernel's stages with so many readers, and the bands that reach the writers."""
    bands, channels = bands_of(shape, readers), shape.channels(readers)
    found: list[LineStage] = []
    for step, (beat, out_beat) in zip(shape.windows, pairwise(shape.beats), strict=True):
        way = _Way(step, beat, out_beat, bands, channels, readers)
        found.append(_folds(way) if sees_image(step) else _least(device, way))
        bands = tuple(_sent(way))
    return tuple(found), bands


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


def _sent(way: _Way) -> Iterator[Rows]:
    """Yield the rows that a stage sends: of all channels of its reader, one row after another."""
    _, height, width = way.step.y.shape
    return (Rows(y, y, y, way.channels * (width // way.out_beat)) for y in range(height))


def _least(device: Device, way: _Way) -> LineStage:
    """Return the stage with the shortest rounds that come near the fastest."""
    choices = [_with_rounds(device, way, rows) for rows in range(1, way.step.y.shape[1] + 1)]
    least = min(c.cycles for c in choices)
    return next(c for c in choices if c.cycles <= NEARLY * least)


def _folds(way: _Way) -> LineStage:
    """Return the stage of a window that is the image."""
    lines = way.step.lines
    assert lines is not None
    together = lines.cycles * (way.beat if lines.dsp else 1)  # floats are added one after another
    return LineStage(
        step=way.step,
        whole=True,
        beat=way.beat,
        out_beat=way.out_beat,
        row_banks=1,
        banks=1,
        rows=1,
        columns=1,
        depth=way.channels,
        storage="lutram",
        bands=tuple(b.count for b in way.bands),
        round_rows=1,
        before=(sum(b.count for b in way.bands),),
        during=(0,),
        sends=(way.channels,),
        take_cycles=together + TAKE_CYCLES - 1,
    )


def _with_rounds(device: Device, way: _Way, round_rows: int) -> LineStage:
    """Return the stage that sends `round_rows` rows between two stops."""
    step, bands = way.step, way.bands
    lines, (_, height, width) = step.lines, step.x.shape
    assert lines is not None
    row = way.channels * (step.y.shape[2] // way.out_beat)
    rounds = []
    for first in range(0, step.y.shape[1], round_rows):
        last = min(first + round_rows, step.y.shape[1]) - 1
        low, high = rows_seen(lines, first, last, height)
        rounds.append(Rows(low, high, high, row * (last - first + 1)))
    before, during = schedule(bands, rounds)
    span = rows_held(bands, rounds, before, during, height)
    row_banks = lines.kernel[0]
    banks = -(-_columns_seen(lines, way.out_beat) // way.beat) * way.beat
    rows, columns = -(-span // row_banks) * row_banks, -(-width // banks)
    made = LineStage(
        step=step,
        whole=False,
        beat=way.beat,
        out_beat=way.out_beat,
        row_banks=row_banks,
        banks=banks,
        rows=rows,
        columns=columns,
        depth=way.channels * (rows // row_banks) * columns,
        storage="bram",
        bands=tuple(b.count for b in bands),
        round_rows=round_rows,
        before=before,
        during=during,
        sends=tuple(r.count for r in rounds),
    )
    return replace(made, storage=stage_memories(device, made, way.readers)[0])


def _columns_seen(lines: Lines, beat: int) -> int:
    """Return how many neighbouring columns the windows of `beat` results see together at most."""
    up, stride = lines.up[1], lines.stride[1]
    apart = max((x + beat - 1) // up - x // up for x in range(0, up * beat, beat))
    return apart * stride + lines.kernel[1]
