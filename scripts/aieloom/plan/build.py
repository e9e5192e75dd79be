"""From a network and a device to a plan: the pipeline of decisions on one screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from aieloom.errors import CannotFit, Problem, SpecError
from aieloom.model.network import Layer, Network
from aieloom.model.tensor import TensorType
from aieloom.ops.processor import as_float, processor_step
from aieloom.plan import cost, gap, wire
from aieloom.plan.chains.place import place_buffers
from aieloom.plan.chains.segments import as_one, buffers_of, chain_to, chains, drafts_of, is_inner, on_device
from aieloom.plan.copies import clocks_of, connections_of, copies_of, share_of
from aieloom.plan.frames.choice import largest_tiles
from aieloom.plan.frames.cutting import cut, refuse_chains, refuse_processor, tile_mover, whole_draft
from aieloom.plan.frames.frame import FramePlan
from aieloom.plan.graph import MM2S, S2MM, Graph, graph_of, inlets, outlets, read_order
from aieloom.plan.integer import integer_step
from aieloom.plan.logic import STREAMING, GapPlan, MoverPlan, PlStep, TiledStreams
from aieloom.plan.partition import Partition, partition
from aieloom.plan.place import NoRoom, default_regions, place_layer
from aieloom.plan.processor import ProcessorPlan, PsStep
from aieloom.plan.rules import check
from aieloom.plan.streamable import CannotStream, reads_tiles
from aieloom.plan.streaming import streaming_plan
from aieloom.plan.types import AieLayerDraft, AieLayerPlan, Plan, PlioPlan, StageCost
from aieloom.spec.device import Device
from aieloom.spec.network import MappingSpec, NetworkSpec
from aieloom.spec.types import DataType

BEFORE, AFTER = "host_before", "host_after"  # stages of the host program


class AieOperator(Protocol):
    """An operator that runs on AI Engines."""

    def plan_aie(self, spec: NetworkSpec, device: Device, at: Layer, mapping: Any) -> AieLayerDraft:
        """Return the layer's draft, or raise CannotFit."""
        ...


class PlOperator(Protocol):
    """An operator that runs on programmable logic."""

    def plan_pl(self, spec: NetworkSpec, at: Layer, mapping: Any) -> PlStep:
        """Return what the layer does to the data that passes."""
        ...


Piece = AieLayerDraft | PlStep | PsStep


@dataclass(frozen=True, kw_only=True)
class Outline:
    """A design before its kernels have places: enough for the event simulation."""

    drafts: tuple[AieLayerDraft, ...]
    gaps: tuple[GapPlan, ...]
    host: TiledStreams | None
    mover_mhz: float
    mm2s: MoverPlan
    s2mm: MoverPlan
    processor: ProcessorPlan | None = None
    frame: FramePlan | None = None


def outline(network: Network, device: Device, operators: Mapping[str, Any]) -> Outline:
    """Decide how the layers are cut and what stands between them.

    Raises:
        CannotFit: a layer's mapping breaks a rule.
    """
    network = on_device(network, device)
    tile = cut(network, operators)
    parts = partition(tile.network, operators, _elements(network))
    if tile.axes:
        refuse_chains(tile.network)
        refuse_processor(tile.network, parts.reasons)
    steps, drafts = _pieces(tile.network, device, operators, parts)
    pieces = [p for p in steps if not isinstance(p, PsStep)]
    if not drafts:
        raise CannotFit(
            network.spec.source.problem(
                "aie-1", ("layers",), "no layer runs on AI Engines", "add one that does, such as a conv2d"
            )
        )
    processor = _processor(parts, steps)
    x = processor.x if processor else tile.network.x
    graph = graph_of(x, pieces, parts.sends, tiled=tile.axes is not None)
    gaps = _gaps(network.spec, share_of(device, network.spec.copies), graph)
    host = gap.input_streams(graph.host) if graph.host else None
    mover_mhz = network.spec.movers.clock_mhz or device.clocks.default_mover_mhz
    last = next(o.streams for g in gaps for o in g.outlets if o.reader == S2MM)
    mm2s = gap.mover_plan(device, MM2S, host or gaps[0].source, mover_mhz, reads_memory=True)
    s2mm = gap.mover_plan(device, S2MM, last, mover_mhz, reads_memory=False)
    frame = tile.frame(network, _frame_steps(network, device, operators, drafts) if tile.axes else ())
    if frame:
        mm2s, s2mm = tile_mover(mm2s, gaps[0].source, frame), tile_mover(s2mm, last, frame)
    return Outline(
        drafts=tuple(drafts),
        gaps=tuple(gaps),
        host=host,
        mover_mhz=mover_mhz,
        mm2s=mm2s,
        s2mm=s2mm,
        processor=processor,
        frame=frame,
    )


def _elements(network: Network) -> DataType:
    """Return the type of what the device computes with."""
    found = {layer.x.dtype for layer in network.layers} - {DataType.FLOAT32}
    return next(iter(found), DataType.FLOAT32)


