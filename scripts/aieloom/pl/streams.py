"""Streams of the programmable logic: those of a layer on the array, and one with a tensor in plain order or row by row."""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.layout.grid import TileGrid, Window, words_of
from aieloom.network.tensor import TensorType
from aieloom.spec.types import DataType

MOST_TOGETHER = 16  # values of a beat inside a streaming kernel
MOST_STREAMS = 16  # that one loop serves: as many as AMD's switch for AXI streams [PG085]; see plan.fanout
RASTER_BITS = 128  # memory-side streams: one array stream's rate at 312.5 MHz [AM009]


@dataclass(frozen=True, slots=True, kw_only=True)
class TiledStreams:
    """The streams of an AIE layer, seen from the PL; elements in TileGrid's order."""

    layer: str
    grid: TileGrid
    window: Window
    bits: int
    streams: int
    words: int  # stream words of one image on each stream


@dataclass(frozen=True, slots=True, kw_only=True)
class RasterStream:
    """One stream in plain order: channel, row, column; the last word is filled up with zeros.

    `by_row`, inside the PL, the order is row, channel, column, so that a reader needs no more than the lines that it sees;
    a word is then a beat of neighbouring values that divides a row.
    """

    bits: int
    words: int
    elements: int
    dtype: DataType  # float32 between two PL kernels where tensors are bfloat16: the PL rounds only what leaves it
    streams: int = 1
    by_row: bool = False


Streams = TiledStreams | RasterStream


def is_by_row(streams: Streams) -> bool:
    """Tell whether a stream inside the PL carries an image row by row."""
    return isinstance(streams, RasterStream) and streams.by_row


def shares_of(streams: int) -> tuple[range, ...]:
    """Return the streams of each process of an end: as even shares as can be, of no more than one loop serves well."""
    each = -(-streams // -(-streams // MOST_STREAMS))
    return tuple(range(first, min(first + each, streams)) for first in range(0, streams, each))


def raster(tensor: TensorType) -> RasterStream:
    """Return one stream that carries `tensor` in plain order, to or from memory."""
    words = words_of(tensor.elements, tensor.dtype, RASTER_BITS)
    return RasterStream(bits=RASTER_BITS, words=words, elements=tensor.elements, dtype=tensor.dtype)


def by_row(tensor: TensorType) -> RasterStream:
    """Return one stream that carries `tensor` inside the PL, row by row, in beats that divide a row.

    A beat has as many values as a word of an array stream, up to twice as many where no such number divides a row.
    """
    dtype = DataType.FLOAT32 if tensor.dtype is DataType.BFLOAT16 else tensor.dtype
    enough = min(MOST_TOGETHER, RASTER_BITS // (8 * dtype.bytes))
    fits = [n for n in range(1, 2 * enough) if tensor.shape[2] % n == 0]
    beat = next((n for n in fits if n >= enough), fits[-1])
    return RasterStream(
        bits=beat * 8 * dtype.bytes,
        words=tensor.elements // beat,
        elements=tensor.elements,
        dtype=dtype,
        by_row=True,
    )


def values_of_beat(tensor: TensorType) -> int:
    """Return the values of a beat of `tensor` inside the PL."""
    streams = by_row(tensor)
    return streams.bits // (8 * streams.dtype.bytes)
