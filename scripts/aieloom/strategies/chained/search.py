"""What a search varies of chains: cores and bands of their layers, the streams at their ends."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import cast

from aieloom.plan.types import AieLayerPlan
from aieloom.spec.types import Buffers
from aieloom.strategies.chained.grid import BLOCK, BlockGrid

BANDS = (2, 3, 4, 8)
STEPS = 8  # numbers of cores that are tried from one to its double
PLIO = (128, 64, 32)  # widths of the streams at a chain's ends, the widest whose words the elements fill


def ends() -> Iterator[dict[str, int]]:
    """Yield the widths of the streams at a chain's ends, the widest first."""
    return ({"plio": plio, "plio_out": out} for plio, out in product(PLIO, PLIO))


def larger(used: int) -> Iterator[dict[str, int]]:
    """Yield cuts over more cores than are used, up to twice as many: over output channels, then over bands of rows too."""
    for count in range(used + 1, 2 * used + 1, max(1, used // STEPS)):
        yield {"cores": count}
        yield from ({"cores": count, "bands": bands} for bands in BANDS if count % bands == 0)


def neighbours(layer: AieLayerPlan) -> Iterator[dict[str, object]]:
    """Yield other numbers of cores and bands, and the other kind of buffers."""
    grid, draft = cast(BlockGrid, layer.grid), layer.draft
    blocks = -(-grid.m // BLOCK)
    for bands in sorted({1, grid.groups - 1, grid.groups, grid.groups + 1, 2 * grid.groups} - {0}):
        for parts in [p for p in range(1, blocks + 1) if -(-blocks // -(-blocks // p)) == p]:
            if (parts, bands) != (grid.parts, grid.groups):
                yield {"cores": parts * bands, "bands": bands}
    other = Buffers.SINGLE if draft.buffers is Buffers.PING_PONG else Buffers.PING_PONG
    yield {"cores": grid.cores, "bands": grid.groups, "buffers": other}
    if grid.entry:
        yield {"cores": grid.cores, "bands": grid.groups, "plio": 128 if draft.plio_bits != 128 else 64}
