"""Chains of layers on the AIE-ML array: which layers follow each other core to core, and what lies between them.

A chain is a run of layers with `strategy: chained` where each alone reads the one before it. Behind and between them a relu, a
clip and a 2x2 max_pool become part of the kernel, and a max_pool that names the strategy has cores of its own; anything else
ends the chain. From outside a chain is one layer on the array: one stream in, one stream out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from aieloom.network.layers import Layer, Network
from aieloom.network.operator import Operators
from aieloom.network.tensor import TensorType
from aieloom.plan.linked import Chain, Fusion, Member
from aieloom.plan.operators import ProductOperator
from aieloom.plan.place import core_tile
from aieloom.plan.types import AieLayerDraft
from aieloom.spec.device import Device
from aieloom.spec.product import FEEDER, PlaceSpec
from aieloom.spec.types import Buffers, pair
from aieloom.strategies.chained.grid import POOL, STRATEGY, BlockGrid, Link
from aieloom.strategies.chained.layer import ChainedLayer
from aieloom.strategies.chained.plan import ChainedConvolution
from aieloom.strategies.chained.pool_plan import ChainedPool


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
        members.append(Member(layer=at, fusion=fused))
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
        elif flat or not _take(fusion, after, alone=layer.op == "max_pool"):
            break
        at = after
    return fusion, None


def _take(fusion: Fusion, layer: Layer, *, alone: bool) -> bool:
    """Make a layer part of the kernel, if it can; of one that pools `alone` no other pool can."""
    spec: Any = layer.spec  # a max_pool's or clip's, which ops/ knows
    floats = layer.x.quant is None
    if layer.op == "max_pool" and not (fusion.pooled or alone) and layer.x.quant == layer.y.quant:
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
        real = [f for f in member.fused if f.op == "max_pool"]
        before = found[-1] if found else None
        link = Link(
            x=before.y if before else _alone(operators, layer),
            y=real[-1].y if real else layer.y,
            fusion=member.fusion,
            before=cast(BlockGrid, before.grid) if before else None,
            beside=before is not None and _beside(device, before, network.spec.mapping[layer.name]),
            last=number == len(chain.members) - 1,
        )
        draft = _planned(network, device, operators, layer, link).draft()
        if before and draft.handed:
            found[-1] = replace(before, grid=replace(cast(BlockGrid, before.grid), hands=True))
        found.append(replace(draft, inputs=(before.name,) if before else layer.inputs))
    return found


def _alone(operators: Operators, layer: Layer) -> TensorType:
    """Return a first layer's input as the PL sends it."""
    operator = operators[layer.op]
    return operator.alone(layer.x) if isinstance(operator, ProductOperator) else layer.x


def _planned(
    network: Network, device: Device, operators: Operators, layer: Layer, link: Link
) -> ChainedLayer:
    """Return what builds a layer's draft: it is a layer of products, or a pool on cores of its own."""
    operator, mapping = operators[layer.op], network.spec.mapping[layer.name]
    if not isinstance(operator, ProductOperator):
        return ChainedPool(network.spec, device, layer, mapping, link=link)
    product = operator.product(network.spec, device, layer, mapping)
    return ChainedConvolution(replace(product, window=operator.window(layer.spec, link.x)), link)


def _beside(device: Device, before: AieLayerDraft, mapping: Any) -> bool:
    """Tell whether the one core of a layer of this mapping can reach the memory of the one core before it."""
    place: PlaceSpec | None = mapping.place
    columns = 2 if getattr(mapping, "weights", "") == FEEDER else 1
    out = before.memory.slots["out[0]"][0]
    if before.buffers is Buffers.SINGLE or out.memory:
        return False
    if before.region and place:
        writes = core_tile(device, before.region.col, before.region.row, before.slot_columns)
        return writes in device.reach(core_tile(device, place.col, place.row, columns))
    return before.region is None and place is None and before.slot_columns == columns == 1
