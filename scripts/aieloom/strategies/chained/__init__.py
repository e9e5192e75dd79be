"""chained: layers that hand images on core to core through memory tiles of AIE-ML, from outside one layer."""

from __future__ import annotations

from typing import cast

from aieloom.cpp_text import Constant
from aieloom.model.network import Parameters, Tensor
from aieloom.plan.chain_grid import ChainGrid
from aieloom.plan.logic import TiledStreams
from aieloom.plan.product import Product, ProductCut
from aieloom.plan.types import AieLayerPlan
from aieloom.strategies.chained.view import chained_view, chained_weights
from aieloom.views.product import ProductView
from aieloom.views.strategy import Strategy, register


class ChainedStrategy(Strategy):
    """See ChainGrid."""

    name = "chained"
    key = "chained"
    preference = 0
    grid = ChainGrid

    def suits(self, product: Product) -> bool:  # noqa: ARG002
        """Tell that it cuts no layer alone: the planner finds its chains first."""
        return False

    def cut(self, product: Product) -> ProductCut:
        """Refuse: see suits."""
        raise NotImplementedError(product.layer.name)

    def view(self, layer: AieLayerPlan, params: Parameters) -> ProductView:
        """Return what its templates print of a layer."""
        return chained_view(layer, cast(ChainGrid, layer.grid), params)

    def packed_weights(self, layer: AieLayerPlan, params: Parameters) -> tuple[Tensor, Tensor]:
        """Return each part's weights and rows as its cores read them."""
        return chained_weights(layer, cast(ChainGrid, layer.grid), params)

    def input_tiles(self, sink: TiledStreams, lanes: int) -> tuple[Constant, ...]:  # noqa: ARG002
        """Return how cores of whole rows read: the PL feeds memory tiles here."""
        return ()


register(ChainedStrategy())
