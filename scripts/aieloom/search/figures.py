"""What a layer's cut costs, by the planner's own functions, and what of a design no cut changes.

A design's interval is the longest of its stages', its latency their sum, and the PL kernels at both sides of a layer
depend on it by their reader or their writer alone. So a layer carries its own share of every figure, and the figures
of a whole design follow from its layers' by maximum and by sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from aieloom.layout.grid import TileGrid
from aieloom.network.tensor import TensorType
from aieloom.pl.ends import Inlet, Outlet
from aieloom.pl.frames import PIPELINE_CYCLES, beats_read, loop_cycles
from aieloom.pl.kernel import PlKernel
from aieloom.pl.line_store import LinePart
from aieloom.pl.lines.least import least_read, least_written
from aieloom.pl.movers import mover_cycles
from aieloom.pl.steps import WINDOW
from aieloom.pl.storage import Storage, buffer_storage, stored_in
from aieloom.pl.streams import TiledStreams, by_row
from aieloom.plan.cost import array_cycles, chain_latency, stream_cycles
from aieloom.plan.layer_streams import input_words, output_words
from aieloom.plan.place import shape_of
from aieloom.plan.rates import port_us
from aieloom.plan.types import AieLayerPlan, ArrayPart
from aieloom.plan.wire import channels_of
from aieloom.search.scope import Choice
from aieloom.spec.device import Device
from aieloom.spec.types import Buffers, DataType

# What a design is judged by and what it uses; the first is the maximum over its layers, the others are sums.
METRICS = (
    "interval_us",
    "latency_us",
    "cores",
    "tiles",
    "plio",
    "columns",
    "in_channels",
    "out_channels",
    "bram36",
    "uram288",
)
INTERVAL, LATENCY, CORES, TILES, PLIO, COLUMNS, INS, OUTS, BRAM, URAM = range(len(METRICS))
Figures = NDArray[np.float64]


class Sides(NamedTuple):
    """What a cut costs outside the cores."""

    fill: float  # AIE cycles of one input buffer through its PLIO
    drain: float  # of one output buffer
    interval_us: float  # of the slower of the PL processes that feed and read the layer
    latency_us: float  # of both
    in_channels: int  # of the interface, for each PLIO
    out_channels: int
    storage: Storage  # of the frame buffer that the layer is fed from


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What a layer's figures depend on beside its own cut: the PL kernels at its sides and their clocks."""

    device: Device
    dtype: DataType
    before: PlKernel | None  # None: the host program tiles the input, and the mover feeds the layer
    writer: LinePart | None  # of `before`, where it keeps lines
    reader: LinePart | None  # of the kernel behind
    arrives: TensorType  # there
    read_mhz: float
    wraps: bool  # `after` has a layer that keeps rows in memories of their own
    rows: int  # words in which lanes reach a layer of `after` that sees neighbours: row by row, in one stream
    fill_mhz: float
    mover_mhz: float
    buffers: dict[int, Storage] = field(default_factory=dict)  # that the layer is fed from, by stream width
    feeds: dict[tuple[object, ...], tuple[float, float, Storage]] = field(
        default_factory=dict
    )  # of cuts along K and N: M is nothing to what feeds the layer

    @property
    def streamed(self) -> bool:
        """Whether a streaming kernel feeds the layer that keeps rows of every channel for each link of a chain of cores.

        Chains are not tried there, but where the kernel does no more than cut what comes from memory.
        """
        return bool(self.writer and (self.writer.steps or not self.writer.inlet.from_memory))

    @classmethod
    def of(cls, plan: ArrayPart, layer: AieLayerPlan) -> Surroundings:
        """Return what surrounds a layer of a plan; other cuts of the layers leave it as it is."""
        before, outlet = next(
            ((g, o) for g in plan.pl for o in g.outlets if o.reader == layer.name), (None, None)
        )
        mover_mhz = plan.subgraphs[0].mm2s.clock_mhz
        behind, inlet = next((g, i) for g in plan.pl for i in g.inlets if i.producer == layer.name)
        return cls(
            device=plan.device,
            dtype=layer.draft.dtype,
            before=before,
            writer=before.lines.serving(outlet) if before and outlet and before.lines else None,
            reader=behind.lines.reading(inlet) if behind.lines else None,
            arrives=inlet.x,
            read_mhz=behind.clock_mhz,
            wraps=any(s.lines is not None and s.lines.kernel[0] > 1 for s in behind.steps),
            rows=by_row(inlet.x).words if any(s.kind == WINDOW for s in behind.steps) else 0,
            fill_mhz=before.clock_mhz if before else mover_mhz,
            mover_mhz=mover_mhz,
        )

    def sides(self, grid: TileGrid, bits: int, out_bits: int | None = None) -> Sides:
        """Return what a cut costs outside the cores: streams, and the PL processes at their ends."""
        size, out = self.dtype.bytes, out_bits or bits
        values = beats_read(output_words(grid, self.dtype, out), grid.chains, out, self.arrives.dtype)
        cycles = loop_cycles(values, grid.chains)
        if self.reader:
            values = cycles = least_read(
                grid, out // (8 * self.arrives.dtype.bytes), self.arrives, wraps=self.wraps
            )
            if grid.strips:
                values = cycles = max(cycles, self.rows)
        read_us = cycles / self.read_mhz
        key = (grid.tile_k, grid.tile_n, grid.mmul, grid.groups, grid.cascade, bits, type(grid))
        if key not in self.feeds:
            self.feeds[key] = self._fed(grid, bits)
        fed_us, feeding_us, storage = self.feeds[key]
        return Sides(
            stream_cycles(self.device, grid.in_elements * size, bits, self.fill_mhz),
            stream_cycles(self.device, grid.out_elements * size, out, self.read_mhz),
            max(read_us, fed_us),
            values / self.read_mhz + feeding_us,
            channels_of(self.device, bits),
            channels_of(self.device, out),
            storage,
        )

    def figures(
        self, grid: TileGrid, buffers: Buffers, sides: Sides, kernel_cycles: int, memories: int
    ) -> tuple[float, ...]:
        """Return a candidate's share of a design's figures, in the order of METRICS."""
        aie, chains, ins = self.device.clocks.aie_mhz, grid.chains, grid.in_streams
        width = grid.slot_columns(memories)
        interval, latency = array_cycles(grid, buffers, kernel_cycles, sides.fill, sides.drain)
        columns, _ = shape_of(self.device, chains, width, straight_down=False)
        return (
            max(interval / aie, sides.interval_us),
            (latency + chain_latency(grid.cascade)) / aie + sides.latency_us,
            grid.cores,
            chains * width,
            ins + chains,
            columns,
            ins * sides.in_channels,
            chains * sides.out_channels,
            sides.storage.bram36,
            sides.storage.uram288,
        )

    def _fed(self, grid: TileGrid, bits: int) -> tuple[float, float, Storage]:
        """Return interval and latency of what feeds the layer, and the buffer that it gathers from."""
        words = input_words(grid, self.dtype, bits)
        if self.before is None:
            time = mover_cycles(self.device, words, grid.in_streams, bits) / self.mover_mhz
            return time, time, Storage("bram", 0, 0)
        lanes = bits // (8 * self.before.x.dtype.bytes)
        if self.writer:
            cycles, storage = least_written(grid, self.writer, lanes)
            return cycles / self.before.clock_mhz, cycles / self.before.clock_mhz, storage
        words *= grid.in_streams
        if bits not in self.buffers:
            assert self.before.frames is not None
            self.buffers[bits] = buffer_storage(self.device, self.before.frames.holds, lanes)
        mhz = self.before.clock_mhz
        return loop_cycles(words, grid.in_streams) / mhz, words / mhz, self.buffers[bits]


