"""PL kernels: loops with an initiation interval and a depth, one after another or in dataflow, at their clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

DEPTH = 20  # stages of a pipelined loop: what an HLS loop of this kind takes to fill (estimate)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlLoop:
    """One pipelined loop: a trip starts every `ii` cycles, the first result leaves after `depth`."""

    name: str
    trips: int
    ii: int = 1
    depth: int = DEPTH

    @property
    def cycles(self) -> int:
        """Cycles from first to last."""
        return self.depth + self.ii * self.trips


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelLoops:
    """A PL kernel as its loops: in dataflow they overlap image after image, else they follow one another."""

    name: str
    loops: Sequence[PlLoop]
    dataflow: bool
    clock_mhz: float

    @property
    def interval_us(self) -> float:
        """Microseconds between two images."""
        cycles = [loop.cycles for loop in self.loops]
        return (max(cycles) if self.dataflow else sum(cycles)) / self.clock_mhz

    @property
    def latency_us(self) -> float:
        """Microseconds of one image, first word in to last word out, when every loop needs the one before whole."""
        return sum(loop.cycles for loop in self.loops) / self.clock_mhz
