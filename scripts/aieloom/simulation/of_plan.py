"""A plan as a simulation: every stream block and kernel call of some images, with the buffers between them.

What runs: the movers; in each PL kernel a reader (streams one after another, one value a cycle) and a writer
(gathers the next layer's blocks, one word a cycle) with a frame buffer of two places between them; each group
of cores, which share an input stream and compute side by side; each core's output stream. A writer waits for
a free input buffer, a group for its input and for free output buffers, a reader for each block: so contention and back-pressure
come out by themselves. A kernel of several inlets has a reader for each, one of several outlets a writer for each; a writer
and the reader of the PL kernel behind it move an image together. Times come from the cost model; nothing here is measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from aieloom.cost.machine import DMA_SETUP_CYCLES, plio_cycles
from aieloom.pl.ends import PING_PONG, Inlet, Outlet
from aieloom.pl.frames import PIPELINE_CYCLES, STREAM_LOOP_CYCLES
from aieloom.pl.kernel import PlKernel
from aieloom.pl.line_store import LinePart
from aieloom.pl.movers import MoverPlan
from aieloom.pl.steps import PlStep
from aieloom.pl.streams import TiledStreams, is_by_row
from aieloom.plan.linked import linking_of
from aieloom.plan.rates import Rates, crossing_of, host_of, rates_of
from aieloom.plan.shared_buffers import LinkedGrid
from aieloom.plan.subgraph import Subgraph
from aieloom.plan.types import AieLayerPlan, ArrayPart
from aieloom.simulation.events import (
    LayerPorts,
    Places,
    Process,
    SimulatedRun,
    Simulation,
    Slice,
    SubgraphRun,
    Tokens,
    Wait,
)

IMAGES = 6  # the first one shows the latency, the last ones the steady interval


@dataclass(slots=True)
class _Builder:
    """Builds the processes of a plan's subgraph."""

    plan: ArrayPart
    subgraph: Subgraph
    images: int
    sim: Simulation = field(default_factory=Simulation)
    ports: dict[str, LayerPorts] = field(default_factory=dict)
    meetings: dict[tuple[str, str], Places] = field(
        default_factory=dict
    )  # by kernel and inlet: the reader has room for an image, the writer has brought one
    rows: dict[tuple[str, str], Places] = field(
        default_factory=dict
    )  # by kernel and inlet: between PL kernels of which one keeps lines
    watched: list[Tokens] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)

    @property
    def _layers(self) -> list[AieLayerPlan]:
        return [la for la in self.plan.aie if la.name in self.subgraph.layers]

    def build(self) -> None:
        for layer in self._layers:
            self._layer(layer)
        self._chains()
        if self.subgraph.fed:
            self.sim.start("mm2s", self._tiled_mover(self.subgraph.mm2s, self.subgraph.fed))
        kernels = [g for g in self.plan.pl if g.name in self.subgraph.kernels]
        lines = {g.name for g in kernels if g.lines}
        for kernel in kernels:
            for inlet in kernel.inlets:
                where = f"{inlet.port} of {kernel.name}"
                if is_by_row(inlet.streams) and lines & {kernel.name, inlet.producer}:
                    from aieloom.simulation.of_lines import row_queue  # noqa: PLC0415 - most designs have none

                    self.rows[kernel.name, inlet.port] = row_queue(self._tokens, where)
                self.meetings[kernel.name, inlet.port] = Places(
                    self._tokens(f"room at {where}"), self._tokens(f"an image at {where}")
                )
        for kernel in kernels:
            self._kernel(kernel)

    def _tokens(self, name: str, count: int = 0) -> Tokens:
        tokens = Tokens(name, count)
        self.watched.append(tokens)
        return tokens

    def _layer(self, layer: AieLayerPlan) -> None:
        grid, copies, name = layer.grid, layer.draft.buffers.copies, layer.name
        into, out = range(grid.in_streams), range(grid.out_streams)
        free = [self._tokens(f"an input buffer of {name}.{s}", copies) for s in into]
        inputs = [Places(f, self._tokens(f"input of {name}.{s}")) for s, f in zip(into, free, strict=True)]
        free = [self._tokens(f"an output buffer of {name}.{c}", copies) for c in out]
        outputs = [Places(f, self._tokens(f"output of {name}.{c}")) for c, f in zip(out, free, strict=True)]
        self.ports[name] = LayerPorts(inputs, outputs)
        if isinstance(grid, LinkedGrid):
            return
        for group in range(grid.groups):
            self.sim.start(f"{name}.{group}", self._group(layer, group))

    def _chains(self) -> None:
        """Start the layers of chains, each behind the one that it reads."""
        device, made = self.plan.device, dict[str, Places]()
        for layer in self._layers:
            if isinstance(layer.grid, LinkedGrid):
                from aieloom.simulation.of_linked import LinkedLayer  # noqa: PLC0415 - most designs have none

                before = next((la for la in self.plan.aie if la.name == layer.draft.inputs[0]), None)
                source = made[before.name] if before and layer.grid.entry is None else None
                times = linking_of(layer.grid).times(
                    device, layer, self.plan.plios, before if source else None
                )
                linked = LinkedLayer(
                    sim=self.sim,
                    images=self.images,
                    layer=layer,
                    times=times,
                    aie_mhz=device.clocks.aie_mhz,
                    ports=self.ports[layer.name],
                )
                made[layer.name] = linked.start(self._tokens, source)

    def _group(self, layer: AieLayerPlan, group: int) -> Process:
        """Cores that share an input stream: for each tile, take its blocks, compute, hand out the results."""
        grid, ports = layer.grid, self.ports[layer.name]
        given = ports.inputs[group * grid.cascade : (group + 1) * grid.cascade]
        made = ports.outputs[group * grid.parts : (group + 1) * grid.parts]
        lane = f"aie/{layer.name} group {group} ({grid.parts * grid.cascade} cores)"
        each = layer.draft.kernel_cycles / grid.passes / self.plan.device.clocks.aie_mhz
        for image in range(self.images):
            for number in range(grid.rounds):
                for places in made:
                    yield places.free
                for k in range(grid.passes):
                    marks = [(lane, f"image {image} tile {number} pass {k}")] if self.sim.shows else []
                    yield from self.sim.hand_on(given, [], each, *marks)
                for places in made:
                    self.sim.give(places.full)

    def _buffers(self, kernel: PlKernel, what: str, depths: Sequence[int]) -> list[Places]:
        names = [f"buffer {what}{i} of {kernel.name}" for i in range(len(depths))]
        free = [self._tokens(f"a free {n}", d) for n, d in zip(names, depths, strict=True)]
        return [Places(f, self._tokens(f"an image in {n}")) for n, f in zip(names, free, strict=True)]

    def _kernel(self, kernel: PlKernel) -> None:
        """Start a PL kernel's processes: each hands its frame buffer to the next."""
        if kernel.lines:
            from aieloom.simulation.of_lines import LineKernel  # noqa: PLC0415 - most designs have none

            LineKernel(
                sim=self.sim,
                images=self.images,
                kernel=kernel,
                store=kernel.lines,
                tokens=self._tokens,
                start_part=partial(self._part, kernel.clock_mhz),
                ports={i.port: self._rows_in(kernel, i) for i in kernel.inlets}
                | {o.port: self._rows_out(o) for o in kernel.outlets},
            ).start()
            return
        assert kernel.frames is not None
        stages = kernel.frames.stages
        levels = [self._buffers(kernel, f"{i}.", [PING_PONG]) for i in range(len(stages))]
        if len(kernel.inlets) > 1:
            levels[0] = self._buffers(kernel, "0.", [inlet.depth for inlet in kernel.inlets])
        levels.append(self._buffers(kernel, "last.", [PING_PONG for _ in kernel.outlets]))
        for i, inlet in enumerate(kernel.inlets):
            first = levels[0] if len(kernel.inlets) == 1 else levels[0][i : i + 1]
            self.sim.start(f"{kernel.name} reader {i}", self._reader(kernel, inlet, first))
        for stage, (source, target) in zip(stages, pairwise(levels), strict=True):
            process = self._fold(kernel, stage.window, source, target)
            self.sim.start(f"{kernel.name} {stage.window.layer}", process)
        for i, outlet in enumerate(kernel.outlets):
            self.sim.start(f"{kernel.name} writer {i}", self._writer(kernel, outlet, levels[-1][i]))

    def _rows_in(self, kernel: PlKernel, inlet: Inlet) -> Places | None:
        return self.rows.get((kernel.name, inlet.port))

    def _rows_out(self, outlet: Outlet) -> Places | None:
        return self.rows.get((outlet.reader, outlet.reader_port))

    def _part(
        self, mhz: float, part: LinePart, name: str, rows_in: Places | None, rows_out: Places | None
    ) -> None:
        from aieloom.simulation.of_part import PartProcesses  # noqa: PLC0415 - of streaming kernels alone

        source, sink = part.inlet.streams, part.outlet.streams
        PartProcesses(
            sim=self.sim,
            images=self.images,
            name=name,
            part=part,
            clock_mhz=mhz,
            before=self.ports[source.layer] if isinstance(source, TiledStreams) else None,
            after=self.ports[sink.layer] if isinstance(sink, TiledStreams) else None,
            source=self.subgraph.mm2s if part.inlet.from_memory else None,
            sink=self.subgraph.s2mm if part.outlet.to_memory else None,
            stream_us=self._stream_us,
            starts=self.starts,
            ends=self.ends,
            rows_in=rows_in,
            rows_out=rows_out,
        ).start(self._tokens)

    def _fold(
        self, kernel: PlKernel, window: PlStep, source: Sequence[Places], target: Sequence[Places]
    ) -> Process:
        """Compute one level of buffers from the one before it: a pool, a softmax, a sum."""
        us, lane = window.cycles / kernel.clock_mhz, f"pl/{kernel.name} {window.layer}"
        for image in range(self.images):
            yield from self.sim.hand_on(source, target, us, (lane, f"image {image}"))

    def _reader(self, kernel: PlKernel, inlet: Inlet, buffers: Sequence[Places]) -> Process:
        streams, meeting = inlet.streams, self.meetings[kernel.name, inlet.port]
        mover = self.subgraph.mm2s if inlet.from_memory else None
        lane, rows = "read" if len(kernel.inlets) == 1 else f"read {inlet.port}", self._rows_in(kernel, inlet)
        for image in range(self.images):
            yield from (places.free for places in buffers)
            began = self.sim.now
            if mover:
                self.starts.append(began)
            if isinstance(streams, TiledStreams):
                yield from self._read_blocks(kernel, inlet, streams, image)
            elif mover:
                values = streams.words * (streams.bits // (8 * inlet.dtype.bytes))
                yield from self._raster(kernel, values, mover, f"image {image}", lane)
            elif rows:
                us = inlet.x.elements / inlet.x.shape[1] / kernel.clock_mhz
                for row in range(inlet.x.shape[1]):
                    mark = f"pl/{kernel.name} {lane}", f"image {image} row {row}"
                    yield from self.sim.hand_on([rows], [], us, mark)
            else:
                self.sim.give(meeting.free)
                yield meeting.full
            yield PIPELINE_CYCLES / 2 / kernel.clock_mhz
            for places in buffers:
                self.sim.give(places.full)

    def _raster(
        self, kernel: PlKernel, cycles: float, mover: MoverPlan | None, name: str, lane: str
    ) -> Process:
        """Move an image in plain order, as fast as the kernel and the mover beside it can."""
        us = max(cycles / kernel.clock_mhz, mover.cycles / mover.clock_mhz if mover else 0.0)
        lanes = (f"pl/{kernel.name} {lane}", *((f"pl/{mover.name}",) if mover else ()))
        yield from self.sim.hand_on([], [], us, *((at, name) for at in lanes))

    def _read_blocks(self, kernel: PlKernel, inlet: Inlet, source: TiledStreams, image: int) -> Process:
        """Read a tile from each stream in turn: one value a cycle, no faster than the stream brings them."""
        grid, ports = source.grid, self.ports[source.layer]
        cycles = grid.out_elements + STREAM_LOOP_CYCLES
        size = grid.out_elements * inlet.dtype.bytes
        stream = self._stream_us(size, source.bits, kernel.clock_mhz)
        us = max(cycles / kernel.clock_mhz, stream)
        for number in range(grid.rounds):
            name = f"image {image} tile {number}"
            for core in range(grid.chains):
                marks = (
                    [
                        (f"stream/{source.layer} out {core}", name),
                        (f"pl/{kernel.name} read", f"{name} core {core}"),
                    ]
                    if self.sim.shows
                    else []
                )
                yield from self.sim.hand_on([ports.outputs[core]], [], us, *marks)

    def _writer(self, kernel: PlKernel, outlet: Outlet, buffer: Places) -> Process:
        streams, meeting = outlet.streams, self.meetings.get((outlet.reader, outlet.reader_port))
        mover = self.subgraph.s2mm if outlet.to_memory else None
        lane, rows = "write" if len(kernel.outlets) == 1 else f"write {outlet.port}", self._rows_out(outlet)
        for image in range(self.images):
            yield buffer.full
            yield PIPELINE_CYCLES / 2 / kernel.clock_mhz
            if isinstance(streams, TiledStreams):
                yield from self._write_blocks(kernel, outlet, streams, image)
            elif rows:
                us = streams.words / kernel.y.shape[1] / kernel.clock_mhz
                for row in range(kernel.y.shape[1]):
                    mark = f"pl/{kernel.name} {lane}", f"image {image} row {row}"
                    yield from self.sim.hand_on([], [rows], us, mark)
            else:
                if meeting:
                    yield meeting.free
                yield from self._raster(kernel, self._together(kernel, outlet), mover, f"image {image}", lane)
                if meeting:
                    self.sim.give(meeting.full)
            self.sim.give(buffer.free)
            if mover:
                self.ends.append(self.sim.now)

    def _together(self, kernel: PlKernel, outlet: Outlet) -> float:
        """Return the cycles of `kernel` in which an image leaves: a PL kernel behind takes one value a cycle."""
        behind = next((g for g in self.plan.pl if g.name == outlet.reader), None)
        if behind is None:
            return outlet.streams.words
        return max(
            outlet.streams.words, outlet.streams.words * outlet.lanes * kernel.clock_mhz / behind.clock_mhz
        )

    def _write_blocks(self, kernel: PlKernel, outlet: Outlet, sink: TiledStreams, image: int) -> Process:
        """Write a tile to each stream in turn, all its passes; wait while the group's input buffers are full."""
        grid, ports = sink.grid, self.ports[sink.layer]
        size = grid.in_elements * outlet.dtype.bytes
        words = size * 8 / sink.bits
        stream_us = self._stream_us(size, sink.bits, kernel.clock_mhz)
        us = max((words + STREAM_LOOP_CYCLES) / kernel.clock_mhz, stream_us)
        for number in range(grid.rounds):
            for stream in range(grid.in_streams):
                for k in range(grid.passes):
                    name = f"image {image} tile {number} pass {k}"
                    marks = (
                        (f"stream/{sink.layer} in {stream}", name),
                        (f"pl/{kernel.name} write", f"{name} group {stream}"),
                    )
                    yield from self.sim.hand_on([], [ports.inputs[stream]], us, *marks)

    def _tiled_mover(self, mover: MoverPlan, sink: TiledStreams) -> Process:
        """A mover that feeds a layer's streams side by side, a word of each in turn."""
        grid, ports = sink.grid, self.ports[sink.layer]
        each = mover.cycles / mover.clock_mhz / (grid.rounds * grid.passes)
        for image in range(self.images):
            self.starts.append(self.sim.now)
            for number in range(grid.rounds):
                for k in range(grid.passes):
                    mark = f"pl/{mover.name}", f"image {image} tile {number} pass {k}"
                    yield from self.sim.hand_on([], ports.inputs, each, mark)

    def _stream_us(self, size: int, bits: int, pl_mhz: float) -> float:
        aie_mhz = self.plan.device.clocks.aie_mhz
        return (plio_cycles(size, bits=bits, pl_mhz=pl_mhz, aie_mhz=aie_mhz) + DMA_SETUP_CYCLES) / aie_mhz


def simulate_plan(
    plan: ArrayPart, images: int = IMAGES, *, waits: bool = False, slices: bool = True
) -> SimulatedRun:
    """Run some images through a plan on the event simulator.

    `waits` keeps what each process waited for; without `slices` there are times alone, which is faster.

    Raises:
        Stuck: its buffers can never let the images through.
        ValueError: no image is asked for.
    """
    if images < 1:
        raise ValueError(f"{images} images: at least one is needed")
    shown: list[Slice] = []
    stood: list[Wait] = []
    runs: list[SubgraphRun] = []
    for subgraph in plan.subgraphs:
        begins = runs[-1].ends_us[-1] if runs else 0.0
        builder = _Builder(plan, subgraph, images, Simulation(begins, waits=waits, slices=slices))
        builder.build()
        builder.sim.run(tuple(builder.watched))
        shown += builder.sim.slices
        stood += builder.sim.waits
        runs.append(SubgraphRun(starts_us=tuple(builder.starts), ends_us=tuple(builder.ends)))
    crossing = crossing_of(plan, host_of(plan))
    return SimulatedRun(
        slices=tuple(shown),
        subgraphs=tuple(runs),
        tiles=plan.tiles,
        copies=plan.copies,
        processor_us=sum(s.interval_us for s in plan.cost.stages if s.kind == "ps"),
        crossing_us=crossing.latency_us if crossing else 0.0,
        waits=tuple(stood),
    )


def modelled_rates(plan: ArrayPart, run: SimulatedRun | None = None) -> Rates:
    """Return a plan's three rates; `run` is its simulation, where there is one.

    Raises:
        Stuck: its buffers can never let the images through.
    """
    run = run or simulate_plan(plan, slices=False)
    return rates_of(plan, [s.interval_us for s in run.subgraphs], run.processor_us)


def lanes(slices: Sequence[Slice]) -> list[str]:
    """Return the lanes in order: cores, PL kernels, streams, each in the order of their first slice."""
    order = {"aie": 0, "pl": 1, "stream": 2}
    first = dict.fromkeys(s.lane for s in slices)
    return sorted(first, key=lambda lane: order[lane.partition("/")[0]])
