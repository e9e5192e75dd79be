"""The convolution engine in a board's logic: how many products it does a cycle, solved from the board's resources.

It computes PIXELS x OUT sums side by side: in every cycle the element of one input channel for each of `pixels` output pixels
times the weights of `out` output channels. Multipliers and adders are built from DSP slices or LUTs as the integer program
of the matrix engine divides them (matrix_engine/block.py). Beside them it has sums in LUTs, two blocks of inputs and of
weights in block RAM, `out` products for depthwise layers, and a stage that makes elements of sums, LANES a cycle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from aieloom.errors import CannotFit
from aieloom.layout.channel_words import LANES
from aieloom.matrix_engine.arithmetic import BYTES, resources_of, step_cycles, steps_of
from aieloom.matrix_engine.block import MOVER_BLOCKS, Budget, split
from aieloom.spec.board import Board, LogicRoom
from aieloom.spec.types import DataType

Element = Literal["int8", "float32", "bfloat16"]  # that layers in turn may exchange
InLogic = Literal["int8", "float32"]  # that the engine in the logic multiplies
DTYPES: dict[Element, DataType] = {
    "int8": DataType.INT8,
    "float32": DataType.FLOAT32,
    "bfloat16": DataType.BFLOAT16,
}
NAME = "conv_engine"
PORTS = ("x", "w", "channels", "y")
MASTERS = 3  # of the network on chip: what writes y reads channels
# of a sum beside its adder: read a cycle before it is added to, there a cycle after it is written [U]
MEMORY_CYCLES = 2
BLOCK_PIXELS = 128  # that share a load of weights; a sum of 64 rounds is a LUT a bit
MOST_PIXELS, MOST_OUT = (
    16,
    64,
)  # beyond it one value would drive more multipliers than we expect to close timing [U]
BLOCKS = sorted(
    ((p, o) for p in (16, 8, 4, 2) if p <= MOST_PIXELS for o in (64, 32, 16) if o <= MOST_OUT),
    key=lambda s: (-s[0] * s[1], -s[1]),
)
DEPTHS = (64, 32, 16, 8)  # words of input channels of a block
FINISH_DSP: dict[Element, int] = {
    "int8": 6,
    "float32": 2,
    "bfloat16": 2,
}  # of a lane: a product of 32 x 32 bits and a rounding [U]; an addition (operators.yaml)
FINISH_LUT: dict[Element, int] = {
    "int8": 700,
    "float32": 500,
    "bfloat16": 550,
}  # of a lane: shifts and comparisons [U]
CONTROL_LUT = 20_000  # addresses, registers, ports [U]
CHANNEL_BYTES = 16  # bias, multiplier, shift of an output channel in device memory
BRAM_BITS, BRAM_WORDS = 72, 512  # of a block RAM of 36 Kb at its widest [UG473, AM007]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvEngine:
    """An engine: `pixels` x `out` products a cycle, blocks of `depth` words of input channels."""

    board: Board
    element: InLogic
    pixels: int
    out: int
    depth: int
    dsp: int
    lut: int
    ff: int
    bram: int
    clock_mhz: float

    @property
    def masters(self) -> int:
        """Masters of the network on chip."""
        return MASTERS

    @property
    def bytes(self) -> int:
        """Bytes of an element."""
        return BYTES[self.element]

    @property
    def word_bytes(self) -> int:
        """Bytes of a word of device memory."""
        return LANES * self.bytes

    @property
    def turns(self) -> int:
        """Rounds of pixels that take turns at least, so that a sum is there when its next product comes."""
        return turns_of(self.element)

    @property
    def rounds(self) -> int:
        """Rounds of pixels that share a load of weights."""
        return rounds_of(self.pixels, self.element)

    @property
    def block_pixels(self) -> int:
        """Output pixels that share a load of weights."""
        return self.rounds * self.pixels

    @property
    def peak_gops(self) -> float:
        """Products and sums a second, in 10^9."""
        return 2 * self.pixels * self.out * self.clock_mhz / 1e3

    def why(self) -> tuple[str, ...]:
        """Return what it is made of, in words."""
        return (
            f"{self.pixels} pixels x {self.out} output channels: {self.pixels * self.out} products of {self.element} a cycle, "
            f"{self.peak_gops:,.0f} GOP/s at {self.clock_mhz:g} MHz at most",
            f"{self.dsp} DSP, {self.lut} LUT, {self.ff} FF, {self.bram} block RAMs, modelled",
        )


def solve_engines(
    board: Board,
    element: InLogic,
    *,
    beside_dsp: int = 0,
    beside_lut: int = 0,
    beside_bram: int = 0,
    block: tuple[int, int] | None = None,
    rooms: Sequence[LogicRoom] = (),
) -> tuple[ConvEngine, ...]:
    """Return the engines that a board's logic has room for beside what else stands there, that of most products a cycle first.

    `block` is the one that it has to have, pixels and output channels side by side; None of any. `rooms` are what may be taken
    of the logic, tried one after another: the board's, where there are none.

    Raises:
        CannotFit: there is none.
    """
    sizes = [size for size in BLOCKS if block in (None, size)]
    for room in rooms or board.rooms:
        budget = Budget.of(room)
        whole = replace(
            budget, dsp=budget.dsp - beside_dsp, lut=budget.lut - beside_lut, bram=budget.bram - beside_bram
        )
        found = tuple(e for pixels, out in sizes if (e := _built(board, element, whole, pixels, out)))
        if found:
            return found if room != board.logic.whole else found[-1:]  # beyond the margin the smallest
    text = f"the logic of {board.name} has no room for a convolution engine of {element}"
    if block and block not in BLOCKS:
        text += f" of {block[0]} pixels x {block[1]} output channels; there are {', '.join(f'{p} x {o}' for p, o in BLOCKS)}"
    else:
        text += f" {_wanted(element, whole, *(block or BLOCKS[-1]))}"
    remedy = "use a larger board" if element == "int8" else "use a larger board, or int8"
    raise CannotFit(rule="sequential-2", text=text, remedy=remedy)


def _wanted(element: InLogic, whole: Budget, pixels: int, out: int) -> str:
    """Say what an engine needs, and what there is for it."""
    dsp, lut = _fixed(element, pixels, out)
    most, least = steps_of(element)[0], steps_of(element)[-1]
    bram = memory_blocks(element, pixels, out, DEPTHS[-1])
    return (
        f"of {pixels} pixels x {out} output channels: it needs {dsp:,} DSP, {lut:,} LUT and {bram:,} block RAMs, "
        f"and {pixels * out + out:,} multipliers with adders, each {most.dsp} DSP and {most.lut:,} LUT, "
        f"or {least.dsp} DSP and {least.lut:,} LUT; "
        f"{max(0, whole.dsp):,} DSP, {max(0, whole.lut):,} LUT and {max(0, whole.bram):,} block RAMs are left"
    )


def _fixed(element: InLogic, pixels: int, out: int) -> tuple[int, int]:
    """Return DSP slices and LUTs beside the multipliers and adders: of sums, of elements made of them, of control."""
    sums_lut = pixels * out * 32  # a word of 32 bits for each round, 64 at most: each bit a LUT as memory
    return LANES * FINISH_DSP[element], LANES * FINISH_LUT[element] + sums_lut + CONTROL_LUT


def _built(board: Board, element: InLogic, whole: Budget, pixels: int, out: int) -> ConvEngine | None:
    fixed_dsp, fixed_lut = _fixed(element, pixels, out)
    rest = replace(whole, dsp=whole.dsp - fixed_dsp, lut=whole.lut - fixed_lut)
    if rest.dsp < 0 or rest.lut < 0:
        return None
    counts = split(pixels * out + out, element, rest)
    if counts is None:
        return None
    dsp, lut, ff = resources_of(element, counts)
    for depth in DEPTHS:
        bram = memory_blocks(element, pixels, out, depth)
        if bram <= whole.bram:
            return ConvEngine(
                board=board,
                element=element,
                pixels=pixels,
                out=out,
                depth=depth,
                dsp=dsp + fixed_dsp,
                lut=lut + fixed_lut,
                ff=ff,
                bram=bram,
                clock_mhz=board.clocks.default_pl_mhz,
            )
    return None


def turns_of(element: InLogic) -> int:
    """Return the cycles from a product of a sum to its next one, in a pipeline that takes a product a cycle.

    A sum is read, added to and written: as many other sums, or more, come between where a loop says `dependence distance`.
    """
    return step_cycles(element) + MEMORY_CYCLES


def rounds_of(pixels: int, element: InLogic) -> int:
    """Return the rounds of an engine of so many pixels side by side."""
    return max(turns_of(element), BLOCK_PIXELS // pixels)


def memory_blocks(element: InLogic, pixels: int, out: int, depth: int) -> int:
    """Return the block RAMs of two blocks of inputs and of weights, and of the ports."""

    def blocks(bits: int, words: int) -> int:
        return -(-bits // BRAM_BITS) * -(-words // BRAM_WORDS)

    bits = 8 * BYTES[element]
    x = pixels * blocks(LANES * bits, 2 * depth * rounds_of(pixels, element))
    w = blocks(out * bits, 2 * depth * LANES)
    return x + w + len(PORTS) * MOVER_BLOCKS
