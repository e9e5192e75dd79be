"""Networks of which some layers have cores of their own and the others take turns: which, and whether that is the faster.

The layers with cores of their own are one part, with one tensor into it and one out of it. network.yaml names it, or
`execution: auto` looks: at the longest beginning and at the longest end of the network whose weights leave room for buffers,
and where that is refused at shorter ones. Each is searched for as a design of its own; it is taken where the model's time of
the whole image is the shorter with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from aieloom.errors import CannotFit
from aieloom.network.layers import Layer, Network
from aieloom.ops import REGISTRY
from aieloom.plan.capacity import on_array, room_of
from aieloom.plan.partition import dag_of, device_elements, partition
from aieloom.plan.types import ArrayPart
from aieloom.search.default import settle
from aieloom.sequential.made import with_reason
from aieloom.sequential.plan import engines_of
from aieloom.sequential.planning import ARRAY_BATCH, plan_sequential
from aieloom.sequential.spatial import RULE, SpatialStep
from aieloom.spec.board import Board
from aieloom.spec.device import Device
from aieloom.spec.network import INPUT
from aieloom.units.plan import Plan, interval_us

# layers on cores of their own that `execution: auto` searches a mapping for: more take minutes
MOST_SEARCHED = 6
TRIED = 3  # beginnings, and ends, that are searched for before all layers take turns
ROOM = 0.5  # of the cores' data memories that their weights may fill


@dataclass(frozen=True, kw_only=True)
class Part:
    """Layers that could have cores of their own, in order of evaluation, and the tensor that they read."""

    sends: str
    layers: tuple[Layer, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(layer.name for layer in self.layers)

    def of(self, network: Network) -> Network:
        """Return them as a network of their own, whose input is the tensor that they read, and which stands once."""
        inside = {*self.names}
        own = tuple(
            replace(layer, inputs=tuple(name if name in inside else INPUT for name in layer.inputs))
            for layer in self.layers
        )
        once = replace(network.spec.source, data={"copies": 1, **network.spec.source.data})
        return Network(spec=network.spec.model_copy(update={"source": once}), layers=own)


def part_of(network: Network, names: Sequence[str]) -> Part:
    """Return the part of these layers; those that are folded into another are where that is.

    Raises:
        CannotFit: more than one tensor enters or leaves it.
    """
    layers = tuple(layer for layer in network.layers if layer.name in {*names})
    spec, dag = network.spec, dag_of(network)
    read, given = dag.ends(sum(1 << dag.maker[layer.name] for layer in layers))
    if len(read) != 1 or len(given) != 1:
        text = (
            f"layers with cores of their own read {_listed(read)} and give {_listed(given)} to the others: "
            "one tensor enters them and one leaves them"
        )
        remedy = "name layers that follow one another, with all between them"
        raise CannotFit(spec.source.problem(RULE, ("execution", "spatial"), text, remedy))
    return Part(sends=read[0], layers=layers)


def _listed(names: Sequence[str]) -> str:
    return f"{len(names)} tensors ({', '.join(names)})" if len(names) != 1 else f"'{names[0]}'"


def planned_part(network: Network, part: Part, device: Device, plugins: bytes) -> SpatialStep:
    """Return a part with cores of its own.

    Raises:
        CannotFit: it does not fit the array, or has no form there.
    """
    own = part.of(network)
    plan = settle(own, device, REGISTRY, plugins=plugins, remake=lambda spec: replace(own, spec=spec)).plan
    refusal = _unfit(plan)
    if refusal:
        text = f"layers {', '.join(part.names)}: {refusal}"
        remedy = "name fewer layers, or leave this to execution: auto"
        raise CannotFit(network.spec.source.problem(RULE, ("execution",), text, remedy))
    return SpatialStep(
        layer=part.layers[-1].name,
        layers=part.names,
        inputs=(part.sends,),
        x=part.layers[0].x,
        y=part.layers[-1].y,
        plan=plan,
    )


def _unfit(plan: ArrayPart) -> str:
    """Say what of a plan a part of a larger design cannot have; nothing where all is well."""
    if plan.processor:
        return "the processor would compute some of them"
    if plan.frame:
        return "their images would be cut into tiles"
    return "they would stand there several times" if plan.copies > 1 else ""


def with_named_part(network: Network, board: Board, reason: str, plugins: bytes) -> Plan:
    """Plan a network of which network.yaml names the layers with cores of their own.

    Raises:
        CannotFit: they do not fit, or the others do not.
    """
    spec = network.spec
    if not isinstance(board, Device):
        text = f"{board.name} has no array for layers with cores of their own"
        raise CannotFit(spec.source.problem(RULE, ("target",), text, "use execution: sequential"))
    part = part_of(network, spec.spatial)
    if len(part.layers) == len(network.layers):
        text = f"all {len(part.layers)} layers are named"
        raise CannotFit(spec.source.problem(RULE, ("execution",), text, "write execution: spatial"))
    return plan_sequential(
        network, board, REGISTRY, reason, planned_part(network, part, device=board, plugins=plugins)
    )


def faster_with_part(network: Network, device: Device, in_turn: Plan, plugins: bytes) -> Plan:
    """Return the design of least modelled time: all layers in their turn, or a part of them with cores of their own.

    Its reason says what was looked at, and what decided.
    """
    best, said = in_turn, list[str]()
    for side in candidates(network, device):
        for part in side[:TRIED]:
            shown = f"{part.names[0]} to {part.names[-1]}"
            saved = sum(turn.total_us for turn in in_turn.schedule.turns if turn.name in part.names)
            least = _least_us(part, device)
            if saved <= least:
                said.append(
                    f"{shown} take {saved:,.1f} us in turn, laying out their tensors alone {least:,.1f}"
                )
                break  # fewer layers save less
            try:
                step = planned_part(network, part, device, plugins)
                made = plan_sequential(network, device, REGISTRY, engines_of(in_turn).reason, step)
            except CannotFit as e:
                said.append(f"{shown} on cores of their own are refused: {e.problems[0].text}")
                continue
            both = " us an image, all in turn ".join(
                f"{interval_us(plan):,.1f} ({plan.schedule.batch} at a time)" for plan in (made, in_turn)
            )
            said.append(f"with {shown} on cores of their own {both}")
            best = min(best, made, key=interval_us)
            break
    if not said:
        return in_turn
    return with_reason(best, f"{engines_of(best).reason}; {'; '.join(said)} (modelled, the shorter is taken)")


def _least_us(part: Part, device: Device) -> float:
    """Return what a part takes an image of the processor and of starts, however fast its cores are."""
    cpu = device.processor
    elements = part.layers[0].x.elements + part.layers[-1].y.elements
    starts = (cpu.graph_start_us + 2 * cpu.kernel_start_us + 4 * cpu.sync_us) / ARRAY_BATCH
    return 2 * elements * cpu.cycles_per_operation / cpu.mhz + starts


def candidates(network: Network, device: Device) -> Iterator[tuple[Part, ...]]:
    """Yield the beginnings and the ends that cores of their own have room for: the longest of each number of products."""
    count, products = len(network.layers), frozenset(la.name for la in on_array(network, REGISTRY))
    for spans in ([range(n) for n in range(count - 1, 0, -1)], [range(n, count) for n in range(1, count)]):
        found: dict[int, Part] = {}
        for span in spans:
            part = _candidate(network, device, span, products)
            if part:
                found.setdefault(len(products & {*part.names}), part)
        yield tuple(found.values())


def _candidate(network: Network, device: Device, span: range, products: frozenset[str]) -> Part | None:
    """Return a part, where it has products, as have the others, nothing of the processor's, and its weights leave room."""
    names = [network.layers[i].name for i in span]
    some = products & {*names}
    if not 0 < len(some) <= MOST_SEARCHED or some == products:
        return None
    try:
        part = part_of(network, names)
        own = part.of(network)
        on_processor = partition(own, REGISTRY, device_elements(own)).reasons
    except CannotFit:
        return None
    if on_processor:
        return None  # which a search finds out late
    weights, room = room_of(own, device, REGISTRY)
    return part if weights <= ROOM * room else None
