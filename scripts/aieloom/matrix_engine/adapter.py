"""Designs on the matrix engine as the one plan. It dies when they are made so (issue 41, the kinds one by one)."""

from __future__ import annotations

from collections.abc import Iterator

from aieloom.matrix_engine.emit import PORTS
from aieloom.matrix_engine.engine import NAME, EnginePlan, ProductCost
from aieloom.matrix_engine.network import LogicPlan
from aieloom.network.tensor import TensorType
from aieloom.plan.rates import BATCH_BYTES
from aieloom.spec.network import INPUT
from aieloom.spec.types import DataType
from aieloom.units.logic import kernel
from aieloom.units.plan import Plan
from aieloom.units.types import Cause, Link, Schedule, Task, Turn, Unit, Use, turn

BATCH = 16  # images whose windows make one product, at most


def adapted(plan: LogicPlan) -> Plan:
    """Return the plan as turns of the engine, one for each product, and of the processor between them."""
    engine, links = _engine(plan.engine)
    segments = [s for s in plan.processor.segments if s.steps]
    owners = {step.layer: segment.stage for segment in segments for step in segment.steps}
    made = {INPUT: plan.x, **{s.layer: s.y for s in plan.steps}}
    tasks = tuple(
        Task(
            name=s.layer,
            layers=(s.layer,),
            op=s.op,
            xs=tuple(made[name] for name in s.inputs),
            y=s.y,
            inputs=s.inputs,
            unit=owners.get(s.layer, NAME),
            form=s,
        )
        for s in plan.steps
    )
    return Plan(
        project=plan.project,
        board=plan.engine.board,
        x=plan.x,
        y=plan.y,
        tasks=tasks,
        units=(engine, *(Unit(name=s.stage, body=s, place=None) for s in segments)),
        links=links,
        schedule=Schedule(
            kind="stream",
            batch=max(1, min(BATCH, BATCH_BYTES // (4 * plan.x.elements))),
            turns=tuple(_turns(plan)),
        ),
        remarks=plan.lines(),
    )


def product_plan(engine: EnginePlan, size: tuple[int, int, int], cost: ProductCost) -> Plan:
    """Return a product of two matrices, of M, K and N `size`, which the engine computes once."""
    unit, links = _engine(engine)
    m, k, n = size
    integers = engine.element == "int8"
    x = TensorType(
        (1, m, k), DataType.INT8 if integers else DataType.FLOAT32
    )  # float16 lies in memory as float32
    y = TensorType((1, m, n), DataType.INT32 if integers else DataType.FLOAT32)
    task = Task(name=NAME, layers=(NAME,), op="matmul", xs=(x,), y=y, inputs=(), unit=NAME, form=cost)
    return Plan(
        project=NAME,
        board=engine.board,
        x=x,
        y=y,
        tasks=(task,),
        units=(unit,),
        links=links,
        schedule=Schedule(kind="once", batch=1, turns=(_turn(NAME, cost),)),
    )


def _engine(engine: EnginePlan) -> tuple[Unit, tuple[Link, ...]]:
    block = engine.block
    use = Use(dsp=block.dsp, lut=block.lut, ff=block.ff, bram36=block.bram)
    return kernel(engine.board, NAME, PORTS, body=block, clock_mhz=engine.clock_mhz, use=use)


def _turn(task: str, cost: ProductCost) -> Turn:
    return turn(NAME, {Cause.COMPUTE: cost.engine_us, Cause.HOST: cost.host_us}, task)


def _turns(plan: LogicPlan) -> Iterator[Turn]:
    cpu = plan.engine.board.processor
    for segment, step in zip(plan.processor.segments, (*plan.products, None), strict=True):
        us = sum(s.operations for s in segment.steps) * cpu.cycles_per_operation / cpu.mhz
        if segment.steps:
            yield turn(segment.stage, {Cause.HOST: us}, *(s.layer for s in segment.steps))
        if step:
            yield _turn(step.layer, step.cost)
