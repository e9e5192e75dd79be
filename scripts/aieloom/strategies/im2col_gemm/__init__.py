"""im2col_gemm: a matrix product of the weights and the input's im2col matrix, on single cores or chains of them."""

from __future__ import annotations

from aieloom.cpp_text import Constant
from aieloom.model.network import Parameters, Tensor
from aieloom.plan.layout import TileGrid
from aieloom.plan.logic import TiledStreams
from aieloom.plan.product import Product, ProductCut
from aieloom.plan.types import AieLayerPlan
from aieloom.strategies.im2col_gemm.plan import Im2colGemm
from aieloom.strategies.im2col_gemm.view import im2col_view
from aieloom.views.product import ProductView
from aieloom.views.strategy import Strategy, register
from aieloom.views.weights import packed_weights


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

    def view(self, layer: AieLayerPlan, params: Parameters) -> ProductView:
        """Return what its templates print of a layer."""
        return im2col_view(layer, params)

    def packed_weights(self, layer: AieLayerPlan, params: Parameters) -> tuple[Tensor, Tensor]:
        """Return each part's weights and rows as its cores read them."""
        return packed_weights(layer, params)

    def input_tiles(self, sink: TiledStreams, lanes: int) -> tuple[Constant, ...]:  # noqa: ARG002
        """Return how cores of whole rows read: there are none."""
        return ()


register(Im2colGemmStrategy())
