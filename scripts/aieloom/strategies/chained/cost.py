"""The kernel of a layer in a chain as a loop nest: what a counting build of the emulator counts, and the cycles that follow."""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.cost.generated import Epilogue
from aieloom.cost.loops import Loop, Node, Ops


@dataclass(frozen=True, slots=True, kw_only=True)
class Chained:
    """A call: for each of `steps` along the output channels `blocks` of sums in flight, each over the trips of every port."""

    steps: int
    blocks: int
    trips: tuple[int, ...]
    rows: int  # rows of pixels in flight
    outputs: int  # mmuls of a row: blocks x halves x positions
    taps: int  # kernel columns
    pixel_loads: int  # 256-bit loads of a row's pixels
    weight_loads: int  # of one mmul's weights
    issue: float  # cycles of one mmul
    start_loads: int  # of the biases that sums begin with
    scaled: int  # mmuls whose sums are scaled back
    end: Epilogue  # of one of them
    results: (
        int  # vectors of an mmul's size that remain when the largest sums are taken, before pixels are folded
    )
    halves: int
    fold: int
    stores: int  # of 256 bits


def loops(c: Chained) -> tuple[Node, ...]:
    """Return one call, loop by loop as the template writes it."""
    block = Loop(trips=c.blocks, body=(*(_inner(c, t) for t in c.trips), _end(c)))
    return (Loop(trips=c.steps, body=(Ops(loads=c.start_loads), block)),)


def _inner(c: Chained, trips: int) -> Node:
    """Return the loop over kernel rows and blocks: pixels are loaded once and shifted along for each kernel column."""
    loads = c.rows * c.pixel_loads + c.taps * c.outputs * c.weight_loads
    shifts = c.rows * sum(1 for tap in range(c.taps) if tap % 4)
    step = Ops(
        loads=loads, load_slots=-(-loads // 2), macs=c.rows * c.taps * c.outputs * c.issue, shuffles=shifts
    )
    return Loop(trips=trips, body=(step,), pipelined=True)


def _end(c: Chained) -> Ops:
    blocks = c.results // c.halves
    shuffles = blocks * (2 * (c.halves == 2) + 2 * (c.fold == 2))
    return Ops(
        loads=c.scaled * c.end.scale_loads,
        macs=c.scaled * c.end.scale_macs,
        shuffles=shuffles,
        stores=c.stores,
    )
