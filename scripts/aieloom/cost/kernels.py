"""Kernels as loop nests: matrix products, convolutions over rows, element-wise passes, scalar code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aieloom.cost.loops import Issue, Loop, Node, Ops, cycles
from aieloom.cost.machine import SUM_BYTES, Shape, access_count, emulated_issue, split_macs

Values = Mapping[str, float]
FLAT_BLOCK = "gemm.flat_block"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """One kernel on one core: its loops, what they issue at, and what a call adds."""

    nodes: tuple[Node, ...]
    issue: Issue
    call: float

    @property
    def cycles(self) -> float:
        """Cycles from entry to exit."""
        return self.call + cycles(self.nodes, self.issue)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gemm:
    """C[m, n] = A[m, k] B[k, n] on one core with mmul blocks, `rows` x `cols` of them in flight."""

    m: int
    k: int
    n: int
    shape: Shape
    rows: int
    cols: int
    a_bytes: int
    b_bytes: int
    emulated: bool = False  # float32 of bfloat16 parts


# a short inner loop fills and drains its pipeline: loads of 7 and MACs of 8 stages (estimate)
TURN_CYCLES = 16.0


def turn_cycles(arch: str) -> float:
    """Return what a block of sums costs more where its loop over k is pipelined, not flattened.

    On AIE `gemm.block` is calibrated on such loops, on AIE-ML on flattened ones.
    """
    return 0.0 if arch == "aie" else TURN_CYCLES


def gemm_kernel(p: Values, arch: str, g: Gemm, code: str = "gemm.block", *, turn: float = 0.0) -> Kernel:
    """Return the kernel of a matrix product: a pipelined loop over k for each register block.

    A and B come over a load unit each, which is what bounds a kernel without register blocking (XD100: 16
    lines for 8 MACs of 4x16x8 int8). `code` names the parameter for what a register block costs beyond its loop:
    code of fixed sizes by default, FLAT_BLOCK where its k loop is flattened and the loop over blocks pipelined,
    `gemm.library_block` for a library's code of any size. `turn` comes on top.
    """
    each, depth, issue = p[f"{code}.{arch}"] + turn, depth_loop(g), Issue()
    if code == FLAT_BLOCK:  # a block's stores run beside the next one's products, if these take as long
        stores = Ops(stores=g.rows * g.cols * access_count(g.shape.m * g.shape.n, SUM_BYTES))
        each += max(0.0, issue.cycles(stores) - cycles((depth,), issue))
    nest = Loop(trips=blocks(g), body=(depth,), each=each)
    return Kernel(nodes=(nest,), issue=issue, call=p["call"])


def blocks(g: Gemm) -> int:
    """Return how many register blocks the product has."""
    s = g.shape
    return -(-g.m // (s.m * g.rows)) * -(-g.n // (s.n * g.cols))


def depth_nest(g: Gemm) -> Loop:
    """Return the loops over k of all register blocks."""
    return Loop(trips=blocks(g), body=(depth_loop(g),))


def depth_loop(g: Gemm) -> Loop:
    """Return the loop over k of one register block: its rows of A, its columns of B, all their products."""
    s = g.shape
    a_loads = g.rows * access_count(s.m * s.k, g.a_bytes)
    b_loads = g.cols * access_count(s.k * s.n, g.b_bytes)
    macs = g.rows * g.cols * s.issue
    if g.emulated:
        splits = g.rows * split_macs(s.m * s.k) + g.cols * split_macs(s.k * s.n)
        macs = g.rows * g.cols * emulated_issue(s.issue) + splits
    step = Ops(loads=a_loads + b_loads, load_slots=max(a_loads, b_loads), macs=macs)
    return Loop(trips=-(-g.k // s.k), body=(step,), pipelined=True)
