"""The block M x N x K of the matrix engine and where its operators are built: an integer program over the device's logic.

The engine multiplies a block of A, M x K, by one of B, K x N, and adds to one of C, M x N: K multipliers and adders in a
chain, one element of C a cycle. Its operators come from DSP slices or from LUTs, in at most four ranges of the chain
(arithmetic.py); how many of each is what the program decides, under

    sum of DSP slices <= DSP,   sum of LUTs <= usable LUT,   sum of flip-flops <= usable FF,   memory <= BRAM.

Memory: A and B are cut along K into banks of one block RAM, or as many as M or N words want, each of which gives a word of 32
bits a cycle, and with narrower elements several of them; C takes the block RAM of its elements; each port to device memory
MOVER_BLOCKS.
Blocks are square in M and N, in whole bursts of 16 words of 32 bits (AXI3, as the boards' ports are inside [UG1085]);
K is even, or more for narrower elements: what a word of two neighbouring banks holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from aieloom.arrays import Values
from aieloom.errors import CannotFit
from aieloom.matrix_engine.arithmetic import BYTES, Element, Step, block_cycles, resources_of, steps_of
from aieloom.spec.board import LogicRoom

BANK_WORDS = 512  # 32-bit words of a block RAM of 18 Kb, 512 x 36 [UG473 table 1-7]; published counts take one of 36 Kb for it
BLOCK_WORDS = 1024  # of the one of 36 Kb, 1 K x 36 [UG473]
WORD_BYTES = 4
BURST_WORDS = 16
PORTS = 4  # A, B, C and the result
# Block RAM of a port to device memory. No text gives it: it is what the published bound of 78 for M = N at K = 56 leaves of the
# XC7Z020's 140, (140 - 2 x 56 - 12) / 4, where C of 78 x 78 takes 12.
MOVER_BLOCKS = 4
SIDES = (1, 2, 3, 4, 6, 8, 12, 16, 24)  # of M and N, in bursts, that a search looks at
LARGEST = 512  # of M and N that are looked at: words of a bank in published counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What the engine may take."""

    dsp: int
    lut: int
    ff: int
    bram: int

    @classmethod
    def of(cls, room: LogicRoom) -> Budget:
        """Return so much of a device's logic."""
        return cls(dsp=room.dsp, lut=room.lut, ff=room.ff, bram=room.bram36)


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Steps of the chain that are built alike, from `begin` to before `end`."""

    step: Step
    begin: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A solved block: its sizes, its chain's ranges, what it takes."""

    element: Element
    m: int
    n: int
    k: int
    ranges: tuple[Range, ...]
    dsp: int
    lut: int
    ff: int
    bram: int

    @property
    def cycles(self) -> int:
        """Modelled cycles of a block."""
        return block_cycles(self.m, self.n, self.k, self.element)

    @property
    def operations_per_cycle(self) -> float:
        """Operations of C = alpha A B + beta C over the block's cycles: two for each product, three for each element of C."""
        return (2 * self.m * self.n * self.k + 3 * self.m * self.n) / self.cycles

    def why(self) -> tuple[str, ...]:
        """Return how the chain is divided, in words."""
        parts = ", ".join(
            f"{r.end - r.begin} with add in {r.step.add} and mul in {r.step.mul}" for r in self.ranges
        )
        return (
            f"{self.k} multipliers and adders in a chain: {parts}",
            f"{self.dsp} DSP, {self.lut} LUT, {self.ff} FF, {self.bram} block RAMs for blocks of {self.m} x {self.n}",
        )


def packing(element: Element) -> int:
    """Return the elements of a word of 32 bits."""
    return WORD_BYTES // BYTES[element]


