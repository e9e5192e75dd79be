"""Chains of layers on the AIE-ML array: which layers follow each other core to core, and what lies between them.

A chain is a run of layers with `strategy: chained` where each alone reads the one before it. Behind and between them a relu, a
clip and a 2x2 max_pool become part of the kernel; anything else ends the chain. From outside a chain is one layer on the
array: one stream in, one stream out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from aieloom.network.layers import Layer, Network
from aieloom.network.operator import Operators
from aieloom.plan.linked import Chain, Fusion, Member
from aieloom.plan.operators import ProductOperator
from aieloom.plan.types import AieLayerDraft
from aieloom.spec.device import Device
from aieloom.spec.product import PlaceSpec
from aieloom.spec.types import Buffers, pair
from aieloom.strategies.chained.grid import POOL, STRATEGY, ChainGrid, Link
from aieloom.strategies.chained.plan import ChainedConvolution


def chains(network: Network, outside: frozenset[str] = frozenset()) -> tuple[Chain, ...]:
    """Return the chains of a network, in order; layers `outside` the device are in none."""
    found: list[Chain] = []
    inside: set[str] = set()
    for layer in network.layers:
        if is_chained(network, layer) and layer.name not in inside | outside:
            chain = _from(network, layer, outside)
            inside |= chain.names
            found.append(chain)
    return tuple(found)


def is_chained(network: Network, layer: Layer) -> bool:
    """Tell whether a layer's mapping asks for a chain."""
    return network.spec.mapping[layer.name].by_strategy == STRATEGY


def _from(network: Network, first: Layer, outside: frozenset[str]) -> Chain:
    members: list[Member] = []
    at: Layer | None = first
    while at is not None:
        fused, at_next = _behind(network, at, outside)
        members.append(Member(layer=at, fused=tuple(fused.layers), fusion=fused))
        at = at_next
    return Chain(STRATEGY, tuple(members))


def _behind(network: Network, layer: Layer, outside: frozenset[str]) -> tuple[Fusion, Layer | None]:
    """Return what becomes part of a layer, and the next one of its chain."""
    fusion, at, flat = Fusion(), layer, list[Layer]()
    while len(readers := network.readers(at.name)) == 1 and not readers[0].others:
        (after,) = readers
        if after.name in outside:
            break
        if is_chained(network, after):
            fusion.layers += flat
            return fusion, after
        if after.op in ("flatten", "identity"):
            flat.append(after)
        elif flat or not _take(fusion, after):
            break
        at = after
    return fusion, None


def _take(fusion: Fusion, layer: Layer) -> bool:
    """Make a layer part of the kernel, if it can."""
    spec: Any = layer.spec  # a max_pool's or clip's, which ops/ knows
    floats = layer.x.quant is None
    if layer.op == "max_pool" and not fusion.pooled and layer.x.quant == layer.y.quant:
        stride = spec.kernel if spec.stride is None else spec.stride
        padded = any(spec.padding) if isinstance(spec.padding, tuple) else spec.padding
        if pair(spec.kernel) != (POOL, POOL) or pair(stride) != (POOL, POOL) or padded:
            return False
        fusion.pooled = True
    elif layer.op in ("relu", "clip") and floats and fusion.high is None:
        low = 0.0 if layer.op == "relu" else getattr(spec, "min", None)
        if low is not None:
            fusion.low = low if fusion.low is None else max(fusion.low, low)
        fusion.high = getattr(spec, "max", None)
        if fusion.high is not None and fusion.low is not None and fusion.low > fusion.high:
            return False
    else:
        return False
    fusion.layers.append(layer)
    return True


def drafts_of(network: Network, device: Device, operators: Operators, chain: Chain) -> list[AieLayerDraft]:
    """Return the drafts of a chain's layers; each reads the one before it.

    Raises:
        CannotFit: a mapping breaks a rule.
    """
    found: list[AieLayerDraft] = []
    for number, member in enumerate(chain.members):
        layer = member.layer
        fusion = member.fusion
        operator = operators[layer.op]
        assert isinstance(operator, ProductOperator)  # what a chain is made of
        real = [f for f in member.fused if f.op == "max_pool"]
        before = found[-1] if found else None
        link = Link(
            x=before.y if before else operator.alone(layer.x),
            y=real[-1].y if real else layer.y,
            fused=tuple(f.name for f in member.fused),
            pooled=fusion.pooled,
            low=fusion.low,
            high=fusion.high,
            before=cast(ChainGrid, before.grid) if before else None,
            beside=before is not None
            and _beside(device, before, getattr(network.spec.mapping[layer.name], "place", None)),
            last=number == len(chain.members) - 1,
        )
        product = operator.product(network.spec, device, layer, network.spec.mapping[layer.name])
        window = operator.window(layer.spec, link.x)
        draft = ChainedConvolution(replace(product, window=window), link).draft()
        if before and draft.handed:
            found[-1] = replace(before, grid=replace(cast(ChainGrid, before.grid), hands=True))
        found.append(replace(draft, inputs=(before.name,) if before else layer.inputs))
    return found


def _beside(device: Device, before: AieLayerDraft, place: PlaceSpec | None) -> bool:
    """Tell whether the one core of a layer with this place can reach the memory of the one core before it."""
    if before.slot_columns > 1 or before.buffers is Buffers.SINGLE:
        return False
    if before.region and place:
        return (before.region.col, before.region.row) in device.reach((place.col, place.row))
    return before.region is None and place is None
