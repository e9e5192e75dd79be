"""How a product is cut over cores, and in which order its elements travel (aieloom.layout).

A GEMM layer computes `C[M, N] = A[M, K] @ B[K, N] + bias[M]` with A the weights, B the im2col matrix of the
input (one column per output pixel) and C the output (one row per channel). M is cut into `parts`, N into
tiles of `tile_n` pixels; tile `t` is worked on by group `t % groups` in round `t // groups`.
Group g's cores share one input stream; core (g, p) has output stream `g * parts + p`.
With `cascade` cores for each such tile, K is cut over them: link l of every chain of group g shares input stream
`g * cascade + l`, passes its sums on, and the last one has the output stream.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import ClassVar

import numpy as np

from aieloom.layout.expression import Constant, Expression, Index, Integers, index, named
from aieloom.layout.nest import Axis, Layout, axis
from aieloom.spec.types import DataType


@dataclass(frozen=True, kw_only=True)
class Window:
    """How a convolution reads its input: `(channels, height, width)` by kernel, stride, padding (y, x)."""

    channels: int
    height: int
    width: int
    kernel: tuple[int, int] = (1, 1)
    stride: tuple[int, int] = (1, 1)
    padding: tuple[int, int] = (0, 0)

    @property
    def out_height(self) -> int:
        """Rows of the output."""
        return (self.height + 2 * self.padding[0] - self.kernel[0]) // self.stride[0] + 1

    @property
    def out_width(self) -> int:
        """Columns of the output."""
        return (self.width + 2 * self.padding[1] - self.kernel[1]) // self.stride[1] + 1

    @property
    def taps(self) -> int:
        """Inputs of one output: channels x kernel height x kernel width (the GEMM's K)."""
        return self.channels * self.kernel[0] * self.kernel[1]

    @property
    def pixels(self) -> int:
        """Outputs per channel (the GEMM's N)."""
        return self.out_height * self.out_width

    @cached_property
    def layout(self) -> Layout:
        """The im2col matrix, row after row, in the input `[channel][y][x]`; beside the image there is padding."""
        kh, kw = self.kernel
        k, pixel = index("k", self.taps), index("pixel", self.pixels)
        area, width = (
            Constant(kh * kw, "KernelArea", f"{kh} x {kw}"),
            Constant(kw, "KernelWidth", f"kernel {kh} x {kw}"),
        )
        across = Constant(self.out_width, "Width", "of the convolution's output")
        tap = named("tap", k % area)
        y = pixel // across * self.down + tap // width - self.above
        x = pixel % across * self.along + tap % width - self.left
        return Layout((k, pixel), self.axes(k // area, y, x))

    @property
    def down(self) -> Constant:
        """Rows from one output to the next."""
        return Constant(self.stride[0], "StrideY", "stride")

    @property
    def along(self) -> Constant:
        """Columns from one output to the next."""
        return Constant(self.stride[1], "StrideX", "stride")

    @property
    def above(self) -> Constant:
        """Rows of padding above the input."""
        return Constant(self.padding[0], "PaddingY", "padding")

    @property
    def left(self) -> Constant:
        """Columns of padding beside the input."""
        return Constant(self.padding[1], "PaddingX", "padding")

    def axes(self, channel: Expression, y: Expression, x: Expression) -> tuple[Axis, ...]:
        """Return these places as those of the input."""
        of = "of the convolution's input"
        return (
            axis("channel", channel, Constant(self.channels, "NextChannels", of)),
            axis("y", y, Constant(self.height, "NextHeight", of)),
            axis("x", x, Constant(self.width, "NextWidth", of)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Strips:
    """A row of the output cut into as many strips as a block has pixels: these lie a strip apart, none beside another."""

    count: int
    steps: int  # output pixels of a strip
    columns: int  # input pixels that a strip sees of a line


TILED = "tiled"  # the order of a TileGrid


@dataclass(frozen=True, kw_only=True)
class TileGrid:
    """How M x K x N is cut: true sizes, tile of one kernel call, mmul block, and who works on which tile."""

    order: ClassVar[str] = TILED  # of elements on the input streams, as the templates of PL kernels call it
    by_mmul: ClassVar[bool] = True  # kernels multiply by aie::mmul, of the shape `mmul`
    # what else its kernels ask of a release of Vitis, as in features.yaml
    uses: ClassVar[tuple[str, ...]] = ()

    m: int
    k: int
    n: int
    tile_m: int
    tile_k: int
    tile_n: int
    mmul: tuple[int, int, int]
    groups: int
    cascade: int = 1  # cores of a chain, each with its part of K
    block: tuple[int, int] = (1, 1)  # mmul blocks of C in flight along M and N

    @property
    def size(self) -> tuple[int, int, int]:
        """M, K and N."""
        return self.m, self.k, self.n

    @property
    def size_in_blocks(self) -> tuple[int, int]:
        """Blocks of a tile's output along M and N."""
        return self.tile_m // self.mmul[0], self.tile_n // self.mmul[2]

    @property
    def tile(self) -> tuple[int, int, int]:
        """M, K and N of a core's tiles."""
        return self.tile_m, self.tile_k, self.tile_n

    @cached_property
    def parts(self) -> int:
        """Cores along M in each group."""
        return -(-self.m // self.tile_m)

    @cached_property
    def passes(self) -> int:
        """Kernel passes along K whose sums are added in the core."""
        return -(-self.k // (self.tile_k * self.cascade))

    @cached_property
    def rounds(self) -> int:
        """Tiles along N that each group works on, one after another."""
        return -(-self.n // (self.tile_n * self.groups))

    @property
    def cores(self) -> int:
        """Cores in all."""
        return self.chains * self.cascade

    @property
    def chains(self) -> int:
        """Output streams: one for each part of each group, be it one core or a chain of them."""
        return self.parts * self.groups

    def slot_columns(self, memories: int) -> int:
        """Columns that a core takes whose data lie in so many tiles' memories, or a chain of cores."""
        return memories if self.cascade == 1 else self.cascade

    @property
    def in_streams(self) -> int:
        """Input streams: for each group as many as a chain has links."""
        return self.groups * self.cascade

    @property
    def out_streams(self) -> int:
        """Output streams to the PL: one for each chain."""
        return self.chains

    @property
    def in_ports(self) -> int:
        """Input ports of a core that take elements."""
        return 1

    @property
    def in_elements(self) -> int:
        """Elements of one input buffer: one pass of one tile."""
        return self.tile_k * self.tile_n

    @property
    def out_elements(self) -> int:
        """Elements of one output buffer."""
        return self.tile_m * self.tile_n

    @cached_property
    def weights(self) -> Layout:
        """The weights of all cores, of `[row][k]`: those of each link of a chain one after another."""
        m, k, _ = self.mmul
        part, link, step = index("part", self.parts), index("link", self.cascade), index("step", self.passes)
        mt, kt = index("mt", self.tile_m // m, "RowTiles"), index("kt", self.tile_k // k, "Depth")
        i, j = index("row", m), index("col", k)
        place = (step * self.cascade + link) * self.tile_k + kt * k + j
        axes = (axis("channel", part * self.tile_m + mt * m + i, self.m), axis("tap", place, self.k))
        return Layout((part, link, step, mt, kt, i, j), axes)

    @property
    def round(self) -> Index:
        """The loop over the tiles that a group works on."""
        return index("round", self.rounds, "Rounds", "tiles that each group works on, one after another")

    def stream(self, of_group: int, size: str, note: str) -> tuple[Index, Expression, Expression]:
        """Return the loop over a layer's streams, so many for each group, the group and the number in it."""
        many = Constant(of_group, size, note)
        text = f"{self.groups} groups x {of_group}" if of_group > 1 else "one for each group of cores"
        stream = index("stream", self.groups * of_group, "Streams", text)
        return stream, stream // many, stream % many

    def tile_number(self, group: Expression, along: str) -> Expression:
        """Return the number of the tile that a group works on in a round."""
        return named("tile", self.round * Constant(self.groups, "Groups", f"cores along the {along}") + group)

    @cached_property
    def input(self) -> Layout:
        """The elements of an image on all input streams, of the im2col matrix `[k][pixel]`."""
        _, k, n = self.mmul
        stream, group, link = self.stream(self.cascade, "Links", "cores of a chain, each with its part of K")
        step = index("step", self.passes, "Passes", f"tiles along K = {self.k}")
        nt = index("nt", self.tile_n // n, "ColTiles", f"{self.tile_n} / {n}")
        kt = index("kt", self.tile_k // k, "Depth", f"{self.tile_k} / {k}")
        i = index("row", k, "BlockRows", "rows of an mmul block")
        j = index("col", n, "BlockCols", "columns of an mmul block")
        tile_k = Constant(self.tile_k, "TileK", "rows of a tile: inputs of one output")
        tile_n = Constant(self.tile_n, "TileN", "columns of a tile: output pixels")
        row = (step * self.cascade + link) * tile_k + kt * i.count + i
        column = self.tile_number(group, "pixels") * tile_n + nt * j.count + j
        taps = Constant(self.k, "Taps", "inputs of one output")
        pixels = Constant(self.n, "Pixels", "outputs of a channel")
        return Layout(
            (stream, self.round, step, nt, kt, i, j), (axis("k", row, taps), axis("pixel", column, pixels))
        )

    def inputs(self, window: Window) -> Layout:
        """Return the elements of an image on all input streams, of the layer's input `[channel][y][x]`."""
        return self.input.then(window.layout)

    @cached_property
    def output(self) -> Layout:
        """The elements of an image on all output streams, of the output `[channel][pixel]`."""
        m, _, n = self.mmul
        stream, group, part = self.stream(self.parts, "Parts", "cores along the channels")
        mt = index("mt", self.tile_m // m, "RowTiles", f"{self.tile_m} / {m}")
        nt = index("nt", self.tile_n // n, "ColTiles", f"{self.tile_n} / {n}")
        i = index("row", m, "BlockRows", "channels of an mmul block")
        j = index("col", n, "BlockCols", "pixels of an mmul block")
        tile_n = Constant(self.tile_n, "TileN", "pixels of a tile")
        column = self.tile_number(group, "pixels") * tile_n + nt * j.count + j
        return Layout((stream, self.round, mt, nt, i, j), self.result(part, mt * i.count + i, column))

    def result(self, part: Expression, channel: Expression, pixel: Expression) -> tuple[Axis, ...]:
        """Return the place of an output of a core: which channel of its part, which pixel."""
        whole = part * Constant(self.tile_m, "TileM", "channels of a tile") + channel
        return (
            axis("channel", whole, Constant(self.m, "Channels", "of the output")),
            axis("pixel", pixel, Constant(self.n, "Pixels", "of a channel of the output")),
        )

    @property
    def asked_mmul(self) -> tuple[int, int, int] | None:
        """The mmul as a mapping says it; None where it does not."""
        return self.mmul if self.by_mmul else None

    @property
    def strips(self) -> Strips | None:
        """How its blocks' pixels lie apart; None where they are neighbours."""
        return None

    @property
    def run(self) -> int:
        """Pixels of an output block that are neighbours in the image."""
        return self.mmul[2]

    def sum_order(self) -> Integers:
        """Return the k of each product of a sum in the order in which a core adds them."""
        return np.arange(self.k)

    def streams(self) -> Iterator[tuple[int, int]]:
        """Yield (group, part) of each output stream in order."""
        return ((g, p) for g in range(self.groups) for p in range(self.parts))


@dataclass(frozen=True, slots=True)
class WordBlock:
    """A part of a tile on a layer's input stream that fills whole stream words: `rows` along K, `cols` pixels."""

    rows: int
    cols: int
    by_column: bool  # pixel after pixel, each with all its rows; else row after row


def word_block(grid: TileGrid, lanes: int) -> WordBlock:
    """Return the blocks in which a tile of `grid` lies on a stream of `lanes` elements a word.

    They are those of aie::mmul, or, where one pixel's is less than a word, as many whole pixels as fill words.

    Raises:
        ValueError: no block fills whole words; the layer's mapping refuses such a stream (rule plio-2).
    """
    _, k, n = grid.mmul
    if k * n % lanes == 0:
        return WordBlock(k, n, by_column=False)
    names = [i.name for i in grid.input.loops]
    rows = grid.tile_k if names.index("kt") > names.index("nt") else k  # of a pixel that lie together
    pixels = lanes // gcd(rows, lanes)
    if n > 1 or grid.tile_n % pixels:
        text = f"blocks of {k} x {n} in tiles of {grid.tile_k} x {grid.tile_n} do not fill words of {lanes}"
        raise ValueError(text)
    return WordBlock(rows, pixels, by_column=True)


def words_of(elements: int, dtype: DataType, bits: int) -> int:
    """Return how many `bits` wide stream words hold `elements` (the last one may be part full)."""
    return -(-elements * dtype.bytes * 8 // bits)


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
