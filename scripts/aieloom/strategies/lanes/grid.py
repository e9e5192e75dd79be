"""How a convolution by `aie::mmul` is cut into lanes.

The operands of `aie::mmul` are loads from aligned places. So a row of the output is cut into as many stretches as a block has
columns, its lanes, and each lane works on a stretch of its own: the pixels that all lanes see with one tap lie side by side in
the core's memory, whatever the tap and the stride.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from aieloom.plan.layout import PADDING, Index, Stretches, Window
from aieloom.plan.rows import RowGrid


@dataclass(frozen=True, kw_only=True)
class LaneGrid(RowGrid):
    """How a convolution by `aie::mmul` is cut without im2col: channels in blocks of its K, rows in stretches for its N lanes.

    A line of the input is [block of channels][column][channel][lane]: `columns` of a lane's stretch with its border. Output
    blocks are as those of a TileGrid, but the n pixels of one are `steps` columns apart.
    """

    order: ClassVar[str] = "lanes"

    held: tuple[int, int, int]  # blocks of sums in flight: along output channels, rows, columns of a stretch

    @property
    def stretches(self) -> Stretches:
        """How its blocks' pixels, the lanes, lie apart."""
        return Stretches(count=self.mmul[2], steps=self.steps, columns=self.columns)

    @property
    def run(self) -> int:
        """Pixels of an output block that are neighbours in the image: none has its neighbour beside it."""
        return 1

    @cached_property
    def steps(self) -> int:
        """Output pixels of a lane's stretch; the last lanes' may reach beyond the row."""
        return -(-self.window.out_width // self.mmul[2])

    @cached_property
    def columns(self) -> int:
        """Input pixels that a lane sees of a line."""
        return (self.steps - 1) * self.window.stride[1] + self.window.kernel[1]

    @cached_property
    def blocks(self) -> int:
        """Blocks of input channels in a pass."""
        return self.channels // self.mmul[1]

    @property
    def in_elements(self) -> int:
        """Elements of one input buffer: one pass of one tile."""
        return self.in_rows * self.blocks * self.columns * self.mmul[1] * self.mmul[2]

    @property
    def out_elements(self) -> int:
        """Elements of one output buffer, with pixels beyond the rows' ends."""
        return self.tile_m * self.out_rows * self.steps * self.mmul[2]

    def weight_order(self, link: int = 0) -> tuple[Index, Index]:  # noqa: ARG002 - there are no chains
        """Return (row within the part, k) of each weight in a core's array.

        The order is [pass][block of outputs][kernel row][block of inputs][tap][output][input].
        """
        m, k, _ = self.mmul
        lines, taps = self.window.kernel
        p, mb, y, kb, x, i, j = np.ix_(
            range(self.passes), range(self.tile_m // m), range(lines), range(self.blocks), range(taps), range(m), range(k)
        )  # fmt: skip
        channel = p * self.channels + kb * k + j
        row, col = np.broadcast_arrays(mb * m + i, (channel * lines + y) * taps + x)
        return row.ravel(), col.ravel()

    def sources(self, window: Window, group: int) -> Index:
        """Return the flat input index of each element of one image on a group's stream, or PADDING."""
        _, k, n = self.mmul
        r, p, i, kb, j, c, lane = np.ix_(
            range(self.rounds), range(self.passes), range(self.in_rows), range(self.blocks), range(self.columns),
            range(k), range(n),
        )  # fmt: skip
        first = (r * self.groups + group) * self.out_rows  # row of the output
        channel = p * self.channels + kb * k + c
        y = first * window.stride[0] - window.padding[0] + i
        x = lane * self.steps * window.stride[1] - window.padding[1] + j
        inside = (channel < window.channels) & (first < window.out_height)
        inside = inside & (y >= 0) & (y < window.height) & (x >= 0) & (x < window.width)
        return np.where(inside, (channel * window.height + y) * window.width + x, PADDING).ravel()

    def output_order(self, group: int, part: int) -> tuple[Index, Index]:
        """Return (channel, pixel) of each element of an image on a core's output stream; pixels outside it are `n` or more.

        The order is [round][block of channels][row][step][channel][lane].
        """
        m, _, n = self.mmul
        r, mb, row, step, i, lane = np.ix_(
            range(self.rounds), range(self.tile_m // m), range(self.out_rows), range(self.steps), range(m), range(n)
        )  # fmt: skip
        y, x = (r * self.groups + group) * self.out_rows + row, lane * self.steps + step
        pixel = np.where(x < self.window.out_width, y * self.window.out_width + x, self.n)
        channel, pixel = np.broadcast_arrays(part * self.tile_m + mb * m + i, pixel)
        return channel.ravel(), pixel.ravel()

    def sum_order(self) -> Index:
        """Return the k of each product of a sum in the order in which a core adds them."""
        row, k = self.weight_order()
        of_one = k[row == 0]  # every output's products have the same order
        area = self.window.kernel[0] * self.window.kernel[1]
        inside: Index = of_one[of_one < area * self.window.channels]
        return inside
