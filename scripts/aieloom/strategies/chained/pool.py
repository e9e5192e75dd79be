"""How a pool of a chain is cut that has cores of its own, and in which steps they go over an image.

A core goes over its part of the blocks of 8 channels and its band of output rows. At each step it takes the largest of the
window's rows, four neighbouring pixels at a time, then of the window's columns, which are the same pixels one further. With a
stride of 2 it keeps every second pixel. Where rows need no column beyond the steps, the steps of all blocks of a row follow
each other evenly and are a single loop; else the blocks are, and the steps along a row are the loop around them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from aieloom.strategies.chained.grid import BLOCK, PIXELS, Blocked, BlockGrid, Reader

MAX_KERNEL = 4  # of a window's side: its columns are seen in two vectors of four pixels
STRIDES = (1, 2)
LOAD_BYTES = 32  # of one load


@dataclass(frozen=True, kw_only=True)
class PoolGrid(BlockGrid):
    """How the cores of a pool share its work; `k` is the places of its window, `mmul` what a step keeps of a block."""

    by_mmul: ClassVar[bool] = False

    spare_rows: int = 0  # at the end of the buffer that it is handed, which it does not read

    @cached_property
    def out_size(self) -> tuple[int, int]:
        """Rows and columns of the output."""
        return self.window.out_height, self.window.out_width

    @property
    def down(self) -> int:
        """Rows from one window to the next."""
        return self.window.stride[0]

    @property
    def along(self) -> int:
        """Columns from one window to the next."""
        return self.window.stride[1]

    @cached_property
    def col_steps(self) -> int:
        """Steps of four pixels along a row."""
        return -(-self.out_size[1] * self.along // PIXELS)

    @property
    def beyond(self) -> int:
        """Columns of the windows of a step beyond its own."""
        return max(0, self.window.kernel[1] - self.along)

    @property
    def border(self) -> int:
        """Columns that a row has beyond the steps: as many whole loads as hold those of the last windows."""
        pixels = max(1, LOAD_BYTES // (BLOCK * self.element_bytes))
        return -(-self.beyond // pixels) * pixels

    @property
    def vectors(self) -> int:
        """Vectors of four pixels that a step sees of a row."""
        return 2 if self.beyond else 1

    @property
    def blocks(self) -> int:
        """Blocks of 8 channels of a core."""
        return self.tile_m // BLOCK

    @cached_property
    def need(self) -> Blocked:
        """What a core reads."""
        rows = (self.band_rows - 1) * self.down + self.window.kernel[0] + self.spare_rows
        return Blocked(rows=rows, blocks=self.blocks, cols=self.col_steps * PIXELS + self.border)

    @cached_property
    def make(self) -> Blocked:
        """What a core writes; columns beyond the layer's own mean nothing."""
        return Blocked(rows=self.band_rows, blocks=self.blocks, cols=self.col_steps * PIXELS // self.along)

    @property
    def held_blocks(self) -> tuple[int, ...]:
        """Blocks in the memory tile that it reads: those of all its parts."""
        return (self.parts * self.blocks,)

    @property
    def readers(self) -> Iterator[Reader]:
        """One port for each core: each reads its own part of the channels."""
        return (
            Reader((band * self.parts + part,), band, part * self.blocks)
            for band in range(self.groups)
            for part in range(self.parts)
        )

    def takes(self, made: Blocked) -> bool:
        """Tell whether rows and blocks lie as its core reads them; there may be more rows than it reads."""
        need = self.need
        return (made.blocks, made.cols) == (need.blocks, need.cols) and made.rows >= need.rows

    @property
    def is_even(self) -> bool:
        """Tell whether the steps of all blocks of a row follow each other evenly."""
        return not self.border

    @property
    def trips(self) -> int:
        """Steps of the inner loop."""
        return self.blocks * self.col_steps if self.is_even else self.blocks

    @property
    def around(self) -> int:
        """Steps along a row around the inner loop."""
        return 1 if self.is_even else self.col_steps

    @property
    def counting_macs(self) -> int:
        """None: it compares."""
        return 0

    @property
    def executed_macs(self) -> int:
        """None: it compares."""
        return 0
