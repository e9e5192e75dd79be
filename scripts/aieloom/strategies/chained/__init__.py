"""chained: layers that hand images on core to core through memory tiles of AIE-ML, from outside one layer."""

from __future__ import annotations

from typing import cast

from aieloom.arrays import Values
from aieloom.cpp_text import View
from aieloom.network.layers import Parameters
from aieloom.plan.linked import LinkingStrategy
from aieloom.plan.product import Product, ProductCut
from aieloom.plan.types import AieLayerDraft, AieLayerPlan
from aieloom.products.strategy import ProductStrategy, register
from aieloom.spec.device import Device
from aieloom.strategies.chained import buffers, search
from aieloom.strategies.chained import chains as runs
from aieloom.strategies.chained.grid import STRATEGY, BlockGrid, ChainGrid
from aieloom.strategies.chained.pool import PoolGrid
from aieloom.strategies.chained.pool_code import pool_view, pooled
from aieloom.strategies.chained.reference import chained
from aieloom.strategies.chained.times import chained_cycles, explain_time, times_of
from aieloom.strategies.chained.view import chained_view, chained_weights


class ChainedStrategy(ProductStrategy, LinkingStrategy):
    """See BlockGrid, and its two kinds of cores: ChainGrid, PoolGrid."""

    name = STRATEGY
    key = STRATEGY
    alone = False
    grid = BlockGrid

    def suits(self, product: Product) -> bool:
        """Tell that it cuts no layer alone: the planner finds its chains first."""
        return False

    def cut(self, product: Product) -> ProductCut:
        """Refuse: see suits."""
        raise NotImplementedError(product.layer.name)

    def runs_on(self, device: Device) -> bool:
        """Tell whether a device has memory tiles to chain layers by."""
        return device.architecture.facts.chains

    chains = staticmethod(runs.chains)
    drafts_of = staticmethod(runs.drafts_of)
    buffers_of = staticmethod(buffers.buffers_of)
    cycles = staticmethod(chained_cycles)
    times = staticmethod(times_of)
    explain_time = staticmethod(explain_time)
    moves = staticmethod(search.neighbours)
    ends = staticmethod(search.ends)
    larger = staticmethod(search.larger)
    packed_weights = staticmethod(chained_weights)

    def hardware(self, draft: AieLayerDraft, params: Parameters, x: Values) -> Values:
        """Return what the cores compute."""
        if isinstance(draft.grid, PoolGrid):
            return pooled(draft, draft.grid, x)
        return chained(draft, cast(ChainGrid, draft.grid), params, x)

    def view(self, layer: AieLayerPlan, params: Parameters) -> View:
        """Return what its templates print of a layer."""
        if isinstance(layer.grid, PoolGrid):
            return pool_view(layer, layer.grid)
        return chained_view(layer, cast(ChainGrid, layer.grid), params)


register(ChainedStrategy())
