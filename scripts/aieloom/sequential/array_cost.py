"""What the model says of a layer on the array.

For each band the slowest of what overlaps counts: the cores' passes (the calibrated model of the whole-array product), what
movers send (a word a cycle), the rows that they load, the results that they make and write, and what all ports carry of a bank.
Tiles of output channels whose weights a mover keeps share loads of the input.
The first band of a layer is loaded before, its last is written behind; a layer's first weights are loaded before its products,
the others while those before them are used. A layer is sent in SEND_US. Loops take the cycles
that the lint of the HLS subset says they reach (reached.py). Nothing of it was measured on a board.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aieloom.errors import CannotFit
from aieloom.layout.channel_words import LANES, words_of
from aieloom.sequential.array import (
    LUT_SHARE,
    MOVER_MHZ,
    ROWS_LUT_SHARE,
    STREAM_WORD,
    SUM_INTERVAL,
    TILE_M,
    TILE_N,
    TRIED,
    ArrayEngine,
    Split,
    asked,
    candidates,
    fits,
    group_words,
    is_sized,
    placed,
    room_of,
    split_of,
    tap_words,
    weight_bytes,
)
from aieloom.sequential.cost import ARRAY, BANK, READS, WRITES, done
from aieloom.sequential.engine import CHANNEL_BYTES, Element
from aieloom.sequential.reached import MAKE_BLOCK, MAKE_SUMS, SEND_BAND, WRITE_BLOCK
from aieloom.sequential.steps import ConvStep
from aieloom.spec.device import Device
from aieloom.spec.network import ANY_SIZE, EngineSpec, Sequencer
from aieloom.strategies.array_gemm.plan import NAME
from aieloom.units.types import Turn

ABOUT = 1.1  # of grids about as fast the one with fewest cores is taken
SEND_US = 2.0  # numbers of a layer from memory to all movers, a token back [U]


def array_cost(step: ConvStep, engine: ArrayEngine, images: int) -> Turn:
    """Return what a layer on the array takes for so many images."""
    return _cost(step, engine, images, split_for(step, engine, images))


def split_for(step: ConvStep, engine: ArrayEngine, images: int) -> Split:
    """Return how a layer is cut; so many tiles share loads of the input that it takes the least time."""
    most = split_of(step, engine, images)
    sets = {-(-most.tiles // n) for n in range(1, most.together + 1)}
    found = [replace(most, together=-(-most.tiles // n)) for n in sorted(sets)]
    fitting = [s for s in found if s.together <= most.together]
    return min(fitting, key=lambda s: _cost(step, engine, images, s).total_us)


def _cost(step: ConvStep, engine: ArrayEngine, images: int, split: Split) -> Turn:
    window, facts = step.window, engine.device.memory
    word_us = 1 / MOVER_MHZ
    tiles, together = step.engine_groups * split.tiles, split.together
    sets = step.engine_groups * -(-split.tiles // together)
    rounds = -(-images * split.bands // engine.rows)
    seen_rows = min(window.height, (split.rows - 1) * window.stride[0] + window.kernel[0])
    load_bytes = seen_rows * window.width * tap_words(step) * engine.word_bytes
    steps = split.blocks * split.passes
    # the last cycles tell whether a pass is the last
    tail = engine.mmul[0] * engine.word_bytes // STREAM_WORD
    words = TILE_M * engine.depth * engine.dtype.bytes // STREAM_WORD + tail
    sent = (steps * words + SEND_BAND) * word_us
    channels = min(engine.tile_channels, group_words(step) * LANES)
    count = TILE_M * channels // LANES
    making = SUM_INTERVAL * count + MAKE_SUMS if step.sum else count + MAKE_BLOCK
    bursts = 1 if channels // LANES == words_of(step.y.shape[0]) else TILE_M
    block = max(TILE_M * TILE_N // 4, making, count + bursts * WRITE_BLOCK)
    made = split.blocks * block * word_us
    write_bytes = min(split.rows, step.y.shape[1]) * step.y.shape[2] * channels * engine.dtype.bytes
    other_bytes = write_bytes if step.sum else 0
    times = {
        ARRAY: together * max(steps * engine.pass_us, sent),
        READS: max(
            load_bytes * max(word_us / engine.word_bytes, 1 / facts.read_mb_s),
            together * other_bytes / facts.read_mb_s,
        ),
        WRITES: together * max(made, write_bytes / facts.write_mb_s),
        BANK: engine.rows * (load_bytes + together * (write_bytes + other_bytes)) / facts.bank_mb_s,
    }
    slowest = max(times, key=lambda what: times[what])
    us = dict.fromkeys((ARRAY, READS, WRITES, BANK), 0.0)
    whole = tiles / together  # sets, of which the last may be a part
    us[slowest] += whole * rounds * times[slowest]
    # before the first word it is found where those of a window lie
    us[ARRAY] += SEND_US + split.passes * engine.parts * (engine.depth // LANES) * word_us
    mover = weight_bytes(step, engine) / sets / engine.columns  # a column's weights of a set
    port = max(word_us / STREAM_WORD, 1 / facts.read_mb_s, engine.columns / facts.bank_mb_s)
    us[READS] += (
        times[READS] + mover * port + together * engine.tile_channels * CHANNEL_BYTES / facts.read_mb_s
    )
    us[READS] += (sets - 1) * max(0.0, mover * port - rounds * times[slowest])
    us[WRITES] += times[WRITES] / max(1, together * split.blocks)
    moved = images * split.bands * (sets * load_bytes + tiles * (write_bytes + other_bytes))
    return done(step, NAME, {k: v for k, v in us.items() if v}, moved + weight_bytes(step, engine))


def solve_array(
    device: Device,
    products: Sequence[ConvStep],
    images: int,
    element: Element,
    *,
    sized: EngineSpec = ANY_SIZE,
    sequencer: Sequencer = "logic",
    row_units: bool = False,
) -> ArrayEngine:
    """Return the grid of least modelled time for a network's products, of the size that `sized` says.

    Beside `row_units` of floats it leaves them logic.

    Raises:
        CannotFit: the device has room for none.
    """
    room = room_of(device, sized)
    found = [
        e
        for e in candidates(device, products, element, sequencer)
        if is_sized(e, sized) and fits(e, room, ROWS_LUT_SHARE if row_units else LUT_SHARE)
    ]

    totals = {e: sum(array_cost(s, e, images).total_us for s in products) for e in found}
    enough = ABOUT * min(totals.values(), default=0.0)
    for engine in sorted(found, key=lambda e: (max(totals[e], enough), e.cores))[:TRIED]:
        plan = placed(engine)
        if plan:
            return replace(engine, gemm=plan)
    text = f"{device.name} has no room for an engine on its array with the movers that this network needs"
    remedy = "use engine: pl, or leave grid: and depth: out" if asked(sized) else "use engine: pl"
    raise CannotFit(rule="sequential-2", text=f"{text}{asked(sized)}", remedy=remedy)
