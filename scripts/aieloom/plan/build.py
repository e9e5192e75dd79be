"""From a network and a device to a plan: the pipeline of decisions on one screen."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from aieloom.errors import CannotFit, Problem, SpecError
from aieloom.hardware.mmul import no_products
from aieloom.network.layers import Layer, Network
from aieloom.network.operator import AnyOperator, Operators
from aieloom.network.tensor import as_float
from aieloom.pl.kernel import PlKernel
from aieloom.pl.steps import FRAME, STREAMING, PlStep
from aieloom.plan import cost, wire
from aieloom.plan.copies import clocks_of, connections_of, copies_of
from aieloom.plan.cost import stages_of
from aieloom.plan.frame import Cut, FramePlan
from aieloom.plan.graph import Piece
from aieloom.plan.layer_streams import weight_mover
from aieloom.plan.linked import as_one, buffers_of, chains, drafts_of, on_device
from aieloom.plan.operators import ArrayOperator, LogicOperator
from aieloom.plan.partition import Partition, device_elements, partition
from aieloom.plan.place import NoRoom, default_regions, place_layer
from aieloom.plan.processor import ProcessorPlan, PsStep, processor_plan
from aieloom.plan.published import modelled_by
from aieloom.plan.remembered import remembered
from aieloom.plan.rules import check
from aieloom.plan.shared_buffers import SharedBuffer
from aieloom.plan.subgraph import Subgraph
from aieloom.plan.subgraphs import subgraphs_of
from aieloom.plan.types import AieLayerDraft, AieLayerPlan, ArrayPart
from aieloom.spec.device import Device
from aieloom.spec.network import MappingSpec, NetworkSpec, TilesSpec


@dataclass(frozen=True, kw_only=True)
class Outline:
    """A design before its kernels have places: enough for the event simulation."""

    drafts: tuple[AieLayerDraft, ...]
    pl: tuple[PlKernel, ...]
    subgraphs: tuple[Subgraph, ...]
    mover_mhz: float
    processor: ProcessorPlan | None = None
    frame: FramePlan | None = None


def cut(network: Network, operators: Operators) -> Cut:
    """Return the network for one tile of those that its description asks for.

    Raises:
        CannotFit, SpecError: it cannot be cut so.
    """
    if not isinstance(network.spec.tiles, TilesSpec):
        return Cut(network=network, axes=None)
    from aieloom.plan.frames.cutting import cut_into  # noqa: PLC0415 - few networks are cut

    return cut_into(network, network.spec.tiles, operators)


def outline(network: Network, device: Device, operators: Operators) -> Outline:
    """Decide how the layers are cut and what stands between them.

    Raises:
        CannotFit: a layer's mapping breaks a rule.
    """
    network = on_device(network, device)
    tile = cut(network, operators)
    parts = partition(tile.network, operators, device_elements(network))
    if tile.axes:
        from aieloom.plan.frames.cutting import refuse_chains, refuse_processor  # noqa: PLC0415 - few are cut

        refuse_chains(tile.network)
        refuse_processor(tile.network, parts.reasons)
    pieces, on_processor, drafts = _pieces(tile.network, device, operators, parts)
    if not drafts:
        raise CannotFit(
            network.spec.source.problem(
                "aie-1", ("layers",), "no layer runs on AI Engines", "add one that does, such as a conv2d"
            )
        )
    mover_mhz = network.spec.movers.clock_mhz or device.clocks.default_pl_mhz
    frame = tile.frame(network, _frame_steps(network, device, operators, drafts) if tile.axes else ())
    subgraphs, kernels = subgraphs_of(
        tile.network, device, pieces, parts, mover_mhz=mover_mhz, frame=frame, drafts=drafts
    )
    return Outline(
        drafts=tuple(drafts),
        pl=kernels,
        subgraphs=subgraphs,
        mover_mhz=mover_mhz,
        processor=processor_plan(on_processor, subgraphs) if on_processor else None,
        frame=frame,
    )


def require_products(spec: NetworkSpec, device: Device) -> None:
    """Refuse a device for whose architecture no public text gives what aie::mmul multiplies.

    Raises:
        SpecError: naming it; no other numbers would help.
    """
    fault = no_products(device)
    if fault:
        raise SpecError(spec.source.problem("arch-1", ("target",), *fault))


def make_plan(network: Network, device: Device, operators: Operators) -> ArrayPart:
    """Decide everything about a design.

    Raises:
        CannotFit: a design rule is broken; every finding has the rule, the numbers, the line and a remedy.
    """
    require_products(network.spec, device)
    if network.spec.tiles == "auto":
        from aieloom.plan.frames.choice import largest_tiles  # noqa: PLC0415 - few networks are tried in tiles

        return largest_tiles(network, operators, lambda n: make_plan(n, device, operators))
    made = outline(network, device, operators)
    kernels, mover_mhz = made.pl, made.mover_mhz
    copies = network.spec.copies
    everything = _place(network.spec, device, copies_of(made.drafts, copies))
    layers = everything[: len(made.drafts)]
    plios = wire.plios(
        network.spec,
        device,
        everything,
        clocks_of(wire.plio_clocks(layers, kernels, mover_mhz), copies),
        mover_mhz,
    )
    weights = tuple(weight_mover(device, d.name, d.streamed, mover_mhz) for d in made.drafts if d.streamed)
    project = network.spec.name
    plan = ArrayPart(
        project=project,
        device=device,
        graph_class=f"{project[0].upper()}{project[1:]}Design",
        graph_name=f"{project}_graph",
        x=as_float(network.x) if made.processor else network.x,
        y=network.y,
        aie=tuple(layers),
        pl=kernels,
        subgraphs=made.subgraphs,
        plios=plios,
        connections=connections_of(
            (*wire.connections(kernels, made.subgraphs), *wire.weight_connections(weights, layers)), copies
        ),
        cost=cost.summarise(
            stages_of(device, layers, plios, pl=kernels, subgraphs=made.subgraphs, processor=made.processor),
            tiles=made.frame.tiles if made.frame else 1,
            copies=copies,
            by=modelled_by(device.architecture, made.drafts[0].dtype),
        ),
        checks=(),
        frame=made.frame,
        others=tuple(everything[len(made.drafts) :]),
        copies=copies,
        weights=weights,
        buffers=_buffers(device, everything),
        processor=made.processor,
        vitis=network.spec.vitis,
    )
    return check(plan, network.spec)


def _pieces(
    network: Network, device: Device, operators: Operators, parts: Partition
) -> tuple[list[Piece], list[PsStep], list[AieLayerDraft]]:
    """Let every operator plan its layer; report all layers' problems together.

    A chain of layers is one piece. Layers on the processor, and drafts of all on the array, are returned beside the pieces.
    """
    pieces: list[Piece] = []
    on_processor: list[PsStep] = []
    drafts: list[AieLayerDraft] = []
    problems: list[Problem] = []
    found = chains(network, frozenset(parts.reasons))
    inside = {name: chain for chain in found for name in chain.names}
    gives = {f.name: m.layer.name for chain in found for m in chain.members for f in m.fused}
    for layer in network.layers:
        chain = inside.get(layer.name)
        if chain and layer is not chain.members[0].layer:
            continue
        reads = replace(layer, inputs=tuple(gives.get(name, name) for name in layer.inputs))
        operator, mapping = operators[layer.op], network.spec.mapping[layer.name]
        try:
            if layer.name in parts.reasons:
                from aieloom.plan.on_processor import processor_step  # noqa: PLC0415 - where it has a layer

                reason = parts.reasons[layer.name]
                on_processor.append(processor_step(operator, network.spec, reads, reason))
                continue
            if chain:
                members = drafts_of(network, device, operators, chain)
                drafts += [replace(members[0], inputs=reads.inputs), *members[1:]]
                pieces.append(as_one(drafts[-len(members) :]))
                continue
            piece = _piece(network.spec, device, operator, reads, mapping)
        except CannotFit as e:
            problems.extend(e.problems)
            continue
        pieces.append(piece)
        drafts += [piece] if isinstance(piece, AieLayerDraft) else []
    if problems:
        raise CannotFit(problems)
    return pieces, on_processor, drafts


def _follows_from(
    spec: NetworkSpec, device: Device, operator: AnyOperator, layer: Layer, mapping: MappingSpec
) -> Hashable:
    """Of the description an operator reads where a refusal stands, the tools' release and how integers are scaled."""
    return id(spec.source), spec.vitis, spec.scaling, id(device), id(operator), layer, mapping


