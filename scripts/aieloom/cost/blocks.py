"""The cycles of a generated kernel by schedules of its code: sums in flight begun, multiplied over their trips, and ended.

The schedules and what decides about loops are those of a timed run (schedule/), so that the plan and the run are one model;
the code is written here as the templates write it, and needs no compiler.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from aieloom.schedule.code import Code
from aieloom.schedule.loops import FEW_TRIPS, Pipeline, Write, pipeline_of, straight_cycles
from aieloom.schedule.machine import Machine

CALL, LOCK = 27, 13  # of a call, and of each buffer's lock, in cycles [XD100, performance analysis]
ADDRESSES = 3  # of a block in a loop, before its first loads can go
TURN = 4  # the same of the loop around the blocks of a row
LONG = FEW_TRIPS + 1  # trips of a loop that stays one, whatever they are
MOST_UNROLLED = 2  # trips of a loop that LLVM takes apart whatever its marks


@dataclass(frozen=True, slots=True, kw_only=True)
class Nest:
    """Loops around blocks of sums in flight: what begins them, the pipelined loops that add products, and what ends them.

    `flat` is what is left where the loops inside are flattened: a pipeline over the last loop around them, or straight code.
    """

    machine: Machine
    start: int
    loops: tuple[Pipeline, ...]
    end: int
    flat: Pipeline | None

    def cycles(self, trips: Sequence[int], outer: Sequence[int]) -> int:
        """Return the cycles of all blocks.

        Args:
            trips: of each of the pipelined loops.
            outer: trips of the loops around the blocks, outermost first.
        """
        around = [t for t in outer if t > 1]
        if self._is_flat(trips, around):
            assert self.flat
            rows = around[:-1]
            last = around[-1] if around else 1
            return self._turns(rows) + prod(rows) * (self.flat.cycles(last) + self._addresses(around))
        loops = sum(p.cycles(t) for p, t in zip(self.loops, trips, strict=True))
        each = self.start + loops + self.end + self._addresses(around)
        return self._turns(around) + prod(around) * each

    def _is_flat(self, trips: Sequence[int], around: Sequence[int]) -> bool:
        """Whether the loops inside are flattened: short ones, where the loop around them gains, or where they do not fill."""
        if self.flat is None:
            return False
        stays = all(p.fills(t) for p, t in zip(self.loops, trips, strict=True))
        return not stays or (bool(around) and self.flat.gains)

    def _turns(self, around: Sequence[int]) -> int:
        """Return the cycles of the loops around: each iteration jumps, and computes where its rows are."""
        turns = [prod(around[: i + 1]) for i in range(len(around))]
        return sum(turns) * self.machine.branch + sum(turns[:-1]) * TURN

    def _addresses(self, around: Sequence[int]) -> int:
        return ADDRESSES if around else 0


def nest_of(
    start: Write, loops: Sequence[tuple[Write, int]], end: Write, outer: Sequence[int], machine: Machine
) -> Nest:
    """Return the schedules of a nest.

    Of its sizes they hang on the trips of loops that may be flattened, and on which of the loops around is the last that turns.
    """
    axis = max((i for i, trips in enumerate(outer) if trips > 1), default=-1)

    def body(code: Code) -> None:
        start(code)
        for write, trips in loops:
            for _ in range(trips):
                write(code)
        end(code)

    short = all(trips <= FEW_TRIPS for _, trips in loops)
    flat: Pipeline | None
    if short and axis < 0:
        once = straight_cycles(body, machine)
        flat = Pipeline(once, once, once, 0)
    else:
        flat = pipeline_of(body, machine, axis, is_marked=False) if short else None
    return Nest(
        machine=machine,
        start=straight_cycles(start, machine),
        loops=tuple(pipeline_of(write, machine) for write, _ in loops),
        end=straight_cycles(end, machine),
        flat=flat,
    )


def call_cycles(buffers: int, machine: Machine) -> int:
    """Return what a call takes beside the kernel's loops: a kernel loads the addresses of its buffers first."""
    return CALL + LOCK * buffers + machine.latency["load"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """A marked loop over the columns of each row, behind what begins a row.

    One or two columns are no loop: what they do stands in the loop over the rows, `both`.
    """

    machine: Machine
    start: int
    trip: Pipeline
    both: Pipeline
    alone: int

    def cycles(self, rows: int, cols: int) -> int:
        """Return the cycles of all rows."""
        if cols <= MOST_UNROLLED:
            return self.both.cycles(rows) if rows > 1 else self.alone
        row = self.start + self.trip.cycles(cols)
        return rows * (row + (self.machine.branch + TURN if rows > 1 else 0))


def rows_of(start: Write, trip: Write, cols: int, machine: Machine) -> Rows:
    """Return the schedules of such loops; they hang on the columns where those are no loop."""

    def both(code: Code) -> None:
        start(code)
        for _ in range(min(cols, MOST_UNROLLED)):
            trip(code)

    return Rows(
        machine=machine,
        start=straight_cycles(start, machine),
        trip=pipeline_of(trip, machine, axis=1),
        both=pipeline_of(both, machine, axis=0, is_marked=False),
        alone=straight_cycles(both, machine),
    )
