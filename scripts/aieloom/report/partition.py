"""Who computes what, in sentences: the layers on the processor, and the device's stretches where there are several."""

from __future__ import annotations

from collections.abc import Iterator

from aieloom.plan.types import Plan


def partition_lines(plan: Plan) -> Iterator[str]:
    """Yield a line for each layer on the processor, with the reason, and for each of several stretches."""
    for step in plan.processor.steps if plan.processor else ():
        yield f"{step.name} (op {step.op}) runs on the processor: {step.reason}"
    for stretch in plan.stretches:
        yield from stretch_lines(plan, stretch.name)


def stretch_lines(plan: Plan, layer: str) -> Iterator[str]:
    """Yield a line about the stretch of a layer; none where the device has one stretch, or the layer is not on it."""
    for number, s in enumerate(plan.stretches, 1):
        if len(plan.stretches) > 1 and layer in s.layers:
            layers = f"'{s.name}'" if s.name == s.receives else f"'{s.name}' to '{s.receives}'"
            yield (
                f"stretch {number} of the device is {layers}: '{s.sends}' comes from memory by {s.mm2s.name}, "
                f"the result goes back by {s.s2mm.name}"
            )
