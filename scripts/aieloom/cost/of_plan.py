"""A plan as a simulation: every stream block and kernel call of some images, with the buffers between them.

What runs: the movers; in each PL kernel a reader (streams one after another, one value a cycle) and a writer
(gathers the next layer's blocks, one word a cycle) with an image buffer of two places between them; each group
of cores, which share an input stream and compute side by side; each core's output stream. A writer waits for
a free input buffer, a group for its input and for free output buffers, a reader for each block: so contention and back-pressure
come out by themselves. Times come from the cost model; nothing here is measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from aieloom.cost.edges import DMA_SETUP_CYCLES, plio_cycles
from aieloom.cost.of_streaming import StreamingKernel
from aieloom.cost.simulate import Process, Simulation, Slice, Tokens
from aieloom.plan.gap import PING_PONG, PIPELINE_CYCLES, STREAM_LOOP_CYCLES
from aieloom.plan.types import AieLayerPlan, GapPlan, MoverPlan, Plan, StreamingPlan, TiledStreams

IMAGES = 6  # the first one shows the latency, the last ones the steady interval
SETTLED = 2  # images at the end over which the interval is taken


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedRun:
    """What a simulation showed: per image start and end, and each lane's busy time."""

    slices: tuple[Slice, ...]
    starts_us: tuple[float, ...]
    ends_us: tuple[float, ...]

    @property
    def latency_us(self) -> float:
        """The first image's time from its first word read from memory to its last word written."""
        return self.ends_us[0] - self.starts_us[0]

    @property
    def interval_us(self) -> float:
        """Steady time between two images."""
        settled = min(SETTLED, len(self.ends_us) - 1)
        return (self.ends_us[-1] - self.ends_us[-1 - settled]) / settled if settled else self.latency_us

    @property
    def busy(self) -> dict[str, float]:
        """Share of the steady interval that each lane works, from the whole run's mean per image."""
        totals: dict[str, float] = {}
        for s in self.slices:
            totals[s.lane] = totals.get(s.lane, 0.0) + s.duration
        images = len(self.ends_us)
        return {lane: total / images / self.interval_us for lane, total in totals.items()}


@dataclass(slots=True)
class _LayerPorts:
    """Buffers of a layer: per group the input's free places and full blocks, per core the output's."""

    in_free: list[Tokens]
    in_full: list[Tokens]
    out_free: list[Tokens]
    out_full: list[Tokens]

    def all(self) -> list[Tokens]:
        return [*self.in_free, *self.in_full, *self.out_free, *self.out_full]


