"""im2col_gemm: a matrix product of the weights and the input's im2col matrix, on single cores or chains of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aieloom.layout.grid import TileGrid
from aieloom.plan.product import Product, ProductCut
from aieloom.products.strategy import ProductStrategy, register
from aieloom.strategies.im2col_gemm.plan import Im2colGemm

if TYPE_CHECKING:
    from aieloom.cpp_text import View
    from aieloom.network.layers import Parameters
    from aieloom.plan.types import AieLayerPlan


class Im2colGemmStrategy(ProductStrategy):
    """See Im2colGemm."""

    name = "im2col_gemm"
    key = "im2col_gemm"
    grid = TileGrid

    def cut(self, product: Product) -> ProductCut:
        """Return what builds the layer's drafts."""
        return Im2colGemm(product)

    def view(self, layer: AieLayerPlan, params: Parameters) -> View:
        """Return what the templates print of a layer."""
        from aieloom.strategies.im2col_gemm.view import im2col_view  # noqa: PLC0415 - planning prints nothing

        return im2col_view(layer, params)


register(Im2colGemmStrategy())
