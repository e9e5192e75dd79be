"""Generated kernels, loop by loop as their templates write them: what a counting build of the emulator has to count."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from aieloom.cost.kernels import Gemm, blocks, depth_loop
from aieloom.cost.loops import Loop, Node, Ops
from aieloom.cost.machine import SUM_BYTES, access_count
from aieloom.network.layers import Requant
from aieloom.plan.scaling_code import row_vectors
from aieloom.spec.architecture import Architecture
from aieloom.spec.quantize import Scales
from aieloom.strategies.chained.grid import BLOCK, PIXELS, ChainGrid
from aieloom.strategies.lanes.cost import Lanes
from aieloom.strategies.lanes.grid import LaneGrid
from aieloom.strategies.sliding.cost import channel_loop
from aieloom.strategies.sliding.grid import LANES, LineGrid


@dataclass(frozen=True, slots=True, kw_only=True)
class Epilogue:
    """What sums become: the accesses of one mmul block of sums in 32 bits, and of making its elements."""

    sum_accesses: int  # of 256 bits
    scale_loads: int  # of what stands beside a block's biases
    scale_products: int  # with which a sum is multiplied
    scale_macs: float  # the multiplier's cycles of those of a block
    stores: int  # of a block's elements

    @property
    def ops(self) -> Ops:
        """Scaling a block back and storing its elements."""
        return Ops(loads=self.scale_loads, macs=self.scale_macs, stores=self.stores)


def epilogue(lanes: int, size: int, requant: Requant | None, architecture: Architecture) -> Epilogue:
    """Return what it takes to make elements of the `lanes` sums of an mmul block, as the templates write it.

    `size` is that of an element in bytes.
    """
    words, times = access_count(lanes, SUM_BYTES), _multiplications(requant)
    return Epilogue(
        sum_accesses=words,
        scale_loads=(row_vectors(requant) - 1) * words,
        scale_products=times,
        scale_macs=times * -(-lanes // architecture.facts.wide_products),
        stores=access_count(lanes, size),
    )


def _multiplications(requant: Requant | None) -> int:
    """Return how often a sum of 32 bits is multiplied with a number of 32 bits."""
    if requant is None or requant.scaling is Scales.POWER_OF_TWO:
        return 0
    return {Scales.MULTIPLIER: 2, Scales.MULTIPLIER16: 1, Scales.ONNX: 1}[requant.scaling] + requant.left


def generated_gemm(g: Gemm, passes: int, c_bytes: int) -> tuple[Node, ...]:
    """Return one call of the float32 im2col_gemm kernel.

    Every output tile starts with its rows' bias; each pass over K then loads a block's sums, adds the products
    and stores them.
    """
    s = g.shape
    words = access_count(s.m * s.n, c_bytes)
    start = Loop(trips=g.m // s.m, body=(Ops(loads=words), _each_column(g, Ops(stores=words))))
    return (start, _products(g, passes, words))


def generated_narrow(g: Gemm, passes: int, e: Epilogue) -> tuple[Node, ...]:
    """Return one call of an im2col_gemm kernel of integers or bfloat16.

    In one pass sums stay in the accumulators, from the bias to the elements. In several they lie in memory between
    passes, and the elements are made at the end.
    """
    rows, words = g.m // g.shape.m, e.sum_accesses
    if passes == 1:
        body = (Ops(loads=g.rows * words), depth_loop(g), e.ops.times(g.rows * g.cols))
        return (Loop(trips=blocks(g), body=body),)
    start = Loop(trips=rows, body=(Ops(loads=words), _each_column(g, Ops(stores=words))))
    finish = Loop(trips=rows, body=(_each_column(g, Ops(loads=words) + e.ops),))
    return (start, _products(g, passes, words), finish)


def generated_link(g: Gemm, e: Epilogue, beats: int, *, first: bool, last: bool) -> tuple[Node, ...]:
    """Return one call of a core of a chain: sums begin with the bias or what the core before sent, `beats` for a block."""
    start = Ops(loads=e.sum_accesses) if first else Ops(cascades=beats)
    end = e.ops if last else Ops(cascades=beats)
    count = g.rows * g.cols
    return (Loop(trips=blocks(g), body=(start.times(count), depth_loop(g), end.times(count))),)


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamedLink:
    """A core of `aieloom gemm`: what of a chain it is, and the accesses of one mmul block."""

    first: bool  # begins with zeros, not with what the core before sends
    last: bool  # keeps the sums, does not send them on
    flattened: bool
    beats: int  # of the cascade
    sums: int  # accesses of a block of sums in 32 bits, which wait between passes
    stores: int  # of a block's elements
    separate: bool  # sums wait in an array of their own, of which the elements are made at the end


def streamed_link(g: Gemm, passes: int, link: StreamedLink) -> tuple[Node, ...]:
    """Return one call of a core of `aieloom gemm`: all passes over K of a tile of C."""
    depth, count = depth_loop(g), g.rows * g.cols
    if link.flattened:
        depth = replace(depth, pipelined=False)
    start = Ops() if link.first else Ops(cascades=link.beats)

    def products(end: Ops) -> Loop:
        body = (start.times(count), depth, end.times(count))
        return Loop(trips=blocks(g), body=body, pipelined=link.flattened)

    if not link.last:
        return (Loop(trips=passes, body=(products(Ops(cascades=link.beats)),)),)
    if passes == 1:
        return (products(Ops(stores=link.stores)),)
    later = products(Ops(loads=link.sums, stores=link.sums))
    kept = (products(Ops(stores=link.sums)), Loop(trips=passes - 1, body=(later,)))
    made = Ops(loads=link.sums, stores=link.stores)
    finish = Loop(trips=blocks(g) * count, body=(made,), pipelined=True)
    return (*kept, finish) if link.separate else kept


def _products(g: Gemm, passes: int, words: int) -> Loop:
    """Return all passes over K, which load and store the sums of every block."""
    held = g.rows * g.cols * words
    block = (Ops(loads=held), depth_loop(g), Ops(stores=held))
    return Loop(trips=passes, body=(Loop(trips=blocks(g), body=block),))


def _each_column(g: Gemm, ops: Ops) -> Loop:
    return Loop(trips=g.n // g.shape.n, body=(ops,), pipelined=True)


def generated_lanes(d: Lanes, grid: LaneGrid, e: Epilogue) -> tuple[Node, ...]:
    """Return one call of the generated kernel, loop by loop as its template writes it."""
    scale, words = e.ops, e.sum_accesses
    if grid.passes == 1:
        block = (Ops(loads=d.outputs * words), d.loop, scale.times(d.sums))
        return (Loop(trips=d.blocks, body=block),)
    held, rows, columns = d.sums * words, grid.tile_m // grid.mmul[0], grid.out_rows * grid.steps
    start = Loop(trips=columns, body=(Ops(stores=words),), pipelined=True)
    finish = Loop(trips=columns, body=(Ops(loads=words), scale), pipelined=True)
    block = (Ops(loads=held), d.loop, Ops(stores=held))
    return (
        Loop(trips=rows, body=(Ops(loads=words), start)),
        Loop(trips=grid.passes, body=(Loop(trips=d.blocks, body=block),)),
        Loop(trips=rows, body=(finish,)),
    )


def generated_direct(grid: LineGrid) -> tuple[Node, ...]:
    """Return one call of the generated direct convolution, loop by loop as its template writes it."""
    vectors = Loop(trips=grid.out_elements // LANES // grid.tile_m, body=(Ops(stores=1),), pipelined=True)
    start = Loop(trips=grid.tile_m, body=(Ops(loads=1), vectors))
    sums = grid.together
    block = (Ops(loads=sums), channel_loop(grid), Ops(stores=sums))
    return (start, Loop(trips=grid.passes, body=(Loop(trips=prod(grid.blocks), body=block),)))


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


def chained_loops(c: Chained) -> tuple[Node, ...]:
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


def chained_of(grid: ChainGrid, requant: Requant | None) -> Chained:
    """Return a kernel call as the cost model takes it."""
    size, n = grid.element_bytes, grid.mmul[2]
    vectors = -(-(grid.taps[1] + PIXELS - 1) // PIXELS)
    short = (grid.taps[1] - 1) % PIXELS in (1, 2) and size > 1  # the last load is half a vector
    lanes = PIXELS * n
    outputs = grid.step_blocks * grid.halves * grid.positions
    results = grid.step_rows // grid.fold * grid.step_blocks * grid.halves
    early = requant is not None and not requant.wrap  # sums are compared before they are scaled
    start = access_count(lanes, SUM_BYTES) * grid.step_blocks * grid.halves
    stored = grid.step_rows // grid.fold * grid.step_blocks
    return Chained(
        steps=grid.block_steps,
        blocks=grid.row_steps * grid.col_steps,
        trips=tuple(grid.trips(p) for p in range(len(grid.in_blocks))),
        rows=grid.step_rows,
        outputs=outputs,
        taps=grid.taps[1],
        pixel_loads=vectors * access_count(PIXELS * BLOCK, size) - short,
        weight_loads=access_count(BLOCK * n, size),
        issue=1.0,
        start_loads=start,
        scaled=results if early else grid.sums,
        end=epilogue(lanes, size, requant, Architecture.AIE_ML),
        results=results,
        halves=grid.halves,
        fold=grid.fold,
        stores=stored * access_count(PIXELS * BLOCK // grid.fold, size),
    )