def with_weights(row: tuple[float, ...], streams: int) -> tuple[float, ...]:
    """Return a candidate's figures with the streams that bring its weights, of one channel each."""
    more = {PLIO: streams, INS: streams}
    return tuple(value + more.get(metric, 0) for metric, value in enumerate(row))


def present(plan: ArrayPart, layer: AieLayerPlan) -> tuple[Choice, tuple[float, ...]]:
    """Return a layer of a plan as it is."""
    draft, grid = layer.draft, layer.grid
    choice = Choice(
        grid.tile,
        grid.asked_mmul,
        grid.groups,
        draft.buffers,
        draft.plio_bits,
        draft.plio_out_bits,
        draft.strategy,
        grid.cascade if grid.cascade > 1 else None,
    )
    around = Surroundings.of(plan, layer)
    sides = around.sides(grid, draft.plio_bits, draft.plio_out_bits)
    row = around.figures(grid, draft.buffers, sides, draft.kernel_cycles, draft.memory.memories)
    return choice, with_weights(row, draft.streamed.streams) if draft.streamed else row


def fixed(plan: ArrayPart) -> tuple[float, ...]:
    """Return the figures of a design without its layers': the PL processes and movers that no cut changes."""
    interval, latency = 0.0, 0.0
    for m in (m for s in plan.subgraphs for m in (s.s2mm, *([] if s.fed else [s.mm2s]))):
        alone, port = m.cycles / m.clock_mhz, port_us(plan.device.memory, m.image_bytes, reads=m.reads_memory)
        interval, latency = max(interval, alone, port), latency + alone
    for g in plan.pl:
        folds = [s.window.cycles for s in (g.frames.stages if g.frames else ())]
        cycles = sum(folds) + PIPELINE_CYCLES
        longest = max(folds, default=0)
        for inlet in () if g.lines else _plain(g.inlets):
            values = beats_read(inlet.streams.words, 1, inlet.streams.bits, inlet.dtype)
            cycles, longest = cycles + values, max(longest, loop_cycles(values, 1))
        for outlet in _plain(g.outlets):
            words = outlet.streams.words
            cycles, longest = cycles + words, max(longest, loop_cycles(words, 1))
        interval, latency = max(interval, longest / g.clock_mhz), latency + cycles / g.clock_mhz
    found = dict.fromkeys(METRICS, 0.0) | {"interval_us": interval, "latency_us": latency}
    gathered = [_gathered(g) for g in plan.pl]
    found["bram36"] = sum(mover.bram36 for mover in plan.movers)
    found["bram36"] += sum(g.bram36 - b for g, (b, _) in zip(plan.pl, gathered, strict=True))
    found["uram288"] = sum(g.uram288 - u for g, (_, u) in zip(plan.pl, gathered, strict=True))
    return tuple(found[name] for name in METRICS)


PortT = TypeVar("PortT", Inlet, Outlet)


def _plain(ports: Iterable[PortT]) -> Iterator[PortT]:
    """Yield the inlets or outlets that no layer's cut changes."""
    return (p for p in ports if not isinstance(p.streams, TiledStreams))


def _gathered(g: PlKernel) -> tuple[int, int]:
    """Return block RAM and UltraRAM of the buffers that the next layers' words are gathered from.

    A streaming kernel keeps what its layers have at least.
    """
    if g.lines:
        parts = (
            [g.part] if g.part else [p for p in g.lines.parts if isinstance(p.outlet.streams, TiledStreams)]
        )
        bram = sum(p.bram36 - sum(s.bram36 for s in p.steps) for p in parts)
        return bram, sum(p.uram288 for p in parts)
    assert g.frames is not None
    tiled = [o for o in g.outlets if isinstance(o.streams, TiledStreams)]
    kept = [stored_in(o.storage, g.frames.holds, o.lanes) for o in tiled]
    return sum(k.bram36 for k in kept), sum(k.uram288 for k in kept)
