"""What products of two activations, and layers of whole rows, take beside an engine: memory, and modelled time.

An image's product is a layer of its own to the engine: its weights are its own. The row unit lays columns out a word
a cycle, those that only fill up the engine's tiles too; of other layers a row takes as many cycles as it has words. Nothing of
it was measured on a board.
"""

from __future__ import annotations

from aieloom.layout.channel_words import LANES
from aieloom.network.tensor import TensorType
from aieloom.sequential.array import ArrayEngine, group_words, weight_bytes
from aieloom.sequential.array_cost import array_cost
from aieloom.sequential.cost import BANK, READS, STARTS, WRITES, conv_cost, done
from aieloom.sequential.engine import CHANNEL_BYTES, ConvEngine
from aieloom.sequential.row_unit import NAME, RowStep, RowUnit
from aieloom.sequential.steps import ConvStep
from aieloom.sequential.vector import APART
from aieloom.sequential.weights import tiles_of
from aieloom.sequential.weights import weight_bytes as engine_bytes
from aieloom.spec.board import Board
from aieloom.spec.types import DataType
from aieloom.units.types import Turn

ROWS = "the row unit"
FILL_CYCLES = 200  # a layer's pipelines, its first and last row [U]


def columns_type(step: ConvStep, engine: ConvEngine, array: ArrayEngine | None) -> TensorType:
    """Return the tensor of columns: words of 16 bytes whatever it holds, weights of all heads and then their channels."""
    if array:
        tiles = -(-group_words(step) * LANES // array.tile_channels)
        weights, channels = weight_bytes(step, array), step.groups * tiles * array.tile_channels
    else:
        weights, channels = engine_bytes(step, engine), tiles_of(step, engine) * engine.out
    return TensorType((LANES, (weights + channels * CHANNEL_BYTES) // LANES, 1), DataType.INT8)


def heads_cost(
    step: ConvStep, engine: ConvEngine, array: ArrayEngine | None, unit: RowUnit, batch: int
) -> Turn:
    """Return what a product of two activations takes for so many images: columns laid out, then a product for each."""
    assert step.heads
    one = array_cost(step, array, 1) if array else conv_cost(step, engine, 1)
    heads, board = step.heads, engine.board
    read = heads.heads * heads.tokens * heads.other_width * step.x.dtype.bytes
    made = columns_type(step, engine, array).elements
    apart = 1 if heads.transposed or unit.element != "int8" else APART["int8"]
    # sums of channels are kept apart
    words = heads.heads * heads.tokens * max(-(-heads.other_width // LANES), apart)
    cycles = words + made / unit.word_bytes + heads.heads * FILL_CYCLES
    laid = _unit_times(cycles, (read, made), board, unit, batch)
    us = {what: batch * t for what, t in one.us.items() if what != STARTS}
    if not array:
        us[STARTS] = 2 * board.processor.kernel_start_us  # of the row unit and of the engine
    for what, t in laid.items():
        us[what] = us.get(what, 0.0) + t
    return done(step, one.units[0], us, batch * (one.bytes + read + made))


def row_cost(step: RowStep, unit: RowUnit, board: Board, batch: int, start_us: float = 0.0) -> Turn:
    """Return what a layer of whole rows takes for so many images; `start_us` where the processor starts it by itself."""
    row_bytes = step.form.words * unit.word_bytes
    moved = step.y.pixels * step.form.groups * row_bytes
    read = moved + (row_bytes if step.form.masked else 0)
    table = step.table_bytes
    cycles = unit.interval * read / unit.word_bytes + FILL_CYCLES
    cycles += table / unit.word_bytes if step.form.each else 0
    us = _unit_times(cycles, (read, moved), board, unit, batch)
    us[READS] = us.get(READS, 0.0) + table / board.memory.read_mb_s
    us |= {STARTS: start_us} if start_us else {}
    return done(step, NAME, us, batch * (read + moved) + table * unit.units)


def _unit_times(
    cycles: float, moved: tuple[int, int], board: Board, unit: RowUnit, batch: int
) -> dict[str, float]:
    """Return the slowest of a layer's cycles and ports, for cycles and bytes in and out of an image; units share the images."""
    read, made = moved
    each, facts = -(-batch // unit.units), board.memory
    times = {
        ROWS: each * cycles / board.clocks.default_pl_mhz,
        READS: each * read / facts.read_mb_s,
        WRITES: each * made / facts.write_mb_s,
        BANK: batch * (read + made) / facts.bank_mb_s,
    }
    slowest = max(times, key=lambda what: times[what])
    return {slowest: times[slowest]}
