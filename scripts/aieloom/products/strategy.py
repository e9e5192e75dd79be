"""What printing asks of a strategy beside what planning does."""

from __future__ import annotations

from typing import Protocol, cast

from aieloom.arrays import Values
from aieloom.cpp_text import Constant
from aieloom.model.network import Parameters, Tensor
from aieloom.plan import strategy
from aieloom.plan.layout import TileGrid
from aieloom.plan.logic import TiledStreams
from aieloom.plan.types import AieLayerDraft, AieLayerPlan
from aieloom.products.view import ProductView


class Strategy(strategy.Strategy, Protocol):
    """A strategy in whole: see plan.strategy."""

    def view(self, layer: AieLayerPlan, params: Parameters) -> ProductView:
        """Return what its templates print of a layer."""
        ...

    def packed_weights(self, layer: AieLayerPlan, params: Parameters) -> tuple[Tensor, Tensor]:
        """Return each part's weights, and what stands beside them for each row, as its cores read them."""
        ...

    def hardware(self, draft: AieLayerDraft, params: Parameters, x: Values) -> Values:
        """Return what the cores compute, in the precision of `x`."""
        ...

    def input_tiles(self, sink: TiledStreams, lanes: int) -> tuple[Constant, ...]:
        """Return how PL kernels and the host program cut what cores of whole rows read, in words of so many values."""
        ...


def register(made: Strategy) -> None:
    """Make a strategy known."""
    strategy.register(made)


def strategy_of(grid: TileGrid) -> Strategy:
    """Return the strategy that cuts layers so."""
    return cast(Strategy, strategy.strategy_of(grid))  # `register` takes no others
