"""A product over the array as the one plan. It dies when a product is a network of one layer (issue 41)."""

from __future__ import annotations

from aieloom.pl.use import logic_use
from aieloom.plan.adapter import cores_of, inside, placed, task_of, wired
from aieloom.strategies.array_gemm.movers import kernels_of
from aieloom.strategies.array_gemm.plan import NAME
from aieloom.strategies.array_gemm.types import GemmPlan
from aieloom.units import plan as one
from aieloom.units import types as u


def adapted(plan: GemmPlan) -> one.Plan:
    """Return the plan as cores, movers, and a turn of both with one of the host program, which tiles the matrices."""
    array, kernels = plan.array, kernels_of(plan.units)
    movers = (
        placed(
            plan.device, own[0].mover, tuple(m.name for m in own), logic_use((), [m.mover for m in own], 1)
        )
        for own in kernels.values()
    )
    units = (*cores_of(array), *movers, u.HOST)
    ports = (
        u.Link(source=u.End(unit=kernel, port="memory", instance=i), target=None, way=u.Bank(tag=mover.bank))
        for kernel, own in kernels.items()
        for i, mover in enumerate(own)
    )
    streamed = plan.cost.memory.interval_us
    us = {u.Cause.HOST: plan.cost.system.interval_us - streamed}
    turns = (u.turn(NAME, {u.Cause.STREAM: streamed}, NAME), u.turn(u.PROCESSOR, us))
    return one.Plan(
        project=NAME,
        board=plan.device,
        x=array.x,
        y=array.y,
        tasks=(task_of(array.aie[0].draft, NAME),),
        units=units,
        links=(*wired(array.connections, units, array.plios), *ports, *inside(array)),
        schedule=u.Schedule(kind="once", batch=1, turns=turns),
    )