@remembered(_follows_from)
def _piece(
    spec: NetworkSpec, device: Device, operator: AnyOperator, layer: Layer, mapping: MappingSpec
) -> AieLayerDraft | PlStep:
    """Let a layer's operator plan it."""
    if isinstance(operator, ArrayOperator):
        draft = operator.plan_aie(spec, device, layer, mapping)
        return replace(draft, inputs=layer.inputs, pl=getattr(mapping, "pl", FRAME))
    assert isinstance(operator, LogicOperator)  # what has neither way is on the processor
    if layer.x.quant:
        from aieloom.plan.integer import integer_step  # noqa: PLC0415 - networks of integers alone

        step = integer_step(operator, spec, layer, mapping)
    else:
        step = operator.plan_pl(spec, layer, mapping)
    step = replace(step, inputs=layer.inputs, others=layer.others)
    if "strategy" not in mapping.model_fields_set:
        return step
    asked = mapping.by_strategy
    readers = getattr(mapping, "readers", None) if asked == STREAMING else None
    return replace(step, strategy=asked, readers=readers)


def _frame_steps(
    network: Network, device: Device, operators: Operators, drafts: Sequence[AieLayerDraft]
) -> tuple[AieLayerDraft | PlStep, ...]:
    """Return the plan's steps for the whole image: the same sums in the same order."""
    from aieloom.plan.frames.cutting import whole_draft  # noqa: PLC0415 - few networks are cut

    cut = {d.name: d for d in drafts}
    return tuple(
        whole_draft(cut[layer.name], layer)
        if layer.name in cut
        else _piece(network.spec, device, operators[layer.op], layer, network.spec.mapping[layer.name])
        for layer in network.layers
    )


def _buffers(device: Device, layers: Sequence[AieLayerPlan]) -> tuple[SharedBuffer, ...]:
    """Return the buffers in memory tiles, each in its place."""
    found = buffers_of([la.draft for la in layers])
    if not found:
        return ()
    from aieloom.plan.memory_tiles.place import place_buffers  # noqa: PLC0415 - few plans have any

    return place_buffers(device, found, layers)


def _place(spec: NetworkSpec, device: Device, drafts: Sequence[AieLayerDraft]) -> list[AieLayerPlan]:
    try:
        regions = default_regions(device, drafts)
        return [place_layer(device, d, regions[d.name]) for d in drafts]
    except NoRoom as e:
        key = "place" if e.layer.region else "tile"
        text = f"layer '{e.layer.name}': {e.problem}"
        raise CannotFit(
            spec.source.problem("place-1", spec.at_mapping(e.layer.name, key), text, e.remedy)
        ) from e
