"""lanes: a convolution from the input's lines by aie::mmul, each lane of a block on a strip of the row of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from aieloom.plan.product import Product, ProductCut
from aieloom.plan.types import AieLayerPlan
from aieloom.products.search import neighbours, of_rows
from aieloom.products.strategy import ProductStrategy, register
from aieloom.strategies.lanes.grid import LaneGrid
from aieloom.strategies.lanes.plan import LaneConvolution
from aieloom.strategies.lanes.view import lane_tiles, lane_view


class LanesStrategy(ProductStrategy):
    """See LaneConvolution."""

    name = "lanes"
    key = "direct"
    grid = LaneGrid

    def cut(self, product: Product) -> ProductCut:
        """Return what builds the layer's drafts."""
        return LaneConvolution(product)

    def moves(self, layer: AieLayerPlan) -> Iterator[dict[str, object]]:
        """Yield cuts near the one that a layer has."""
        return neighbours(layer, of_rows(cast(LaneGrid, layer.grid), layer.grid.mmul[:2]))

    view = staticmethod(lane_view)
    input_tiles = staticmethod(lane_tiles)


register(LanesStrategy())
