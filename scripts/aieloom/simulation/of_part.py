"""A part with line buffers in the event simulation: readers, layers that see neighbours, writers, bands between them.

A reader brings a band (the rows that come together) when every task behind it has a place for it: the queues between
them hold little. A writer waits for the bands that its next tile reads, sends the tile word by word while its stream's
buffers are free, and lets later bands, also of the next image, in meanwhile. A layer that sees neighbours does the same with
its rows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from aieloom.pl.line_store import LOOP_CYCLES, LinePart, LineStage, LineTasks
from aieloom.pl.lines.schedule import SETTLE_CYCLES
from aieloom.pl.movers import MoverPlan
from aieloom.pl.streams import TiledStreams
from aieloom.simulation.events import LayerPorts, Places, Process, Simulation, Tokens


@dataclass(slots=True)
class _Queue:
    """Bands between two tasks: the one behind has let one in; the one before has brought one, the last at `brought`."""

    room: Tokens
    full: Tokens
    brought: deque[float] = field(default_factory=deque)

    def bring(self, sim: Simulation) -> None:
        """Bring a band."""
        self.brought.append(sim.now)
        sim.give(self.full)


def _queue(tokens: Callable[[str], Tokens], name: str) -> _Queue:
    return _Queue(tokens(f"room in {name}"), tokens(f"rows for {name}"))


@dataclass(slots=True)
class _Rounds:
    """The schedule of a task with line buffers, image after image, which takes the same bands from each of its queues."""

    sim: Simulation
    bands: tuple[int, ...]
    needs: tuple[int, ...]
    room: tuple[int, ...]
    queues: list[_Queue]
    mhz: float
    begun: int = 0  # bands let in since the start, and the beats of all of them
    places: int = 0
    whole: int = 0  # bands that have come, and their beats
    taken: int = 0
    settled: float = 0.0  # when the last of these may be read

    def image(self, image: int, send: Callable[[int, int], Process]) -> Process:
        """Take what an image's rounds need, and send them; `send(image, round)` is what a round sends."""
        sim, first = self.sim, image * sum(self.bands)
        for number, (need, room) in enumerate(zip(self.needs, self.room, strict=True)):
            self._let_in(first + room)
            while self.taken < first + need:
                yield from self._come()
            yield max(0.0, self.settled - sim.now)
            yield from send(image, number)

    def _let_in(self, room: int) -> None:
        """Make room for the bands whose last beats have places within `room`."""
        while self.places + self._beats(self.begun) <= room:
            self.places += self._beats(self.begun)
            self.begun += 1
            for queue in self.queues:
                self.sim.give(queue.room)

    def _come(self) -> Process:
        for queue in self.queues:
            yield queue.full
            self.settled = max(self.settled, queue.brought.popleft() + SETTLE_CYCLES / self.mhz)
        self.taken += self._beats(self.whole)
        self.whole += 1

    def _beats(self, band: int) -> int:
        return self.bands[band % len(self.bands)]


