"""How long an image takes: the cost model, applied to a plan stage by stage. See docs/cost-model.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from aieloom.cost.machine import plio_cycles
from aieloom.cost.parameters import load_parameters, produced_by
from aieloom.layout.grid import TileGrid
from aieloom.pl.kernel import PlKernel
from aieloom.pl.movers import MoverPlan
from aieloom.plan.linked import chain_to, is_inner
from aieloom.plan.processor import ProcessorPlan, PsStep, Segment
from aieloom.plan.strategy import strategy_of
from aieloom.plan.subgraph import Subgraph
from aieloom.plan.types import AieLayerPlan, CostSummary, PlioPlan, StageCost
from aieloom.spec.device import Device
from aieloom.spec.types import Buffers


def stream_cycles(device: Device, size: int, bits: int, pl_mhz: float) -> float:
    """Return AIE cycles that `size` bytes take through one PLIO: the slower of PL port and array stream."""
    return plio_cycles(size, bits=bits, pl_mhz=pl_mhz, aie_mhz=device.clocks.aie_mhz)


def plio_clocks(layer: str, plios: Sequence[PlioPlan]) -> dict[bool, float]:
    """Return the PL clocks of a layer's inputs (True) and outputs (False), in MHz; of weights none."""
    return {p.is_input: p.clock_mhz for p in plios if p.layer == layer and not p.weights}


def array_cycles(
    grid: TileGrid, buffers: Buffers, kernel_cycles: int, fill: float, drain: float
) -> tuple[float, float]:
    """Return AIE cycles between two images and of one: transfers overlap with computation only with two buffers.

    `fill` and `drain` are the cycles of one input and one output buffer through their PLIOs.
    """
    rounds, passes = grid.rounds, grid.passes
    latency = rounds * (passes * fill + kernel_cycles + drain)
    if buffers is Buffers.PING_PONG:
        return max(rounds * kernel_cycles, rounds * passes * fill, rounds * drain), latency
    return latency, latency


def chain_latency(cascade: int) -> float:
    """Return the cycles by which a chain's last core is behind its first."""
    return load_parameters()["latency.cascade"] * (cascade - 1)


def product_cycles(device: Device, layer: AieLayerPlan, plios: Sequence[PlioPlan]) -> tuple[float, float]:
    """Return interval and latency of a layer between PL kernels in AIE cycles."""
    draft = layer.draft
    size = draft.dtype.bytes
    clocks = plio_clocks(layer.name, plios)
    fill = stream_cycles(device, draft.grid.in_elements * size, draft.plio_bits, clocks[True])
    drain = stream_cycles(device, draft.grid.out_elements * size, draft.out_bits, clocks[False])
    interval, latency = array_cycles(draft.grid, draft.buffers, draft.kernel_cycles, fill, drain)
    return interval, latency + chain_latency(draft.grid.cascade)


def _stage(
    name: str,
    kind: str,
    cycles: float,
    mhz: float,
    *,
    latency: float | None = None,
    after: tuple[str, ...] = (),
) -> StageCost:
    """Return a stage of so many cycles between two images, and of one where these are others."""
    return StageCost(
        name=name,
        kind=kind,
        interval_us=cycles / mhz,
        latency_us=(cycles if latency is None else latency) / mhz,
        cycles=round(cycles),
        clock_mhz=mhz,
        after=after,
    )


def layer_cost(device: Device, layer: AieLayerPlan, plios: Sequence[PlioPlan]) -> StageCost:
    """Model a layer on AI Engines; all its cores work alike."""
    interval, latency = strategy_of(layer.grid).cycles(device, layer, plios)
    return array_cost(device, layer.name, interval, latency)


def array_cost(device: Device, name: str, interval: float, latency: float) -> StageCost:
    """Return the stage of cores that take so many cycles between two images and for one."""
    return _stage(name, "aie", interval, device.clocks.aie_mhz, latency=latency)


def mover_cost(mover: MoverPlan) -> StageCost:
    """Model a data mover: one memory word a cycle."""
    return _stage(mover.name, "mover", mover.cycles, mover.clock_mhz)


