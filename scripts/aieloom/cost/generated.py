"""Generated kernels of matrix products, loop by loop as their templates write them: what a counting build counts.

The cycles of what is outside of the loop over k are in the calibrated figure per block of `gemm_kernel`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from aieloom.cost.kernels import Gemm, blocks, depth_loop
from aieloom.cost.loops import Loop, Node, Ops
from aieloom.cost.machine import access_count


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
