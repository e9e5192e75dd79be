"""Where chains and streams stand.

Chains lie along the cascade, which is one line through the array of AIE: eastwards on even rows, westwards on odd ones, from
the end of a row to the row above [UG1079, AI Engine Architecture Overview]; on AIE-ML each row is a line. So a row holds
chains side by side, and on AIE what is left at the ends of two rows may hold one more, around the edge.

Two ways to give chains their places. Where the grid fits, rows of tiles lie along rows of the array and columns of tiles along
its columns: A's broadcasts run along one row, B's up one column. Otherwise chains fill the places one column after another, in
bands of a few rows (or columns) of tiles. A band is about as high as wide, so that the columns beyond the PL interface's,
which all streams must reach sideways, need tiles of few rows and of few columns.

On AIE a chain on an odd row runs westwards; its cores take the parts of K from the last to the first, so that a column of
the array has the same part on all rows; but not where every chain is to add the parts of K in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aieloom.plan.columns import PlioWish, assign_columns
from aieloom.spec.device import Device, Tile
from aieloom.strategies.array_gemm.cost import CLOCK_MHZ
from aieloom.strategies.array_gemm.grid import ArrayGrid
from aieloom.strategies.array_gemm.types import CorePlace

OUTSIDE = 6  # columns of cores beyond the first and the last PLIO column: their streams share the way there
# the side of the grid (0: X, 2: Z) that is cut, and how high
BANDS = ((0, 4), (0, 3), (2, 4), (0, 2), (2, 3), (0, 5))
Streams = dict[str, tuple[int, ...]]  # a stream's name and the cores it feeds or drains
Chain = tuple[Tile, ...]  # from its first core to its last


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Every core's place; `straight`: rows of tiles lie along rows of the array."""

    cores: tuple[CorePlace, ...]  # chain after chain [x][z], link after link
    straight: bool


def columns(device: Device) -> range:
    """Return the columns that cores may have: those of the PL interface and a few beside them, which no other graph has."""
    first, last = device.array.plio_columns
    return range(max(device.taken_columns, first - OUTSIDE), min(device.array.columns, last + 1 + OUTSIDE))


def chains_in_all(device: Device, length: int) -> int:
    """Return how many chains of so many cores have a place."""
    across = len(columns(device)) // length
    return device.array.core_rows * across + len(_around(device, length))


