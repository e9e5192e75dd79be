"""Streaming PL kernels between AIE layers: readers and writers side by side, line buffers in place of frames.

One task per share of the incoming channels reads, computes and passes on one beat (a few neighbouring pixels of a
channel) a cycle, or one on each of several ways, where several channels lie in a word; one task per outgoing stream
keeps the rows that its next tiles need and sends one word a cycle. Every line buffer is an array of its writer alone,
in as many memories that no cycle reads or writes more than one word of any: a way has its own banks, neighbouring
pixels lie in neighbouring banks, and rows of K that share a word have copies. A writer never stops between images: in
each step it sends a word, if the rows that the word's tile reads have come, and takes a beat of each way, if its rows'
places are free. What may be sent and taken when is a schedule made here: rows go into places that no tile reads any
more, and a tile waits `SETTLE_CYCLES` steps for its last beats, which covers the pipeline's depth. Layers that see
neighbours (pools, borders) are stages between a reader and the writers, and work as writers do. One that goes over all
channels of a pixel several times is a chain of tasks (`pl.passes`), on one way.

Why nothing waits for ever. Every task takes and sends a fixed number of beats of each image, and a result only after
what it sees; so behind a reader each task's next step waits for the one before it, and the first of them for the
array, which has all that it needs. A round's beats always have places before it is sent, and readers' tiles come round
after round. A task looks whether a beat has come and goes on if not, so that the last image leaves without a next one; when it
looks changes when a beat is taken, never what is sent. It waits for a beat only with nothing in its pipeline.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from aieloom.pl.ends import Inlet, Outlet
from aieloom.pl.line_store import LOOP_CYCLES, LinePart, LineStage, LineTasks
from aieloom.pl.lines.latency import latency
from aieloom.pl.lines.memory import (
    lutram_luts,
    memories,
    reader_luts,
    stage_dsp,
    stage_lutram,
    stage_luts,
    stage_memories,
    table_bram,
    writer_luts,
)
from aieloom.pl.lines.schedule import Rows, Schedule, rings
from aieloom.pl.lines.shape import (
    Level,
    Shape,
    Ways,
    divisors,
    levels_of,
    may_copy,
    may_wrap,
    shape_of,
)
from aieloom.pl.lines.stages import stages_of
from aieloom.pl.lines.streamable import CannotStream
from aieloom.pl.steps import PlStep
from aieloom.pl.streams import MOST_STREAMS
from aieloom.spec.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A part before its tasks are planned."""

    name: str
    what: str
    steps: tuple[PlStep, ...]
    inlet: Inlet
    outlet: Outlet
    nearly: float  # times the fewest cycles that it may take for less memory


@lru_cache(maxsize=1 << 13)  # kernels of different designs have most of their parts in common
def part_of(device: Device, wanted: Wanted) -> LinePart:
    """Return the part that does its steps with line buffers, each way's share of the channels apart from the others'.

    Of those that are nearly as fast as the fastest it is the one that takes the least of the device.

    Raises:
        CannotStream: the readers that the user wants do not divide the channels.
    """
    x, source, sink = wanted.inlet.x, wanted.inlet.streams, wanted.outlet.streams
    levels, late = levels_of(wanted.steps, sink)
    windows = tuple(level.window for level in levels if level.window)
    shapes = [shape_of(source, sink, x, windows, late)]
    if may_wrap(source, x, windows):
        shapes.append(shape_of(source, sink, x, windows, late, wraps=True))
    if may_copy(source, windows) and shapes[0].pixels > 1:
        shapes.append(shape_of(source, sink, x, windows, late, singly=True))
    readers = _asked(shapes[0], wanted.steps)
    tried = [
        _part(device, wanted, shape, ways, levels) for shape in shapes for ways in _spread(shape, readers)
    ]
    fastest = min(t.cycles for t in tried)
    return min((t for t in tried if t.cycles <= wanted.nearly * fastest), key=lambda t: _share(device, t))


def _spread(shape: Shape, readers: int | None) -> tuple[Ways, ...]:
    """Return the ways that there may be; where nobody says how many readers, those with few streams each if there are any."""
    found = shape.ways(readers)
    few = tuple(w for w in found if shape.source.streams <= MOST_STREAMS * w.readers)
    return found if readers else few or found[-1:]


