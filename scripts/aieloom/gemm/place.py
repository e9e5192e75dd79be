"""Where cores and streams stand: rows of tiles along rows of the array, columns of tiles along its columns.

So A's broadcasts run along one row and B's up one column. On AIE a chain on an odd row runs westwards; its cores take the
parts of K from the last to the first, so that a column of the array always has the same part and B's broadcasts stay
straight.
"""

from __future__ import annotations

from aieloom.gemm.choose import columns
from aieloom.gemm.types import CorePlace, Cut
from aieloom.plan.columns import PlioWish, assign_columns
from aieloom.spec.device import Device

Streams = dict[str, tuple[int, ...]]  # a stream's name and the cores it feeds or drains


def place_cores(device: Device, cut: Cut) -> tuple[CorePlace, ...]:
    """Return every core's tile, chain after chain."""
    x_all, y_all, z_all = cut.grid
    rows, free = device.array.core_rows, columns(device)
    across = len(free) // y_all
    beside = -(-x_all // rows)
    used = min(beside * z_all, across) * y_all
    start = free.start + (len(free) - used) // 2
    found = []
    for x in range(x_all):
        for z in range(z_all):
            row = x % rows if beside > 1 else x + x_all * (z // across)
            left = start + ((x // rows) * z_all + z if beside > 1 else z % across) * y_all
            step = device.cascade_step(row)
            for link in range(y_all):
                part = link if step > 0 else y_all - 1 - link
                found.append(CorePlace(x=x, z=z, link=link, part=part, tile=(left + part, row)))
    return tuple(found)


def streams_of(cut: Cut, cores: tuple[CorePlace, ...]) -> tuple[Streams, Streams, Streams]:
    """Return the streams of A, B and C, in the order of their ports."""
    x_all, y_all, z_all = cut.grid
    a: dict[str, list[int]] = {f"a_{i}": [] for i in range(x_all * y_all)}
    b: dict[str, list[int]] = {f"b_{i}": [] for i in range(z_all * y_all)}
    c: dict[str, list[int]] = {f"c_{i}": [] for i in range(x_all * z_all)}
    for index, core in enumerate(cores):
        a[f"a_{core.x * y_all + core.part}"].append(index)
        b[f"b_{core.z * y_all + core.part}"].append(index)
        if core.link == y_all - 1:
            c[f"c_{core.x * z_all + core.z}"].append(index)
    return _frozen(a), _frozen(b), _frozen(c)


def _frozen(streams: dict[str, list[int]]) -> Streams:
    return {name: tuple(cores) for name, cores in streams.items()}


def stream_columns(
    device: Device, cut: Cut, cores: tuple[CorePlace, ...], bits: int
) -> dict[str, int] | None:
    """Give every stream an interface column; None where there are too few channels.

    A's broadcasts run along a whole row: half of them enter at each end, so that they go in opposite directions and leave
    ports for B's and C's on their way to columns without an interface.
    """
    a, b, c = streams_of(cut, cores)
    tiles = [core.tile for core in cores]
    wishes = []
    for i, (name, fed) in enumerate(a.items()):
        cols = [tiles[k][0] for k in fed]
        end = min(cols) if i % cut.grid[1] < -(-cut.grid[1] // 2) else max(cols)
        wishes.append(PlioWish(name, True, bits, float(end)))
    for streams, is_input in ((b, True), (c, False)):
        for name, fed in streams.items():
            cols = [tiles[k][0] for k in fed]
            wishes.append(PlioWish(name, is_input, bits, sum(cols) / len(cols)))
    return assign_columns(device, wishes)
