"""How long an image takes in a layer of a chain, with the memory tile before it and, of the last one, behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from aieloom.cost.machine import DMA_SETUP_CYCLES, HOP_CYCLES, stream_cycles
from aieloom.pl.streams import TiledStreams
from aieloom.plan import cost
from aieloom.plan.linked import Times
from aieloom.plan.types import AieLayerPlan, PlioPlan
from aieloom.spec.device import Device
from aieloom.spec.types import Buffers
from aieloom.strategies.chained.grid import BlockGrid
from aieloom.words import plural

HOPS = 4  # stream switches between a core and its memory tile (estimate)


def times_of(
    device: Device, layer: AieLayerPlan, plios: Sequence[PlioPlan], before: AieLayerPlan | None = None
) -> Times:
    """Return what a layer of a chain takes, the way from the layer before it included if that is given."""
    grid, size = cast(BlockGrid, layer.grid), layer.draft.dtype.bytes
    clocks = cost.plio_clocks(layer.name, plios)

    def end(streams: TiledStreams | None, *, is_input: bool) -> float:
        if streams is None:
            return 0.0
        return cost.stream_cycles(device, streams.words * streams.bits // 8, streams.bits, clocks[is_input])

    setup = DMA_SETUP_CYCLES + HOP_CYCLES * HOPS
    ports = range(len(grid.in_blocks))
    return Times(
        fill=end(grid.entry, is_input=True),
        gather=setup + stream_cycles(before.grid.out_elements * size) if before and not grid.handed else 0.0,
        read=0.0 if grid.handed else setup + stream_cycles(max(grid.port_elements(p) for p in ports) * size),
        compute=layer.draft.kernel_cycles,
        write=0.0 if grid.hands else setup + stream_cycles(grid.out_elements * size),
        drain=end(grid.exit, is_input=False),
    )


def chained_cycles(device: Device, layer: AieLayerPlan, plios: Sequence[PlioPlan]) -> tuple[float, float]:
    """Return interval and latency of a layer of a chain in AIE cycles.

    With two buffers everywhere the slowest transfer or the kernel sets the rate.
    """
    times = times_of(device, layer, plios)
    interval = max(times)
    if layer.draft.buffers is Buffers.SINGLE:
        # a core's buffers are filled, worked on, drained one after another
        interval = max(interval, times.read + times.compute + times.write)
    assert layer.grid.cores == len(layer.kernels)
    return interval, sum(times)  # the way out of its cores is counted here, not with the layer behind


def explain_time(layer: AieLayerPlan, times: Times, before: str | None) -> Iterator[str]:
    """Yield how long an image takes, transfer by transfer."""
    grid = cast(BlockGrid, layer.grid)
    size, ports = layer.draft.dtype.bytes, range(len(grid.in_blocks))
    read = " and ".join(f"{grid.port_elements(p)} x {size} B" for p in ports)
    if grid.entry:
        yield f"  from the PL into the memory tile: {grid.entry.words} words of {grid.entry.bits} bits = {times.fill:.0f}"
    elif before:
        yield f"  from {before} into the memory tile: {times.gather:.0f}"
    yield f"  to a core: {read} on {plural(len(ports), 'stream')} of 4 B a cycle = {times.read:.0f}"
    yield f"  out of a core: {grid.out_elements} x {size} B = {times.write:.0f}"
    if grid.exit:
        yield f"  to the PL: {grid.exit.words} words of {grid.exit.bits} bits = {times.drain:.0f}"
