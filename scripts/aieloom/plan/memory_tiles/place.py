"""Which memory tile holds which buffer: near the cores that it serves, where streams down to it have ports left.

Four streams come down into a column of memory tiles [AM020]; a buffer with more writers takes the others' from below, by way
of the columns beside it, whose ports they then use.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from aieloom.plan.shared_buffers import ENTRY, SharedBuffer
from aieloom.plan.types import AieLayerPlan
from aieloom.spec.device import Device, Tile

BLOCKED = 100.0  # columns that one rather goes farther than to ask a column for more streams than it has
ASIDE = 1.0  # for each stream that must come by way of a column beside
TAKEN = 3.0  # for each buffer that is in the column already


def place_buffers(
    device: Device, buffers: Sequence[SharedBuffer], layers: Sequence[AieLayerPlan]
) -> tuple[SharedBuffer, ...]:
    """Give each buffer a memory tile.

    Where no tile has room, a buffer goes to the cheapest all the same: the rules then name what it lacks.
    """
    columns: dict[str, list[int]] = {la.name: [k.tile[0] for k in la.kernels] for la in layers}
    load: Counter[int] = Counter()  # streams down, by column
    held: Counter[int] = Counter()
    ends: dict[Tile, int] = defaultdict(int)
    placed = []
    for buffer in buffers:
        cols = [c for name in (buffer.before, buffer.after) for c in columns.get(name, [])]
        wish = sum(cols) / len(cols)
        down = 0 if buffer.before == ENTRY else len(buffer.writers)
        col = min(
            range(device.array.columns),
            key=lambda c: (_crowd(device, load, c, down) + TAKEN * held[c] + abs(c - wish), c),
        )
        tile = (col, held[col] % max(1, device.array.memory_tile_rows))
        placed.append(replace(buffer, tile=tile, offset=ends[tile]))
        _add(device, load, col, down)
        held[col] += 1
        ends[tile] += buffer.copies * buffer.bytes
    return tuple(placed)


def _room(device: Device, load: Counter[int], col: int) -> int:
    return max(0, device.streams.south - load[col]) if 0 <= col < device.array.columns else 0


def _crowd(device: Device, load: Counter[int], col: int, down: int) -> float:
    """Return what it costs to bring so many streams down to a column."""
    aside = max(0, down - _room(device, load, col))
    beside = _room(device, load, col - 1) + _room(device, load, col + 1)
    return ASIDE * aside + BLOCKED * max(0, aside - beside)


def _add(device: Device, load: Counter[int], col: int, down: int) -> None:
    """Count the streams of a buffer: in its column first, then beside it."""
    for at in (col, col + 1, col - 1):
        here = min(down, _room(device, load, at))
        load[at] += here
        down -= here
    load[col] += down
