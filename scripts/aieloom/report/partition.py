"""Who computes what, in sentences: the layers on the processor, and the device's subgraphs where there are several."""

from __future__ import annotations

from collections.abc import Iterator

from aieloom.plan.types import ArrayPart


def partition_lines(plan: ArrayPart) -> Iterator[str]:
    """Yield a line for each layer on the processor, with the reason, and for each of several subgraphs."""
    for step in plan.processor.steps if plan.processor else ():
        yield f"{step.name} (op {step.op}) runs on the processor: {step.reason}"
    for subgraph in plan.subgraphs:
        yield from subgraph_lines(plan, subgraph.name)


def subgraph_lines(plan: ArrayPart, layer: str) -> Iterator[str]:
    """Yield a line about the subgraph of a layer; none where the device has one subgraph, or the layer is not on it."""
    for number, s in enumerate(plan.subgraphs, 1):
        if len(plan.subgraphs) > 1 and layer in s.layers:
            layers = f"'{s.name}'" if s.name == s.receives else f"'{s.name}' to '{s.receives}'"
            yield (
                f"subgraph {number} of the device is {layers}: '{s.sends}' comes from memory by {s.mm2s.name}, "
                f"the result goes back by {s.s2mm.name}"
            )
