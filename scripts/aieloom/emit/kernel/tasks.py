"""Tasks of a part with line buffers as templates print them: ports and queues in lines, tables that they look into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aieloom.cpp_text import View, closed
from aieloom.layout.cpp import nested
from aieloom.pl.line_store import LineTasks, Queue
from aieloom.pl.steps import PlStep

TABLES = (
    "ops/table.h.j2",
    "ops/int8_table.h.j2",
    "ops/int16_table.h.j2",
)  # templates whose function reads an array `<function>_table`


def counters_view(*counters: tuple[str, str]) -> View:
    """Return counters of (name, end), the fastest last; `inner`: whether all but the first, the round's, are at their ends."""
    inner = " && ".join(f"{name} == {end} - 1" for name, end in counters[1:])
    return View(counters=nested(counters), inner=inner)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueView:
    """A queue between tasks, or an array of queues of a `size`."""

    type: str
    name: str
    size: str = ""
    depth: int
    what: str = ""
    storage: str = ""  # "" of a short one


def row_queue(queue: Queue) -> QueueView:
    """Return a queue of rows; its memory is said where images wait in it."""
    storage = queue.storage if queue.images else ""
    return QueueView(
        type=f"Row<{queue.bits}>", name=queue.name, depth=queue.depth, what=queue.what, storage=storage
    )


def call_view(name: str, function: str, arguments: Sequence[str]) -> View:
    """Return a task in lines: its name, its function, the ports and queues that it has."""
    first, *others = call_lines([f"hls_thread_local hls::task {name}({function}", *arguments])
    return View(lines=(first, *(f"    {line}" for line in others)))


def beats_of(plan: LineTasks) -> tuple[View, ...]:
    """Return the queues on which a reader sends beats in a cycle, and what says which row of a word each is."""
    if plan.together == 1:
        return (View(queue="beats", row=""),)
    return tuple(View(queue=f"beats_{row}", row=f", {row}") for row in range(plan.together))


def tables_of(steps: Sequence[PlStep]) -> tuple[View, ...]:
    """Return the tables of these functions, into which as many values as a beat has look in a cycle."""
    return tuple(
        View(name=f"{s.function}_table", memory="bram" if s.bram36 else "lutram")
        for s in steps
        if s.template in TABLES
    )


def body_lines(parameters: Sequence[str]) -> tuple[str, ...]:
    """Return parameters in lines, behind which a function's body begins."""
    return closed(parameters, ") {")


def call_lines(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return a call's arguments in lines."""
    return closed(arguments, ");")
