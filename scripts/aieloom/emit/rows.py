"""What PL and host templates print of lines for direct convolutions: flat values, taken from the plan."""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.cpp_text import Constant
from aieloom.layout.grid import TILED, word_block
from aieloom.model.tensor import TensorType
from aieloom.pl.streams import Streams, TiledStreams, is_by_row


def order_of(streams: Streams) -> str:
    """Return the order of an array's input streams, as templates call it: that of its layer's tiles; or plain order."""
    return streams.grid.order if isinstance(streams, TiledStreams) else "raster"


def lies_apart(streams: Streams) -> bool:
    """Tell whether a block's pixels on the array's streams are not neighbours in the image."""
    return isinstance(streams, TiledStreams) and streams.grid.stretches is not None


@dataclass(frozen=True, slots=True)
class Places:
    """C++ expressions of an element's place in plain order."""

    in_channel: str  # of element `element` on a stream that comes
    in_y: str
    in_place: str  # where an image buffer holds value `i` of it
    out_channel: str  # of element `element` on a stream that leaves
    out_y: str
    order: str  # in words


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacesView:
    """What a kernel's template prints of places on both sides."""

    in_channel: str
    in_y: str
    in_place: str
    in_order: str
    out_channel: str
    out_y: str
    out_order: str


BY_CHANNEL = Places(
    "element / (kInHeight * kInWidth)",
    "element / kInWidth % kInHeight",
    "i",
    "element / (kOutHeight * kOutWidth)",
    "element / kOutWidth % kOutHeight",
    "plain order, channel, row, column",
)
BY_ROW = Places(
    "element / kInWidth % kInChannels",
    "element / (kInChannels * kInWidth)",
    "i / kInWidth % kInChannels * kInPixels + i / (kInWidth * kInChannels) * kInWidth + i % kInWidth",
    "element / kOutWidth % kOutChannels",
    "element / (kOutChannels * kOutWidth)",
    "order of row, channel and column",
)


def places_in(source: Streams) -> dict[str, str]:
    """Return what templates print of places on a stream that comes."""
    found = BY_ROW if is_by_row(source) else BY_CHANNEL
    return {
        "in_channel": found.in_channel,
        "in_y": found.in_y,
        "in_place": found.in_place,
        "in_order": found.order,
    }


def places_out(sink: Streams) -> dict[str, str]:
    """Return what templates print of places on a stream that leaves."""
    found = BY_ROW if is_by_row(sink) else BY_CHANNEL
    return {"out_channel": found.out_channel, "out_y": found.out_y, "out_order": found.order}


def in_image(x: TensorType) -> tuple[Constant, ...]:
    """Return the shape of an image that comes row by row."""
    channels, height, width = x.shape
    return (
        Constant("kInChannels", channels, "of the image that arrives"),
        Constant("kInWidth", width, "of the image that arrives"),
        Constant("kInPixels", height * width, f"{height} x {width}"),
    )


def pixel_of(streams: Streams, tile: str, block: str, column: str) -> str:
    """Return the C++ expression by which the reader of a layer's output tiles finds the pixel of an element.

    `tile`, `block` and `column` are expressions: which tile of the image, block of the tile, column of the block.
    """
    if lies_apart(streams):
        return f"pixel_of({tile}, {block}, {column})"
    return f"({tile}) * kInTileN + {block} * kInBlockCols + {column}"


def places_in_block(sink: Streams, lanes: int) -> dict[str, str]:
    """Return the row and the column of `element` of a block of the next layer's tiles, as expressions."""
    if order_of(sink) == TILED and isinstance(sink, TiledStreams) and word_block(sink.grid, lanes).by_column:
        return {"row_of_block": "element % kOutBlockRows", "col_of_block": "element / kOutBlockRows"}
    return {"row_of_block": "element / kOutBlockCols", "col_of_block": "element % kOutBlockCols"}


def pixel_functions(streams: Streams) -> tuple[str, ...]:
    """Return the templates of what that expression calls."""
    return ("pixel_of.j2",) if lies_apart(streams) else ()
