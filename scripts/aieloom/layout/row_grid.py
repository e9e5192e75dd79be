"""A tile of whole rows of the output: its input are the lines of the image that these see, not an im2col matrix."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from aieloom.layout.expression import Constant, Expression, Index, index, named
from aieloom.layout.grid import TileGrid, Window
from aieloom.layout.nest import Axis


@dataclass(frozen=True, kw_only=True)
class RowGrid(TileGrid):
    """How such a layer is cut: `tile_k` are the taps of a pass's channels, `tile_n` the pixels of a tile's rows."""

    window: Window

    @cached_property
    def channels(self) -> int:
        """Input channels of a pass."""
        return self.tile_k // (self.window.kernel[0] * self.window.kernel[1])

    @cached_property
    def out_rows(self) -> int:
        """Output rows of a tile."""
        return self.tile_n // self.window.out_width

    @cached_property
    def in_rows(self) -> int:
        """Input rows that a tile sees."""
        return (self.out_rows - 1) * self.window.stride[0] + self.window.kernel[0]

    @property
    def line(self) -> Index:
        """The loop over the input rows that a tile sees."""
        return index("line", self.in_rows, "Lines", "input rows that a tile sees")

    def first_row(self) -> tuple[Index, Expression]:
        """Return the loop over the input streams, and the first output row of a tile."""
        stream, group, _ = self.stream(1, "", "")
        rows = Constant(self.out_rows, "Rows", "output rows of a tile")
        return stream, named("first", self.tile_number(group, "rows") * rows)

    def whole(self, first: Expression) -> Axis:
        """Return the limit behind which there are no tiles."""
        return Axis("first", first, Constant(self.window.out_height, "Height", "of the convolution's output"))
