"""What any streaming kernel costs at a layer that is cut so: what a search reckons with before it plans."""

from __future__ import annotations

from dataclasses import replace
from math import gcd

from aieloom.layout.grid import RowGrid, TileGrid
from aieloom.network.tensor import TensorType
from aieloom.pl.line_store import LOOP_CYCLES, LinePart
from aieloom.pl.lines.memory import BRAM18_WORDS, LUTRAM_WORDS
from aieloom.pl.lines.shape import round_of, rows_of_word, shape_of, stride_of
from aieloom.pl.storage import Storage
from aieloom.pl.streams import TiledStreams, by_row, is_by_row, raster

MANY_READERS = 4  # what a search reckons with before it knows how the layer before is cut


def least_read(grid: TileGrid, lanes: int, x: TensorType, *, wraps: bool) -> int:
    """Return the fewest cycles in which any streaming kernel reads an image from a layer that is cut so.

    `wraps`: a layer behind keeps rows in memories of their own, so that beats may go on in the next row.
    """
    anywhere = grid.strips is not None or (wraps and not isinstance(grid, RowGrid))  # banks of their own
    neighbours = lanes if anywhere else gcd(lanes, x.shape[2])
    stride = stride_of(grid, lanes, x, gcd(neighbours, grid.mmul[2]))
    together = stride * rows_of_word(grid, lanes)
    return grid.rounds * grid.groups * (grid.out_elements // together) + LOOP_CYCLES


def least_written(grid: TileGrid, part: LinePart, lanes: int) -> tuple[int, Storage]:
    """Return about the cycles and memory with which `part` would feed a layer that is cut so.

    Both depend on the layer before too; the simulation and the plan know it.
    """
    asked = part.outlet.streams
    assert isinstance(asked, TiledStreams)
    held = part.holds  # what reaches the writers
    sink = replace(asked, grid=grid, bits=lanes * 8 * held.dtype.bytes, streams=grid.in_streams)
    shape = shape_of(by_row(held) if is_by_row(part.inlet.streams) else raster(held), sink, held)
    first = round_of(sink, shape.out_lanes, 0)
    rows = min(1 << (2 * (first.high - first.low + 1) - 1).bit_length(), held.shape[1])
    channels, height, width = held.shape
    readers = min(MANY_READERS, channels)
    depth = -(-channels // readers) * rows * -(-width // shape.banks)
    halves = -(-depth // BRAM18_WORDS) if depth > LUTRAM_WORDS else 0
    bram = -(-grid.in_streams * readers * shape.copies * shape.banks * halves // 2)
    filled = channels * height * width // (readers * lanes)
    return max(filled, grid.rounds * first.count), Storage("bram", bram, 0)
