"""The constants with which PL kernels and the host program cut the lines that cores of whole rows read."""

from __future__ import annotations

from aieloom.cpp_text import Constant
from aieloom.layout.grid import RowGrid, Window


def rows_of(grid: RowGrid, window: Window) -> tuple[Constant, ...]:
    """Return which rows of the output a tile has."""
    return (
        Constant("kOutStreams", grid.groups, "one for each group of cores"),
        Constant("kOutRounds", grid.rounds, "tiles that each group works on, one after another"),
        Constant("kOutGroups", grid.groups, "cores along the rows"),
        Constant("kOutRows", grid.out_rows, "output rows of a tile"),
        Constant("kOutHeight", window.out_height, "of the convolution's output"),
    )


def seen(window: Window) -> tuple[Constant, ...]:
    """Return what the convolution sees of its input."""
    return (
        Constant("kNextChannels", window.channels, "of the convolution's input"),
        Constant("kStrideY", window.stride[0], "stride"),
        Constant("kPaddingY", window.padding[0], "padding"),
        Constant("kPaddingX", window.padding[1], "padding"),
    )
