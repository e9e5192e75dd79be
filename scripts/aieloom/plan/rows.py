"""A tile of whole rows of the output: its input are the lines of the image that these see, not an im2col matrix."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from aieloom.plan.layout import TileGrid, Window


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
