"""The cycles of a generated kernel by schedules of its code: sums in flight begun, multiplied over their trips, and ended.

The schedules and what decides about loops are those of a timed run (schedule/), so that the plan and the run are one model;
the code is written here as the templates write it, and needs no compiler.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod
from typing import Protocol

from aieloom.schedule.code import Code
from aieloom.schedule.loops import FEW_TRIPS, Pipeline, Write, pipeline_of, source_of, straight_cycles
from aieloom.schedule.machine import Machine

CALL, LOCK = 27, 13  # of a call, and of each buffer's lock, in cycles [XD100, performance analysis]
ADDRESSES = 3  # of a block in a loop, before its first loads can go
TURN = 4  # the same of the loop around the blocks of a row
MOST_UNROLLED = 2  # trips of a loop around a store that is flattened into the one around it


class Blocks(Hashable, Protocol):
    """The code of blocks of sums in flight as a kernel has them; equal ones have the same schedules, found once."""

    @property
    def machine(self) -> Machine:
        """The core."""
        ...

    def start(self, code: Code) -> None:
        """Write what begins the sums."""
        ...

    def trip(self, code: Code) -> None:
        """Write an iteration of the loop that adds products to them."""
        ...

    def end(self, code: Code) -> None:
        """Write what becomes of them."""
        ...


@dataclass(frozen=True, slots=True)
class _Alone:
    """The schedules of a block whose loops stay loops."""

    start: int
    loop: Pipeline
    end: int


@lru_cache(maxsize=16384)
def _alone(blocks: Blocks) -> _Alone:
    machine = blocks.machine
    return _Alone(
        straight_cycles(blocks.start, machine),
        pipeline_of(blocks.trip, machine),
        straight_cycles(blocks.end, machine),
    )


@lru_cache(maxsize=16384)
def _flat(blocks: Blocks, trips: int, axis: int) -> Pipeline:
    """Return what is left where the loops inside are flattened: a pipeline along an axis of blocks, or straight code (-1)."""

    def body(code: Code) -> None:
        blocks.start(code)
        for _ in range(trips):
            blocks.trip(code)
        blocks.end(code)

    if axis >= 0:
        return pipeline_of(body, blocks.machine, axis)
    once = straight_cycles(body, blocks.machine)
    return Pipeline(once, once, once, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loops:
    """The loops of a kernel, as their source tells the compiler of them.

    `trips` are those of the loops inside, one after another, `outer` of those around them, outermost first. The ones inside are
    marked for pipelining, or `flattened` into the last loop that turns around them, which is marked then.
    """

    trips: tuple[int, ...]
    outer: tuple[int, ...]
    flattened: bool
    # the statements of the one inside
    body: tuple[str, ...] = field(default=(), compare=False, metadata={"printed": False})

    @property
    def last(self) -> int:
        """Which of the outer loops turns, the last of them; -1: none."""
        return max((i for i, t in enumerate(self.outer) if t > 1), default=-1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Nest:
    """Loops around blocks, each of which is begun, multiplied over loops one after another, and ended.

    Short loops are flattened where the last loop that turns around them gains by it, or where their pipelines do not fill; the
    source says so (Loops), for no document says what a compiler does by itself.
    """

    blocks: Blocks
    trips: tuple[int, ...]
    outer: tuple[int, ...]

    @property
    def loops(self) -> Loops:
        """What the source says of its loops."""
        body = source_of(self.blocks.trip, self.blocks.machine)
        return Loops(trips=self.trips, outer=self.outer, flattened=self._flat is not None, body=body)

    @property
    def cycles(self) -> int:
        """The cycles of all of it."""
        machine, around = self.blocks.machine, [t for t in self.outer if t > 1]
        addresses, flat = ADDRESSES if around else 0, self._flat
        if flat:
            rows, last = around[:-1], around[-1] if around else 1
            return _turns(rows, machine) + prod(rows) * (flat.cycles(last) + addresses)
        alone = _alone(self.blocks)
        each = alone.start + sum(alone.loop.cycles(t) for t in self.trips) + alone.end + addresses
        return _turns(around, machine) + prod(around) * each

    @property
    def _flat(self) -> Pipeline | None:
        """The pipeline of the loop into which those inside are flattened; None where they stay."""
        if any(t > FEW_TRIPS for t in self.trips):
            return None
        alone = _alone(self.blocks)
        last = max((i for i, t in enumerate(self.outer) if t > 1), default=-1)
        flat = _flat(self.blocks, sum(self.trips), last)
        fills = all(alone.loop.fills(t) for t in self.trips)
        return flat if not fills or (last >= 0 and flat.gains) else None


def _turns(around: Sequence[int], machine: Machine) -> int:
    """Return the cycles of the loops around: each iteration jumps, and computes where its rows are."""
    turns = [prod(around[: i + 1]) for i in range(len(around))]
    return sum(turns) * machine.branch + sum(turns[:-1]) * TURN


def call_cycles(buffers: int, machine: Machine) -> int:
    """Return what a call takes beside the kernel's loops: a kernel loads the addresses of its buffers first."""
    return CALL + LOCK * buffers + machine.latency["load"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """A marked loop over the columns of each row, behind what begins a row.

    Up to `unrolled` columns are no loop: what they do stands in the loop over the rows, `both`.
    """

    machine: Machine
    unrolled: int
    start: int
    trip: Pipeline
    both: Pipeline
    alone: int

    def cycles(self, rows: int, cols: int) -> int:
        """Return the cycles of all rows."""
        if cols <= self.unrolled:
            return self.both.cycles(rows) if rows > 1 else self.alone
        row = self.start + self.trip.cycles(cols)
        return rows * (row + (self.machine.branch + TURN if rows > 1 else 0))


def row_loops(rows: int, cols: int, unrolled: int = MOST_UNROLLED) -> Loops:
    """Return what the source says of a loop over the columns of each row."""
    return Loops(trips=(cols,), outer=(rows,), flattened=cols <= unrolled)


def rows_of(start: Write, trip: Write, cols: int, machine: Machine, *, unrolled: int = MOST_UNROLLED) -> Rows:
    """Return the schedules of such loops; they hang on the columns where those are no loop."""

    def both(code: Code) -> None:
        start(code)
        for _ in range(min(cols, unrolled)):
            trip(code)

    return Rows(
        machine=machine,
        unrolled=unrolled,
        start=straight_cycles(start, machine),
        trip=pipeline_of(trip, machine, axis=1),
        both=pipeline_of(both, machine, axis=0),
        alone=straight_cycles(both, machine),
    )
