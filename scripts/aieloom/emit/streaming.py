"""What the template of a streaming PL kernel prints: flat values, taken from the plan."""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.emit.pl import StepView, element_view, step_view
from aieloom.emit.pl_constants import in_tiles, out_tiles, window_constants
from aieloom.emit.rows import order_of, pixel_functions, pixel_of, row_tiles
from aieloom.emit.stages import LevelView, StageView, line_level, stage_views
from aieloom.emit.task_views import TableView, TaskView, TileRead, body_lines, call_lines, tables_of
from aieloom.emit.text import Constant, joined
from aieloom.plan.lines.memory import FIFO_DEPTH
from aieloom.plan.lines.shape import levels_of
from aieloom.plan.logic import GapPlan, RasterStream, StreamingPlan, TiledStreams
from aieloom.plan.rows import RowGrid
from aieloom.plan.wire import port_names


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamingView:
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
    read_space: str  # where the readers are
    source_template: str
    sink_template: str
    before: str
    during: str
    storage: str
    readers: tuple[TaskView, ...]
    writers: tuple[TaskView, ...]
    shares: tuple[TaskView, ...]  # () with one writer, to which the readers send themselves
    fifo: int  # depth of the queues
    queues: tuple[int, ...]  # the readers' numbers, once for each queue of a writer
    take: str  # a writer's queues as parameters
    taken: str  # and as arguments
    ports: tuple[str, ...]
    signature: tuple[str, ...]  # lines
    type: str
    element_template: str
    from_bits: str
    lane_bits: str
    zero: str
    padding: str
    pixel: str  # of an element of a tile
    pixel_functions: tuple[str, ...]  # templates of what it calls


def streaming_view(gap: GapPlan) -> StreamingView:
    """Return what the template of a streaming kernel prints."""
    plan = gap.streaming
    assert plan is not None
    ins, outs = port_names("in", gap.source.streams), port_names("out", gap.sink.streams)
    ports = [f"hls::stream<InWord>& {p}" for p in ins] + [f"hls::stream<OutWord>& {p}" for p in outs]
    queues = tuple(range(plan.readers))
    shared = len(outs) > 1
    levels, late = levels_of(gap.steps, gap.sink)
    inner = [f"beats[{r}]" if shared else f"taken[0][{r}]" for r in queues]
    width, *source = _source(gap)
    asked = {"kInWidth"} if isinstance(gap.source, TiledStreams) else {"kBeats", "kInHeight", "kInWidth"}
    stages = stage_views(plan, levels, source, asked, inner)
    seen = {lv.window.layer for lv in levels if lv.window}
    steps = {s.layer: step_view(s) for s in gap.steps if s.layer not in seen}
    sources = (width,) if stages else (width, *source)
    return StreamingView(
        name=gap.name,
        why=gap.why,
        constants=tuple(
            c for c in (*_constants(gap, plan), *sources, *_sink(gap)) if c.name not in _unused(gap, plan)
        ),
        steps=tuple(steps.values()),
        functions=tuple(steps[s.layer] for s in levels[-1].functions),
        reorders=tuple(steps[s.layer] for s in reversed(late)),
        tables=tables_of(levels[-1].functions),
        stages=stages,
        levels=stages[::-1],
        lines=(line_level(levels[-1]),) if stages else (),
        arrival_template="streaming_stages.j2" if stages else "streaming_arrival.j2",
        read_space=f"{stages[0].space}::" if stages else "",
        source_template=f"streaming_source_{_kind(gap.source)}.j2",
        sink_template=f"streaming_sink_{order_of(gap.sink)}.j2",
        before=joined(plan.before),
        during=joined(plan.during),
        storage=plan.storage,
        readers=tuple(
            _reader(gap, plan, r, ins, f"{stages[0].queue}[{r}]" if stages else inner[r]) for r in queues
        ),
        writers=tuple(_writer(plan, w, outs) for w in range(len(outs))),
        shares=tuple(_share(r, len(outs)) for r in queues) if shared else (),
        fifo=FIFO_DEPTH,
        queues=queues,
        take=joined([f"hls::stream<Beat>& beats_{r}" for r in queues]),
        taken=joined([f"beats_{r}" for r in queues]),
        ports=(*ins, *outs),
        signature=body_lines(ports),
        pixel=pixel_of(
            gap.source, "band * kInGroups + group", "block % kInColTiles", "element % kInBlockCols"
        ),
        pixel_functions=pixel_functions(gap.source),
        **element_view(gap),
    )


def _kind(streams: TiledStreams | RasterStream) -> str:
    return "tiled" if isinstance(streams, TiledStreams) else "raster"


def _reader(gap: GapPlan, plan: StreamingPlan, reader: int, ins: tuple[str, ...], queue: str) -> TaskView:
    """Return a reader: the parts of the channels that it takes, group after group."""
    tiles = [TileRead(port=ins[0], group=0, part=0)]
    if isinstance(gap.source, TiledStreams):
        grid = gap.source.grid
        share = grid.parts // plan.readers
        tiles = [
            TileRead(port=ins[group * grid.parts + reader * share + part], group=group, part=part)
            for group in range(grid.groups)
            for part in range(share)
        ]
    ports = [t.port for t in tiles]
    parameters = [*(f"hls::stream<InWord>& {p}" for p in ports), "hls::stream<Beat>& beats"]
    return TaskView(
        index=reader,
        parameters=body_lines(parameters),
        arguments=call_lines([*ports, queue]),
        tiles=tuple(tiles),
    )