def _processor(parts: Partition, steps: Sequence[AieLayerDraft | PlStep | PsStep]) -> ProcessorPlan | None:
    """Return the layers on the processor, if there are any."""
    own = [s for s in steps if isinstance(s, PsStep)]
    if not own:
        return None
    device = [s for s in steps if not isinstance(s, PsStep)]
    by_name = {s.layer if isinstance(s, PlStep) else s.name: s for s in device}
    receives = next((t for s in own for t in s.inputs if t in by_name), list(by_name)[-1])
    return ProcessorPlan(
        before=tuple(s for s in own if s.name in parts.before),
        after=tuple(s for s in own if s.name not in parts.before),
        sends=parts.sends,
        receives=receives,
        x=_read_as(device, parts.sends),
        y=by_name[receives].y,
    )


def _read_as(device: Sequence[AieLayerDraft | PlStep], tensor: str) -> TensorType:
    """Return a tensor's type as the device takes it."""
    reader = next(s for s in device if tensor in s.inputs)
    types = (reader.x, *(reader.others if isinstance(reader, PlStep) else ()))
    return types[reader.inputs.index(tensor)]


def make_plan(network: Network, device: Device, operators: Mapping[str, Any]) -> Plan:
    """Decide everything about a design.

    Raises:
        CannotFit: a design rule is broken; every finding has the rule, the numbers, the line and a remedy.
    """
    if network.spec.tiles == "auto":
        return largest_tiles(network, operators, lambda n: make_plan(n, device, operators))
    made = outline(network, device, operators)
    gaps, host, mm2s, s2mm, mover_mhz = made.gaps, made.host, made.mm2s, made.s2mm, made.mover_mhz
    copies = network.spec.copies
    everything = _place(network.spec, device, copies_of(made.drafts, copies))
    layers = everything[: len(made.drafts)]
    plios = wire.plios(
        network.spec,
        device,
        everything,
        clocks_of(wire.plio_clocks(layers, gaps, mover_mhz), copies),
        mover_mhz,
    )
    weights = tuple(
        gap.weight_mover(device, d.name, d.streamed, mover_mhz) for d in made.drafts if d.streamed
    )
    project = network.spec.name
    plan = Plan(
        project=project,
        device=device,
        graph_class=f"{project[0].upper()}{project[1:]}Design",
        graph_name=f"{project}_graph",
        x=as_float(network.x) if made.processor else network.x,
        y=network.y,
        aie=tuple(layers),
        gaps=gaps,
        mm2s=mm2s,
        s2mm=s2mm,
        plios=plios,
        connections=connections_of(
            (*wire.connections(gaps, host), *wire.weight_connections(weights, layers)), copies
        ),
        host_im2col=host,
        cost=cost.summarise(
            _stage_costs(made, device, layers, plios),
            tiles=made.frame.tiles if made.frame else 1,
            copies=copies,
        ),
        checks=(),
        frame=made.frame,
        others=tuple(everything[len(made.drafts) :]),
        copies=copies,
        weights=weights,
        buffers=place_buffers(device, buffers_of([la.draft for la in everything]), everything),
        processor=made.processor,
    )
    return check(plan, network.spec)


def _pieces(
    network: Network, device: Device, operators: Mapping[str, Any], parts: Partition
) -> tuple[list[Piece], list[AieLayerDraft]]:
    """Let every operator plan its layer; report all layers' problems together.

    A chain of layers is one piece; the drafts of its layers are among those that are returned beside the pieces.
    """
    pieces: list[Piece] = []
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
                pieces.append(processor_step(operator, network.spec, reads, parts.reasons[layer.name]))
                continue
            if chain:
                members = drafts_of(network, device, operators, chain)
                drafts += [replace(members[0], inputs=reads.inputs), *members[1:]]
                pieces.append(as_one(drafts[-len(members) :]))
                continue
            piece = _piece(network.spec, device, reads, operator, mapping)
        except CannotFit as e:
            problems.extend(e.problems)
            continue
        pieces.append(piece)
        drafts += [piece] if isinstance(piece, AieLayerDraft) else []
    if problems:
        raise CannotFit(problems)
    return pieces, drafts


def _piece(
    spec: NetworkSpec, device: Device, layer: Layer, operator: Any, mapping: MappingSpec
) -> AieLayerDraft | PlStep:
    if hasattr(operator, "plan_aie"):
        draft: AieLayerDraft = operator.plan_aie(spec, device, layer, mapping)
        return replace(draft, inputs=layer.inputs)
    step: PlStep = (
        integer_step(operator, spec, layer, mapping)
        if layer.x.quant
        else operator.plan_pl(spec, layer, mapping)
    )
    step = replace(step, inputs=layer.inputs, others=layer.others)
    if getattr(mapping, "strategy", None) != STREAMING:
        return step
    return replace(step, strategy=STREAMING, readers=getattr(mapping, "readers", None))


