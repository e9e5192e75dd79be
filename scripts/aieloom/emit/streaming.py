"""What the template of a streaming PL kernel prints: flat values, taken from the plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aieloom.cpp_text import Constant, joined
from aieloom.emit.pl import (
    FROM_BITS,
    StepView,
    element_templates,
    element_values,
    is_wide,
    lane_bits,
    step_view,
)
from aieloom.emit.rows import (
    PlacesView,
    pixel_functions,
    pixel_of,
    places_in,
    places_out,
)
from aieloom.emit.stages import LevelView, StageView, line_level, stage_views
from aieloom.emit.streaming_constants import (
    kernel_constants,
    sink_constants,
    sink_order,
    source_constants,
    unused,
)
from aieloom.emit.task_views import (
    CountersView,
    KeptView,
    SentView,
    TableView,
    TaskView,
    TileRead,
    WaysView,
    beats_of,
    body_lines,
    call_lines,
    counters_view,
    kept_view,
    sent_view,
    tables_of,
    ways_view,
)
from aieloom.pl.kernel import PlKernel
from aieloom.pl.line_store import StreamingPlan
from aieloom.pl.lines.memory import FIFO_DEPTH
from aieloom.pl.lines.schedule import SETTLE_CYCLES
from aieloom.pl.lines.shape import levels_of
from aieloom.pl.streams import RasterStream, TiledStreams, is_by_row
from aieloom.plan.wire import port_names

_ROUND, _WORD = ("round", "kOutRounds"), ("w", "kOutWords")
_NEXT = {
    "tiled": counters_view(
        _ROUND, ("pass", "kOutPasses"), ("nt", "kOutColTiles"), ("kt", "kOutDepth"), ("w", "kOutBlockWords")
    ),
    "rows": counters_view(_ROUND, ("channel", "kOutChannels"), ("row", "kOutLines"), ("w", "kOutLineWords")),
    "lanes": counters_view(
        _ROUND,
        ("pass", "kOutPasses"),
        ("row", "kOutLines"),
        ("block", "kOutBlocks"),
        ("column", "kOutColumns"),
        ("w", "kOutBlockWords"),
    ),
    "raster": counters_view(_ROUND, _WORD),
    "by_row": counters_view(_ROUND, _WORD),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamingView(PlacesView):
    """A streaming PL kernel between layers."""

    name: str
    why: tuple[str, ...]
    constants: tuple[Constant, ...]
    steps: tuple[StepView, ...]
    functions: tuple[StepView, ...]
    reorders: tuple[StepView, ...]  # from the result's place back to the line buffer's
    tables: tuple[TableView, ...]
    stages: tuple[StageView, ...]  # layers that see neighbours, in the order of the data
    levels: tuple[StageView, ...]  # the same, each behind what it sends to
    lines: tuple[LevelView, ...]  # how beats for the writers are made behind them: () without stages
    arrival_template: str
    place_template: str  # of a beat's place in the line buffers, its struct, and what stores it
    beat_template: str
    store_template: str
    row_template: str  # of what reads values of a row
    read_space: str  # where the readers are
    source_template: str
    sink_template: str
    needs: str
    room: str
    next: CountersView  # what a writer sends next
    none: str  # whether a queue of a writer is empty
    settle: int  # steps from a beat's coming until it may be read
    storage: str
    readers: tuple[TaskView, ...]
    writers: tuple[TaskView, ...]
    shares: tuple[TaskView, ...]  # () with one writer, to which the readers send themselves
    fifo: int  # depth of the queues
    queues: tuple[int, ...]  # of a writer: the numbers of the ways
    ways: WaysView
    kept: KeptView
    sent: SentView
    take: str  # a writer's queues as parameters
    taken: str  # and as arguments
    ports: tuple[str, ...]
    signature: tuple[str, ...]  # lines
    type: str
    element_templates: tuple[str, ...]  # () in a part: its kernel has them
    from_bits: str
    lane_bits: str  # of a word that comes
    to_bits: str
    out_lane_bits: str  # of a word that leaves
    zero: str
    padding: str
    pixel: str  # of an element of a tile
    pixel_functions: tuple[str, ...]  # templates of what it calls
    what: str  # of a part: what it does
    scope: str  # of a part: its namespace, before names
    tag: str  # of a part: before the names of its queues and tasks
    in_word: str  # the template of the words' types, and what its arguments end with
    in_side: str
    out_word: str
    out_side: str
    ends_image: bool  # words say which is an image's last


def streaming_view(gap: PlKernel, part: str = "") -> StreamingView:
    """Return what the template of a streaming kernel prints, or of a `part` of one, whose other side are beats."""
    plan = gap.streaming
    assert plan is not None
    ins = port_names(gap.inlets[0].port, gap.source.streams)
    outs = port_names(gap.outlets[0].port, gap.sink.streams)
    scope, tag = (f"{gap.name}::", f"{gap.name}_") if part else ("", "")
    ports = [f"hls::stream<{scope}InWord>& {p}" for p in ins]
    ports += [f"hls::stream<{scope}OutWord>& {p}" for p in outs]
    queues = tuple(range(plan.ways))
    shared, sent = len(outs) > 1, sent_view(gap.sink, gap.lanes)
    levels, late = levels_of(gap.steps, gap.sink)
    inner = [f"{tag}beats[{r}]" if shared else f"{tag}taken[0][{r}]" for r in queues]
    width, *source = source_constants(gap, plan)
    asked = {"kInWidth"} if isinstance(gap.source, TiledStreams) else {"kInHeight", "kInWidth"}
    asked -= {"kInHeight"} if is_by_row(gap.source) else set()
    stages = stage_views(plan, levels, source, asked, out=inner, tag=tag)
    seen = {lv.window.layer for lv in levels if lv.window}
    steps = {s.layer: step_view(s) for s in gap.steps if s.layer not in seen}
    sources = (width,) if stages else (width, *source)
    return StreamingView(
        name=gap.name,
        why=gap.why,
        constants=tuple(
            c
            for c in (*kernel_constants(gap, plan), *sources, *sink_constants(gap))
            if c.name not in unused(gap, plan)
        ),
        steps=tuple(steps.values()),
        functions=tuple(steps[s.layer] for s in levels[-1].functions),
        reorders=tuple(steps[s.layer] for s in reversed(late)),
        tables=tables_of(levels[-1].functions),
        stages=stages,
        levels=stages[::-1],
        lines=(line_level(levels[-1], skewed=plan.skew is not None),) if stages else (),
        arrival_template="streaming_stages.j2" if stages else "streaming_arrival.j2",
        read_space=f"{stages[0].space}::" if stages else "",
        source_template=f"streaming_source_{_kind(gap.source)}.j2",
        sink_template=f"streaming_sink_{sink_order(gap.sink)}.j2",
        needs=joined((*plan.needs, plan.needs[0])),
        room=joined((*plan.room, plan.room[0])),
        next=_NEXT[sink_order(gap.sink)],
        settle=SETTLE_CYCLES,
        none=" || ".join(f"beats_{r}.empty()" for r in queues),
        storage=plan.storage,
        readers=tuple(
            _reader(gap, plan, r, ins, [f"{stages[0].queue}[{q}]" for q in queues] if stages else inner)
            for r in range(plan.readers)
        ),
        writers=tuple(_writer(plan, w, outs, tag) for w in range(len(outs))),
        shares=tuple(_share(r, len(outs), tag) for r in queues) if shared else (),
        fifo=FIFO_DEPTH,
        queues=queues,
        ways=ways_view(plan),
        kept=kept_view(plan, sent.stream),
        sent=sent,
        take=joined([f"hls::stream<Beat>& beats_{r}" for r in queues]),
        taken=joined([f"beats_{r}" for r in queues]),
        ports=(*ins, *outs),
        signature=body_lines(ports),
        pixel=pixel_of(
            gap.source, "band * kInGroups + group", "block % kInColTiles", "element % kInBlockCols"
        ),
        pixel_functions=pixel_functions(gap.source),
        what=part,
        scope=scope,
        tag=tag,
        place_template=f"streaming_place_{'line' if plan.skew is None else 'skewed'}.j2",
        beat_template=f"streaming_beat_{'line' if plan.skew is None else 'skewed'}.j2",
        store_template=f"streaming_store{'' if plan.skew is None else '_skewed'}.j2",
        row_template=f"streaming_row{'' if plan.skew is None else '_skewed'}.j2",
        ends_image=not part,
        **_words(gap, part),
        **places_in(gap.source),
        **places_out(gap.sink),
        element_templates=() if part else element_templates(gap),
        **_elements(gap),
    )


def _words(gap: PlKernel, part: str) -> dict[str, str]:
    """Return the types of words: of AXI streams, or of beats inside a kernel."""
    beats = {"in": is_by_row(gap.source), "out": is_by_row(gap.sink)} if part else {}
    found: dict[str, str] = {}
    for side in ("in", "out"):
        inside = beats.get(side, False)
        found |= {
            f"{side}_word": "Row" if inside else "ap_axiu",
            f"{side}_side": "" if inside else ", 0, 0, 0",
        }
    return found


def _elements(gap: PlKernel) -> dict[str, str]:
    """Return how the kernel's code handles elements."""
    inlet, outlet = gap.inlets[0], gap.outlets[0]
    return {
        "from_bits": "as_float" if is_wide(gap, inlet) else FROM_BITS[inlet.dtype],
        "lane_bits": lane_bits(inlet.dtype),
        "to_bits": "float_bits" if is_wide(gap, outlet) else "as_bits",
        "out_lane_bits": lane_bits(outlet.dtype),
        **element_values(gap),
    }


