"""Which memory tile holds which buffer: near the cores that it serves, while channels and bytes last."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from aieloom.plan.shared import SharedBuffer
from aieloom.plan.types import AieLayerPlan
from aieloom.spec.device import Device, Tile


def place_buffers(
    device: Device, buffers: Sequence[SharedBuffer], layers: Sequence[AieLayerPlan]
) -> tuple[SharedBuffer, ...]:
    """Give each buffer a memory tile of its own where there are enough, the nearest to the middle of its cores.

    Where the tiles have no room left, a buffer goes to the nearest all the same: the rules then name what it lacks.
    """
    columns: dict[str, list[int]] = {la.name: [k.tile[0] for k in la.kernels] for la in layers}
    taken: Counter[Tile] = Counter()
    ends: dict[Tile, int] = defaultdict(int)
    placed = []
    for buffer in buffers:
        cols = [c for name in (buffer.before, buffer.after) for c in columns.get(name, [])]
        wish = sum(cols) / len(cols)
        tiles = [
            (col, row)
            for col in range(device.array.columns)
            for row in range(max(1, device.array.memory_tile_rows))
        ]
        tile = min(tiles, key=lambda t: (taken[t], abs(t[0] - wish) + t[1], t))
        placed.append(replace(buffer, tile=tile, offset=ends[tile]))
        taken[tile] += 1
        ends[tile] += buffer.copies * buffer.bytes
    return tuple(placed)
