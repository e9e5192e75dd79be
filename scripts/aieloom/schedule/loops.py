"""What a loop costs: a software pipeline's interval and length, and which loops are pipelined or flattened at all.

The rules are those of a timed run (emulator/timed/policy.py says where each is from).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from aieloom.schedule.code import Code
from aieloom.schedule.lists import bound
from aieloom.schedule.machine import Machine, Op
from aieloom.schedule.registers import alone, crowded_files, with_registers

MOST_OPS = 600  # of a loop's body that is still pipelined: the program memory has 16 KB
MOST_CYCLES = 400  # of one iteration
GAIN = 0.75  # of an iteration's cycles: where a pipeline needs no more, it is worth its trouble
FEW_TRIPS = 4  # of a marked loop that is flattened where the loop around it gains by that

READ = "stream_read"
STREAMS = frozenset({READ, "stream_write"})

Write = Callable[[Code], None]


def least_interval(interval: int, once: int, trips: int) -> int:
    """Return the interval of a loop of at least so many trips (0: nobody knows): no more can be under way than there are."""
    least = -(-once // trips) if trips > 0 else 1
    return min(max(interval, least), max(once, 1))


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A loop: cycles of one iteration alone, the interval of endlessly many, and what units and circles alone would allow."""

    length: int
    interval: int
    by_units: int
    by_circle: int

    def cycles(self, trips: int) -> int:
        """Return the cycles of so many trips, filled and drained."""
        return self.length + (trips - 1) * least_interval(self.interval, self.length, trips)

    @property
    def gains(self) -> bool:
        """Whether it is worth the flattening of what is inside."""
        return self.interval <= GAIN * self.length or self.interval == self.by_units < self.length

    def fills(self, trips: int) -> bool:
        """Whether its pipeline fills in so many trips."""
        return trips * max(self.by_units, self.by_circle, 1) >= self.length


def partly(interval: int, once: int) -> int:
    """Return the interval of a loop that nobody marked, with streams or scalar code in it: between pipelined and not."""
    return round(math.sqrt(interval * once))


def pipeline_of(write: Write, machine: Machine, axis: int = -1) -> Pipeline:
    """Return the pipeline of a marked loop whose iteration `write` writes, walking along an axis of blocks."""
    ops = _written(write, machine, axis, keeps=True)
    if crowded_files(ops, machine):
        ops = _written(write, machine, axis, keeps=False)
    once = max(1, alone(ops, machine))
    found = bound(ops, machine)
    interval = with_registers(ops, found, machine, once).interval
    if sum(op.slots for op in ops if op.unit != "none") > MOST_OPS or once > MOST_CYCLES:
        interval = once
    return Pipeline(once, min(interval, once), found.by_units, found.by_circle)


def source_of(write: Write, machine: Machine) -> tuple[str, ...]:
    """Return the statements of what `write` writes."""
    code = Code(machine, is_loop=False)
    write(code)
    return tuple(code.lines)


def straight_cycles(write: Write, machine: Machine) -> int:
    """Return the cycles of straight code."""
    code = Code(machine, is_loop=False)
    write(code)
    return alone(code.finish(), machine)


def _written(write: Write, machine: Machine, axis: int, *, keeps: bool) -> Sequence[Op]:
    code = Code(machine, is_loop=True, axis=axis, keeps=keeps)
    write(code)
    return code.finish()