def _asked(shape: Shape, steps: Sequence[PlStep]) -> int | None:
    """Return the readers that the user wants.

    Raises:
        CannotStream: they do not divide the channels.
    """
    layer, readers = next(((s.layer, s.readers) for s in steps if s.readers), ("", None))
    if readers is None:
        return None
    if shape.parts % readers:
        legal = ", ".join(map(str, divisors(shape.parts)))
        text = (
            f"{readers} readers, but the channels come in {shape.parts} parts, "
            "and each reader takes as many of them as the others"
        )
        raise CannotStream("stream-2", layer, "readers", text, f"use one of {legal}")
    if readers != 1 and shape.on_one_way:
        text = f"{readers} readers, but layer '{shape.on_one_way}' takes all channels one after another"
        raise CannotStream("stream-2", layer, "readers", text, "use readers: 1, or leave it out")
    return readers


def _share(device: Device, part: LinePart) -> float:
    """Return what a part takes of the device, all kinds of logic alike."""
    logic = device.logic
    memory = part.bram36 / logic.bram36 + part.uram288 / max(1, logic.uram288)
    return memory + part.lut / logic.lut + part.dsp / logic.dsp


def _part(device: Device, wanted: Wanted, shape: Shape, ways: Ways, levels: Sequence[Level]) -> LinePart:
    """Return the part of this shape with so many ways."""
    made = _tasks(device, shape, ways, wanted.nearly)
    reads = reader_cycles(made)
    stored = [stage_memories(device, s, made.ways)[1:] for s in made.stages]
    stored.append(_memories(device, shape, made)[1:])
    return LinePart(
        name=wanted.name,
        what=wanted.what,
        steps=wanted.steps,
        inlet=wanted.inlet,
        outlet=replace(wanted.outlet, storage=made.storage),
        holds=shape.x,
        tasks=made,
        cycles=max(reads, made.writer_cycles, *(s.cycles for s in made.stages)),
        latency_cycles=latency(made, reads),
        bram36=sum(bram for bram, _ in stored) + _tables(shape, levels, made),
        uram288=sum(uram for _, uram in stored),
        dsp=_dsp(shape, levels, made),
        lut=_luts(shape, levels, made),
        lutram=_lutram(shape, made) + sum(stage_lutram(s, made.ways) for s in made.stages),
        why=_why(shape, made, reads),
    )


def reader_cycles(plan: LineTasks) -> int:
    """Return the cycles of an image in each reader: one beat a cycle, one stream after another."""
    return sum(plan.read_bands) + LOOP_CYCLES


def _tasks(device: Device, shape: Shape, ways: Ways, nearly: float) -> LineTasks:
    """Return the fastest plan with the least memory; of equal ones, whose rows make addresses short."""
    stages, bands = stages_of(device, shape, ways, nearly)
    own, rounds, height = shape.own_rows, shape.rounds, shape.x.shape[1]
    placed = tuple(own.places_of(b) for b in bands) if own else bands
    held = rings(placed, tuple(own.rounds_of(rounds)), own.places) if own else rings(bands, rounds, height)
    tried = [_with_rows(device, shape, ways, bands, ring, stages=stages) for ring in held]
    fastest = min(t.writer_cycles for t in tried)
    near = [t for t in tried if t.writer_cycles <= nearly * fastest]
    return min(near, key=lambda t: (_cost(device, shape, t), t.rows & (t.rows - 1) != 0, t.rows))


