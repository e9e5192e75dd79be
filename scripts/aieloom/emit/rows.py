"""What PL and host templates print of lines for a direct convolution: flat values, taken from the plan."""

from __future__ import annotations

from aieloom.emit.text import Constant
from aieloom.plan.layout import RowGrid
from aieloom.plan.logic import Streams, TiledStreams


def is_rows(streams: Streams) -> bool:
    """Tell whether streams carry lines for a direct convolution."""
    return isinstance(streams, TiledStreams) and isinstance(streams.grid, RowGrid)


def sink_kind(streams: Streams) -> str:
    """Return how the template that fills such streams is called."""
    if isinstance(streams, TiledStreams):
        return "sink_rows" if is_rows(streams) else "sink_tiled"
    return "sink_raster"


def row_tiles(sink: TiledStreams, grid: RowGrid, lanes: int) -> tuple[Constant, ...]:
    """Return how a direct convolution behind a gap cuts the lines that it reads."""
    window = sink.window
    per_round = grid.passes * grid.in_elements
    return (
        Constant("kOutStreams", grid.groups, "one for each group of cores"),
        Constant("kOutRounds", grid.rounds, "tiles that each group works on, one after another"),
        Constant("kOutGroups", grid.groups, "cores along the rows"),
        Constant("kOutRows", grid.out_rows, "output rows of a tile"),
        Constant("kOutHeight", window.out_height, "of the convolution's output"),
        Constant("kOutChannels", grid.passes * grid.channels, f"{grid.passes} passes x {grid.channels}"),
        Constant("kOutLines", grid.in_rows, "input lines of a tile"),
        Constant("kOutLineWords", grid.in_width // lanes, f"{grid.in_width} / {lanes}"),
        Constant("kOutTileWords", per_round // lanes, f"{grid.passes} x {grid.in_elements} / {lanes}"),
        Constant("kNextChannels", window.channels, "of the convolution's input"),
        Constant("kStrideY", window.stride[0], "stride"),
        Constant("kPaddingY", window.padding[0], "padding"),
        Constant("kPaddingX", window.padding[1], "padding"),
    )
