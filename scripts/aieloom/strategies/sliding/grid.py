"""How a sliding convolution is cut: the lines of the image as they are, of which a core takes 8 pixels from any place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from aieloom.plan.layout import PADDING, Index, Window
from aieloom.plan.rows import RowGrid

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
    def weight_vectors(self) -> int:
        """Vectors of 8 that hold one kernel row's weights of these channels: one where they fit together."""
        return 1 if self.together * self.window.kernel[1] <= LANES else self.together

    def weight_order(self, link: int = 0) -> tuple[Index, Index]:  # noqa: ARG002 - there are no chains
        """Return (row within the part, k) of each weight in a core's array, PADDING where a vector is filled up.

        The order is [pass][output pair][channel][kernel row][vector][8]: the pair's taps one output after another.
        """
        lines, taps = self.window.kernel
        space = self.weight_vectors * LANES
        row = np.full((self.tile_m // self.together, space), PADDING)
        tap = np.full(space, PADDING)
        each = (
            space // self.weight_vectors if self.weight_vectors > 1 else taps
        )  # from one output to the next
        for j in range(self.together):
            tap[j * each : j * each + taps] = np.arange(taps)
            row[:, j * each : j * each + taps] = np.arange(0, self.tile_m, self.together)[:, None] + j
        p, b, c, y, v = np.ix_(
            range(self.passes), range(len(row)), range(self.channels), range(lines), range(space)
        )
        k = p * self.tile_k + (c * lines + y) * taps + tap[v]
        rows, k = np.broadcast_arrays(row[b, v], k)
        return rows.ravel(), np.where(rows == PADDING, PADDING, k).ravel()

    def sources(self, window: Window, group: int) -> Index:
        """Return the flat input index of each element of one image on a group's stream, or PADDING."""
        r, p, c, i, j = np.ix_(
            range(self.rounds),
            range(self.passes),
            range(self.channels),
            range(self.in_rows),
            range(self.in_width),
        )
        first = (r * self.groups + group) * self.out_rows  # row of the output
        channel = p * self.channels + c
        y, x = first * window.stride[0] - window.padding[0] + i, j - window.padding[1]
        inside = (channel < window.channels) & (first < window.out_height)
        inside = inside & (y >= 0) & (y < window.height) & (x >= 0) & (x < window.width)
        return np.where(inside, (channel * window.height + y) * window.width + x, PADDING).ravel()