def _with_rows(
    device: Device,
    shape: Shape,
    ways: Ways,
    bands: Sequence[Rows],
    ring: tuple[int, Schedule],
    *,
    stages: tuple[LineStage, ...],
) -> LineTasks:
    """Return the plan whose writers' rings have so many rows, in which such bands come."""
    rows, plan = ring
    height, channels = shape.own_rows.places if shape.own_rows else shape.x.shape[1], shape.channels(ways)
    across = -(-shape.x.shape[2] // shape.step)
    columns = -(-across // shape.banks) * shape.step
    depth = rows * channels * columns
    count = shape.writers * ways.readers * ways.together * shape.copies * shape.banks
    return LineTasks(
        readers=ways.readers,
        together=ways.together,
        stride=shape.stride,
        beat=shape.beat,
        copies=shape.copies,
        pixels=shape.pixels,
        banks=shape.banks,
        step=shape.step,
        skew=shape.skew,
        apart=shape.apart,
        rows=rows,
        channels=channels,
        columns=columns,
        depth=depth,
        turn=height % rows * channels * columns,
        own_rows=shape.own_rows.rings(rows) if shape.own_rows else (),
        storage=memories(device, shape.x, count, depth)[0],
        bands=tuple(b.count for b in bands),
        round_words=shape.rounds[0].count,
        needs=plan.needs,
        room=plan.room,
        writer_cycles=plan.cycles,
        stages=stages,
    )


def _memories(device: Device, shape: Shape, plan: LineTasks) -> tuple[str, int, int]:
    """Return the memory of the writers' line buffers: its kind, and its block RAMs and UltraRAMs."""
    return memories(device, shape.x, shape.writers * plan.ways * plan.copies * plan.banks, plan.depth)


def _cost(device: Device, shape: Shape, plan: LineTasks) -> float:
    """Return the share of the device's memories, or of its LUTs, that line buffers take."""
    _, bram, uram = _memories(device, shape, plan)
    logic = device.logic
    return bram / logic.bram36 + uram / max(1, logic.uram288) + _lutram(shape, plan) / logic.lut


def _lutram(shape: Shape, plan: LineTasks) -> int:
    """Return the LUTs of the writers' line buffers."""
    arrays = shape.writers * plan.ways * plan.copies * plan.banks
    return lutram_luts(shape.x, arrays, plan.depth) if plan.storage == "lutram" else 0


def _tables(shape: Shape, levels: Sequence[Level], plan: LineTasks) -> int:
    """Return the block RAMs of tables, which as many values as a beat has look into."""
    each = (table_bram(s, beat) for beat, lv in zip(shape.beats, levels, strict=True) for s in lv.functions)
    return plan.ways * sum(each)


def _dsp(shape: Shape, levels: Sequence[Level], plan: LineTasks) -> int:
    each = (beat * s.dsp for beat, lv in zip(shape.beats, levels, strict=True) for s in lv.functions)
    return plan.ways * sum(each) + sum(stage_dsp(s, plan.ways) for s in plan.stages)


def _luts(shape: Shape, levels: Sequence[Level], plan: LineTasks) -> int:
    functions = [(beat, lv.functions) for beat, lv in zip(shape.beats, levels, strict=True)]
    stages = sum(stage_luts(s, plan.ways) for s in plan.stages)
    return reader_luts(plan, functions) + stages + writer_luts(plan, shape.x, shape.writers, shape.out_lanes)


def _why(shape: Shape, plan: LineTasks, reads: int) -> tuple[str, ...]:
    beat = plan.read_beat
    functions = "" if beat == 1 else f", {beat} values side by side"
    each = "one beat" if plan.together == 1 else f"{plan.together} beats, each of a channel,"
    functions += ", on into the next row" if shape.wraps else ""
    return (
        f"{plan.readers} reader(s), {each} of {beat} value(s) a cycle each{functions}: {reads} cycles an image",
        *(line for s in plan.stages for line in _stage_notes(plan, s)),
        f"{shape.writers} writer(s), one word of {shape.out_lanes} values a cycle each: {plan.writer_cycles} cycles an image",
        f"each writer's line buffer: {plan.rows} rows in {plan.ways} x {plan.copies} x {plan.banks} memories "
        f"(ways x copies x banks) of {plan.depth} values in {plan.storage}"
        + (", rows that its own tiles see" if plan.own_rows else ""),
    )


def _stage_notes(plan: LineTasks, stage: LineStage) -> Iterator[str]:
    """Yield what a layer that sees neighbours does on each way, and where its II comes from."""
    name, lines, passes = stage.step.layer, stage.step.lines, stage.step.passes
    if passes:
        yield (
            f"{name}: {stage.cycles} cycles an image in its longest task, {stage.delay} from its last value to its first result"
        )
        for task in passes.tasks:
            yield f"{name}, task {task.name}: {task.why}; {task.depth} cycles deep (estimate)"
        return
    assert lines is not None
    many = f"{plan.ways} task(s)"
    if stage.whole:
        yield (
            f"{name}: {many}, a beat of {stage.beat} value(s) in {stage.take_cycles} cycles (estimate), because a "
            f"channel's fold must be back before its next value: {stage.cycles} cycles an image"
        )
        return
    ky, kx = lines.kernel
    yield (
        f"{name}: {many}, {stage.out_beat} result(s) of {ky}x{kx} places a cycle each (II=1, for each row and "
        f"column that they see has a memory): {stage.cycles} cycles an image"
    )
    yield (
        f"{name}'s line buffers: {stage.rows} rows in {stage.row_banks} x {stage.banks} memories (rows x columns) of "
        f"{stage.depth} values in {stage.storage}"
    )
