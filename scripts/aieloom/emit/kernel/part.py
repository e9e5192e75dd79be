"""What the templates of a PL kernel print of a part with line buffers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aieloom.cpp_text import Constant, View, joined
from aieloom.emit.kernel.elements import type_of, zero_of
from aieloom.emit.kernel.ends import sink_view, source_view, word_loops
from aieloom.emit.kernel.part_constants import (
    part_constants,
    sink_constants,
    source_constants,
    unused,
)
from aieloom.emit.kernel.stages import BeatView, line_level, stage_views
from aieloom.emit.kernel.tasks import (
    QueueView,
    beats_of,
    body_lines,
    call_view,
    counters_view,
    tables_of,
)
from aieloom.emit.steps import step_view
from aieloom.pl.line_store import LinePart
from aieloom.pl.lines.memory import FIFO_DEPTH
from aieloom.pl.lines.shape import Level, levels_of
from aieloom.pl.streams import TiledStreams, is_by_row
from aieloom.plan.wire import port_names


def part_view(part: LinePart, inner: frozenset[str]) -> View:
    """Return what the templates print; `inner` are the queues of the kernel, by which parts meet."""
    tasks, source, sink = part.tasks, part.inlet.streams, part.outlet.streams
    ins, outs = port_names(part.inlet.port, source.streams), port_names(part.outlet.port, sink.streams)
    tag, ways = f"{part.name}_", tuple(range(tasks.ways))
    levels, late = levels_of(part.steps, sink)
    into = [f"{tag}beats[{r}]" if len(outs) > 1 else f"{tag}taken[0][{r}]" for r in ways]
    constants, stages = _constants(part, levels, into)
    seen = {lv.window.layer for lv in levels if lv.window}
    steps = {s.layer: step_view(s) for s in part.steps if s.layer not in seen}
    beat = BeatView(skewed=tasks.skew is not None, by_row=bool(tasks.own_rows))
    first = [f"{stages[0].queue}[{w}]" for w in ways] if stages else into
    space = f"{part.name}::{stages[0].space}::" if stages else f"{part.name}::"
    readers = tuple(_reader(part, r, ins, space=space, queues=first) for r in range(tasks.readers))
    shares = tuple(_share(r, len(outs), part.name) for r in ways) if len(outs) > 1 else ()
    writers = tuple(_writer(part, w, outs) for w in range(len(outs)))
    taken = joined([f"beats_{w}" for w in ways])
    return View(
        name=part.name,
        what=part.what,
        type=type_of(part.inlet.x),
        zero=zero_of(part.inlet.x),
        constants=constants,
        source=source_view(part.inlet, inside=part.inlet.port in inner),
        sink=sink_view(part.outlet, part.y, inside=part.outlet.port in inner),
        steps=tuple(steps.values()),
        # of each value, before a beat reaches the writers
        functions=tuple(steps[s.layer] for s in levels[-1].functions),
        tables=tables_of(levels[-1].functions),
        # from the result's place back to the line buffer's
        reorders=tuple(steps[s.layer] for s in reversed(late)),
        stages=stages,  # layers that see neighbours, in the order of the data
        levels=stages[::-1],  # the same, each behind what it sends to
        # how beats for the writers are made behind them; None without stages
        line=line_level(levels[-1], beat) if stages else None,
        beat=beat,  # what the writers take
        needs=joined((*tasks.needs, tasks.needs[0])),
        room=joined((*tasks.room, tasks.room[0])),
        # what a writer sends next
        next=counters_view(("round", "kOutRounds"), *word_loops(sink, in_ring=True)),
        absent=" || ".join(f"beats_{w}.empty()" for w in ways),  # whether a queue of a writer is empty
        takes=f"take({taken}, flow.writes, line)",  # what a writer does in a step with a beat of each queue
        storage=tasks.storage,
        readers=readers,
        writers=writers,
        # of a way; None with one writer, to which the readers send themselves
        share=shares[0] if shares else None,
        ways=ways,
        queues=(*_queues(part, shared=bool(shares)), *(q for s in stages for q in s.queues)),
        calls=(
            *(r.call for r in readers),
            *(c for s in stages for c in s.calls),
            *(t.call for t in (*shares, *writers)),
        ),
        together=tasks.together > 1,  # a reader sends a beat on several ways in a cycle
        # where rows lie in each writer's ring, if it keeps rows of its own
        row_tables=tuple(joined(rows) for rows in tasks.own_rows),
        take=joined([f"hls::stream<Beat>& beats_{w}" for w in ways]),  # a writer's queues as parameters
        taken=taken,  # and as arguments
    )


def _constants(
    part: LinePart, levels: Sequence[Level], into: Sequence[str]
) -> tuple[tuple[Constant, ...], tuple[View, ...]]:
    """Return the part's constants and its stages, in the first of which the constants of what comes stand."""
    source = part.inlet.streams
    width, *come = source_constants(part)
    asked = (
        {"kInWidth"} if isinstance(source, TiledStreams) or is_by_row(source) else {"kInHeight", "kInWidth"}
    )
    stages = stage_views(part.tasks, levels, come, asked, out=into, part=part.name)
    read = (width,) if stages else (width, *come)
    left_out = unused(part)
    found = (*part_constants(part), *read, *sink_constants(part))
    return tuple(c for c in found if c.name not in left_out), stages


