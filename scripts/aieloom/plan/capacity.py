"""Does a network fit the array at all? Sums that need no plan, before anything is searched."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from aieloom.errors import CannotFit
from aieloom.network.layers import Layer, Network
from aieloom.network.operator import Operators
from aieloom.plan.operators import ArrayOperator, ProductOperator
from aieloom.plan.partition import PS
from aieloom.spec.device import Device

LISTED = 3  # layers that the message names
WEIGHT = "weight"


@dataclass(frozen=True, kw_only=True)
class Excess:
    """Weights that the array has no room for: the refusal, and the largest layers, without which the rest fits (or none)."""

    refusal: CannotFit
    moved: tuple[str, ...]
    remedy: str  # beside moving layers

    def after(self, tried: Sequence[str]) -> CannotFit:
        """Return the refusal once moving the layers was tried, with what refused that."""
        (problem,) = self.refusal.problems
        if not tried:
            return self.refusal
        return CannotFit(replace(problem, text="; ".join((problem.text, *tried)), remedy=self.remedy))


def on_array(network: Network, operators: Operators) -> tuple[Layer, ...]:
    """Return the layers on AI Engines."""
    return tuple(layer for layer in network.layers if _on_array(network, layer, operators))


def room_of(network: Network, device: Device, operators: Operators) -> tuple[int, int]:
    """Return the bytes of the weights of the layers on AI Engines, and of all cores' data memories.

    Groups count with the zeros between them, which the cores have as weights (network.layers.weight_matrix).
    """
    sizes = [_bytes(layer) * _groups(layer, operators) for layer in on_array(network, operators)]
    return sum(sizes), device.array.cores * device.tile.memory_bytes


def excess_of(network: Network, device: Device, operators: Operators) -> Excess | None:
    """Return what is too much where the weights alone are more than the data memories of all cores hold.

    Every weight lies in the memory of a tile at least once, however layers are cut.
    """
    sizes = {layer.name: _bytes(layer) for layer in on_array(network, operators)}
    room = device.array.cores * device.tile.memory_bytes
    total = sum(sizes.values())
    if total <= room:
        return None
    spec, largest = network.spec, sorted(sizes, key=lambda name: (-sizes[name], name))
    shown = ", ".join(_sum(next(la for la in network.layers if la.name == n)) for n in largest[:LISTED])
    more = f", and {len(largest) - LISTED} more" if len(largest) > LISTED else ""
    text = (
        f"the weights of the layers on AI Engines are {total:,} B together, the data memories of the {device.array.cores} "
        f"cores hold {device.array.cores} x {device.tile.memory_bytes} = {room:,} B: {shown}{more}"
    )
    moved = _largest(sizes, largest, room)
    problem = spec.source.problem(
        "array-1", spec.at_mapping(largest[0]), text, _remedy(network, sizes, moved, room)
    )
    return Excess(refusal=CannotFit(problem), moved=moved, remedy=_remedy(network, sizes, (), room))


def _on_array(network: Network, layer: Layer, operators: Operators) -> bool:
    engine = network.spec.mapping[layer.name].runs_on
    return isinstance(operators[layer.op], ArrayOperator) and engine != PS


def _groups(layer: Layer, operators: Operators) -> int:
    operator = operators[layer.op]
    return operator.groups(layer.spec) if isinstance(operator, ProductOperator) else 1


def _bytes(layer: Layer) -> int:
    return sum(math.prod(p.shape) for p in layer.parameters if p.name == WEIGHT) * layer.x.dtype.bytes


def _sum(layer: Layer) -> str:
    shape = next(p.shape for p in layer.parameters if p.name == WEIGHT)
    return f"'{layer.name}' {' x '.join(map(str, (*shape, layer.x.dtype.bytes)))} = {_bytes(layer):,} B"


def _largest(sizes: Mapping[str, int], largest: Sequence[str], room: int) -> tuple[str, ...]:
    """Return the largest layers without which the rest fits; none where only one would be left, and is too large."""
    left = sum(sizes.values())
    for count, name in enumerate(largest[:-1], 1):
        left -= sizes[name]
        if left <= room:
            return tuple(largest[:count])
    return ()


def _remedy(network: Network, sizes: Mapping[str, int], moved: Sequence[str], room: int) -> str:
    """Return what makes the sum small enough: the largest layers on the processor, or elements of 8 bits."""
    ways = []
    if moved:
        engines = ", ".join(f"{name}: {{engine: ps}}" for name in moved)
        ways.append(f"let the processor compute the largest (mapping: {{{engines}}})")
    bytes_of = {la.name: la.x.dtype.bytes for la in network.layers}
    narrow = sum(size // bytes_of[name] for name, size in sizes.items())
    if narrow <= room and narrow < sum(sizes.values()):
        ways.append("use elements of 8 bits (quantize:)")
    return ", or ".join(ways) or "use fewer channels or features"
