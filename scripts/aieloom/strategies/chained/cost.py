"""The kernel of a layer in a chain as a loop nest: what a counting build of the emulator counts, and the cycles that follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aieloom.cost.generated import Epilogue
from aieloom.cost.kernels import TURN_CYCLES, Kernel
from aieloom.cost.loops import Issue, Loop, Node, Ops


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
    scale_cycles: float  # of scaling one, its multiplications among them
    compare_cycles: float  # of taking the larger ones of two mmuls
    results: (
        int  # vectors of an mmul's size that remain when the largest sums are taken, before pixels are folded
    )
    halves: int
    fold: int
    stores: int  # of 256 bits


def loops(c: Chained) -> tuple[Node, ...]:
    """Return one call, loop by loop as the template writes it."""
    return _nest(c, 0.0, c.end.scale_macs)


def chained_kernel(p: Mapping[str, float], arch: str, c: Chained) -> Kernel:
    """Return the kernel with what each block of sums costs beyond its loops."""
    each = p[f"gemm.block.{arch}"] + TURN_CYCLES * len(c.trips)
    each += c.scaled * c.scale_cycles + _maxima(c)
    return Kernel(nodes=_nest(c, each, 0.0), issue=Issue(), call=p["call"])


def _nest(c: Chained, each: float, scale_macs: float) -> tuple[Node, ...]:
    block = Loop(trips=c.blocks, body=(*(_inner(c, t) for t in c.trips), _end(c, scale_macs)), each=each)
    return (Loop(trips=c.steps, body=(Ops(loads=c.start_loads), block)),)


def _inner(c: Chained, trips: int) -> Node:
    """Return the loop over kernel rows and blocks: pixels are loaded once and shifted along for each kernel column."""
    loads = c.rows * c.pixel_loads + c.taps * c.outputs * c.weight_loads
    shifts = c.rows * sum(1 for tap in range(c.taps) if tap % 4)
    step = Ops(
        loads=loads, load_slots=-(-loads // 2), macs=c.rows * c.taps * c.outputs * c.issue, shuffles=shifts
    )
    return Loop(trips=trips, body=(step,), pipelined=True)


def _end(c: Chained, scale_macs: float) -> Ops:
    blocks = c.results // c.halves
    shuffles = blocks * (2 * (c.halves == 2) + 2 * (c.fold == 2))
    return Ops(
        loads=c.scaled * c.end.scale_loads, macs=c.scaled * scale_macs, shuffles=shuffles, stores=c.stores
    )


def _maxima(c: Chained) -> float:
    """Return the cycles of a block's comparisons: of sums, of neighbouring pixels, with a bound."""
    return (c.rows * c.outputs - c.results) * c.compare_cycles + 2 * c.results
