"""A circuit as the one plan. It dies first, when circuits are made so (issue 41, the kinds one by one)."""

from __future__ import annotations

from aieloom.circuit.plan import PIPELINE, CircuitPlan
from aieloom.sequential.adapter import task_of
from aieloom.sequential.reached import MEMORY_CYCLES
from aieloom.units.logic import kernel
from aieloom.units.plan import Plan
from aieloom.units.types import HOST, PROCESSOR, Cause, Schedule, Use, turn

NAME = "circuit"


def adapted(plan: CircuitPlan) -> Plan:
    """Return the plan as one unit with all tasks, which takes image after image, and the host program."""
    use = Use(dsp=plan.dsp, lut=plan.lut, ff=plan.ff, bram36=plan.bram)
    unit, links = kernel(plan.board, NAME, ("x", "y"), body=plan.stages, clock_mhz=plan.clock_mhz, use=use)
    loaded, stored = (t.elements + PIPELINE + MEMORY_CYCLES for t in (plan.steps[0].x, plan.steps[-1].y))
    computed = sum(s.cycles + PIPELINE for s in plan.stages)
    cycles = {Cause.READ: loaded, Cause.COMPUTE: computed, Cause.WRITE: stored}
    us = {cause: count / plan.clock_mhz for cause, count in cycles.items()}
    tasks = tuple(task_of(step, NAME) for step in plan.steps)
    turns = (turn(NAME, us, *(t.name for t in tasks)), turn(PROCESSOR, {Cause.HOST: plan.host_us}))
    return Plan(
        project=plan.project,
        board=plan.board,
        x=plan.x,
        y=plan.y,
        tasks=tasks,
        units=(unit, HOST),
        links=links,
        schedule=Schedule(kind="stream", batch=plan.batch, turns=turns),
    )
