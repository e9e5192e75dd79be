"""chained: layers that hand images on core to core through memory tiles of AIE-ML, from outside one layer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from aieloom.arrays import Values
from aieloom.cpp_text import Constant, View
from aieloom.network.layers import Network, Parameters, Tensor
from aieloom.network.operator import Operators
from aieloom.pl.streams import TiledStreams
from aieloom.plan.linked import Chain, LinkingStrategy, Times
from aieloom.plan.product import Product, ProductCut
from aieloom.plan.shared_buffers import SharedBuffer
from aieloom.plan.types import AieLayerDraft, AieLayerPlan, PlioPlan
from aieloom.products.strategy import Strategy, register
from aieloom.spec.device import Device
from aieloom.strategies.chained import buffers, chains, search
from aieloom.strategies.chained.grid import STRATEGY, BlockGrid, ChainGrid
from aieloom.strategies.chained.pool import PoolGrid
from aieloom.strategies.chained.pool_code import pool_view, pooled
from aieloom.strategies.chained.reference import chained
from aieloom.strategies.chained.times import chained_cycles, explain_time, times_of
from aieloom.strategies.chained.view import chained_view, chained_weights


class ChainedStrategy(Strategy, LinkingStrategy):
    """See BlockGrid, and its two kinds of cores: ChainGrid, PoolGrid."""

    name = STRATEGY
    key = STRATEGY
    preference = 0
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

    def chains(self, network: Network, outside: frozenset[str]) -> tuple[Chain, ...]:
        """Return the chains of a network, in order."""
        return chains.chains(network, outside)

    def drafts_of(
        self, network: Network, device: Device, operators: Operators, chain: Chain
    ) -> list[AieLayerDraft]:
        """Return the drafts of a chain's layers."""
        return chains.drafts_of(network, device, operators, chain)

    def buffers_of(self, drafts: Sequence[AieLayerDraft]) -> tuple[SharedBuffer, ...]:
        """Return the buffers in memory tiles of its layers."""
        return buffers.buffers_of(drafts)

    def cycles(self, device: Device, layer: AieLayerPlan, plios: Sequence[PlioPlan]) -> tuple[float, float]:
        """Return AIE cycles between two images and of one."""
        return chained_cycles(device, layer, plios)

    def times(
        self, device: Device, layer: AieLayerPlan, plios: Sequence[PlioPlan], before: AieLayerPlan | None
    ) -> Times:
        """Return what a layer takes."""
        return times_of(device, layer, plios, before)

    def explain_time(self, layer: AieLayerPlan, times: Times, before: str | None) -> Iterator[str]:
        """Yield what an image's transfers take."""
        return explain_time(layer, cast(BlockGrid, layer.grid), times, before)

    def moves(self, layer: AieLayerPlan) -> Iterator[dict[str, object]]:
        """Yield cuts near the one that a layer has."""
        return search.neighbours(layer, cast(BlockGrid, layer.grid))

    def ends(self) -> Iterator[dict[str, int]]:
        """Yield the streams at a chain's ends that a search tries."""
        return search.ends()

    def larger(self, used: int) -> Iterator[dict[str, int]]:
        """Yield cuts over more cores than are used."""
        return search.larger(used)

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

    def packed_weights(self, layer: AieLayerPlan, params: Parameters) -> tuple[Tensor, Tensor]:
        """Return each part's weights and rows as its cores read them."""
        return chained_weights(layer, cast(ChainGrid, layer.grid), params)

    def input_tiles(self, sink: TiledStreams, lanes: int) -> tuple[Constant, ...]:
        """Return how cores of whole rows read: the PL feeds memory tiles here."""
        return ()


register(ChainedStrategy())
