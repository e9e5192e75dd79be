"""lanes: a convolution from the input's lines by aie::mmul, each lane of a block on a stretch of the row of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from aieloom.arrays import Values
from aieloom.cpp_text import Constant
from aieloom.model.network import Parameters, Tensor
from aieloom.plan.cost import product_cycles
from aieloom.plan.logic import TiledStreams
from aieloom.plan.product import Product, ProductCut
from aieloom.plan.types import AieLayerDraft, AieLayerPlan, PlioPlan
from aieloom.products import reference
from aieloom.products.search import neighbours, of_rows
from aieloom.products.strategy import Strategy, register
from aieloom.products.view import ProductView
from aieloom.products.weights import packed_weights
from aieloom.spec.device import Device
from aieloom.strategies.lanes.grid import LaneGrid
from aieloom.strategies.lanes.plan import LaneConvolution
from aieloom.strategies.lanes.view import lane_tiles, lane_view


class LanesStrategy(Strategy):
    """See LaneConvolution."""

    name = "lanes"
    key = "direct"
    preference = 0
    alone = True
    grid = LaneGrid

    def suits(self, product: Product) -> bool:  # noqa: ARG002
        """Tell that it takes any element type, stride and width."""
        return True

    def cut(self, product: Product) -> ProductCut:
        """Return what builds the layer's drafts."""
        return LaneConvolution(product)

    def cycles(self, device: Device, layer: AieLayerPlan, plios: Sequence[PlioPlan]) -> tuple[float, float]:
        """Return AIE cycles between two images and of one."""
        return product_cycles(device, layer, plios)

    def moves(self, layer: AieLayerPlan) -> Iterator[dict[str, object]]:
        """Yield cuts near the one that a layer has."""
        return neighbours(layer, of_rows(cast(LaneGrid, layer.grid), layer.grid.mmul[:2]))

    def hardware(self, draft: AieLayerDraft, params: Parameters, x: Values) -> Values:
        """Return what the cores compute."""
        return reference.hardware(draft, params, x)

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