def _writer(plan: StreamingPlan, writer: int, outs: tuple[str, ...]) -> TaskView:
    parameters = [f"hls::stream<Beat>& beats_{r}" for r in range(plan.readers)]
    queues = [f"taken[{writer}][{r}]" for r in range(plan.readers)]
    return TaskView(
        index=writer,
        parameters=body_lines([*parameters, "hls::stream<OutWord>& out"]),
        arguments=call_lines([*queues, outs[writer]]),
    )


def _share(reader: int, writers: int) -> TaskView:
    queues = [f"taken[{w}][{reader}]" for w in range(writers)]
    parameters = [f"hls::stream<Beat>& to_{w}" for w in range(writers)]
    return TaskView(
        index=reader,
        parameters=body_lines(["hls::stream<Beat>& beats", *parameters]),
        arguments=call_lines([f"beats[{reader}]", *queues]),
    )


def _constants(gap: GapPlan, plan: StreamingPlan) -> tuple[Constant, ...]:
    _, height, width = gap.holds.shape
    comes = "reaches the writers" if plan.stages else "arrives"
    window = gap.sink.window if isinstance(gap.sink, TiledStreams) else None
    padding = window.padding[1] if window else 0
    turn = plan.banks * plan.step
    to = "lane" if order_of(gap.source) == "lanes" and order_of(gap.sink) != "tiled" else "output pixel"
    address_bits, bank_bits = max(1, (plan.depth - 1).bit_length()), max(1, (plan.banks - 1).bit_length())
    return (
        Constant("kReaders", plan.readers, "tasks that read, each a share of the channels"),
        Constant("kWriters", gap.sink.streams, "tasks that write, one for each stream"),
        Constant("kBeat", plan.beat, "neighbouring values that a reader passes on in a cycle"),
        Constant("kBeats", plan.beats, "of an image from each reader"),
        Constant("kCopies", plan.copies, "of a line buffer: rows of K in an output word"),
        Constant("kPixels", plan.pixels, "neighbouring pixels that a word takes from a copy"),
        Constant("kBanks", plan.banks, "of a copy: neighbouring pixels lie in different ones"),
        Constant("kRows", plan.rows, "of an image that a line buffer holds"),
        Constant("kColumns", plan.columns, f"words of a bank for a row of {width} pixels"),
        Constant("kSetChannels", plan.channels, "that a reader brings"),
        Constant("kDepth", plan.depth, f"words of a bank: {plan.channels} x {plan.rows} x {plan.columns}"),
        Constant("kAddressBits", address_bits, f"for {plan.depth} words"),
        Constant("kBankBits", bank_bits, f"for {plan.banks} banks"),
        Constant("kShift", -(-padding // turn) * turn, "keeps columns left of the image positive"),
        Constant("kStep", plan.step, f"columns from one {to} to the next"),
        Constant("kInHeight", height, f"of the image that {comes}"),
        Constant("kInWidth", width, f"of the image that {comes}"),
        Constant("kLanes", gap.lanes, "values of an output word"),
    )


def _unused(gap: GapPlan, plan: StreamingPlan) -> set[str]:
    """Return constants of which this kernel's parts say nothing."""
    found = {
        "tiled": set(),
        "rows": {"kPixels", "kOutStreams"},
        "lanes": {"kPixels", "kOutStreams"},
        "raster": {"kPixels", "kShift"},
    }[order_of(gap.sink)]
    to_memory = not isinstance(gap.sink, TiledStreams)
    if isinstance(gap.source, TiledStreams) or plan.stages:
        found |= {"kBeats"} if gap.sink.streams == 1 else set()
        found |= {"kInHeight"} if to_memory else set()
    return found | ({"kInWidth"} if plan.stages and to_memory else set())


def _source(gap: GapPlan) -> tuple[Constant, ...]:
    source = gap.source
    lanes = source.bits // (8 * gap.x.dtype.bytes)
    common = (
        Constant("kInBits", source.bits, "width of an input stream"),
        Constant("kInLanes", lanes, f"values of a word: {source.bits} / {8 * gap.x.dtype.bytes}"),
    )
    if not isinstance(source, TiledStreams):
        return (*common, Constant("kInSize", gap.x.elements, str(gap.x)))
    unused = ("kInStreams", "kInParts", "kInRowTiles")
    return (*common, *(c for c in in_tiles(gap.x, source.grid) if c.name not in unused))


def _sink(gap: GapPlan) -> tuple[Constant, ...]:
    bits = Constant("kOutBits", gap.sink.bits, "width of an output stream")
    if isinstance(gap.sink, TiledStreams):
        if isinstance(gap.sink.grid, RowGrid):
            return (bits, *row_tiles(gap.sink, gap.sink.grid, gap.lanes))
        unused = ("kOutStreams", "kNextHeight", "kNextWidth", "kStrideX")
        found = (*out_tiles(gap.sink, gap.lanes), *window_constants(gap.sink.window, "kNext"))
        return (bits, *(c for c in found if c.name not in unused))
    _, height, width = gap.y.shape
    assert gap.streaming is not None
    rounds = len(gap.streaming.before)
    return (
        bits,
        Constant("kOutRounds", rounds, "an image in whole" if rounds == 1 else "rows of the input"),
        Constant("kOutWords", gap.streaming.round_words, "of a round"),
        Constant("kOutValues", gap.y.elements, str(gap.y)),
        Constant("kOutHeight", height, "of the result"),
        Constant("kOutWidth", width, "of the result"),
    )
