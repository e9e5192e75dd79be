"""Tasks of a part with line buffers as templates print them: ports and queues in lines, tables that they look into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aieloom.cpp_text import wrap
from aieloom.layout.cpp import LoopView, nested
from aieloom.pl.line_store import LineTasks
from aieloom.pl.steps import PlStep

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


@dataclass(frozen=True, slots=True, kw_only=True)
class CountersView:
    """Counters of a task's steps, the fastest last; `inner` tells whether all but the first, the round's, are at their ends."""

    counters: tuple[LoopView, ...]
    inner: str


def counters_view(*counters: tuple[str, str]) -> CountersView:
    """Return counters of (name, end)."""
    inner = " && ".join(f"{name} == {end} - 1" for name, end in counters[1:])
    return CountersView(counters=nested(counters), inner=inner)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueView:
    """A queue between tasks, or an array of queues of a `size`."""

    type: str
    name: str
    size: str = ""
    depth: int
    what: str = ""
    storage: str = ""  # "" of a short one


@dataclass(frozen=True, slots=True)
class CallView:
    """A task: its function, and in lines the ports and queues that it has."""

    name: str
    function: str
    arguments: tuple[str, ...]

    @classmethod
    def of(cls, name: str, function: str, arguments: Sequence[str]) -> CallView:
        """Return a task with these ports and queues."""
        return cls(name, function, call_lines(arguments))


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskView:
    """A reader, a writer, or what shares beats out between writers: its function's parameters, and the task."""

    index: int
    parameters: tuple[str, ...]  # lines
    call: CallView
    tiles: tuple[TileRead, ...] = ()
    sends: tuple[Send, ...] = ()
    beat: str = "beat"  # a beat as a writer gets it


def beats_of(plan: LineTasks) -> tuple[Send, ...]:
    """Return what a reader sends in a cycle."""
    if plan.together == 1:
        return (Send("beats", ""),)
    return tuple(Send(f"beats_{row}", f", {row}") for row in range(plan.together))


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
    """Return a call's arguments in lines."""
    return _lines(arguments, CALL)
