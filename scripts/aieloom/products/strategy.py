"""What printing asks of a strategy beside what planning does.

What computes, prints and searches is imported where it is asked for: planning does without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from aieloom.arrays import Values
from aieloom.cpp_text import Constant, View
from aieloom.layout.grid import TileGrid
from aieloom.network.layers import Parameters, Tensor
from aieloom.pl.streams import TiledStreams
from aieloom.plan import strategy
from aieloom.plan.cost import product_cycles
from aieloom.plan.product import Product
from aieloom.plan.types import AieLayerDraft, AieLayerPlan, PlioPlan
from aieloom.spec.device import Device

if TYPE_CHECKING:
    pass


class ProductStrategy(strategy.Strategy):
    """A strategy in whole, see plan.strategy, with what most of those do alike that cut a layer by itself."""

    preference = 0
    alone = True

    def suits(self, product: Product) -> bool:
        """Tell that it cuts any layer."""
        return True

    def cycles(self, device: Device, layer: AieLayerPlan, plios: Sequence[PlioPlan]) -> tuple[float, float]:
        """Return AIE cycles between two images and of one: streams in, a kernel call, streams out."""
        return product_cycles(device, layer, plios)

    def moves(self, layer: AieLayerPlan) -> Iterator[dict[str, object]]:
        """Yield cuts near the one that a layer has: tiles of whole mmuls."""
        from aieloom.products.search import neighbours  # noqa: PLC0415

        return neighbours(layer, layer.grid.mmul)

    def hardware(self, draft: AieLayerDraft, params: Parameters, x: Values) -> Values:
        """Return what the cores compute, in the precision of `x`: sums in the order of `grid.sum_order()`."""
        from aieloom.products import reference  # noqa: PLC0415

        return reference.hardware(draft, params, x)

    def view(self, layer: AieLayerPlan, params: Parameters) -> View:
        """Return what its templates print of a layer: those of all products."""
        from aieloom.products.view import tiled_view  # noqa: PLC0415

        return tiled_view(layer, self.packed_weights(layer, params))

    def packed_weights(self, layer: AieLayerPlan, params: Parameters) -> tuple[Tensor, Tensor]:
        """Return each part's weights in the order of `grid.weights`, and what stands beside them for each row."""
        from aieloom.products.weights import packed_weights  # noqa: PLC0415

        return packed_weights(layer, params)

    def input_tiles(self, sink: TiledStreams, lanes: int) -> tuple[Constant, ...]:
        """Return how PL kernels and the host program cut what cores of whole rows read: there are none."""
        return ()


def register(made: ProductStrategy) -> None:
    """Make a strategy known."""
    strategy.register(made)


def strategy_of(grid: TileGrid) -> ProductStrategy:
    """Return the strategy that cuts layers so."""
    return cast(ProductStrategy, strategy.strategy_of(grid))  # `register` takes no others
