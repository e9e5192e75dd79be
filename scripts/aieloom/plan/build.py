"""From a network and a device to a plan: the pipeline of decisions on one screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from aieloom.errors import CannotFit, Problem, SpecError
from aieloom.model.network import Layer, Network
from aieloom.plan import cost, gap, wire
from aieloom.plan.integer import integer_step
from aieloom.plan.place import NoRoom, default_regions, place_layer
from aieloom.plan.rules import check
from aieloom.plan.streaming import CannotStream, streaming_plan
from aieloom.plan.types import (
    STREAMING,
    AieLayerDraft,
    AieLayerPlan,
    GapPlan,
    MoverPlan,
    Plan,
    PlioPlan,
    PlStep,
    StageCost,
    TiledStreams,
)
from aieloom.spec.device import Device
from aieloom.spec.network import MappingSpec, NetworkSpec


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


@dataclass(frozen=True, slots=True)
class _Gap:
    """PL layers between two AIE layers; None stands for memory."""

    before: AieLayerDraft | None
    steps: tuple[PlStep, ...]
    after: AieLayerDraft | None

    @property
    def name(self) -> str:
        """Kernel name: with a prefix, because a layer called `tanh` must not collide with C's."""
        if self.steps:
            return "pl_" + "_".join(s.layer for s in self.steps)
        before = self.before.name if self.before else "input"
        return f"pl_{before}_to_{self.after.name if self.after else 'output'}"


@dataclass(frozen=True, kw_only=True)
class Outline:
    """A design before its kernels have places: enough for the event simulation."""

    drafts: tuple[AieLayerDraft, ...]
    gaps: tuple[GapPlan, ...]
    host: TiledStreams | None
    mover_mhz: float
    mm2s: MoverPlan
    s2mm: MoverPlan


def outline(network: Network, device: Device, operators: Mapping[str, Any]) -> Outline:
    """Decide how the layers are cut and what stands between them.

    Raises:
        CannotFit: a layer's mapping breaks a rule.
    """
    pieces = _pieces(network, device, operators)
    drafts = [p for p in pieces if isinstance(p, AieLayerDraft)]
    if not drafts:
        raise CannotFit(
            network.spec.source.problem(
                "aie-1", ("layers",), "no layer runs on AI Engines", "add one that does, such as a conv2d"
            )
        )
    gaps, host = _gaps(network, device, pieces)
    mover_mhz = network.spec.movers.clock_mhz or device.clocks.default_mover_mhz
    mm2s = gap.mover_plan(device, "mm2s", host or gaps[0].source, mover_mhz, reads_memory=True)
    s2mm = gap.mover_plan(device, "s2mm", gaps[-1].sink, mover_mhz, reads_memory=False)
    return Outline(
        drafts=tuple(drafts), gaps=tuple(gaps), host=host, mover_mhz=mover_mhz, mm2s=mm2s, s2mm=s2mm
    )


def make_plan(network: Network, device: Device, operators: Mapping[str, Any]) -> Plan:
    """Decide everything about a design.

    Raises:
        CannotFit: a design rule is broken; every finding has the rule, the numbers, the line and a remedy.
    """
    made = outline(network, device, operators)
    gaps, host, mm2s, s2mm, mover_mhz = made.gaps, made.host, made.mm2s, made.s2mm, made.mover_mhz
    layers = _place(network.spec, device, made.drafts)
    plios = wire.plios(network.spec, device, layers, wire.plio_clocks(layers, gaps, mover_mhz))
    stages = [cost.mover_cost(mm2s), *_stage_costs(device, layers, gaps, plios), cost.mover_cost(s2mm)]
    project = network.spec.name
    plan = Plan(
        project=project,
        device=device,
        graph_class=f"{project[0].upper()}{project[1:]}Design",
        graph_name=f"{project}_graph",
        x=network.x,
        y=network.y,
        aie=tuple(layers),
        gaps=gaps,
        mm2s=mm2s,
        s2mm=s2mm,
        plios=plios,
        connections=wire.connections(gaps, host),
        host_im2col=host,
        cost=cost.summarise(stages),
        checks=(),
    )
    return check(plan, network.spec)


def _pieces(network: Network, device: Device, operators: Mapping[str, Any]) -> list[AieLayerDraft | PlStep]:
    """Let every operator plan its layer; report all layers' problems together."""
    pieces: list[AieLayerDraft | PlStep] = []
    problems: list[Problem] = []
    for layer in network.layers:
        operator, mapping = operators[layer.op], network.spec.mapping[layer.name]
        try:
            pieces.append(_piece(network.spec, device, layer, operator, mapping))
        except CannotFit as e:
            problems.extend(e.problems)
    if problems:
        raise CannotFit(problems)
    return pieces


def _piece(
    spec: NetworkSpec, device: Device, layer: Layer, operator: Any, mapping: MappingSpec
) -> AieLayerDraft | PlStep:
    if hasattr(operator, "plan_aie"):
        draft: AieLayerDraft = operator.plan_aie(spec, device, layer, mapping)
        return draft
    step: PlStep = (
        integer_step(operator, spec, layer, mapping)
        if layer.x.quant
        else operator.plan_pl(spec, layer, mapping)
    )
    if getattr(mapping, "strategy", None) != STREAMING:
        return step
    return replace(step, strategy=STREAMING, readers=getattr(mapping, "readers", None))


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


def _split(pieces: Sequence[AieLayerDraft | PlStep]) -> list[_Gap]:
    """Return the gaps before, between and after the AIE layers."""
    gaps: list[_Gap] = []
    before: AieLayerDraft | None = None
    steps: list[PlStep] = []
    for piece in pieces:
        if isinstance(piece, PlStep):
            steps.append(piece)
        else:
            gaps.append(_Gap(before, tuple(steps), piece))
            before, steps = piece, []
    return [*gaps, _Gap(before, tuple(steps), None)]


def _gaps(
    network: Network, device: Device, pieces: Sequence[AieLayerDraft | PlStep]
) -> tuple[list[GapPlan], TiledStreams | None]:
    """Plan the PL kernels; a first layer that reads the input itself gets it tiled by the host program."""
    split = _split(pieces)
    first = split[0]
    host = gap.input_streams(first.after) if first.after and not first.steps else None
    return [_gap(network, device, g) for g in (split[1:] if host else split)], host


def _gap(network: Network, device: Device, g: _Gap) -> GapPlan:
    x = g.before.y if g.before else network.x
    y = g.steps[-1].y if g.steps else x
    streaming = any(s.strategy == STREAMING for s in g.steps)
    make = streaming_plan if streaming else gap.gap_plan
    try:
        return make(
            device,
            name=g.name,
            steps=g.steps,
            source=gap.output_streams(g.before) if g.before else gap.raster(x),
            sink=gap.input_streams(g.after) if g.after else gap.raster(y),
            x=x,
            clock_mhz=_clock(network.spec, device, g.steps),
        )
    except CannotStream as e:
        at = network.spec.at_mapping(e.step.layer, e.key)
        raise CannotFit(network.spec.source.problem(e.rule, at, str(e), e.remedy)) from e


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
    device: Device, layers: Sequence[AieLayerPlan], gaps: Sequence[GapPlan], plios: Sequence[PlioPlan]
) -> list[StageCost]:
    """Return the modelled stages in the order of the data's way: each layer, then the gap that reads it."""
    leading = len(gaps) - len(layers)
    stages = [cost.gap_cost(g) for g in gaps[:leading]]
    for layer, g in zip(layers, gaps[leading:], strict=True):
        stages += [cost.layer_cost(device, layer, plios), cost.gap_cost(g)]
    return stages
