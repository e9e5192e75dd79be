"""Networks whose products run on the matrix engine in the logic, other layers on the processor: plan and reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from aieloom.arrays import Values
from aieloom.errors import CannotFit, Problem
from aieloom.layout.grid import Window
from aieloom.matrix_engine.arithmetic import Element
from aieloom.matrix_engine.block import Budget, blocks
from aieloom.matrix_engine.engine import (
    MODEL,
    NAME,
    EnginePlan,
    Product,
    engine_of,
    plan_engine,
    product_cost,
    threshold,
)
from aieloom.matrix_engine.reference import product
from aieloom.network.layers import Layer, Network, Parameters
from aieloom.network.operator import AnyOperator, Operators
from aieloom.network.tensor import as_float
from aieloom.ops import REGISTRY
from aieloom.plan.on_processor import processor_step
from aieloom.plan.operators import ProductOperator
from aieloom.plan.processor import ProcessorPlan, PsStep, processor_plan
from aieloom.plan.rates import BATCH_BYTES
from aieloom.products.reference import gathered
from aieloom.reference.evaluated import Elements, Evaluated
from aieloom.reference.forward import Passing, processor_values
from aieloom.spec.board import Board, ProcessorFacts
from aieloom.spec.network import NetworkSpec
from aieloom.spec.product import PL, weighted
from aieloom.spec.types import DataType
from aieloom.units.plan import Choices, Plan, Settings, interval_us
from aieloom.units.types import PROCESSOR, Cause, Schedule, Task, Turn, Unit, turn

RULE = "engine-2"
BATCH = 16  # images whose windows make one product, at most


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerProduct(Product):
    """A layer as a product: weights `(m, k)` times what its windows see, `(k, n)` an image, plus the bias where it has one."""

    window: Window


def products(tasks: Iterable[Task]) -> tuple[Task, ...]:
    """Return the tasks that are the engine's."""
    return tuple(task for task in tasks if task.unit == NAME)


def on_processor(tasks: Sequence[Task]) -> ProcessorPlan:
    """Return the tasks that are the processor's, as they lie between the engine's."""
    steps = [task.read(PsStep) for task in tasks if task.unit != NAME]
    return processor_plan(steps, products(tasks))


def _remarks(engine: EnginePlan, tasks: Sequence[Task]) -> Iterator[str]:
    """Yield what is decided, in a few lines."""
    side = threshold(engine)
    yield f"matrix engine in the logic of {engine.board.name} at {engine.clock_mhz:g} MHz ({MODEL}):"
    yield from (f"  {line}" for line in (*engine.block.why(), *engine.crowded))
    yield from (f"  {task.name}: {_line(task.read(Product))}" for task in products(tasks))
    yield (
        f"  products are faster on the engine from {side} x {side} x {side} on"
        if side
        else "  no product is faster on the engine than on the processor"
    )
    yield from (f"  {task.name}: {task.op} on the processor" for task in tasks if task.unit != NAME)


def _line(form: Product) -> str:
    (m, n, k), cost = form.size, form.cost
    blocks = " x ".join(map(str, cost.blocks))
    return (
        f"{m} x {n} x {k} (M x N x K), {blocks} blocks, {cost.engine_us:,.0f} us on the engine, "
        f"{cost.total_us:,.0f} with the host program; {cost.processor_us:,.0f} us on the processor alone"
    )


def why(plan: Plan, task: Task) -> Iterator[str]:
    """Yield where a layer is computed and why so, and what its turn takes of an image's time."""
    head = f"{task.name}: {task.op}, {task.x} to {task.y}, on the"
    if task.unit == NAME:
        form, engine = task.read(Product), engine_of(plan)
        yield f"{head} matrix engine in the logic, at {engine.clock_mhz:g} MHz"
        yield f"  {_line(form)}; bound by {form.cost.bottleneck}"
        yield from (f"  {line}" for line in engine.block.why())
    else:
        step = task.read(PsStep)
        yield f"{head} processor"
        yield from (f"  {line}" for line in (step.reason, *step.why))
    (own,) = (turn for turn in plan.schedule.turns if task.name in turn.tasks)
    us = sum(us for time in own.times for us in time.us.values())
    yield f"  its turn ({', '.join(own.tasks)}) takes {us:,.1f} us of the {interval_us(plan):,.1f} us of an image (modelled)"