def memory_blocks(m: int, n: int, k: int, element: Element) -> int:
    """Return the block RAMs of a block's A, B and C and of the ports."""
    bank_blocks = -(-m // BLOCK_WORDS) + -(-n // BLOCK_WORDS)  # a bank of A has M words, one of B N
    banks = -(-k // packing(element)) * bank_blocks
    sums = "float32" if element == "int8" else element  # int8's sums have 32 bits
    return banks + -(-m * n // (BANK_WORDS * packing(sums))) + PORTS * MOVER_BLOCKS


def split(k: int, element: Element, budget: Budget) -> tuple[int, ...] | None:
    """Return how many of `k` steps are built in each way of `steps_of`, with the fewest LUTs; None when they do not fit."""
    solved = _solve(element, budget, exactly=k)
    return None if solved is None else tuple(solved)


def longest_chain(element: Element, budget: Budget, multiple: int = 1, banks: int | None = None) -> int:
    """Return the largest K, a multiple of `multiple`, whose operators fit; with `banks` block RAMs for A and B at most."""
    most = None if banks is None else banks // 2 * packing(element)
    solved = _solve(element, budget, most=most)
    return 0 if solved is None else sum(solved) // multiple * multiple


def _solve(
    element: Element, budget: Budget, *, exactly: int | None = None, most: int | None = None
) -> Sequence[int] | None:
    """Solve the integer program: the longest chain, or of a chain of given length the one with the fewest LUTs."""
    # half a second of start-up that only who plans an engine needs
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415

    steps = steps_of(element)
    uses: Values = np.array([[getattr(s, w) for s in steps] for w in ("dsp", "lut", "ff")], float)
    limits = np.array([budget.dsp, budget.lut, budget.ff], float)
    ones = np.ones(len(steps))
    length = (exactly, exactly) if exactly is not None else (1, np.inf if most is None else most)
    found = milp(
        uses[1] if exactly is not None else -ones,
        integrality=ones,
        bounds=Bounds(0, np.inf),
        constraints=[LinearConstraint(uses, -np.inf, limits), LinearConstraint(ones[None], *length)],
    )
    return [round(v) for v in found.x] if found.success else None


def built(m: int, n: int, k: int, element: Element, budget: Budget) -> Block | None:
    """Return a block of given sizes with its operators divided; None when it does not fit."""
    counts = split(k, element, budget)
    bram = memory_blocks(m, n, k, element)
    if counts is None or bram > budget.bram:
        return None
    steps = steps_of(element)
    ranges, begin = [], 0
    for step, count in zip(steps, counts, strict=True):
        if count:
            ranges.append(Range(step=step, begin=begin, end=begin + count))
            begin += count
    dsp, lut, ff = resources_of(element, counts)
    return Block(element=element, m=m, n=n, k=k, ranges=tuple(ranges), dsp=dsp, lut=lut, ff=ff, bram=bram)


def solve_block(element: Element, budget: Budget) -> Block:
    """Return the block of most operations a cycle.

    Raises:
        CannotFit: not even the smallest fits.
    """
    side = BURST_WORDS * packing(element)
    best: Block | None = None
    for m in range(side, LARGEST + 1, side):
        k = _longest(m, m, element, budget)
        block = built(m, m, k, element, budget) if k else None
        if block and (best is None or block.operations_per_cycle > best.operations_per_cycle):
            best = block
    if best is None:
        text = f"no {element} matrix engine fits {budget.dsp} DSP, {budget.lut} LUT, {budget.ff} FF, {budget.bram} block RAMs"
        raise CannotFit(rule="engine-1", text=text, remedy="use a larger device, or a narrower element type")
    return best


def blocks(
    element: Element, budget: Budget, sizes: Sequence[tuple[int, int, int]]
) -> list[tuple[int, int, int]]:
    """Return sizes M, N, K of blocks that fit: of few M and N up to those of products `sizes`, K the most or an even share."""
    side, even = BURST_WORDS * packing(element), 2 * packing(element)
    most = [min(LARGEST // side, -(-max(of) // side)) for of in zip(*sizes, strict=True)]
    ms, ns = ([side * n for n in sorted({*(c for c in SIDES if c < high), high})] for high in most[:2])
    found = []
    for m, n in product(ms, ns):
        if longest := _longest(m, n, element, budget):
            shares = {-(-k // -(-k // longest)) for _, _, k in sizes}
            found += [(m, n, k) for k in sorted({longest, *(-(-share // even) * even for share in shares)})]
    return found


def _longest(m: int, n: int, element: Element, budget: Budget) -> int:
    """Return the largest K of a block of M x N; 0 where there is no room for any."""
    banks = budget.bram - memory_blocks(m, n, 0, element)
    return longest_chain(element, budget, 2 * packing(element), banks) if banks >= 2 else 0
