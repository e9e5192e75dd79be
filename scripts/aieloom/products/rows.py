"""The constants with which PL kernels and the host program cut the lines that cores of whole rows read."""

from __future__ import annotations

from typing import cast

from aieloom.cpp_text import Constant
from aieloom.layout.grid import RowGrid
from aieloom.pl.streams import TiledStreams


def row_tiles(sink: TiledStreams, lanes: int, channels: Constant, *line: Constant) -> tuple[Constant, ...]:
    """Return which rows a tile has, its `channels`, how its cores take a `line`, and what the convolution sees of its input."""
    grid, window = cast(RowGrid, sink.grid), sink.window
    words = grid.passes * grid.in_elements // lanes
    return (
        Constant("kOutStreams", grid.groups, "one for each group of cores"),
        Constant("kOutRounds", grid.rounds, "tiles that each group works on, one after another"),
        Constant("kOutGroups", grid.groups, "cores along the rows"),
        Constant("kOutRows", grid.out_rows, "output rows of a tile"),
        Constant("kOutHeight", window.out_height, "of the convolution's output"),
        channels,
        Constant("kOutLines", grid.in_rows, "input lines of a tile"),
        *line,
        Constant("kOutTileWords", words, f"{grid.passes} x {grid.in_elements} / {lanes}"),
        Constant("kNextChannels", window.channels, "of the convolution's input"),
        Constant("kStrideY", window.stride[0], "stride"),
        Constant("kPaddingY", window.padding[0], "padding"),
        Constant("kPaddingX", window.padding[1], "padding"),
    )
