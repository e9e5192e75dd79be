"""In which order elements travel: the one definition that kernels, PL address generators and tests share.

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
from numpy.typing import NDArray

from aieloom.spec.types import DataType

Index = NDArray[np.int64]
PADDING = -1  # an element of a tile that lies outside the matrix


@dataclass(frozen=True, kw_only=True)
class Window:
    """How a convolution reads its input: `(channels, height, width)` by kernel, stride, padding (y, x)."""

    channels: int
    height: int
    width: int
    kernel: tuple[int, int]
    stride: tuple[int, int]
    padding: tuple[int, int]

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

    def source(self, k: Index, pixel: Index) -> Index:
        """Return the flat input index that row `k`, column `pixel` of the im2col matrix holds, or PADDING."""
        area = self.kernel[0] * self.kernel[1]
        channel, dy, dx = k // area, k % area // self.kernel[1], k % self.kernel[1]
        y = pixel // self.out_width * self.stride[0] + dy - self.padding[0]
        x = pixel % self.out_width * self.stride[1] + dx - self.padding[1]
        inside = (k < self.taps) & (pixel < self.pixels)
        inside &= (y >= 0) & (y < self.height) & (x >= 0) & (x < self.width)
        return np.where(inside, (channel * self.height + y) * self.width + x, PADDING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretches:
    """A row of the output cut into as many stretches as a block has pixels: these lie a stretch apart, none beside another."""

    count: int
    steps: int  # output pixels of a stretch
    columns: int  # input pixels that a stretch sees of a line


TILED = "tiled"  # the order of a TileGrid


@dataclass(frozen=True, kw_only=True)
class TileGrid:
    """How M x K x N is cut: true sizes, tile of one kernel call, mmul block, and who works on which tile."""

    order: ClassVar[str] = TILED  # of elements on the input streams, as the templates of PL kernels call it
    by_mmul: ClassVar[bool] = True  # kernels multiply by aie::mmul, of the shape `mmul`
    uses: ClassVar[
        tuple[str, ...]
    ] = ()  # what else its kernels ask of a release of Vitis, as in features.yaml

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

    def weight_order(self, link: int = 0) -> tuple[Index, Index]:
        """Return (row within the part, k) of each weight in the array of a chain's core: [pass][mb][kb][m][k]."""
        m, k, _ = self.mmul
        p, mb, kb, i, j = np.ix_(
            range(self.passes), range(self.tile_m // m), range(self.tile_k // k), range(m), range(k)
        )
        row, col = np.broadcast_arrays(mb * m + i, (p * self.cascade + link) * self.tile_k + kb * k + j)
        shape = (self.passes, self.tile_m // m, self.tile_k // k, m, k)
        return np.broadcast_to(row, shape).ravel(), np.broadcast_to(col, shape).ravel()

    def input_order(self, stream: int) -> tuple[Index, Index]:
        """Return (k, pixel) of each element of one image on an input stream: [round][pass][nb][kb][k][n]."""
        _, k, n = self.mmul
        group, link = divmod(stream, self.cascade)
        r, p, nb, kb, i, j = np.ix_(
            range(self.rounds),
            range(self.passes),
            range(self.tile_n // n),
            range(self.tile_k // k),
            range(k),
            range(n),
        )
        pixel = (r * self.groups + group) * self.tile_n + nb * n + j
        row = (p * self.cascade + link) * self.tile_k + kb * k + i
        row, pixel = np.broadcast_arrays(row, pixel)
        return row.ravel(), pixel.ravel()

    def sources(self, window: Window, group: int) -> Index:
        """Return the flat input index of each element of one image on a group's stream, or PADDING."""
        return window.source(*self.input_order(group))

    def output_order(self, group: int, part: int) -> tuple[Index, Index]:
        """Return (channel, pixel) of each element of an image on a core's output stream.

        The order is [round][mb][nb][m][n].
        """
        m, _, n = self.mmul
        r, mb, nb, i, j = np.ix_(
            range(self.rounds), range(self.tile_m // m), range(self.tile_n // n), range(m), range(n)
        )
        channel, pixel = np.broadcast_arrays(
            part * self.tile_m + mb * m + i, (r * self.groups + group) * self.tile_n + nb * n + j
        )
        return channel.ravel(), pixel.ravel()

    @property
    def asked_mmul(self) -> tuple[int, int, int] | None:
        """The mmul as a mapping says it; None where it does not."""
        return self.mmul if self.by_mmul else None

    @property
    def stretches(self) -> Stretches | None:
        """How its blocks' pixels lie apart; None where they are neighbours."""
        return None

    @property
    def run(self) -> int:
        """Pixels of an output block that are neighbours in the image."""
        return self.mmul[2]

    def sum_order(self) -> Index:
        """Return the k of each product of a sum in the order in which a core adds them."""
        return np.arange(self.k)

    def streams(self) -> Iterator[tuple[int, int]]:
        """Yield (group, part) of each output stream in order."""
        return ((g, p) for g in range(self.groups) for p in range(self.parts))


@dataclass(frozen=True, slots=True)
class WordBlock:
    """A stretch of a tile on a layer's input stream that fills whole stream words: `rows` along K, `cols` pixels."""

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
    pixels = lanes // gcd(grid.tile_k, lanes)
    if n > 1 or grid.tile_n % pixels:
        text = f"blocks of {k} x {n} in tiles of {grid.tile_k} x {grid.tile_n} do not fill words of {lanes}"
        raise ValueError(text)
    return WordBlock(grid.tile_k, pixels, by_column=True)


def words_of(elements: int, dtype: DataType, bits: int) -> int:
    """Return how many `bits` wide stream words hold `elements` (the last one may be part full)."""
    return -(-elements * dtype.bytes * 8 // bits)
