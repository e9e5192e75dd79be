"""What `aieloom explain` says of a layer in a chain."""

from __future__ import annotations

from collections.abc import Iterator

from aieloom.plan.linked import Times
from aieloom.plan.types import AieLayerPlan
from aieloom.strategies.chained.grid import ChainGrid
from aieloom.words import plural


def explain_time(layer: AieLayerPlan, grid: ChainGrid, times: Times, before: str | None) -> Iterator[str]:
    """Yield how long an image takes, transfer by transfer."""
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
