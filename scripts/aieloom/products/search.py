"""Cuts near the one that a layer has: what `aieloom suggest` tries."""

from __future__ import annotations

from collections.abc import Iterator

from aieloom.hardware.mmul import Shape
from aieloom.layout.grid import RowGrid
from aieloom.plan.types import AieLayerPlan
from aieloom.spec.types import Buffers

PLIO_BITS = (32, 64, 128)


def neighbours(layer: AieLayerPlan, step: Shape) -> Iterator[dict[str, object]]:
    """Yield other tiles, of multiples of `step`, other buffers, groups and streams."""
    grid, draft = layer.grid, layer.draft
    tile = grid.tile
    fixed: dict[str, object] = {"mmul": grid.asked_mmul} if grid.asked_mmul else {}
    both = (Buffers.SINGLE, Buffers.PING_PONG)
    for other in _tiles(tile, grid.size, step):
        yield from ({**fixed, "tile": other, "groups": None, "buffers": buffers} for buffers in both)
    here = {**fixed, "tile": tile, "groups": grid.groups, "buffers": draft.buffers}
    yield from ({**here, "buffers": buffers} for buffers in both if buffers is not draft.buffers)
    tiles_n = -(-grid.n // grid.tile_n)
    steps = sorted({grid.groups // 2, min(grid.groups * 2, tiles_n), tiles_n} - {grid.groups, 0})
    yield from ({**here, "groups": groups} for groups in steps)
    yield from ({**here, "plio": bits} for bits in PLIO_BITS if bits != draft.plio_bits)


def of_rows(grid: RowGrid, block: tuple[int, int]) -> Shape:
    """Return what tiles of whole rows are multiples of: `block` are channels out and in."""
    return block[0], block[1] * (grid.tile_k // grid.channels), grid.window.out_width


def _tiles(
    tile: tuple[int, int, int], size: tuple[int, int, int], block: tuple[int, int, int]
) -> Iterator[tuple[int, int, int]]:
    """Yield tiles with one length changed to the next two that cut the whole evenly, up or down."""
    for axis in range(3):
        step = block[axis]
        whole = -(-size[axis] // step) * step
        even = sorted({-(-whole // count // step) * step for count in range(1, whole // step + 1)})
        for value in [v for v in even if v < tile[axis]][-2:] + [v for v in even if v > tile[axis]][:2]:
            yield (*tile[:axis], value, *tile[axis + 1 :])  # type: ignore[misc]
