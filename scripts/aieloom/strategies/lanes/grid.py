"""How a convolution by `aie::mmul` is cut into lanes.

The operands of `aie::mmul` are loads from aligned places. So a row of the output is cut into as many strips as a block has
columns, its lanes, and each lane works on a strip of its own: the pixels that all lanes see with one tap lie side by side in
the core's memory, whatever the tap and the stride.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from aieloom.layout.expression import Constant, Integers, index
from aieloom.layout.grid import RowGrid, Strips, Window
from aieloom.layout.nest import PADDING, Layout, axis
from aieloom.strategies.lanes.loop import Tap, taps_of


@dataclass(frozen=True, kw_only=True)
class LaneGrid(RowGrid):
    """How a convolution by `aie::mmul` is cut without im2col: channels in blocks of its K, rows in strips for its N lanes.

    A line of the input is [block of channels][column][channel][lane]: `columns` of a lane's strip with its border. Output
    blocks are as those of a TileGrid, but the n pixels of one are `steps` columns apart.
    """

    order: ClassVar[str] = "lanes"

    held: tuple[int, int, int]  # blocks of sums in flight: along output channels, rows, columns of a strip

    @property
    def size_in_blocks(self) -> tuple[int, int]:
        """Blocks of a tile's output: of channels, of lanes."""
        return self.tile_m // self.mmul[0], self.out_rows * self.steps

    @property
    def strips(self) -> Strips:
        """How its blocks' pixels, the lanes, lie apart."""
        return Strips(count=self.mmul[2], steps=self.steps, columns=self.columns)

    @property
    def run(self) -> int:
        """Pixels of an output block that are neighbours in the image: none has its neighbour beside it."""
        return 1

    @cached_property
    def steps(self) -> int:
        """Output pixels of a lane's strip; the last lanes' may reach beyond the row."""
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

    @property
    def trip(self) -> tuple[Tap, ...]:
        """What the inner loop does in a trip, tap by tap."""
        return taps_of(self.held, self.window.stride[1], self.window.kernel[1])

    @cached_property
    def weights(self) -> Layout:
        """The weights of all cores, of `[row][k]`.

        The order is [pass][block of outputs][kernel row][block of inputs][tap][output][input].
        """
        m, k, _ = self.mmul
        lines, taps = self.window.kernel
        part, step, mt = index("part", self.parts), index("step", self.passes), index("mt", self.tile_m // m)
        y, kt, x = index("line", lines), index("kt", self.blocks), index("tap", taps)
        i, j = index("row", m), index("col", k)
        channel = step * self.channels + kt * k + j
        axes = (
            axis("output", part * self.tile_m + mt * m + i, self.m),
            axis("k", (channel * lines + y) * taps + x, self.k),
        )
        return Layout((part, step, mt, y, kt, x, i, j), axes)

    def inputs(self, window: Window) -> Layout:
        """Return the elements of an image on all input streams, [round][pass][line][block][column][channel][lane]."""
        _, k, n = self.mmul
        step = index("step", self.passes, "Passes", f"channels, {self.channels} at a time")
        kt = index("block", self.blocks, "Blocks", f"of {k} channels in a pass")
        column = index("column", self.columns, "Columns", "input pixels that a lane sees of a line")
        c = index("c", k, "BlockRows", "channels of an mmul block")
        strip = index("strip", n, "BlockCols", "lanes of an mmul block")
        apart = Constant(
            self.steps * window.stride[1], "Strip", f"from lane to lane: {self.steps} x {window.stride[1]}"
        )
        stream, first = self.first_row()
        place = window.axes(
            (step * kt.count + kt) * c.count + c,
            first * window.down + self.line - window.above,
            strip * apart + column - window.left,
        )
        loops = (stream, self.round, step, self.line, kt, column, c, strip)
        return Layout(loops, place, (self.whole(first),))

    @cached_property
    def output(self) -> Layout:
        """The elements of an image on all output streams, of the output `[channel][pixel]`.

        The order is [round][block of channels][row][step][channel][lane]; the last lanes may reach beyond the row.
        """
        m, _, n = self.mmul
        stream, group, part = self.stream(self.parts, "Parts", "cores along the channels")
        mt = index("mt", self.tile_m // m, "RowTiles", f"{self.tile_m} / {m}")
        line = index("line", self.out_rows, "TileRows", "rows of the image in a tile")
        step = index("step", self.steps, "Steps", f"pixels of a lane: {self.window.out_width} / {n}")
        i = index("row", m, "BlockRows", "channels of an mmul block")
        j = index("col", n, "BlockCols", "pixels of an mmul block")
        width = Constant(self.window.out_width, "RowPixels", "of a row of the image")
        y, x = self.tile_number(group, "pixels") * line.count + line, axis("x", j * step.count + step, width)
        axes = self.result(part, mt * i.count + i, y * width + x.place)
        return Layout((stream, self.round, mt, line, step, i, j), axes, (x,))

    def sum_order(self) -> Integers:
        """Return the k of each product of a sum in the order in which a core adds them."""
        of_one = self.weights.at(part=0, mt=0, row=0).flat()  # every output's products have the same order
        inside: Integers = of_one[of_one != PADDING]
        return inside
