"""im2col_gemm: a matrix product of the weights and the input's im2col matrix, on single cores or chains of them."""

from __future__ import annotations

from aieloom.plan.layout import TileGrid
from aieloom.plan.product import Product, ProductCut
from aieloom.plan.strategy import Strategy, register
from aieloom.strategies.im2col_gemm.plan import Im2colGemm


class Im2colGemmStrategy(Strategy):
    """See Im2colGemm."""

    name = "im2col_gemm"
    key = "im2col_gemm"
    preference = 0
    grid = TileGrid

    def suits(self, product: Product) -> bool:  # noqa: ARG002
        """Tell that it cuts any product."""
        return True

    def cut(self, product: Product) -> ProductCut:
        """Return what builds the layer's drafts."""
        return Im2colGemm(product)


register(Im2colGemmStrategy())
