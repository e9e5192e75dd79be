"""The recurrent unit: how wide a board has it, what it takes of the logic, and what the model says of a layer on it.

In every cycle it multiplies a word of weights by a feature of h of `images` images side by side. A cell follows a step's
products, CELL_CYCLES for each feature of each image. Weights are kept on the chip, in UltraRAM where a board has it, or read
again for each step. A layer's images are computed `images` at a time. Nothing of it was measured on a board.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from aieloom.layout.channel_words import LANES, words_of
from aieloom.matrix_engine.arithmetic import resources_of
from aieloom.matrix_engine.block import MOVER_BLOCKS, Budget, split
from aieloom.plan.processor import Function
from aieloom.sequential.cost import READS, STARTS, WRITES, done
from aieloom.sequential.reached import CELL
from aieloom.sequential.recurrent import RecurrentStep, recurrent_step
from aieloom.sequential.steps import Step
from aieloom.spec.board import Board
from aieloom.spec.types import DataType
from aieloom.units.types import Turn
from aieloom.words import duration

NAME = RecurrentStep.unit
PORTS = ("x", "w", "y")
UNIT = "the recurrent unit"
SHARE = 3  # the unit takes a third of a board's DSP slices, LUTs and on-chip memory at most
IMAGES = (4, 2, 1)  # side by side
CELL_CYCLES = 2  # of a feature: four gates of a memory of two ports
# five exponentials (ops/softmax/passes.py: 44 each) in two cycles, products and sums beside them
CELL_DSP = 160
# three exponentials and divisions, conversions [U]: ops/softmax/passes.py has 5,200 for one
CELL_LUT = 24_000
CONTROL_LUT = 8_000  # addresses, registers, ports [U]
FILL_CYCLES = 100  # of a product's pipeline, and the first words of its bursts [U]
WORD_BITS = LANES * 8 * DataType.FLOAT32.bytes
WORD_BYTES = WORD_BITS // 8
MEMORY_BITS, URAM_WORDS, BRAM_WORDS = 72, 4096, 512  # a block at its widest [AM007, UG573]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecurrentUnit:
    """The unit of a board, as large as a network's recurrences ask for."""

    board: Board
    images: int  # side by side
    most_gates: int  # of a layer, filled up to whole words
    most_hidden: int
    most_words: int  # of a row of weights
    held_words: int  # of weights that have room on the chip
    in_uram: bool
    dsp: int
    lut: int
    ff: int

    @property
    def masters(self) -> int:
        """Masters of the network on chip."""
        return len(PORTS)

    @property
    def clock_mhz(self) -> float:
        """Its clock."""
        return self.board.clocks.default_pl_mhz

    @property
    def uram(self) -> int:
        """UltraRAM blocks of the weights."""
        return self._held(URAM_WORDS) if self.in_uram else 0

    @property
    def bram(self) -> int:
        """Block RAMs: gates, sums and h of each image, a bank for each lane; ports; weights where there is no UltraRAM."""
        lanes = self.images * LANES
        sums = lanes * -(-self.most_words // BRAM_WORDS)
        states = lanes * -(-(self.most_gates + 3 * self.most_hidden) // LANES // BRAM_WORDS)
        return sums + states + len(PORTS) * MOVER_BLOCKS + (0 if self.in_uram else self._held(BRAM_WORDS))

    def _held(self, deep: int) -> int:
        return -(-WORD_BITS // MEMORY_BITS) * -(-self.held_words // deep)

    def why(self) -> tuple[str, ...]:
        """Return what it is made of, in words."""
        kept = f"{self.held_words * WORD_BYTES / 1024:,.0f} KiB of weights on the chip"
        return (
            f"{LANES} gates x {self.images} images a cycle in float32, at {self.clock_mhz:g} MHz; {kept}",
            f"{self.dsp} DSP, {self.lut} LUT, {self.bram} block RAMs, {self.uram} UltraRAMs, modelled",
        )


def recurrent_unit(board: Board, steps: tuple[RecurrentStep, ...]) -> RecurrentUnit | None:
    """Return the widest unit that takes no more than its share of a board's logic; None where there is no room for any."""
    logic = board.logic
    whole = Budget.of(board.rooms[0])
    cell = Budget(dsp=CELL_DSP, lut=CELL_LUT + CONTROL_LUT, ff=0, bram=0)
    for images in IMAGES:
        rest = replace(
            whole, dsp=whole.dsp // SHARE - cell.dsp, lut=whole.lut // SHARE - cell.lut, ff=whole.ff // SHARE
        )
        counts = split(images * LANES, "float32", rest) if min(rest.dsp, rest.lut) > 0 else None
        if counts is None:
            continue
        dsp, lut, ff = resources_of("float32", counts)
        unit = RecurrentUnit(
            board=board,
            images=images,
            most_gates=max(words_of(s.x.shape[0]) * LANES for s in steps),
            most_hidden=max(s.hidden_words for s in steps) * LANES,
            most_words=max(max(s.row_words) for s in steps),
            held_words=0,
            in_uram=logic.uram288 > 0,
            dsp=dsp + cell.dsp,
            lut=lut + cell.lut,
            ff=ff,
        )
        if unit.bram <= whole.bram // SHARE:
            return _with_weights(unit, steps, whole.bram)
    return None


def _with_weights(unit: RecurrentUnit, steps: tuple[RecurrentStep, ...], blocks: int) -> RecurrentUnit:
    """Return the unit with room for the weights of as large a layer as its share of memory holds."""
    room, _ = unit.board.rooms
    for size in sorted({s.weight_words for s in steps}, reverse=True):
        found = replace(unit, held_words=size)
        if found.uram <= room.uram288 // SHARE and found.bram <= blocks // SHARE:
            return found
    return unit


def recurrent_cost(step: RecurrentStep, unit: RecurrentUnit, batch: int) -> Turn:
    """Return what a recurrence takes for `batch` images: products and reads of weights overlap, the cell follows."""
    board, mhz = unit.board, unit.clock_mhz
    facts = board.memory
    turns = -(-batch // unit.images)
    held = step.weight_words <= unit.held_words
    fills = len(step.row_words) * FILL_CYCLES
    word_us = max(1 / mhz, WORD_BYTES / facts.read_mb_s)
    products_us = (step.weight_words + fills) / mhz
    weights_us = 0.0 if held else step.weight_words * word_us + fills / mhz
    cell_us = (unit.images * step.hidden * CELL_CYCLES + CELL) / mhz
    each = turns * step.x.pixels
    x_words = batch * step.x.pixels * words_of(step.x.shape[0])
    y_words = batch * step.y.pixels * step.hidden_words
    us = {
        UNIT: each * cell_us + (each * products_us if products_us >= weights_us else 0.0),
        READS: x_words * word_us + (each * weights_us if weights_us > products_us else 0.0),
        WRITES: y_words * max(1 / mhz, WORD_BYTES / facts.write_mb_s),
        STARTS: board.processor.kernel_start_us,
    }
    us[READS] += (step.weight_words if held else 0) * word_us
    read = (x_words + step.weight_words * (1 if held else each) + step.bias_words) * WORD_BYTES
    return done(step, NAME, us, read + y_words * WORD_BYTES)


def with_recurrences(
    steps: tuple[Step, ...], board: Board, batch: int, on_processor: Callable[[Function], float | None]
) -> tuple[tuple[Step, ...], RecurrentUnit | None, str]:
    """Return the steps with recurrences on the unit where it is the faster one by the model, the unit, and why.

    `on_processor` is a layer's modelled time there, of a batch in microseconds; None of one that the user gave to it.
    """
    found = [(s.called, made) for s in steps if s.called and (made := recurrent_step(s.called))]
    times = {s.layer: us for s, _ in found if (us := on_processor(s)) is not None}
    wanted = tuple(made for _, made in found if made.layer in times)
    unit = recurrent_unit(board, wanted) if wanted else None
    if unit is None:
        return (
            steps,
            None,
            f"; recurrences: the processor, {board.name} has no room for a unit" if wanted else "",
        )
    costs = {s.layer: recurrent_cost(s, unit, batch) for s in wanted}
    taken = {s.layer: s for s in wanted if costs[s.layer].total_us < times[s.layer]}
    why = "; recurrences: " + ", ".join(
        f"{name} on the {'recurrent unit' if name in taken else 'processor'}, since it takes "
        f"{duration(cost.total_us / batch)} an image on the unit, {duration(times[name] / batch)} on the processor"
        for name, cost in costs.items()
    )
    if not taken:
        return steps, None, f"{why} (modelled)"
    unit = recurrent_unit(board, tuple(taken.values()))
    return tuple(taken.get(s.layer, s) for s in steps), unit, f"{why} (modelled)"