def _kind(streams: TiledStreams | RasterStream) -> str:
    return "tiled" if isinstance(streams, TiledStreams) else "raster"


def _reader(
    gap: PlKernel, plan: StreamingPlan, reader: int, ins: tuple[str, ...], queues: Sequence[str]
) -> TaskView:
    """Return a reader: the parts of the channels that it takes, group after group, and its ways of all `queues`."""
    ports = [ins[0]]
    if isinstance(gap.source, TiledStreams):
        grid = gap.source.grid
        share = grid.parts // plan.readers
        first = reader * share
        ports = [
            ins[g * grid.parts + part] for g in range(grid.groups) for part in range(first, first + share)
        ]
    labels = [*(f"case {i}" for i in range(len(ports) - 1)), "default"]
    sends = beats_of(plan)
    parameters = [
        *(f"hls::stream<InWord>& {p}" for p in ports),
        *(f"hls::stream<Beat>& {s.queue}" for s in sends),
    ]
    first = reader * plan.together
    return TaskView(
        index=reader,
        parameters=body_lines(parameters),
        arguments=call_lines([*ports, *queues[first : first + plan.together]]),
        tiles=tuple(TileRead(*t) for t in zip(ports, labels, strict=True)),
        sends=sends,
    )


def _writer(plan: StreamingPlan, writer: int, outs: tuple[str, ...], tag: str) -> TaskView:
    parameters = [f"hls::stream<Beat>& beats_{w}" for w in range(plan.ways)]
    queues = [f"{tag}taken[{writer}][{w}]" for w in range(plan.ways)]
    return TaskView(
        index=writer,
        parameters=body_lines([*parameters, "hls::stream<OutWord>& out"]),
        arguments=call_lines([*queues, outs[writer]]),
        beat=f"kept_by({writer}, beat)" if plan.kept else "beat",
    )


def _share(way: int, writers: int, tag: str) -> TaskView:
    queues = [f"{tag}taken[{w}][{way}]" for w in range(writers)]
    parameters = [f"hls::stream<Beat>& to_{w}" for w in range(writers)]
    return TaskView(
        index=way,
        parameters=body_lines(["hls::stream<Beat>& beats", *parameters]),
        arguments=call_lines([f"{tag}beats[{way}]", *queues]),
    )
