"""`aieloom explain` of a layer of a circuit: what it does side by side, how long by the model, what the other layers take."""

from __future__ import annotations

from collections.abc import Iterator

from aieloom.errors import Problem, SpecError
from aieloom.flow.project import CircuitProject


def explain_stage(project: CircuitProject, name: str) -> Iterator[str]:
    """Yield why a layer's process is as it is.

    Raises:
        SpecError: there is no such layer.
    """
    plan = project.plan
    stage = next((s for s in plan.stages if s.layer == name), None)
    if stage is None:
        text = f"there is no layer '{name}' in the circuit of {project.name}"
        names = ", ".join(s.layer for s in plan.stages)
        raise SpecError(Problem(rule="key", text=text, remedy=f"use one of: {names}"))
    yield f"{stage.layer}: {stage.op}, {stage.x} to {stage.y}, a process of its own in the logic"
    if stage.products:
        yield f"  {stage.lanes} output channels x {stage.depth} input channels: {stage.products} products a cycle"
        yield f"  {stage.weights:,} B of weights, constants of the circuit: new weights are a new bitstream"
    else:
        yield f"  {stage.lanes} channels a cycle"
    interval = plan.interval_cycles
    yield f"  {stage.cycles:,} cycles an image, where an image comes every {interval:,} at {plan.clock_mhz:g} MHz (modelled)"
    yield "  the fewest products that keep the interval; it is the shortest for which the board has DSP slices and LUTs"
