"""Layers that follow each other on the array without the PL between: from outside they are one layer.

Which layers do so, how they are cut and what lies between them is a strategy's (LinkingStrategy).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol, cast, runtime_checkable

from aieloom.network.layers import Layer, Network
from aieloom.network.operator import Operators
from aieloom.plan.shared_buffers import LinkedGrid, SharedBuffer
from aieloom.plan.strategy import Strategy, strategies, strategy_of
from aieloom.plan.types import AieLayerDraft, AieLayerPlan, PlioPlan
from aieloom.spec.device import Device
from aieloom.spec.network import left_to_planner


class Times(NamedTuple):
    """AIE cycles of one image, from the PL or the cores before it through a layer."""

    fill: float  # by PLIO
    gather: float  # by the streams of the cores before
    read: float
    compute: float
    write: float
    drain: float  # by PLIO


@dataclass(slots=True)
class Fusion:
    """What a kernel does to its sums."""

    layers: list[Layer] = field(default_factory=list)
    pooled: bool = False
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A layer of a chain and what becomes part of it."""

    layer: Layer
    fusion: Fusion

    @property
    def fused(self) -> tuple[Layer, ...]:
        """The layers that are part of it."""
        return tuple(self.fusion.layers)


@dataclass(frozen=True, slots=True)
class Chain:
    """Layers that hand images on core to core, by a strategy of that name."""

    strategy: str
    members: tuple[Member, ...]

    @property
    def names(self) -> frozenset[str]:
        """All layers of it."""
        return frozenset(
            name for m in self.members for name in (m.layer.name, *(layer.name for layer in m.fused))
        )


@runtime_checkable
class LinkingStrategy(Strategy, Protocol):
    """A strategy whose layers follow each other on the array."""

    def runs_on(self, device: Device) -> bool:
        """Tell whether a device has what it needs."""
        ...

    def chains(self, network: Network, outside: frozenset[str]) -> tuple[Chain, ...]:
        """Return the chains of a network, in order; layers `outside` the device are in none."""
        ...

    def drafts_of(
        self, network: Network, device: Device, operators: Operators, chain: Chain
    ) -> list[AieLayerDraft]:
        """Return the drafts of a chain's layers, or raise CannotFit."""
        ...

    def buffers_of(self, drafts: Sequence[AieLayerDraft]) -> tuple[SharedBuffer, ...]:
        """Return the buffers in memory tiles of its layers, in order of the data's way."""
        ...

    def times(
        self, device: Device, layer: AieLayerPlan, plios: Sequence[PlioPlan], before: AieLayerPlan | None
    ) -> Times:
        """Return what a layer takes, the way from the layer before it included if that is given."""
        ...

    def explain_time(self, layer: AieLayerPlan, times: Times, before: str | None) -> Iterator[str]:
        """Yield what an image's transfers take, line by line."""
        ...

    def ends(self) -> Iterator[dict[str, int]]:
        """Yield keys of a mapping that a search tries for all layers of a chain: the streams at its ends."""
        ...

    def larger(self, used: int) -> Iterator[dict[str, int]]:
        """Yield keys of a layer's mapping for more cores than are used, the fewest first."""
        ...


def linking(*keys: str) -> Iterator[LinkingStrategy]:
    """Yield the strategies of some keys, without any all of them, whose layers follow each other."""
    return (s for s in strategies(*keys) if isinstance(s, LinkingStrategy))


def linking_in(network: Network) -> tuple[LinkingStrategy, ...]:
    """Return those that network.yaml names."""
    named = {m.by_strategy for m in network.spec.mapping.values() if m.by_strategy}
    return tuple(linking(*named)) if named else ()


def linking_of(grid: LinkedGrid) -> LinkingStrategy:
    """Return the strategy that cuts layers so."""
    return cast(LinkingStrategy, strategy_of(grid))


def chains(network: Network, outside: frozenset[str] = frozenset()) -> tuple[Chain, ...]:
    """Return the chains of a network; layers `outside` the device are in none."""
    return tuple(chain for s in linking_in(network) for chain in s.chains(network, outside))


def drafts_of(network: Network, device: Device, operators: Operators, chain: Chain) -> list[AieLayerDraft]:
    """Return the drafts of a chain's layers; each reads the one before it.

    Raises:
        CannotFit: a mapping breaks a rule.
    """
    strategy = next(s for s in linking_in(network) if s.name == chain.strategy)
    return strategy.drafts_of(network, device, operators, chain)


def buffers_of(drafts: Sequence[AieLayerDraft]) -> tuple[SharedBuffer, ...]:
    """Return the memory tiles' buffers of all chains among the layers."""
    found = dict.fromkeys(strategy_of(d.grid) for d in drafts)
    return tuple(b for s in found if isinstance(s, LinkingStrategy) for b in s.buffers_of(drafts))


def is_linked(network: Network) -> bool:
    """Tell whether network.yaml puts layers into chains."""
    return bool(linking_in(network))


def on_device(network: Network, device: Device) -> Network:
    """Return the network for a device that its file was not written for: one without memory tiles has no chains.

    There the planner cuts the layers as matrix products. A file that names such a device itself is refused ([chain-1]).
    """
    spec = network.spec
    if device.memory_tile or spec.source.data.get("target") == spec.target:
        return network
    return unlinked(network)


def unlinked(network: Network) -> Network:
    """Return the network whose layers are cut as matrix products."""
    spec, keys = network.spec, {s.key for s in linking_in(network)}
    mapping = {name: left_to_planner(m) if m.by_strategy in keys else m for name, m in spec.mapping.items()}
    return replace(network, spec=spec.model_copy(update={"mapping": mapping}))


def as_one(drafts: Sequence[AieLayerDraft]) -> AieLayerDraft:
    """Return a chain as the one layer that the rest of the plan sees: the last one, with the first one's input."""
    first, last = drafts[0], drafts[-1]
    assert isinstance(first.grid, LinkedGrid) and isinstance(last.grid, LinkedGrid)
    grid = last.grid.entered_as(first.grid)
    return replace(last, inputs=first.inputs, x=first.x, grid=grid)


def is_inner(draft: AieLayerDraft) -> bool:
    """Tell whether a layer reads another one without the PL between."""
    return isinstance(draft.grid, LinkedGrid) and draft.grid.entry is None


def handed_on(layers: Sequence[AieLayerPlan]) -> tuple[tuple[str, str], ...]:
    """Return (layer, layer behind it) whose two cores share a buffer."""
    return tuple((la.draft.inputs[0], la.name) for la in layers if la.draft.handed)


def chain_to(layers: Mapping[str, AieLayerPlan], name: str) -> list[AieLayerPlan]:
    """Return the layers of the chain that ends in layer `name`, in order; of another layer itself alone."""
    found = [layers[name]]
    while is_inner(found[0].draft):
        found.insert(0, layers[found[0].draft.inputs[0]])
    return found