@dataclass(slots=True, kw_only=True)
class PartProcesses:
    """One part in a simulation of `images` images, called `name`, between `before` and `after`: layers, or movers."""

    sim: Simulation
    images: int
    name: str
    part: LinePart
    clock_mhz: float
    before: LayerPorts | None
    after: LayerPorts | None
    source: MoverPlan | None
    sink: MoverPlan | None
    stream_us: Callable[[int, int, float], float]  # of so many bytes on a stream of a width at a PL clock
    starts: list[float]
    ends: list[float]
    rows_in: Places | None = None  # what comes from, and goes to, other parts or PL kernels
    rows_out: Places | None = None
    ways: list[list[_Queue]] = field(default_factory=list)  # by reader: to its first stage, to the next, ...
    writers: list[list[_Queue]] = field(default_factory=list)  # by writer, then reader

    @property
    def tasks(self) -> LineTasks:
        """Its tasks."""
        return self.part.tasks

    def start(self, tokens: Callable[[str], Tokens]) -> None:
        """Add the part's processes; `tokens` makes counts that a deadlock's message names."""
        name, count = self.name, self.part.outlet.streams.streams
        readers = range(self.tasks.readers)
        self.writers = [[_queue(tokens, f"writer {w} of {name}") for _ in readers] for w in range(count)]
        self.ways = [
            [_queue(tokens, f"{s.step.layer} {r} of {name}") for s in self.tasks.stages] for r in readers
        ]
        for r in readers:
            self.sim.start(f"{name} reader {r}", self._reader(r))
            for number, stage in enumerate(self.tasks.stages):
                layer = f"{name} {stage.step.layer} {r}"
                if stage.step.passes:
                    made = _queue(tokens, f"the passes of {layer}")
                    self.sim.start(layer, self._passes(r, number, stage, made))
                    self.sim.start(f"{layer} results", self._results(r, number, stage, made))
                else:
                    self.sim.start(layer, self._stage(r, number, stage))
        for w in range(count):
            self.sim.start(f"{name} writer {w}", self._writer(w))

    def _behind(self, reader: int, stage: int) -> list[_Queue]:
        """Return where a reader's beats go: to stage number `stage`, or to all writers behind the last."""
        ways = self.ways[reader]
        return [ways[stage]] if stage < len(ways) else [queues[reader] for queues in self.writers]

    def _reader(self, reader: int) -> Process:
        behind = self._behind(reader, 0)
        for image in range(self.images):
            for band in range(len(self.tasks.read_bands)):
                for queue in behind:
                    yield queue.room
                if self.source and band == 0:
                    self.starts.append(self.sim.now)
                yield from self._band(reader, band, f"image {image} band {band}")
                for queue in behind:
                    queue.bring(self.sim)
            yield LOOP_CYCLES / self.clock_mhz

    def _band(self, reader: int, band: int, name: str) -> Process:
        source, lane = self.part.inlet.streams, f"pl/{self.name} read {reader}"
        if isinstance(source, TiledStreams) and self.before:
            grid = source.grid
            cycles = grid.out_elements // (self.tasks.stride * self.tasks.together)
            size = grid.out_elements * self.part.inlet.x.dtype.bytes
            wire = self.stream_us(size, source.bits, self.clock_mhz)
            us = max(cycles / self.clock_mhz, wire)
            shows = self.sim.shows
            for core in self._cores(reader):
                marks = (
                    [(f"stream/{source.layer} out {core}", name), (lane, f"{name} core {core}")]
                    if shows
                    else []
                )
                yield from self.sim.hand_on([self.before.outputs[core]], [], us, *marks)
            return
        beats, mover = self.tasks.read_bands[band], self.source
        moved = mover.cycles * beats / sum(self.tasks.read_bands) / mover.clock_mhz if mover else 0.0
        lanes = (lane, f"pl/{mover.name}") if mover else (lane,)
        rows = [self.rows_in] if self.rows_in else []
        yield from self.sim.hand_on(
            rows, [], max(beats / self.clock_mhz, moved), *((at, name) for at in lanes)
        )

    def _cores(self, reader: int) -> Iterator[int]:
        """Yield the cores whose streams a reader takes, in its order."""
        source = self.part.inlet.streams
        assert isinstance(source, TiledStreams)
        grid = source.grid
        share = grid.parts // self.tasks.readers
        for group in range(grid.groups):
            first = group * grid.parts + reader * share
            yield from range(first, first + share)

    def _stage(self, reader: int, number: int, stage: LineStage) -> Process:
        """A layer that sees neighbours: its results go on row by row."""
        name, mhz = stage.step.layer, self.clock_mhz
        work = _Rounds(self.sim, stage.bands, stage.needs, stage.room, [self.ways[reader][number]], mhz)
        behind = self._behind(reader, number + 1)
        folded = stage.needs[0] * (stage.take_cycles - 1) / mhz  # beyond a beat a cycle: 0 but in a fold

        def send(image: int, row: int) -> Process:
            for queue in behind:
                yield queue.room
            began = self.sim.now
            yield folded + stage.round_beats / mhz
            self.sim.mark(f"pl/{self.name} {name} {reader}", f"image {image} row {row}", began)
            for queue in behind:
                queue.bring(self.sim)

        for image in range(self.images):
            yield from work.image(image, send)

    def _passes(self, reader: int, number: int, stage: LineStage, made: _Queue) -> Process:
        """A layer of several passes takes an image in the time of its longest task, while others are under way in it."""
        queue, mhz = self.ways[reader][number], self.clock_mhz
        taken = sum(stage.bands)
        for image in range(self.images):
            yield made.room
            began = self.sim.now
            for _ in stage.bands:
                self.sim.give(queue.room)
                yield queue.full
            came = max(began, queue.brought.pop())
            queue.brought.clear()
            began = max(began, came - taken / mhz)
            made.bring(self.sim)  # its results follow
            yield max(0.0, began + stage.cycles / mhz - self.sim.now)
            self.sim.mark(f"pl/{self.name} {stage.step.layer} {reader}", f"image {image}", began)

    def _results(self, reader: int, number: int, stage: LineStage, made: _Queue) -> Process:
        """What a layer of several passes gives, `delay` behind what comes: its queues and pipelines hold the images."""
        behind, mhz = self._behind(reader, number + 1), self.clock_mhz
        assert stage.step.passes
        for _ in range(len(stage.step.passes.tasks) + -(-stage.delay // stage.cycles)):
            self.sim.give(made.room)
        for _ in range(self.images):
            yield made.full
            yield max(0.0, made.brought.popleft() + stage.delay / mhz - self.sim.now)
            for queue in behind:
                yield queue.room
            yield stage.round_beats / mhz
            for queue in behind:
                queue.bring(self.sim)
            self.sim.give(made.room)

    def _writer(self, writer: int) -> Process:
        plan = self.tasks
        work = _Rounds(self.sim, plan.bands, plan.needs, plan.room, self.writers[writer], self.clock_mhz)
        for image in range(self.images):
            yield from work.image(image, lambda i, number: self._send(writer, f"image {i} tile {number}"))
            if self.sink:
                self.ends.append(self.sim.now)

    def _send(self, writer: int, name: str) -> Process:
        sink, lane = self.part.outlet.streams, f"pl/{self.name} write {writer}"
        if isinstance(sink, TiledStreams) and self.after:
            grid = sink.grid
            size = grid.in_elements * self.part.y.dtype.bytes
            wire = self.stream_us(size, sink.bits, self.clock_mhz)
            us = max(size * 8 / sink.bits / self.clock_mhz, wire)
            shows = self.sim.shows
            for k in range(grid.passes):
                part = f"{name} pass {k}" if shows else ""
                marks = [(f"stream/{sink.layer} in {writer}", part), (lane, part)] if shows else []
                yield from self.sim.hand_on([], [self.after.inputs[writer]], us, *marks)
            return
        mover = None if self.rows_out else self.sink
        moved = mover.cycles / len(self.tasks.needs) / mover.clock_mhz if mover else 0.0
        lanes = (lane, f"pl/{mover.name}") if mover else (lane,)
        rows, us = (
            [self.rows_out] if self.rows_out else [],
            max(self.tasks.round_words / self.clock_mhz, moved),
        )
        yield from self.sim.hand_on([], rows, us, *((at, name) for at in lanes))
