"""How a sliding convolution is cut: the lines of the image as they are, of which a core takes 8 pixels from any place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from aieloom.layout.expression import Constant, Index, index
from aieloom.layout.grid import RowGrid, Window
from aieloom.layout.nest import Layout, axis

LANES = 8  # float results of one sliding multiplication on AIE [UG1079]
LINE_STEP = 4  # lines of the input are filled up to whole 128-bit loads


@dataclass(frozen=True, kw_only=True)
class LineGrid(RowGrid):
    """How a sliding convolution is cut: elements of the output have the order of a TileGrid with `mmul` (1, 1, 8).

    Lines of the input carry their padding.
    """

    order: ClassVar[str] = "rows"
    by_mmul: ClassVar[bool] = False
    uses: ClassVar[tuple[str, ...]] = ("sliding_floats",)

    @cached_property
    def in_width(self) -> int:
        """Elements of an input line."""
        seen = (self.window.out_width - 1) * self.window.stride[1] + self.window.kernel[1]
        return -(-seen // LINE_STEP) * LINE_STEP

    @property
    def in_elements(self) -> int:
        """Elements of one input buffer: [channel][row][column] of one pass of one tile."""
        return self.channels * self.in_rows * self.in_width

    @property
    def together(self) -> int:
        """Output channels that share a line's loads."""
        return 2 if self.tile_m % 2 == 0 else 1

    @property
    def blocks(self) -> tuple[int, int, int]:
        """Blocks of sums in flight: along output channels, rows, and the pixels of a row."""
        return self.tile_m // self.together, self.out_rows, self.window.out_width // LANES

    @property
    def line_loads(self) -> int:
        """Loads of 128 bits of what 8 pixels see of a line."""
        return -(-(LANES + self.window.kernel[1] - 1) // LINE_STEP)

    @property
    def weight_vectors(self) -> int:
        """Vectors of 8 that hold one kernel row's weights of these channels: one where they fit together."""
        return 1 if self.together * self.window.kernel[1] <= LANES else self.together

    @cached_property
    def weights(self) -> Layout:
        """The weights of all cores, of `[row][k]`, vectors filled up.

        The order is [pass][output pair][channel][kernel row][vector][8]: the pair's taps one output after another.
        """
        lines, taps = self.window.kernel
        each = LANES if self.weight_vectors > 1 else taps  # from one output to the next
        part, step = index("part", self.parts), index("step", self.passes)
        pair = index("pair", self.tile_m // self.together)
        c, y, v = (
            index("channel", self.channels),
            index("line", lines),
            index("v", self.weight_vectors * LANES),
        )
        row = part * self.tile_m + pair * self.together + v // each
        k = step * self.tile_k + (c * lines + y) * taps + v % each
        limits = (axis("output", v // each, self.together), axis("tap", v % each, taps))
        return Layout((part, step, pair, c, y, v), (axis("row", row, self.m), axis("k", k, self.k)), limits)

    def inputs(self, window: Window) -> Layout:
        """Return the elements of an image on all input streams, [round][pass][channel][line][column]."""
        channels = Constant(self.channels, "Channels", "input channels of a pass")
        step = index("step", self.passes, "Passes", f"channels, {self.channels} at a time")
        c, line = Index("c", channels), self.line
        column = index("column", self.in_width, "LineWidth", "elements of a line, with its border")
        stream, first = self.first_row()
        place = window.axes(
            step * channels + c, first * window.down + line - window.above, column - window.left
        )
        return Layout((stream, self.round, step, c, line, column), place, (self.whole(first),))
