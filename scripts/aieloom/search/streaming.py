"""Which PL kernels of a design stream: all that can, and one by one those with which it turns out better."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from aieloom.errors import CannotFit
from aieloom.network.layers import Network
from aieloom.network.operator import Operators
from aieloom.pl.kernel import PlKernel
from aieloom.pl.lines.streamable import can_stream
from aieloom.pl.steps import FRAME, STREAMING
from aieloom.pl.streams import TiledStreams
from aieloom.plan.build import make_plan
from aieloom.plan.types import ArrayPart
from aieloom.progress import at
from aieloom.search.goal import Area, Goal, Rank
from aieloom.search.mapped import Mapped, as_whole, timed, unplaced
from aieloom.search.scope import copy_counts, is_cut, remapped
from aieloom.spec.device import Device
from aieloom.spec.network import MappingSpec, NetworkSpec, left_to_planner

PLANNED = 3  # designs of a round that are planned until one is better and keeps every rule


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
        g
        for g in pl
        if not g.lines and can_stream(g) and (open_layers is None or not _says_strategy(spec, g))
    ]
    slow = [g for g in free if g.cycles / g.clock_mhz > longest]
    for kernels in (free, slow) if len(slow) < len(free) else (free,):
        mapping = _asking(spec, kernels)
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


def one_by_one(
    said: NetworkSpec, network: Network, plan: ArrayPart, operators: Operators, goal: Goal
) -> Iterator[Mapped]:
    """Yield designs, each better than the last and than `plan`: one PL kernel streams that did not, or the other way round.

    Each with as many copies of the whole as before, or a neighbouring number of them: a streaming kernel takes more logic, and
    one with a frame may take more time. What network.yaml says of a kernel, `said`, stays.
    """
    best = as_whole(network, plan)
    better: Mapped | None = best
    while better:
        best = better
        tried = sorted(_otherwise(said, best, operators, goal), key=lambda item: item[0])
        planned = (_planned(n, best.plan.device, operators) for _, n in tried[:PLANNED])
        better = next((d for d in planned if d and d.order(goal) < best.order(goal)), None)
        yield from [better] if better else []


def _planned(network: Network, device: Device, operators: Operators) -> Mapped | None:
    """Return a network's design; None where a rule refuses it."""
    try:
        return as_whole(network, make_plan(network, device, operators))
    except CannotFit:
        return None


def _otherwise(
    said: NetworkSpec, best: Mapped, operators: Operators, goal: Goal
) -> Iterator[tuple[Rank, Network]]:
    """Yield networks with one PL kernel, or the number of copies, otherwise: those that the simulation finds better."""
    plan, spec = best.plan, best.network.spec
    free = [g for g in plan.pl if can_stream(g) and not _says_strategy(said, g)]
    mappings = [spec.mapping, *(_asking(spec, [g], FRAME if g.lines else STREAMING) for g in free)]
    counts = sorted({*copy_counts(said, goal.most_copies), spec.copies})
    own = counts.index(spec.copies)
    for number, mapping in enumerate(mappings):
        at(f"simulating PL kernel {number} of {len(free)} with and without lines")
        for copies in counts[max(0, own - 1) : own + 2]:
            network = remapped(best.network, mapping, copies=copies)
            if network.spec == spec:
                continue
            try:
                modelled = timed(unplaced(network, plan, operators))
            except CannotFit:
                continue
            share = copies / plan.copies
            area = Area(plan.cores * share, plan.tiles_in_use * share, len(plan.plios) * share)
            rank = goal.rank(modelled, area)
            if rank < best.rank(goal):
                yield rank, network


def _asking(spec: NetworkSpec, kernels: Sequence[PlKernel], way: str = STREAMING) -> dict[str, MappingSpec]:
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


def _says_strategy(spec: NetworkSpec, kernel: PlKernel) -> bool:
    """Tell whether network.yaml says how a PL kernel works."""
    return any("strategy" in spec.mapping[s.layer].model_fields_set for s in kernel.steps) or any(
        "pl" in spec.mapping[name].model_fields_set for name in _before(kernel)
    )
