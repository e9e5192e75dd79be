"""im2col_gemm: a matrix product of the weights and the input's im2col matrix, on single cores or chains of them."""

from __future__ import annotations

from aieloom.layout.grid import TileGrid
from aieloom.plan.product import Product, ProductCut
from aieloom.products.strategy import ProductStrategy, register
from aieloom.strategies.im2col_gemm.plan import Im2colGemm
from aieloom.strategies.im2col_gemm.view import im2col_view


class Im2colGemmStrategy(ProductStrategy):
    """See Im2colGemm."""

    name = "im2col_gemm"
    key = "im2col_gemm"
    grid = TileGrid

    def cut(self, product: Product) -> ProductCut:
        """Return what builds the layer's drafts."""
        return Im2colGemm(product)

    view = staticmethod(im2col_view)


register(Im2colGemmStrategy())
