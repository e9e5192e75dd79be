"""A network with its PL kernels streaming, all of them or some, and what network.yaml says of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from aieloom.errors import CannotFit
from aieloom.network.layers import Network
from aieloom.network.operator import Operators
from aieloom.pl.kernel import PlKernel
from aieloom.pl.lines.streamable import can_stream
from aieloom.pl.steps import STREAMING
from aieloom.pl.streams import TiledStreams
from aieloom.plan.build import make_plan
from aieloom.plan.types import ArrayPart
from aieloom.search.scope import is_cut, remapped
from aieloom.spec.device import Device
from aieloom.spec.network import MappingSpec, NetworkSpec, left_to_planner


def streamed(
    network: Network,
    device: Device,
    operators: Operators,
    *,
    pl: Sequence[PlKernel],
    longest: float = 0.0,
    open_layers: Collection[str] | None = None,
) -> tuple[Network, ArrayPart] | None:
    """Return the network with every PL kernel streaming that can be, and its plan; None when nothing changes.

    `pl` are its PL kernels as they are. Where the device has no room for all of them, only those that take longer than
    `longest`, the time in us of the longest layer on the array; where the layers as they are cut leave none, the planner cuts
    them. With `open_layers` only those are cut anew, and a kernel one of whose layers says how it works keeps that.
    """
    spec = network.spec
    free = [
        g for g in pl if not g.lines and can_stream(g) and (open_layers is None or not says_strategy(spec, g))
    ]
    slow = [g for g in free if g.cycles / g.clock_mhz > longest]
    for kernels in (free, slow) if len(slow) < len(free) else (free,):
        mapping = asking(spec, kernels)
        opened = {
            name: left_to_planner(m) if is_cut(m) and (open_layers is None or name in open_layers) else m
            for name, m in mapping.items()
        }
        both = (mapping, opened) if opened != mapping else (mapping,)
        for chosen in both if kernels else ():
            changed = remapped(network, chosen)
            try:
                return changed, make_plan(changed, device, operators)
            except CannotFit:
                continue
    return None


def longest_layer(plan: ArrayPart) -> float:
    """Return the time in us of the longest layer on the array."""
    return max(s.interval_us for s in plan.cost.stages if s.kind == "aie")


def asking(spec: NetworkSpec, kernels: Sequence[PlKernel], way: str = STREAMING) -> dict[str, MappingSpec]:
    """Return the mapping with these PL kernels working so: their layers ask, or those whose results they take."""
    asks = {s.layer: {"strategy": way} for g in kernels for s in g.steps}
    asks |= {name: {"pl": way} for g in kernels if not g.steps for name in _before(g)}
    return {
        name: m.model_copy(update=asks[name])
        if asks.get(name, {}).keys() & type(m).model_fields.keys()
        else m
        for name, m in spec.mapping.items()
    }


def _before(kernel: PlKernel) -> list[str]:
    """Return the layers on the array whose results a PL kernel takes."""
    return [i.producer for i in kernel.inlets if isinstance(i.streams, TiledStreams)]


def says_strategy(spec: NetworkSpec, kernel: PlKernel) -> bool:
    """Tell whether network.yaml says how a PL kernel works."""
    return any("strategy" in spec.mapping[s.layer].model_fields_set for s in kernel.steps) or any(
        "pl" in spec.mapping[name].model_fields_set for name in _before(kernel)
    )
