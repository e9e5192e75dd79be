"""A strategy: one way to put layers of sums of products on the array. What the rest of aieloom asks of it.

Each stands in a folder of its own in strategies/ and registers itself there when it is imported, which is when its key is asked
for. network.yaml says which by its key; where several have one key, the most particular of those that suit a layer is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import ClassVar, Protocol, get_args

from aieloom.layout.grid import TileGrid
from aieloom.plan.product import Product, ProductCut
from aieloom.plan.types import AieLayerPlan, PlioPlan
from aieloom.spec.device import Device
from aieloom.spec.network import MappingSpec
from aieloom.spec.product import DEFAULT_STRATEGY


class Strategy(Protocol):
    """A way to cut layers, to model, print and vary them."""

    name: ClassVar[str]  # of its folder, its templates and its tests
    key: ClassVar[str]  # what network.yaml calls it
    preference: ClassVar[int]  # of those with one key that suit a layer the highest is taken
    alone: ClassVar[bool]  # it cuts a layer by itself, whatever its neighbours are
    grid: ClassVar[type[TileGrid]]  # what it cuts layers into

    def suits(self, product: Product) -> bool:
        """Tell whether it can cut a layer at all; what a cut refuses has a message."""
        ...

    def cut(self, product: Product) -> ProductCut:
        """Return what builds the layer's drafts, and what the search asks for tilings."""
        ...

    def cycles(self, device: Device, layer: AieLayerPlan, plios: Sequence[PlioPlan]) -> tuple[float, float]:
        """Return AIE cycles between two images and of one, in a layer that has its place."""
        ...

    def moves(self, layer: AieLayerPlan) -> Iterator[dict[str, object]]:
        """Yield changes of a layer's mapping that cut it a little otherwise."""
        ...


_STRATEGIES: dict[str, Strategy] = {}
_HOMES: dict[str, str | None] = {}  # modules that register strategies, with their key; None: of any


def declare(module: str, key: str | None) -> None:
    """Say which module registers a strategy when it is imported, and what network.yaml calls that one."""
    _HOMES[module] = key


def register(strategy: Strategy) -> None:
    """Make a strategy known; two of one name are a programming error."""
    if strategy.name in _STRATEGIES:
        raise ValueError(f"two strategies are called '{strategy.name}'")
    _STRATEGIES[strategy.name] = strategy


def strategy_of(grid: TileGrid) -> Strategy:
    """Return the strategy that cuts layers so."""
    kinds = type(grid).__mro__  # of a strategy with several kinds of cores the one that they have in common
    found = (*_STRATEGIES.values(), *strategies(DEFAULT_STRATEGY))  # whose grid is no module's of its own
    return next(s for kind in kinds for s in found if s.grid is kind)


def strategies(*keys: str) -> Iterator[Strategy]:
    """Yield the strategies of some keys, without any all of them, the most particular first."""
    for module in [m for m, key in _HOMES.items() if not keys or key in (None, *keys)]:
        import_module(module)
    found = (s for s in _STRATEGIES.values() if not keys or s.key in keys)
    yield from sorted(found, key=lambda s: (-s.preference, s.name))


def own_keys() -> tuple[str, ...]:
    """Return the keys of strategies that cut a layer by itself, the default one first."""
    keys = dict.fromkeys(s.key for s in strategies() if s.alone)
    return (DEFAULT_STRATEGY, *(key for key in keys if key != DEFAULT_STRATEGY))


def takes(mapping: type[MappingSpec], key: str) -> bool:
    """Tell whether layers with such a mapping may name a strategy."""
    field = mapping.model_fields.get("strategy")
    return field is not None and key in get_args(field.annotation)


def cut_of(product: Product) -> ProductCut:
    """Return how a layer is cut as its mapping says."""
    return next(s for s in strategies(product.mapping.strategy) if s.suits(product)).cut(product)
