"""im2col_gemm: a matrix product of the weights and the input's im2col matrix, on single cores or chains of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aieloom.arrays import Values
from aieloom.cpp_text import Constant
from aieloom.model.network import Parameters, Tensor
from aieloom.plan.cost import product_cycles
from aieloom.plan.layout import TileGrid
from aieloom.plan.logic import TiledStreams
from aieloom.plan.product import Product, ProductCut
from aieloom.plan.types import AieLayerDraft, AieLayerPlan, PlioPlan
from aieloom.products import reference
from aieloom.products.search import neighbours
from aieloom.products.strategy import Strategy, register
from aieloom.products.view import ProductView
from aieloom.products.weights import packed_weights
from aieloom.spec.device import Device
from aieloom.strategies.im2col_gemm.plan import Im2colGemm
from aieloom.strategies.im2col_gemm.view import im2col_view


class Im2colGemmStrategy(Strategy):
    """See Im2colGemm."""

    name = "im2col_gemm"
    key = "im2col_gemm"
    preference = 0
    alone = True
    grid = TileGrid

    def suits(self, product: Product) -> bool:  # noqa: ARG002
        """Tell that it cuts any product."""
        return True

    def cut(self, product: Product) -> ProductCut:
        """Return what builds the layer's drafts."""
        return Im2colGemm(product)

    def cycles(self, device: Device, layer: AieLayerPlan, plios: Sequence[PlioPlan]) -> tuple[float, float]:
        """Return AIE cycles between two images and of one."""
        return product_cycles(device, layer, plios)

    def moves(self, layer: AieLayerPlan) -> Iterator[dict[str, object]]:
        """Yield cuts near the one that a layer has."""
        return neighbours(layer, layer.grid.mmul)

    def hardware(self, draft: AieLayerDraft, params: Parameters, x: Values) -> Values:
        """Return what the cores compute."""
        return reference.hardware(draft, params, x)

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
