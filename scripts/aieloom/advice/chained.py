"""What `aieloom explain` and `suggest` say of a layer in a chain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aieloom.plan.chain_grid import BLOCK, ChainGrid
from aieloom.plan.chains.cost import times_of
from aieloom.plan.types import AieLayerPlan, Plan, StageCost
from aieloom.report.roofline import peak_macs
from aieloom.spec.types import Buffers
from aieloom.words import plural


def explain_time(plan: Plan, layer: AieLayerPlan, grid: ChainGrid, stage: StageCost) -> Iterator[str]:
    """Yield how long an image takes, transfer by transfer."""
    before = next((la for la in plan.aie if la.name == layer.draft.inputs[0]), None)
    times = times_of(plan.device, layer, plan.plios, None if grid.entry else before)
    size, ports = layer.draft.dtype.bytes, range(len(grid.in_blocks))
    read = " and ".join(f"{grid.port_elements(p)} x {size} B" for p in ports)
    yield f"time, in cycles of {stage.clock_mhz:g} MHz"
    yield f"  a kernel call: modelled {layer.draft.kernel_cycles} cycles"
    if grid.entry:
        yield f"  from the PL into the memory tile: {grid.entry.words} words of {grid.entry.bits} bits = {times.fill:.0f}"
    elif before:
        yield f"  from {before.name} into the memory tile: {times.gather:.0f}"
    yield f"  to a core: {read} on {plural(len(ports), 'stream')} of 4 B a cycle = {times.read:.0f}"
    yield f"  out of a core: {grid.out_elements} x {size} B = {times.write:.0f}"
    if grid.exit:
        yield f"  to the PL: {grid.exit.words} words of {grid.exit.bits} bits = {times.drain:.0f}"
    how = "transfers beside work" if layer.draft.buffers is Buffers.PING_PONG else "one after another"
    yield f"  {layer.draft.buffers.value} buffers, {how}: {stage.cycles}"
    m, k, n = grid.mmul
    yield macs_line(plan, layer, grid.mmuls * grid.cores * m * k * n, grid.counting_macs)


def macs_line(plan: Plan, layer: AieLayerPlan, executed: int, counting: int) -> str:
    """Return how many MACs a core does in a cycle: all that are executed, and those of them that are the layer's own."""
    stage = next(s for s in plan.cost.stages if s.name == layer.name)
    cores, cycles = layer.grid.cores, stage.cycles
    each = [macs / (cores * cycles) for macs in (executed, counting)]
    return (
        f"  {executed:,} MACs are executed, {counting:,} of them the layer's own: / ({cores} cores x {cycles} cycles) = "
        f"{each[0]:.2f} and {each[1]:.2f} a cycle and core, of {peak_macs(plan, layer):g}"
    )


def explain_buffers(plan: Plan, layer: AieLayerPlan) -> Iterator[str]:
    """Yield the memory tiles beside a layer."""
    for b in plan.buffers:
        if layer.name in (b.before, b.after):
            ends = f"{plural(len(b.writers), 'writer')}, {plural(len(b.readers), 'reader')}"
            yield f"  memory tile {b.tile}: {b.name}, {b.copies} x {b.bytes} B, {ends}"


def neighbours(layer: AieLayerPlan, grid: ChainGrid) -> Iterator[dict[str, Any]]:
    """Yield other numbers of cores and bands, and the other kind of buffers."""
    blocks, draft = -(-grid.m // BLOCK), layer.draft
    for bands in sorted({1, grid.groups - 1, grid.groups, grid.groups + 1, 2 * grid.groups} - {0}):
        for parts in [p for p in range(1, blocks + 1) if -(-blocks // -(-blocks // p)) == p]:
            if (parts, bands) != (grid.parts, grid.groups):
                yield {"cores": parts * bands, "bands": bands}
    other = Buffers.SINGLE if draft.buffers is Buffers.PING_PONG else Buffers.PING_PONG
    yield {"cores": grid.cores, "bands": grid.groups, "buffers": other}
    if grid.entry:
        yield {"cores": grid.cores, "bands": grid.groups, "plio": 128 if draft.plio_bits != 128 else 64}