@dataclass(slots=True)
class _Builder:
    """Builds the processes of a plan."""

    plan: Plan
    images: int
    sim: Simulation = field(default_factory=Simulation)
    ports: dict[str, _LayerPorts] = field(default_factory=dict)
    watched: list[Tokens] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)

    def build(self) -> None:
        for layer in self.plan.aie:
            self._layer(layer)
        if self.plan.host_im2col:
            self.sim.start("mm2s", self._tiled_mover(self.plan.mm2s, self.plan.host_im2col))
        for i, gap in enumerate(self.plan.gaps):
            self._gap(gap, first=i == 0 and not self.plan.host_im2col, last=i == len(self.plan.gaps) - 1)

    def _tokens(self, name: str, count: int = 0) -> Tokens:
        tokens = Tokens(name, count)
        self.watched.append(tokens)
        return tokens

    def _layer(self, layer: AieLayerPlan) -> None:
        grid, copies, name = layer.grid, layer.draft.buffers.copies, layer.name
        self.ports[name] = _LayerPorts(
            in_free=[self._tokens(f"an input buffer of {name}.{s}", copies) for s in range(grid.in_streams)],
            in_full=[self._tokens(f"input of {name}.{s}") for s in range(grid.in_streams)],
            out_free=[self._tokens(f"an output buffer of {name}.{c}", copies) for c in range(grid.chains)],
            out_full=[self._tokens(f"output of {name}.{c}") for c in range(grid.chains)],
        )
        for group in range(grid.groups):
            self.sim.start(f"{name}.{group}", self._group(layer, group))

    def _group(self, layer: AieLayerPlan, group: int) -> Process:
        """Cores that share an input stream: for each tile, take its blocks, compute, hand out the results."""
        grid, ports = layer.grid, self.ports[layer.name]
        cores = range(group * grid.parts, (group + 1) * grid.parts)
        links = range(group * grid.cascade, (group + 1) * grid.cascade)
        lane = f"aie/{layer.name} group {group} ({grid.parts * grid.cascade} cores)"
        each = layer.draft.kernel_cycles / grid.passes / self.plan.device.clocks.aie_mhz
        for image in range(self.images):
            for number in range(grid.rounds):
                for core in cores:
                    yield ports.out_free[core]
                for k in range(grid.passes):
                    for link in links:
                        yield ports.in_full[link]
                    began = self.sim.now
                    yield each
                    self.sim.mark(lane, f"image {image} tile {number} pass {k}", began)
                    for link in links:
                        self.sim.give(ports.in_free[link])
                for core in cores:
                    self.sim.give(ports.out_full[core])

    def _gap(self, gap: GapPlan, *, first: bool, last: bool) -> None:
        """Start a PL kernel's processes: each hands its image buffer to the next."""
        if gap.streaming:
            self._streaming(gap, gap.streaming, first=first, last=last)
            return
        free = [
            self._tokens(f"image buffer {i} of {gap.name}", PING_PONG) for i in range(len(gap.stages) + 1)
        ]
        full = [self._tokens(f"an image in buffer {i} of {gap.name}") for i in range(len(gap.stages) + 1)]
        source, sink = self.plan.mm2s if first else None, self.plan.s2mm if last else None
        self.sim.start(f"{gap.name} reader", self._reader(gap, free[0], full[0], source))
        for i, stage in enumerate(gap.stages):
            self.sim.start(f"{gap.name} {stage.window.layer}", self._fold(gap, i, (free, full)))
        self.sim.start(f"{gap.name} writer", self._writer(gap, free[-1], full[-1], sink))

    def _streaming(self, gap: GapPlan, plan: StreamingPlan, *, first: bool, last: bool) -> None:
        kernel = StreamingKernel(
            sim=self.sim,
            images=self.images,
            gap=gap,
            plan=plan,
            before=self.ports[gap.source.layer] if isinstance(gap.source, TiledStreams) else None,
            after=self.ports[gap.sink.layer] if isinstance(gap.sink, TiledStreams) else None,
            source=self.plan.mm2s if first else None,
            sink=self.plan.s2mm if last else None,
            stream_us=self._stream_us,
            starts=self.starts,
            ends=self.ends,
        )
        kernel.start(self._tokens)

    def _fold(self, gap: GapPlan, number: int, buffers: tuple[list[Tokens], list[Tokens]]) -> Process:
        """Compute one buffer from the one before it: a pool, a softmax."""
        free, full = buffers
        window = gap.stages[number].window
        for image in range(self.images):
            yield full[number]
            yield free[number + 1]
            began = self.sim.now
            yield window.cycles / gap.clock_mhz
            self.sim.mark(f"pl/{gap.name} {window.layer}", f"image {image}", began)
            self.sim.give(free[number])
            self.sim.give(full[number + 1])

    def _reader(self, gap: GapPlan, free: Tokens, full: Tokens, mover: MoverPlan | None) -> Process:
        for image in range(self.images):
            yield free
            began = self.sim.now
            if mover:
                self.starts.append(began)
            if isinstance(gap.source, TiledStreams):
                yield from self._read_blocks(gap, gap.source, image)
            else:
                values = gap.source.words * (gap.source.bits // (8 * gap.x.dtype.bytes))
                yield from self._raster(gap, values, mover, f"image {image}", "read")
            yield PIPELINE_CYCLES / 2 / gap.clock_mhz
            self.sim.give(full)

    def _raster(self, gap: GapPlan, cycles: int, mover: MoverPlan | None, name: str, lane: str) -> Process:
        """Move an image in plain order, as fast as the kernel and the mover beside it can."""
        began = self.sim.now
        yield max(cycles / gap.clock_mhz, mover.cycles / mover.clock_mhz if mover else 0.0)
        self.sim.mark(f"pl/{gap.name} {lane}", name, began)
        if mover:
            self.sim.mark(f"pl/{mover.name}", name, began)

    def _read_blocks(self, gap: GapPlan, source: TiledStreams, image: int) -> Process:
        """Read a tile from each stream in turn: one value a cycle, no faster than the stream brings them."""
        grid, ports = source.grid, self.ports[source.layer]
        cycles = grid.out_elements + STREAM_LOOP_CYCLES
        size = grid.out_elements * gap.x.dtype.bytes
        stream = self._stream_us(size, source.bits, gap.clock_mhz)
        for number in range(grid.rounds):
            for core in range(grid.chains):
                yield ports.out_full[core]
                began = self.sim.now
                yield max(cycles / gap.clock_mhz, stream)
                name = f"image {image} tile {number}"
                self.sim.mark(f"stream/{source.layer} out {core}", name, began)
                self.sim.mark(f"pl/{gap.name} read", f"{name} core {core}", began)
                self.sim.give(ports.out_free[core])

    def _writer(self, gap: GapPlan, free: Tokens, full: Tokens, mover: MoverPlan | None) -> Process:
        for image in range(self.images):
            yield full
            yield PIPELINE_CYCLES / 2 / gap.clock_mhz
            if isinstance(gap.sink, TiledStreams):
                yield from self._write_blocks(gap, gap.sink, image)
            else:
                yield from self._raster(gap, gap.sink.words, mover, f"image {image}", "write")
            self.sim.give(free)
            if mover:
                self.ends.append(self.sim.now)

    def _write_blocks(self, gap: GapPlan, sink: TiledStreams, image: int) -> Process:
        """Write a tile to each stream in turn, all its passes; wait while the group's input buffers are full."""
        grid, ports = sink.grid, self.ports[sink.layer]
        size = grid.in_elements * gap.y.dtype.bytes
        words = size * 8 / sink.bits
        stream_us = self._stream_us(size, sink.bits, gap.clock_mhz)
        for number in range(grid.rounds):
            for stream in range(grid.in_streams):
                for k in range(grid.passes):
                    yield ports.in_free[stream]
                    began = self.sim.now
                    yield max((words + STREAM_LOOP_CYCLES) / gap.clock_mhz, stream_us)
                    name = f"image {image} tile {number} pass {k}"
                    self.sim.mark(f"stream/{sink.layer} in {stream}", name, began)
                    self.sim.mark(f"pl/{gap.name} write", f"{name} group {stream}", began)
                    self.sim.give(ports.in_full[stream])

    def _tiled_mover(self, mover: MoverPlan, sink: TiledStreams) -> Process:
        """A mover that feeds a layer's streams side by side, a word of each in turn."""
        grid, ports = sink.grid, self.ports[sink.layer]
        each = mover.cycles / mover.clock_mhz / (grid.rounds * grid.passes)
        for image in range(self.images):
            self.starts.append(self.sim.now)
            for number in range(grid.rounds):
                for k in range(grid.passes):
                    for stream in range(grid.in_streams):
                        yield ports.in_free[stream]
                    began = self.sim.now
                    yield each
                    self.sim.mark(f"pl/{mover.name}", f"image {image} tile {number} pass {k}", began)
                    for stream in range(grid.in_streams):
                        self.sim.give(ports.in_full[stream])

    def _stream_us(self, size: int, bits: int, pl_mhz: float) -> float:
        aie_mhz = self.plan.device.clocks.aie_mhz
        return (plio_cycles(size, bits=bits, pl_mhz=pl_mhz, aie_mhz=aie_mhz) + DMA_SETUP_CYCLES) / aie_mhz


def simulate_plan(plan: Plan, images: int = IMAGES) -> SimulatedRun:
    """Run some images through a plan on the event simulator.

    Raises:
        Stuck: its buffers can never let the images through.
        ValueError: no image is asked for.
    """
    if images < 1:
        raise ValueError(f"{images} images: at least one is needed")
    builder = _Builder(plan, images)
    builder.build()
    builder.sim.run(tuple(builder.watched))
    return SimulatedRun(
        slices=tuple(builder.sim.slices), starts_us=tuple(builder.starts), ends_us=tuple(builder.ends)
    )


def lanes(slices: Sequence[Slice]) -> list[str]:
    """Return the lanes in order: cores, PL kernels, streams, each in the order of their first slice."""
    order = {"aie": 0, "pl": 1, "stream": 2}
    first = dict.fromkeys(s.lane for s in slices)
    return sorted(first, key=lambda lane: order[lane.partition("/")[0]])
