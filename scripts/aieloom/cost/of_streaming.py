"""A streaming PL kernel as processes of the event simulation: its readers, its writers, and the bands between them.

A reader brings a band (the rows that come together) when every writer has begun to take it: the queues between
them hold little. A writer waits for the bands that its next tile reads, sends the tile word by word while its stream's
buffers are free, and lets later bands in meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Protocol

from aieloom.cost.simulate import Process, Simulation, Tokens
from aieloom.plan.gap import PIPELINE_CYCLES, STREAM_LOOP_CYCLES
from aieloom.plan.logic import ROUND_CYCLES, GapPlan, MoverPlan, StreamingPlan, TiledStreams


class LayerBuffers(Protocol):
    """Buffers of a layer: per group the input's free places and full blocks, per core the output's."""

    in_free: list[Tokens]
    in_full: list[Tokens]
    out_free: list[Tokens]
    out_full: list[Tokens]


@dataclass(slots=True, kw_only=True)
class StreamingKernel:
    """One streaming kernel in a simulation of `images` images, between `before` and `after`: layers, or movers."""

    sim: Simulation
    images: int
    gap: GapPlan
    plan: StreamingPlan
    before: LayerBuffers | None
    after: LayerBuffers | None
    source: MoverPlan | None
    sink: MoverPlan | None
    stream_us: Callable[[int, int, float], float]  # of so many bytes on a stream of a width at a PL clock
    starts: list[float]
    ends: list[float]
    rooms: list[list[Tokens]] = field(default_factory=list)  # by writer, then reader
    full: list[list[Tokens]] = field(default_factory=list)

    def start(self, tokens: Callable[[str], Tokens]) -> None:
        """Add the kernel's processes; `tokens` makes counts that a deadlock's message names."""
        name, writers = self.gap.name, range(self.gap.sink.streams)
        readers = range(self.plan.readers)
        self.rooms = [[tokens(f"room in writer {w} of {name}") for _ in readers] for w in writers]
        self.full = [[tokens(f"rows for writer {w} of {name}") for _ in readers] for w in writers]
        for r in readers:
            self.sim.start(f"{name} reader {r}", self._reader(r))
        for w in writers:
            self.sim.start(f"{name} writer {w}", self._writer(w))

    def _reader(self, reader: int) -> Process:
        for image in range(self.images):
            for band in range(len(self.plan.bands)):
                for rooms in self.rooms:
                    yield rooms[reader]
                if self.source and band == 0:
                    self.starts.append(self.sim.now)
                yield from self._band(reader, band, f"image {image} band {band}")
                for full in self.full:
                    self.sim.give(full[reader])

    def _band(self, reader: int, band: int, name: str) -> Process:
        gap, lane = self.gap, f"pl/{self.gap.name} read {reader}"
        if isinstance(gap.source, TiledStreams) and self.before:
            grid = gap.source.grid
            cycles = grid.out_elements // self.plan.beat + STREAM_LOOP_CYCLES
            wire = self.stream_us(grid.out_elements * gap.x.dtype.bytes, gap.source.bits, gap.clock_mhz)
            for core in self._cores(reader):
                yield self.before.out_full[core]
                began = self.sim.now
                yield max(cycles / gap.clock_mhz, wire)
                self.sim.mark(f"stream/{gap.source.layer} out {core}", name, began)
                self.sim.mark(lane, f"{name} core {core}", began)
                self.sim.give(self.before.out_free[core])
            return
        began, beats = self.sim.now, self.plan.bands[band]
        mover = self.source
        moved = mover.cycles * beats / self.plan.beats / mover.clock_mhz if mover else 0.0
        yield max(beats / gap.clock_mhz, moved)
        self.sim.mark(lane, name, began)
        if mover:
            self.sim.mark(f"pl/{mover.name}", name, began)

    def _cores(self, reader: int) -> Iterator[int]:
        """Yield the cores whose streams a reader takes, in its order."""
        assert isinstance(self.gap.source, TiledStreams)
        grid = self.gap.source.grid
        share = grid.parts // self.plan.readers
        for group in range(grid.groups):
            first = group * grid.parts + reader * share
            yield from range(first, first + share)

    def _writer(self, writer: int) -> Process:
        plan, mhz = self.plan, self.gap.clock_mhz
        ends = list(accumulate(plan.bands))
        for image in range(self.images):
            begun = whole = taken = 0  # bands let in, bands that have come, beats taken
            for number, (before, during) in enumerate(zip(plan.before, plan.during, strict=True)):
                since, taken = self.sim.now, taken + before
                begun = self._let_in(writer, begun, taken, ends)
                while whole < begun:
                    yield from self._come(writer)
                    whole += 1
                yield max(0.0, since + before / mhz - self.sim.now) + ROUND_CYCLES / mhz
                taken += during
                begun = self._let_in(writer, begun, taken, ends)
                yield from self._send(writer, f"image {image} tile {number}")
                while whole < len(ends) and ends[whole] <= taken:
                    yield from self._come(writer)
                    whole += 1
            yield PIPELINE_CYCLES / 2 / mhz
            if self.sink:
                self.ends.append(self.sim.now)

    def _let_in(self, writer: int, begun: int, taken: int, ends: list[int]) -> int:
        """Make room for the bands of which something is taken up to beat `taken`; return how many are let in."""
        while begun < len(ends) and ends[begun] - self.plan.bands[begun] < taken:
            for rooms in self.rooms[writer]:
                self.sim.give(rooms)
            begun += 1
        return begun

    def _come(self, writer: int) -> Process:
        yield from self.full[writer]

    def _send(self, writer: int, name: str) -> Process:
        gap, lane = self.gap, f"pl/{self.gap.name} write {writer}"
        if isinstance(gap.sink, TiledStreams) and self.after:
            grid = gap.sink.grid
            size = grid.in_elements * gap.y.dtype.bytes
            wire = self.stream_us(size, gap.sink.bits, gap.clock_mhz)
            for k in range(grid.passes):
                yield self.after.in_free[writer]
                began = self.sim.now
                yield max(size * 8 / gap.sink.bits / gap.clock_mhz, wire)
                self.sim.mark(f"stream/{gap.sink.layer} in {writer}", f"{name} pass {k}", began)
                self.sim.mark(lane, f"{name} pass {k}", began)
                self.sim.give(self.after.in_full[writer])
            return
        began, mover = self.sim.now, self.sink
        moved = mover.cycles / len(self.plan.before) / mover.clock_mhz if mover else 0.0
        yield max(self.plan.round_words / gap.clock_mhz, moved)
        self.sim.mark(lane, name, began)
        if mover:
            self.sim.mark(f"pl/{mover.name}", name, began)
