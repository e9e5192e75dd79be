"""lanes: a convolution from the input's lines by aie::mmul, each lane of a block on a stretch of the row of its own."""

from __future__ import annotations

from typing import cast

from aieloom.cpp_text import Constant
from aieloom.model.network import Parameters, Tensor
from aieloom.plan.logic import TiledStreams
from aieloom.plan.product import Product, ProductCut
from aieloom.plan.types import AieLayerPlan
from aieloom.strategies.lanes.grid import LaneGrid
from aieloom.strategies.lanes.plan import LaneConvolution
from aieloom.strategies.lanes.view import lane_tiles, lane_view
from aieloom.views.product import ProductView
from aieloom.views.strategy import Strategy, register
from aieloom.views.weights import packed_weights


class LanesStrategy(Strategy):
    """See LaneConvolution."""

    name = "lanes"
    key = "direct"
    preference = 0
    grid = LaneGrid

    def suits(self, product: Product) -> bool:  # noqa: ARG002
        """Tell that it takes any element type, stride and width."""
        return True

    def cut(self, product: Product) -> ProductCut:
        """Return what builds the layer's drafts."""
        return LaneConvolution(product)

    def view(self, layer: AieLayerPlan, params: Parameters) -> ProductView:
        """Return what its templates print of a layer."""
        return lane_view(layer, cast(LaneGrid, layer.grid), params)

    def packed_weights(self, layer: AieLayerPlan, params: Parameters) -> tuple[Tensor, Tensor]:
        """Return each part's weights and rows as its cores read them."""
        return packed_weights(layer, params)

    def input_tiles(self, sink: TiledStreams, lanes: int) -> tuple[Constant, ...]:
        """Return how PL kernels and the host program cut what its cores read."""
        return lane_tiles(sink, cast(LaneGrid, sink.grid), lanes)


register(LanesStrategy())
