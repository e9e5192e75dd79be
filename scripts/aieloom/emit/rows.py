"""What PL and host templates print of lines for direct convolutions: flat values, taken from the plan."""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.emit.text import Constant
from aieloom.model.tensor import TensorType
from aieloom.plan.layout import Window, word_block
from aieloom.plan.logic import Streams, TiledStreams, is_by_row
from aieloom.plan.rows import RowGrid
from aieloom.strategies.lanes.grid import LaneGrid
from aieloom.strategies.sliding.grid import LineGrid


def order_of(streams: Streams) -> str:
    """Return the order of an array's input streams, as templates call it: im2col's tiles, lines, lanes; or plain order."""
    if not isinstance(streams, TiledStreams):
        return "raster"
    kinds = ((LaneGrid, "lanes"), (LineGrid, "rows"))
    return next((name for kind, name in kinds if isinstance(streams.grid, kind)), "tiled")


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


def row_tiles(sink: TiledStreams, grid: RowGrid, lanes: int) -> tuple[Constant, ...]:
    """Return how a direct convolution behind a gap cuts the lines that it reads."""
    return _lane_tiles(sink, grid, lanes) if isinstance(grid, LaneGrid) else _line_tiles(sink, grid, lanes)


def _rows_of(grid: RowGrid, window: Window) -> tuple[Constant, ...]:
    """Return which rows of the output a tile has."""
    return (
        Constant("kOutStreams", grid.groups, "one for each group of cores"),
        Constant("kOutRounds", grid.rounds, "tiles that each group works on, one after another"),
        Constant("kOutGroups", grid.groups, "cores along the rows"),
        Constant("kOutRows", grid.out_rows, "output rows of a tile"),
        Constant("kOutHeight", window.out_height, "of the convolution's output"),
    )


def _seen(window: Window) -> tuple[Constant, ...]:
    """Return what the convolution sees of its input."""
    return (
        Constant("kNextChannels", window.channels, "of the convolution's input"),
        Constant("kStrideY", window.stride[0], "stride"),
        Constant("kPaddingY", window.padding[0], "padding"),
        Constant("kPaddingX", window.padding[1], "padding"),
    )


def _lane_tiles(sink: TiledStreams, grid: LaneGrid, lanes: int) -> tuple[Constant, ...]:
    window = sink.window
    _, k, n = grid.mmul
    per_round = grid.passes * grid.in_elements
    return (
        *_rows_of(grid, window),
        Constant("kOutPasses", grid.passes, f"{window.channels} channels, {grid.channels} at a time"),
        Constant("kOutLines", grid.in_rows, "input lines of a tile"),
        Constant("kOutBlocks", grid.blocks, f"of channels: {grid.channels} / {k}"),
        Constant("kOutColumns", grid.columns, "input pixels that a lane sees of a line"),
        Constant("kOutStretch", grid.steps * window.stride[1], "input columns from one lane to the next"),
        Constant("kOutBlockRows", k, "channels of an mmul block"),
        Constant("kOutBlockCols", n, "lanes of an mmul block"),
        Constant("kOutBlockWords", k * n // lanes, f"{k} x {n} / {lanes}"),
        Constant("kOutTileWords", per_round // lanes, f"{grid.passes} x {grid.in_elements} / {lanes}"),
        *_seen(window),
    )


def _line_tiles(sink: TiledStreams, grid: RowGrid, lanes: int) -> tuple[Constant, ...]:
    assert isinstance(grid, LineGrid)
    window = sink.window
    per_round = grid.passes * grid.in_elements
    return (
        *_rows_of(grid, window),
        Constant("kOutChannels", grid.passes * grid.channels, f"{grid.passes} passes x {grid.channels}"),
        Constant("kOutLines", grid.in_rows, "input lines of a tile"),
        Constant("kOutLineWords", grid.in_width // lanes, f"{grid.in_width} / {lanes}"),
        Constant("kOutTileWords", per_round // lanes, f"{grid.passes} x {grid.in_elements} / {lanes}"),
        *_seen(window),
    )


def pixel_of(streams: Streams, tile: str, block: str, column: str) -> str:
    """Return the C++ expression by which the reader of a layer's output tiles finds the pixel of an element.

    `tile`, `block` and `column` are expressions: which tile of the image, block of the tile, column of the block.
    """
    if order_of(streams) == "lanes":
        return f"pixel_of({tile}, {block}, {column})"
    return f"({tile}) * kInTileN + {block} * kInBlockCols + {column}"


def places_in_block(sink: Streams, lanes: int) -> dict[str, str]:
    """Return the row and the column of `element` of a block of the next layer's tiles, as expressions."""
    if (
        order_of(sink) == "tiled"
        and isinstance(sink, TiledStreams)
        and word_block(sink.grid, lanes).by_column
    ):
        return {"row_of_block": "element % kOutBlockRows", "col_of_block": "element / kOutBlockRows"}
    return {"row_of_block": "element / kOutBlockCols", "col_of_block": "element % kOutBlockCols"}


def pixel_functions(streams: Streams) -> tuple[str, ...]:
    """Return the templates of what that expression calls."""
    return ("pixel_of.j2",) if order_of(streams) == "lanes" else ()