def _frame_steps(
    network: Network, device: Device, operators: Mapping[str, Any], drafts: Sequence[AieLayerDraft]
) -> tuple[AieLayerDraft | PlStep, ...]:
    """Return the plan's steps for the whole image: the same sums in the same order."""
    cut = {d.name: d for d in drafts}
    return tuple(
        whole_draft(cut[layer.name], layer)
        if layer.name in cut
        else _piece(network.spec, device, layer, operators[layer.op], network.spec.mapping[layer.name])
        for layer in network.layers
    )


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


def _gaps(spec: NetworkSpec, device: Device, graph: Graph) -> list[GapPlan]:
    """Plan the PL kernels, in order of evaluation; where block RAM is short, buffers of some go to UltraRAM."""
    sketches = [
        gap.Sketch(
            name=graph.name(i),
            steps=tuple(kernel.steps),
            inlets=inlets(graph, i),
            outlets=outlets(graph, i),
            read_order=read_order(graph, i),
            clock_mhz=_clock(spec, device, kernel.steps),
        )
        for i, kernel in enumerate(graph.kernels)
    ]
    gaps = [_gap(spec, device, s) for s in sketches]
    return _relieved(device, gaps, sketches)


def _relieved(device: Device, first: list[GapPlan], sketches: Sequence[gap.Sketch]) -> list[GapPlan]:
    """Return the kernels with as few in UltraRAM as block RAM asks for; as they are where UltraRAM is short as well."""
    facts = device.logic
    room = facts.bram36 * facts.usable_fraction - 2 * gap.MOVER_BRAM36
    gaps, movable = list(first), {i for i, g in enumerate(first) if not g.streaming}
    while (excess := sum(g.bram36 for g in gaps) - room) > 0:
        large = [i for i in movable if gaps[i].bram36 >= excess]
        if not movable:
            return first
        chosen = min(large or movable, key=lambda i: (gaps[i].bram36 if large else -gaps[i].bram36, i))
        movable.remove(chosen)
        gaps[chosen] = gap.gap_plan(device, replace(sketches[chosen], bram_share=0.0))
        if sum(g.uram288 for g in gaps) > facts.uram288 * facts.usable_fraction:
            return first
    return gaps


def _gap(spec: NetworkSpec, device: Device, sketch: gap.Sketch) -> GapPlan:
    """Plan a PL kernel: with image buffers, or streaming where one of its layers asks for that.

    Raises:
        CannotFit: it cannot be streaming.
    """
    if not any(s.strategy == STREAMING for s in sketch.steps) and not reads_tiles(sketch):
        return gap.gap_plan(device, sketch)
    try:
        return streaming_plan(device, sketch)
    except CannotStream as e:
        at = spec.at_mapping(e.step.layer, e.key)
        raise CannotFit(spec.source.problem(e.rule, at, str(e), e.remedy)) from e


def _clock(spec: NetworkSpec, device: Device, steps: Sequence[PlStep]) -> float:
    """Return the clock of a gap's kernel: what its layers ask for, which must be one."""
    wishes = {s.clock_mhz: s for s in steps if s.clock_mhz}
    if len(wishes) > 1:
        (a, first), (b, second) = list(wishes.items())[:2]
        text = (
            f"'{first.layer}' asks for {a:g} MHz and '{second.layer}' for {b:g} MHz, "
            "but both are one PL kernel"
        )
        raise SpecError(spec.source.problem("clk-2", (*second.at, "clock_mhz"), text, f"use {a:g} for both"))
    return next(iter(wishes), None) or device.clocks.default_kernel_mhz


def _stage_costs(
    made: Outline, device: Device, layers: Sequence[AieLayerPlan], plios: Sequence[PlioPlan]
) -> list[StageCost]:
    """Return the modelled stages in order of evaluation: each PL kernel behind the layers that it reads."""
    fed_by = {o.reader: g.name for g in made.gaps for o in g.outlets}
    by_name = {layer.name: layer for layer in layers}
    ps = made.processor
    first = [cost.processor_cost(ps.before, BEFORE, ())] if ps and ps.before else []
    stages = [*first, replace(cost.mover_cost(made.mm2s), after=tuple(s.name for s in first))]
    for g in made.gaps:
        producers = tuple(dict.fromkeys(i.producer for i in g.inlets))
        for layer in (la for name in producers if name in by_name for la in chain_to(by_name, name)):
            stage = cost.layer_cost(device, layer, plios)
            before = layer.draft.inputs[0] if is_inner(layer.draft) else fed_by.get(layer.name, MM2S)
            stages.append(replace(stage, after=(before,)))
        stages.append(replace(cost.gap_cost(g), after=producers))
    stages.append(replace(cost.mover_cost(made.s2mm), after=(fed_by[S2MM],)))
    return [*stages, *([cost.processor_cost(ps.after, AFTER, (S2MM,))] if ps and ps.after else [])]
