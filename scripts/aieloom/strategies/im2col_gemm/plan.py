"""A layer as a matrix product: C[out, pixels] = W[out, taps] @ im2col(x)[taps, pixels] + bias.

The im2col matrix reaches the cores as tiles over PLIO, the weights stay in the cores' memories.
"""

from __future__ import annotations

from collections.abc import Iterator

from aieloom.cpp_text import TemplateUse
from aieloom.hardware.mmul import MmulMode, Shape
from aieloom.layout.grid import TileGrid, words_of
from aieloom.plan.gemm import (
    blocking,
    divisor_like,
    round_up,
)
from aieloom.plan.product import PASS_COUNTS, ProductCut
from aieloom.spec.types import DataType


class Im2colGemm(ProductCut[TileGrid]):
    """Builds drafts of one layer for one device."""

    key = "im2col_gemm"

    def input_words(self, mode: MmulMode) -> int:
        """Return stream words of an image: what the planner's choice keeps up with."""
        _, k, n = mode.shape
        elements = round_up(self.size[1], k) * round_up(self.size[2], n)
        return words_of(elements, self.layer.x.dtype, self.bits)

    def tilings(self, mode: MmulMode) -> Iterator[Shape]:
        """Yield the tiles worth trying with an mmul: each length cuts its dimension evenly."""
        m, k, n = mode.shape
        limit = self.device.tile.memory_bytes // self.layer.x.dtype.bytes
        counts = (1,) if self.layer.x.dtype is DataType.INT16 else PASS_COUNTS
        lengths = dict.fromkeys(round_up(-(-self.size[1] // passes), k) for passes in counts)
        for tile_m in divisor_like(self.size[0], m, limit):
            for tile_k in lengths:
                for tile_n in divisor_like(self.size[2], n, min(limit // tile_k, 1024)):
                    yield tile_m, tile_k, tile_n

    def chain_tilings(self, mode: MmulMode, cascade: int) -> Iterator[Shape]:
        """Yield the tiles worth trying for chains of so many cores, if K is long enough to be cut so."""
        m, k, n = mode.shape
        limit = self.device.tile.memory_bytes // self.layer.x.dtype.bytes
        tile_k = round_up(-(-self.size[1] // cascade), k)
        if cascade > self.device.array.columns or tile_k * (cascade - 1) >= self.size[1] or tile_k > limit:
            return
        for tile_m in divisor_like(self.size[0], m, limit // tile_k):
            for tile_n in divisor_like(self.size[2], n, min(limit // tile_k, 1024)):
                yield tile_m, tile_k, tile_n

    def grid(self, mode: MmulMode, tile: Shape, groups: int, cascade: int = 1) -> TileGrid:
        """Return how the layer is cut."""
        (m, k, n), (tile_m, tile_k, tile_n) = self.size, tile
        return TileGrid(
            m=m, k=k, n=n, tile_m=tile_m, tile_k=tile_k, tile_n=tile_n,
            mmul=mode.shape, groups=groups, cascade=cascade, block=blocking(tile, mode).counts,
        )  # fmt: skip

    def templates(self, grid: TileGrid) -> tuple[TemplateUse, ...]:
        """Return the templates that print the layer, and the files that they make."""
        if grid.cascade > 1:
            cascade = "im2col_gemm/cascade"
            return self.printed_by(cascade, cascade, cascade)
        if self.layer.x.dtype is DataType.FLOAT32:
            return self.printed_by("product", "im2col_gemm")
        return self.printed_by("product/narrow", "product/narrow")
