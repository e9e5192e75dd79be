"""ESPCN's published design beside ours: what the model says of both, and why they differ."""

from __future__ import annotations

from collections.abc import Iterator

from aieloom.cost.parameters import load_parameters
from aieloom.cost.published import LAYERS, PUBLISHED_FPS, published_pl_kernels, published_times
from aieloom.pl.kernel import PlKernel
from aieloom.plan.types import ArrayPart


def published_lines(plan: ArrayPart) -> Iterator[str]:
    """Yield the published design's modelled rate, and why ours differs; nothing for a plan of another mapping."""
    cut = [(d.op, d.grid.m, d.grid.tile_m, d.grid.k, d.grid.tile_n) for d in (la.draft for la in plan.aie)]
    theirs = [("conv2d", la.outputs, la.core[0], la.taps, la.core[2]) for la in LAYERS]
    if cut != theirs or plan.device.name != "vck190":
        return
    _, interval = published_times(load_parameters())
    yield (
        f"the published mapping with the published kernels: {1e6 / interval:,.0f} images/s modelled, "
        f"{PUBLISHED_FPS:,.0f} measured by its author (thesis by A. Tzomaka, 2022)"
    )
    slow = max(published_pl_kernels(), key=lambda k: k.interval_us)
    cycles = sum(loop.cycles for loop in slow.loops)
    loops = ", ".join(f"{loop.name} {loop.cycles:,}" for loop in slow.loops)
    yield (
        f"  its slowest is {slow.name}, whose loops follow one another, one element a cycle: {loops}: "
        f"{cycles:,} cycles at {slow.clock_mhz:g} MHz = {slow.interval_us:,.0f} us an image"
    )
    ours = max(plan.pl, key=lambda g: g.cycles / g.clock_mhz)
    yield from _ours(ours, cycles)


def _ours(ours: PlKernel, cycles: int) -> Iterator[str]:
    how = "keeps lines and overlaps its tasks" if ours.lines else "overlaps its processes"
    yield (
        f"  ours is {ours.name}, which {how} and gathers a word of {ours.outlets[0].lanes} values a cycle: "
        f"{ours.cycles:,} cycles at {ours.clock_mhz:g} MHz = {ours.cycles / ours.clock_mhz:,.0f} us, "
        f"{cycles / ours.cycles:.1f} times fewer cycles"
    )