def processor_cost(device: Device, steps: Sequence[PsStep], name: str, after: tuple[str, ...]) -> StageCost:
    """Estimate the time of layers on the processor, one after another."""
    facts = device.processor
    cycles = round(facts.cycles_per_operation * sum(step.operations for step in steps))
    return _stage(name, "ps", cycles, facts.mhz, after=after)


def _on_processor(group: Sequence[StageCost]) -> bool:
    """Tell whether a group of stages is the processor's."""
    return all(stage.kind == "ps" for stage in group)


def summarise(
    groups: Sequence[Sequence[StageCost]], *, tiles: int = 1, copies: int = 1, by: str = ""
) -> CostSummary:
    """Return the pipeline's cost: latencies add up along the longest way, the slowest stage of a group sets its rate.

    The host program takes a batch through the groups one after another: its own layers, then a subgraph of the device. So
    their times add up; how the images of a batch fill and leave a subgraph is left out. An image of several tiles takes as
    many intervals, shared by the copies. The stages' times are a tile's in one copy. `by` says what produced the figures.
    """
    stages = [stage for group in groups for stage in group]  # each behind those that it needs
    done: dict[str, float] = {}
    for s in stages:
        done[s.name] = max((done[name] for name in s.after), default=0.0) + s.latency_us
    device = sum(max(s.interval_us for s in group) for group in groups if not _on_processor(group))
    apart = [s.interval_us for group in groups if _on_processor(group) for s in group]
    interval = sum(apart, tiles * device / copies)
    return CostSummary(
        produced_by=by or produced_by(),
        stages=tuple(stages),
        latency_us=max(done.values()) + (-(-tiles // copies) - 1) * device,
        interval_us=interval,
        throughput_fps=1e6 / interval,
        bottleneck=max(stages, key=lambda s: s.interval_us).name,
    )


def stages_of(
    device: Device,
    layers: Sequence[AieLayerPlan],
    plios: Sequence[PlioPlan],
    *,
    pl: Sequence[PlKernel],
    subgraphs: Sequence[Subgraph],
    processor: ProcessorPlan | None,
) -> tuple[tuple[StageCost, ...], ...]:
    """Return the modelled stages in groups that run one after another: those of a subgraph, or one on the processor.

    In a group stages stand in order of evaluation, each PL kernel behind the layers that it reads.
    """
    segments: Sequence[Segment | None] = processor.segments if processor else [None] * (len(subgraphs) + 1)
    groups: list[tuple[StageCost, ...]] = []
    after: tuple[str, ...] = ()
    for segment, subgraph in zip(segments, (*subgraphs, None), strict=True):
        if segment and segment.steps:
            groups.append((processor_cost(device, segment.steps, segment.stage, after),))
            after = (segment.stage,)
        if subgraph:
            own = [g for g in pl if g.name in subgraph.kernels]
            groups.append(tuple(_of_subgraph(device, layers, plios, pl=own, subgraph=subgraph, after=after)))
            after = (subgraph.s2mm.name,)
    return tuple(groups)


def _of_subgraph(
    device: Device,
    layers: Sequence[AieLayerPlan],
    plios: Sequence[PlioPlan],
    *,
    pl: Sequence[PlKernel],
    subgraph: Subgraph,
    after: tuple[str, ...],
) -> Iterator[StageCost]:
    fed_by = {o.reader: g.name for g in pl for o in g.outlets}
    by_name = {layer.name: layer for layer in layers}
    yield replace(mover_cost(subgraph.mm2s), after=after)
    for g in pl:
        producers = tuple(dict.fromkeys(i.producer for i in g.inlets))
        for layer in (la for name in producers if name in by_name for la in chain_to(by_name, name)):
            stage = layer_cost(device, layer, plios)
            inner = is_inner(layer.draft)
            before = layer.draft.inputs[0] if inner else fed_by.get(layer.name, subgraph.mm2s.name)
            yield replace(stage, after=(before,))
        of_kernel = _stage(g.name, "pl", g.cycles, g.clock_mhz, latency=g.latency_cycles)
        yield replace(of_kernel, after=producers)
    yield replace(mover_cost(subgraph.s2mm), after=(fed_by[subgraph.s2mm.name],))
