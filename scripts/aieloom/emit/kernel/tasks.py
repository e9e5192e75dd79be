"""Tasks of a part with line buffers as templates print them: ports and queues in lines, tables that they look into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aieloom.cpp_text import joined, wrap
from aieloom.pl.line_store import LineTasks
from aieloom.pl.steps import PlStep
from aieloom.pl.streams import Streams, TiledStreams

BODY, CALL = ") {", ");"  # what ends the last line of parameters, of arguments
TABLES = (
    "ops/table.h.j2",
    "ops/int8_table.h.j2",
    "ops/int16_table.h.j2",
)  # templates whose function reads an array `<function>_table`


@dataclass(frozen=True, slots=True, kw_only=True)
class TableView:
    """A table that as many values as a beat has look into in a cycle."""

    name: str
    memory: str


@dataclass(frozen=True, slots=True)
class TileRead:
    """A stream that a reader takes tiles from, in its turn."""

    port: str
    label: str  # its case among the reader's streams, the last one's `default`


@dataclass(frozen=True, slots=True)
class Send:
    """A queue that a reader sends a beat on in a cycle, and what says which row of a word that is."""

    queue: str
    row: str  # the last argument, "" where a word has one row at a time


@dataclass(frozen=True, slots=True)
class WaysView:
    """Where channels are on the ways, as expressions; without several beats together, a reader is a way."""

    way: str  # of `channel`
    share: str  # its number among those of its way
    whole: str  # the channel that is number `channel` of `way`
    row: str  # the parameter of a row of a word
    element: str  # of beat `number` in a tile
    read: str  # the constant of a reader's channels
    sent: str  # the number among those of its way of a reader's `channel`


@dataclass(frozen=True, slots=True)
class Counter:
    """A counter of a task's steps, and the constant that it stays below."""

    name: str
    limit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CountersView:
    """Counters of a task's steps, the fastest last; `inner` tells whether all but the first, the round's, are at their ends."""

    counters: tuple[Counter, ...]
    inner: str


def counters_view(*pairs: tuple[str, str]) -> CountersView:
    """Return counters of (name, limit)."""
    inner = " && ".join(f"{name} == {limit} - 1" for name, limit in pairs[1:])
    return CountersView(counters=tuple(Counter(*p) for p in pairs), inner=inner)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskView:
    """A reader, a stage or a writer: its function, the ports it has, and the queues at its inner side."""

    index: int
    parameters: tuple[str, ...]  # lines
    arguments: tuple[str, ...]  # lines
    tiles: tuple[TileRead, ...] = ()
    sends: tuple[Send, ...] = ()
    beat: str = "beat"  # a beat as a writer gets it


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsView:
    """Where rows lie in the writers' rings, as expressions: the image's in turn, or by a table those that a writer keeps."""

    tables: tuple[str, ...]  # the table's rows, one for each writer; () without one
    beat_row: str  # of a beat's address, before kColumns
    row_at: str  # of an image's row, for `look`
    row_or_none: str  # the same where the row may lie outside
    ring_row: str  # the row in the ring, of what `look` is given
    parameter: str  # what finds it, behind others
    argument: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SentView:
    """What a writer's stream carries, as expressions."""

    stream: str  # what writers are numbered by
    group: str
    tile_of_k: str
    part: str  # which of K, for people


def sent_view(sink: Streams) -> SentView:
    """Return what writers' streams carry: a group's each, or of chains a link's each."""
    if not isinstance(sink, TiledStreams) or sink.grid.cascade == 1:
        return SentView(stream="group", group="group", tile_of_k="next.pass", part="")
    return SentView(
        stream="stream",
        group="stream / kOutLinks",
        tile_of_k="(next.pass * kOutLinks + stream % kOutLinks)",
        part=", of a link's part of K",
    )


def rows_view(plan: LineTasks, stream: str) -> RowsView:
    """Return where rows lie in the writers' rings; `stream` is what writers are numbered by."""
    if not plan.own_rows:
        return RowsView(
            tables=(),
            beat_row="(y % kRows * kSetChannels + channel)",
            row_at="y",
            row_or_none="y",
            ring_row="y % kRows",
            parameter="",
            argument="",
        )
    return RowsView(
        tables=tuple(joined(rows) for rows in plan.own_rows),
        beat_row="channel",
        row_at=f"kRowAt[{stream}][y]",
        row_or_none=f"inside ? kRowAt[{stream}][y] : 0",
        ring_row="y",
        parameter=f"int {stream}, ",
        argument=f"{stream}, ",
    )


def beats_of(plan: LineTasks) -> tuple[Send, ...]:
    """Return what a reader sends in a cycle."""
    if plan.together == 1:
        return (Send("beats", ""),)
    return tuple(Send(f"beats_{row}", f", {row}") for row in range(plan.together))


def ways_view(plan: LineTasks) -> WaysView:
    """Return where channels are on the ways."""
    if plan.together == 1:
        return WaysView(
            way="channel / kSetChannels",
            share="channel % kSetChannels",
            whole="way * kSetChannels + channel",
            row="",
            element="number * kInStride",
            read="kSetChannels",
            sent="channel",
        )
    return WaysView(
        way="channel / kReadChannels * kTogether + channel % kTogether",
        share="channel % kReadChannels / kTogether",
        whole="way / kTogether * kReadChannels + channel * kTogether + way % kTogether",
        row=", int word_row",
        element="(number * kInStride / kInBlockCols * kTogether + word_row) * kInBlockCols + number * kInStride % kInBlockCols",
        read="kReadChannels",
        sent="channel / kTogether",
    )


def tables_of(steps: Sequence[PlStep]) -> tuple[TableView, ...]:
    """Return the tables of these functions."""
    return tuple(
        TableView(name=f"{s.function}_table", memory="bram" if s.bram36 else "lutram")
        for s in steps
        if s.template in TABLES
    )


def _lines(items: Sequence[str], end: str) -> tuple[str, ...]:
    """Return arguments in lines, the last of which ends with `end`."""
    lines = wrap(list(items), indent=6)
    return (*lines[:-1], lines[-1].removesuffix(",") + end)


def body_lines(parameters: Sequence[str]) -> tuple[str, ...]:
    """Return parameters in lines, behind which a function's body begins."""
    return _lines(parameters, BODY)


def call_lines(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return arguments in lines, with which a statement ends."""
    return _lines(arguments, CALL)