def _queues(part: LinePart, *, shared: bool) -> Iterator[QueueView]:
    """Yield the queues before the writers."""
    kind, ways = f"{part.name}::Beat", f"[{part.name}::kWays]"
    writers = f"[{part.name}::kWriters]{ways}"
    yield QueueView(type=kind, name=f"{part.name}_taken", size=writers, depth=FIFO_DEPTH)
    if shared:
        yield QueueView(type=kind, name=f"{part.name}_beats", size=ways, depth=FIFO_DEPTH)


def _reader(part: LinePart, reader: int, ins: tuple[str, ...], *, space: str, queues: Sequence[str]) -> View:
    """Return a reader: the parts of the channels that it takes, group after group, and its ways of all `queues`."""
    plan, source, ports = part.tasks, part.inlet.streams, [ins[0]]
    if isinstance(source, TiledStreams):
        grid = source.grid
        share = grid.parts // plan.readers
        first = reader * share
        ports = [ins[g * grid.parts + p] for g in range(grid.groups) for p in range(first, first + share)]
    labels = [*(f"case {i}" for i in range(len(ports) - 1)), "default"]
    sends = beats_of(plan)
    parameters = [
        *(f"hls::stream<InWord>& {p}" for p in ports),
        *(f"hls::stream<Beat>& {s.queue}" for s in sends),
    ]
    first = reader * plan.together
    return View(
        index=reader,
        parameters=body_lines(parameters),
        call=call_view(
            f"{part.name}_reader_{reader}",
            f"{space}read_{reader}",
            [*ports, *queues[first : first + plan.together]],
        ),
        tiles=tuple(View(port=p, label=label) for p, label in zip(ports, labels, strict=True)),
        sends=sends,
    )


def _writer(part: LinePart, writer: int, outs: tuple[str, ...]) -> View:
    plan, name = part.tasks, part.name
    parameters = [f"hls::stream<Beat>& beats_{w}" for w in range(plan.ways)]
    queues = [f"{name}_taken[{writer}][{w}]" for w in range(plan.ways)]
    return View(
        index=writer,
        parameters=body_lines([*parameters, "hls::stream<OutWord>& out"]),
        call=call_view(f"{name}_writer_{writer}", f"{name}::write_{writer}", [*queues, outs[writer]]),
        beat=f"kept_by({writer}, beat)" if plan.own_rows else "beat",
    )


def _share(way: int, writers: int, name: str) -> View:
    queues = [f"{name}_taken[{w}][{way}]" for w in range(writers)]
    parameters = [f"hls::stream<Beat>& to_{w}" for w in range(writers)]
    return View(
        index=way,
        parameters=body_lines(["hls::stream<Beat>& beats", *parameters]),
        call=call_view(f"{name}_share_{way}", f"{name}::share", [f"{name}_beats[{way}]", *queues]),
    )
