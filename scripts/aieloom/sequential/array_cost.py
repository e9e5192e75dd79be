"""What the model says of a layer on the array.

For each band the slowest of what overlaps counts: the cores' passes (the calibrated model of the whole-array product), what
movers send (a word a cycle), the rows that they load, the results that they make and write, and what all ports carry of a bank.
The first band of a layer is loaded before, its last is written behind; a layer's first weights are loaded before its products,
the others while those before them are used. A layer is sent in SEND_US. Nothing of it was measured on a board.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aieloom.errors import CannotFit, Problem
from aieloom.sequential.array import (
    MOVER_MHZ,
    STREAM_WORD,
    TAIL_WORDS,
    TILE_M,
    TILE_N,
    TRIED,
    ArrayEngine,
    candidates,
    fits,
    group_words,
    placed,
    split_of,
    tap_words,
    weight_bytes,
)
from aieloom.sequential.cost import ARRAY, BANK, READS, WRITES, StepCost
from aieloom.sequential.engine import CHANNEL_BYTES, LANES
from aieloom.sequential.steps import ConvStep
from aieloom.spec.device import Device

ABOUT = 1.1  # of grids about as fast the one with fewest cores is taken
SEND_US = 2.0  # numbers of a layer from memory to all movers, a token back [U]


def array_cost(step: ConvStep, engine: ArrayEngine, images: int) -> StepCost:
    """Return what a layer on the array takes for so many images."""
    split, window, facts = split_of(step, engine, images), step.window, engine.device.memory
    word_us = 1 / MOVER_MHZ
    tiles = step.engine_groups * split.tiles
    rounds = -(-images * split.bands // engine.rows)
    seen_rows = min(window.height, (split.rows - 1) * window.stride[0] + window.kernel[0])
    load_bytes = seen_rows * window.width * tap_words(step) * LANES
    steps = split.blocks * split.passes
    sent = steps * (TILE_M * engine.depth // STREAM_WORD + TAIL_WORDS) * word_us
    channels = min(engine.tile_channels, group_words(step) * LANES)
    made = split.blocks * max(TILE_M * TILE_N // 4, TILE_M * channels // LANES) * word_us
    write_bytes = min(split.rows, window.out_height) * window.out_width * channels
    times = {
        ARRAY: max(steps * engine.pass_us, sent),
        READS: load_bytes * max(word_us / LANES, 1 / facts.read_mb_s),
        WRITES: max(made, write_bytes / facts.write_mb_s),
        BANK: engine.rows * (load_bytes + write_bytes) / facts.bank_mb_s,
    }
    slowest = max(times, key=lambda what: times[what])
    us = dict.fromkeys((ARRAY, READS, WRITES, BANK), 0.0)
    us[slowest] += tiles * rounds * times[slowest]
    us[ARRAY] += SEND_US
    mover = weight_bytes(step, engine) / tiles / engine.columns  # a column's weights of a tile
    port = max(word_us / STREAM_WORD, 1 / facts.read_mb_s, engine.columns / facts.bank_mb_s)
    us[READS] += times[READS] + mover * port + engine.tile_channels * CHANNEL_BYTES / facts.read_mb_s
    us[READS] += (tiles - 1) * max(0.0, mover * port - rounds * times[slowest])
    us[WRITES] += times[WRITES] / max(1, split.blocks)
    moved = tiles * images * split.bands * (load_bytes + write_bytes) + weight_bytes(step, engine)
    return StepCost(
        layer=step.layer, op=step.op, on="array", us={k: v for k, v in us.items() if v}, bytes=moved
    )


def solve_array(device: Device, products: Sequence[ConvStep], images: int) -> ArrayEngine:
    """Return the grid of least modelled time for a network's products.

    Raises:
        CannotFit: the device has room for none.
    """
    found = [e for e in candidates(device, products) if fits(e)]

    totals = {e: sum(array_cost(s, e, images).total_us for s in products) for e in found}
    enough = ABOUT * min(totals.values(), default=0.0)
    for engine in sorted(found, key=lambda e: (max(totals[e], enough), e.cores))[:TRIED]:
        plan = placed(engine)
        if plan:
            return replace(engine, gemm=plan)
    text = f"{device.name} has no room for an engine on its array with the movers that this network needs"
    raise CannotFit(Problem(rule="sequential-2", text=text, remedy="use engine: pl"))
