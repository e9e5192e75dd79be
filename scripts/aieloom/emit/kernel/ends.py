"""What a PL kernel's templates print of the streams that come and leave: places of elements as C++ expressions."""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.emit.kernel.elements import FROM_BITS, TO_BITS, lane_bits, padding_of, zero_of
from aieloom.layout.grid import TILED, word_block
from aieloom.model.tensor import TensorType
from aieloom.pl.ends import Inlet, Outlet
from aieloom.pl.streams import Streams, TiledStreams, is_by_row


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceView:
    """What comes: in tiles of the layer before, or in plain order or row by row."""

    tiled: bool
    apart: bool  # a block's pixels are not neighbours in the image
    inside: bool  # words are beats between tasks of the kernel
    from_bits: str  # the function that makes an element of bits
    lane_bits: str  # the bits of element `lane` of a word
    pixel: str  # of an element of a tile
    channel: str  # of element `element`, where there are no tiles
    y: str
    place: str  # where a frame buffer holds value `i`
    order: str  # in words


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkView:
    """What leaves: one of five orders, in which `element` counts; outside the image there is `padding`."""

    plain: bool  # in plain order or row by row: no tiles
    tiled: bool
    rows: bool
    lanes: bool
    by_row: bool
    inside: bool
    to_bits: str
    lane_bits: str
    zero: str
    padding: str
    channel: str
    y: str
    order: str
    row_of_block: str
    col_of_block: str
    pass_of_k: str  # what counts the tiles along K: passes of a core, or links of a chain of cores
    tiles_of_k: str


@dataclass(frozen=True, slots=True)
class _Places:
    """C++ expressions of an element's place on a stream without tiles."""

    in_channel: str
    in_y: str
    in_place: str
    out_channel: str
    out_y: str
    order: str


_BY_CHANNEL = _Places(
    "element / (kInHeight * kInWidth)",
    "element / kInWidth % kInHeight",
    "i",
    "element / (kOutHeight * kOutWidth)",
    "element / kOutWidth % kOutHeight",
    "plain order, channel, row, column",
)
_BY_ROW = _Places(
    "element / kInWidth % kInChannels",
    "element / (kInChannels * kInWidth)",
    "i / kInWidth % kInChannels * kInPixels + i / (kInWidth * kInChannels) * kInWidth + i % kInWidth",
    "element / kOutWidth % kOutChannels",
    "element / (kOutChannels * kOutWidth)",
    "order of row, channel and column",
)


def source_view(inlet: Inlet, *, tile: str, block: str, column: str, inside: bool = False) -> SourceView:
    """Return what is printed of an inlet.

    `tile`, `block` and `column` are expressions of an element of a tile: which tile of the image, block of it, column of that.
    """
    streams = inlet.streams
    found, apart = _BY_ROW if is_by_row(streams) else _BY_CHANNEL, lies_apart(streams)
    return SourceView(
        tiled=isinstance(streams, TiledStreams),
        apart=apart,
        inside=inside,
        from_bits=FROM_BITS[inlet.dtype],
        lane_bits=lane_bits(inlet.dtype),
        pixel=f"pixel_of({tile}, {block}, {column})"
        if apart
        else f"({tile}) * kInTileN + {block} * kInBlockCols + {column}",
        channel=found.in_channel,
        y=found.in_y,
        place=found.in_place,
        order=found.order,
    )


def sink_view(outlet: Outlet, y: TensorType, *, inside: bool = False) -> SinkView:
    """Return what is printed of an outlet, where `y` leaves."""
    streams = outlet.streams
    found, order = _BY_ROW if is_by_row(streams) else _BY_CHANNEL, order_of(streams)
    chained = isinstance(streams, TiledStreams) and streams.grid.cascade > 1
    turned = (
        isinstance(streams, TiledStreams)
        and order == TILED
        and word_block(streams.grid, outlet.lanes).by_column
    )
    return SinkView(
        plain=not isinstance(streams, TiledStreams),
        tiled=order == TILED,
        rows=order == "rows",
        lanes=order == "lanes",
        by_row=is_by_row(streams),
        inside=inside,
        to_bits=TO_BITS[outlet.dtype],
        lane_bits=lane_bits(outlet.dtype),
        zero=zero_of(y),
        padding=padding_of(y),
        channel=found.out_channel,
        y=found.out_y,
        order=found.order,
        row_of_block="element % kOutBlockRows" if turned else "element / kOutBlockCols",
        col_of_block="element / kOutBlockRows" if turned else "element % kOutBlockCols",
        pass_of_k="link" if chained else "pass",
        tiles_of_k="kOutLinks" if chained else "kOutPasses",
    )


def order_of(streams: Streams) -> str:
    """Return the order of an array's input streams, as its layer's tiles are called; or plain order."""
    return streams.grid.order if isinstance(streams, TiledStreams) else "raster"


def lies_apart(streams: Streams) -> bool:
    """Tell whether a block's pixels on the array's streams are not neighbours in the image."""
    return isinstance(streams, TiledStreams) and streams.grid.stretches is not None
