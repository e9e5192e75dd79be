"""A design as a pipeline: its stages with their modelled times, and what each waits for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from aieloom.pl.kernel import PlKernel
from aieloom.plan import cost
from aieloom.plan.linked import chain_to, is_inner
from aieloom.plan.processor import ProcessorPlan, Segment
from aieloom.plan.subgraph import Subgraph
from aieloom.plan.types import AieLayerPlan, PlioPlan, StageCost
from aieloom.spec.device import Device


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
            groups.append((cost.processor_cost(device, segment.steps, segment.stage, after),))
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
    yield replace(cost.mover_cost(subgraph.mm2s), after=after)
    for g in pl:
        producers = tuple(dict.fromkeys(i.producer for i in g.inlets))
        for layer in (la for name in producers if name in by_name for la in chain_to(by_name, name)):
            stage = cost.layer_cost(device, layer, plios)
            inner = is_inner(layer.draft)
            before = layer.draft.inputs[0] if inner else fed_by.get(layer.name, subgraph.mm2s.name)
            yield replace(stage, after=(before,))
        yield replace(cost.kernel_cost(g), after=producers)
    yield replace(cost.mover_cost(subgraph.s2mm), after=(fed_by[subgraph.s2mm.name],))
