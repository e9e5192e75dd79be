"""lanes: a convolution from the input's lines by aie::mmul, each lane of a block on a stretch of the row of its own."""

from __future__ import annotations

from aieloom.plan.product import Product, ProductCut
from aieloom.plan.strategy import Strategy, register
from aieloom.strategies.lanes.grid import LaneGrid
from aieloom.strategies.lanes.plan import LaneConvolution


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


register(LanesStrategy())