def is_straight(device: Device, grid: tuple[int, int, int]) -> bool:
    """Tell whether rows and columns of tiles can lie along the array's; of the one there may be more, beside each other."""
    x, y, z = grid
    rows, across = device.array.core_rows, len(columns(device)) // y
    if not across:
        return False
    beside = -(-x // rows)
    return beside * z <= across or (beside == 1 and -(-z // across) * x <= rows)


def layouts(device: Device, cut: ArrayGrid) -> Iterator[Layout]:
    """Yield ways to place a grid, the likeliest to be routed first; the chains must not be more than have places."""
    x_all, y_all, z_all = cut.grid
    rows = device.array.core_rows
    found = [Layout(cores=_straight(device, cut), straight=True)] if is_straight(device, cut.grid) else []
    crowded = _drained_rows(device, y_all) < rows and x_all * z_all > rows * device.streams.south
    if not crowded:
        yield from found
    places = _places(device, y_all, x_all * z_all)
    for side, height in BANDS:
        lengths = (x_all, z_all) if side == 0 else (z_all, x_all)
        if lengths[0] >= height:
            order = [(i, j) if side == 0 else (j, i) for i, j in _banded(*lengths, height)]
            yield Layout(cores=_laid(cut, dict(zip(order, places, strict=True))), straight=False)
    if crowded:
        yield from found


def _drained_rows(device: Device, length: int) -> int:
    """Return how many chains above one another have streams down their columns for all their results."""
    return min(device.array.core_rows, length * device.streams.south)


def _banded(length: int, other: int, height: int) -> Iterator[tuple[int, int]]:
    """Yield all pairs band after band; a flatter one goes into the middle, where streams come from both sides."""
    bands = [range(i, min(length, i + height)) for i in range(0, length, height)]
    if len(bands) > 2 and len(bands[-1]) < height:
        bands.insert(len(bands) // 2, bands.pop())
    for band in bands:
        for j in range(other):
            yield from ((i, j) for i in band)


def _around(device: Device, length: int) -> tuple[Chain, ...]:
    """Return the chains at the right edge that begin on an even row and end on the row above."""
    free = columns(device)
    left = free.start + len(free) // length * length
    found = []
    for row in range(0, device.array.core_rows if left < free.stop else 0, 2):
        line = [(left, row)]
        while (
            (after := device.cascade_next(line[-1])) and left <= after[0] < free.stop and after[1] <= row + 1
        ):
            line.append(after)
        if len(line) >= length:
            found.append(tuple(line[:length]))
    return tuple(found)


def _places(device: Device, length: int, count: int) -> tuple[Chain, ...]:
    """Return the first `count` places: columns of chains from left to right, in the middle of the array; then the edge's.

    The columns are no higher than their results have streams down, if that leaves enough places.
    """
    free = columns(device)
    most, rows = len(free) // length, _drained_rows(device, length)
    if count > rows * most:
        rows = device.array.core_rows
    across = min(-(-count // rows), most)
    edge = _around(device, length) if count > rows * across else ()
    start = free.start if edge else free.start + (len(free) - across * length) // 2
    found = [_along(device, start + i * length, row, length) for i in range(across) for row in range(rows)]
    return (*found, *edge)[:count]


def _along(device: Device, left: int, row: int, length: int) -> Chain:
    """Return a chain within a row, in the direction of its cascade."""
    cols = range(left, left + length)[:: device.cascade_step(row)]
    return tuple((col, row) for col in cols)


def _straight(device: Device, cut: ArrayGrid) -> tuple[CorePlace, ...]:
    x_all, y_all, z_all = cut.grid
    rows, free = device.array.core_rows, columns(device)
    across = len(free) // y_all
    beside = -(-x_all // rows)
    used = min(beside * z_all, across) * y_all
    start = free.start + (len(free) - used) // 2
    chains = {}
    for x in range(x_all):
        for z in range(z_all):
            row = x % rows if beside > 1 else x + x_all * (z // across)
            left = start + ((x // rows) * z_all + z if beside > 1 else z % across) * y_all
            chains[x, z] = _along(device, left, row, y_all)
    return _laid(cut, chains)


def _laid(cut: ArrayGrid, chains: dict[tuple[int, int], Chain]) -> tuple[CorePlace, ...]:
    """Return the cores of all chains; in a row a core's part of K follows from its column where any order does, or its link."""
    found = []
    for x in range(cut.grid[0]):
        for z in range(cut.grid[2]):
            chain = chains[x, z]
            left = min(col for col, _ in chain)
            one_row = chain[0][1] == chain[-1][1]
            for link, tile in enumerate(chain):
                part = tile[0] - left if one_row and not cut.in_order else link
                found.append(CorePlace(x=x, z=z, link=link, part=part, tile=tile))
    return tuple(found)


def streams_of(cut: ArrayGrid, cores: tuple[CorePlace, ...]) -> tuple[Streams, Streams, Streams]:
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


def stream_columns(device: Device, cut: ArrayGrid, layout: Layout, bits: int) -> dict[str, int] | None:
    """Give every stream an interface column; None where there are too few channels.

    Broadcasts that run far enter at both ends of what they feed by turns, so that as many go in one direction as in the
    other: A's where rows of tiles lie along rows of the array, otherwise both A's and B's.
    """
    a, b, c = streams_of(cut, layout.cores)
    tiles = [core.tile for core in layout.cores]
    length = cut.grid[1]
    wishes = []
    for streams, kind in ((a, "a"), (b, "b"), (c, "c")):
        for i, (name, fed) in enumerate(streams.items()):
            cols = [tiles[k][0] for k in fed]
            if kind == "c" or (layout.straight and kind == "b"):
                column = sum(cols) / len(cols)
            else:
                row, part = divmod(i, length)
                first = part < -(-length // 2) if layout.straight else (row + part) % 2 == 1
                column = float(min(cols) if first else max(cols))
            wishes.append(PlioWish(name, kind != "c", bits, column, CLOCK_MHZ))
    return assign_columns(device, wishes)
