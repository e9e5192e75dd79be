"""Convolutions on AI Engines without im2col: what strategies have in common whose cores read the lines of their rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from typing_extensions import TypeVar

from aieloom.hardware.mmul import MmulMode, Shape
from aieloom.layout.grid import RowGrid
from aieloom.plan.gemm import IllegalTile, divisor_like, round_up
from aieloom.plan.product import PASS_COUNTS, ProductCut
from aieloom.spec.types import DataType

Rows = TypeVar("Rows", bound=RowGrid, default=Any)
TRIED_ROWS = 32  # rows of a tile that the planner tries at most


class RowCut(ProductCut[Rows]):
    """Builds drafts of one layer for one device; tiles are M x K x N as of im2col_gemm, of whole channels and rows."""

    kind = "convolution"
    block = "{} (whole rows, whole blocks of channels)"

    @property
    def area(self) -> int:
        """Taps of a channel."""
        return self.window.kernel[0] * self.window.kernel[1]

    def check_single(self) -> None:
        """Refuse chains of cores.

        Raises:
            IllegalTile: the mapping asks for them.
        """
        if self.mapping.cascade:
            text = "direct convolution has no chains of cores: each takes all of K"
            raise IllegalTile("conv-1", "cascade", text, "leave cascade out, or use strategy: im2col_gemm")

    def tilings(self, mode: MmulMode) -> Iterator[Shape]:
        """Yield the tiles worth trying: parts of the channels out and in, and rows, that cut each evenly."""
        m, k, width = self.step(mode)
        height, channels = self.window.out_height, self.window.channels
        counts = (1,) if self.layer.x.dtype is DataType.INT16 else PASS_COUNTS
        parts = dict.fromkeys(round_up(-(-channels // count) * self.area, k) for count in counts)
        for tile_m in divisor_like(self.size[0], m, round_up(self.size[0], m)):
            for part in parts:
                for rows in divisor_like(height, 1, min(height, TRIED_ROWS)):
                    yield tile_m, part, rows * width

    def odd_words(self, tile: Shape, bits: int) -> bool:  # noqa: ARG002
        """Tell whether a tile's buffers leave a stream word part full; they are made of vectors of 128 bits or more."""
        return False

    def more(self, grid: Rows) -> tuple[str, ...]:
        """Return what else the plan says."""
        taps = self.window.taps * grid.tile_n
        read = grid.passes * grid.in_elements
        return (
            f"a tile reads {grid.passes} x {self.lines(grid)} = {read}, "
            f"{taps / read:.1f} times less than its im2col matrix",
        )

    def lines(self, grid: Rows) -> str:
        """Return what a tile reads in a pass."""
        raise NotImplementedError