def plan_network(network: Network, board: Board, operators: Operators) -> Plan:
    """Decide everything about a design whose products run on the engine: turns of it, and of the processor between them.

    Raises:
        CannotFit: a layer cannot run there, or the engine has no room.
    """
    spec = network.spec
    engine = _engine(spec, board)
    tasks: list[Task] = []
    problems: list[Problem] = []
    for layer in network.layers:
        try:
            tasks.append(_task(spec, engine, layer, operators[layer.op]))
        except CannotFit as e:
            problems += e.problems
    if problems:
        raise CannotFit(problems)
    segments = [s for s in on_processor(tasks).segments if s.steps]
    stages = {step.layer: s.stage for s in segments for step in s.steps}
    unit, links = engine.placed
    x = as_float(network.x)
    return Plan(
        project=spec.name,
        board=board,
        x=x,
        y=as_float(network.y),
        tasks=tuple(replace(task, unit=stages.get(task.name, NAME)) for task in tasks),
        units=(unit, *(Unit(name=s.stage, place=None) for s in segments)),
        links=links,
        schedule=Schedule(
            kind="stream",
            batch=max(1, min(BATCH, BATCH_BYTES // (4 * x.elements))),
            turns=tuple(_turns(tasks, board.processor)),
        ),
        remarks=tuple(_remarks(engine, tasks)),
    )


def _turns(tasks: Sequence[Task], cpu: ProcessorFacts) -> Iterator[Turn]:
    """Yield the turns of an image: layers on the processor, a product, and so on."""
    for segment, task in zip(on_processor(tasks).segments, (*products(tasks), None), strict=True):
        us = sum(s.operations for s in segment.steps) * cpu.cycles_per_operation / cpu.mhz
        if segment.steps:
            yield turn(segment.stage, {Cause.HOST: us}, *(s.layer for s in segment.steps))
        if task:
            yield task.read(Product).turn(task.name)


def _engine(spec: NetworkSpec, board: Board) -> EnginePlan:
    """Return the engine that all layers share: their mappings say one element type and block."""
    said = {name: (m.element, m.block) for name, m in weighted(spec).items() if m.runs_on == PL}
    first, *others = said
    other = next((name for name in others if said[name] != said[first]), None)
    if other:
        text = f"'{first}' and '{other}' want engines of another element type or block: a design has one"
        raise CannotFit(
            spec.source.problem(
                RULE, spec.at_mapping(other), text, "give all layers the same element: and block:"
            )
        )
    element: Element = said[first][0]
    try:
        return plan_engine(board, element, said[first][1])
    except CannotFit as e:
        (problem,) = e.problems
        raise CannotFit(
            spec.source.problem(problem.rule, spec.at_mapping(first), problem.text, problem.remedy)
        ) from e


def choices(network: Network, board: Board) -> Choices:
    """Yield the blocks that are no larger than the network's products and for which there is room, where none is said."""
    tasks = products(plan_network(network, board, REGISTRY).tasks)
    keys = [weighted(network.spec)[task.name] for task in tasks]
    sizes = [task.read(Product).size for task in tasks]
    for room in map(Budget.of, board.rooms if not any(m.block for m in keys) else ()):
        found = blocks(keys[0].element, room, sizes)
        yield from ({"mapping": {task.name: {"block": block} for task in tasks}} for block in found)
        if found:
            return


def said(plan: Plan) -> Settings:
    """Return the engine's block as network.yaml has it, at each of its layers."""
    block = engine_of(plan).block
    return {"mapping": {task.name: {"block": (block.m, block.n, block.k)} for task in products(plan.tasks)}}


def _task(spec: NetworkSpec, engine: EnginePlan, layer: Layer, operator: AnyOperator) -> Task:
    """Return a layer as a product of the engine, or as what the processor does.

    Raises:
        CannotFit: it is mapped to the engine, and is none of its products.
    """
    multiplies = layer.name in weighted(spec)
    inside = multiplies and spec.mapping[layer.name].runs_on == PL
    of: Layer | PsStep = layer
    if not inside:
        reason = "mapping: engine: ps" if multiplies else "the engine multiplies matrices only"
        of = processor_step(operator, spec, layer, reason)
    return Task(
        name=layer.name,
        layers=(layer.name,),
        op=layer.op,
        xs=(of.x, *of.others),
        y=of.y,
        inputs=layer.inputs,
        unit=NAME if inside else PROCESSOR,
        form=_product(spec, engine, layer, operator) if inside else of,
    )


def _product(spec: NetworkSpec, engine: EnginePlan, layer: Layer, operator: AnyOperator) -> LayerProduct:
    if layer.x.quant is not None or layer.x.dtype is not DataType.FLOAT32:
        kind = layer.x.dtype.value
        text = f"layer '{layer.name}' is {kind}: the matrix engine multiplies float32, or float16 where element: says it"
        remedy = "leave quantize: out, or use a board with an array"
        raise CannotFit(spec.source.problem(RULE, spec.at_mapping(layer.name), text, remedy))
    assert isinstance(operator, ProductOperator)
    groups = operator.groups(layer.spec)
    if groups != 1:
        text = f"layer '{layer.name}' has {groups} groups: the matrix engine multiplies by whole matrices, of one group"
        raise CannotFit(spec.source.problem(RULE, spec.at_mapping(layer.name), text, "give it engine: ps"))
    window = operator.window(layer.spec, layer.x)
    adds = any(p.name == "bias" for p in layer.parameters)
    m, n, k = size = (layer.y.shape[0], window.pixels, window.taps)
    return LayerProduct(size=size, adds=adds, cost=product_cost(engine, m, n, k, adds=adds), window=window)


def evaluated(
    plan: Plan, parameters: Mapping[str, Parameters], x: NDArray[np.float32]
) -> Iterator[Evaluated]:
    """Yield each layer as engine and processor compute it of `x` `(n, channels, height, width)`."""
    passing, engine = Passing(plan.tasks, np.asarray(x, np.float32)), engine_of(plan)
    for task in plan.tasks:
        given, trained = passing.take(task), parameters.get(task.name, {})
        taken = given if isinstance(given, tuple) else (given,)
        if task.unit == NAME:
            y = _multiplied(engine, task.read(LayerProduct), trained, taken[0])
            y = y.reshape(len(x), *task.y.shape)
        else:
            y = processor_values(task.read(PsStep), trained, given)
        passing.put(task.name, y)
        yield Evaluated(
            layers=task.layers,
            inputs=task.inputs,
            given=tuple(Elements(values=v, type=t) for v, t in zip(taken, task.xs, strict=True)),
            made=Elements(values=y, type=task.y),
        )


def _multiplied(engine: EnginePlan, form: LayerProduct, trained: Parameters, x: Values) -> Values:
    """Return the product of images `(n, channels, height, width)`, `(n, m, pixels)`."""
    m, n, k = form.size
    weight = np.asarray(trained["weight"], np.float32).reshape(m, k)
    seen = gathered(form.window, x)  # (images, k, n)
    columns = seen.transpose(1, 0, 2).reshape(k, len(x) * n)
    bias = (
        np.broadcast_to(np.asarray(trained["bias"], np.float32)[:, None], (m, len(x) * n))
        if form.adds
        else None
    )
    found = product(weight, columns, engine.element, engine.block.k, beta=float(form.adds), c=bias)
    return found.reshape(m, len(x), n).transpose(1, 0, 2)
