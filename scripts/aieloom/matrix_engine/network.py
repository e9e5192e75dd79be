"""Networks whose products run on the matrix engine in the logic, other layers on the processor: plan and reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aieloom.arrays import Values
from aieloom.errors import CannotFit, Problem, SpecError
from aieloom.layout.grid import Window
from aieloom.matrix_engine.arithmetic import Element
from aieloom.matrix_engine.engine import MODEL, EnginePlan, ProductCost, plan_engine, product_cost, threshold
from aieloom.matrix_engine.reference import product
from aieloom.network.layers import Layer, Network, Parameters
from aieloom.network.operator import Operator, Operators
from aieloom.network.tensor import TensorType, as_float
from aieloom.plan.on_processor import processor_step
from aieloom.plan.operators import ProductOperator
from aieloom.plan.processor import ProcessorPlan, PsStep, processor_plan
from aieloom.products.reference import gathered
from aieloom.reference.evaluated import Elements, Evaluated
from aieloom.reference.forward import Passing, processor_values
from aieloom.spec.board import Board
from aieloom.spec.network import NetworkSpec
from aieloom.spec.product import ProductMapping
from aieloom.spec.types import DataType

PL = "pl"
RULE = "engine-2"


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineStep:
    """A layer as a product: weights `(m, k)` times what its windows see, `(k, n)` an image, plus the bias."""

    layer: str
    op: str
    x: TensorType
    y: TensorType
    inputs: tuple[str, ...]
    window: Window
    has_bias: bool
    cost: ProductCost  # of one image

    @property
    def name(self) -> str:
        """The layer's name."""
        return self.layer

    @property
    def sends(self) -> str:
        """The tensor that goes to the engine."""
        return self.inputs[0]

    @property
    def receives(self) -> str:
        """The tensor that comes back."""
        return self.layer

    @property
    def size(self) -> tuple[int, int, int]:
        """M, N and K of an image's product."""
        return self.y.shape[0], self.window.pixels, self.window.taps


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicPlan:
    """Everything that is decided about such a design."""

    project: str
    engine: EnginePlan
    x: TensorType
    y: TensorType
    steps: tuple[EngineStep | PsStep, ...]  # in order of evaluation
    processor: ProcessorPlan

    @property
    def products(self) -> tuple[EngineStep, ...]:
        """The layers on the engine."""
        return tuple(s for s in self.steps if isinstance(s, EngineStep))

    @property
    def interval_us(self) -> float:
        """Modelled time of an image: engine, host and layers on the processor, one after another."""
        return sum(s.cost.total_us for s in self.products) + self.processor_us

    @property
    def processor_us(self) -> float:
        """Modelled time of the layers on the processor."""
        cpu = self.engine.board.processor
        steps = (s for s in self.steps if isinstance(s, PsStep))
        return sum(s.operations for s in steps) * cpu.cycles_per_operation / cpu.mhz

    def lines(self) -> tuple[str, ...]:
        """Return what is decided, in a few lines."""
        side = threshold(self.engine)
        return (
            f"matrix engine in the logic of {self.engine.board.name} at {self.engine.clock_mhz:g} MHz ({MODEL}):",
            *(f"  {line}" for line in self.engine.block.why()),
            *(f"  {line}" for line in self.engine.crowded),
            *(_line(s) for s in self.products),
            f"  products are faster on the engine from {side} x {side} x {side} on"
            if side
            else "  no product is faster on the engine than on the processor",
            *(f"  {s.layer}: {s.op} on the processor" for s in self.steps if isinstance(s, PsStep)),
        )


def _line(step: EngineStep) -> str:
    m, n, k = step.size
    cost = step.cost
    blocks = " x ".join(map(str, cost.blocks))
    return (
        f"  {step.layer}: {m} x {n} x {k} (M x N x K), {blocks} blocks, {cost.engine_us:,.0f} us on the engine, "
        f"{cost.total_us:,.0f} with the host program; {cost.processor_us:,.0f} us on the processor alone"
    )


def weighted(spec: NetworkSpec) -> dict[str, ProductMapping]:
    """Return the mappings of the layers that are products: those that AI Engines could take."""
    return {name: m for name, m in spec.mapping.items() if isinstance(m, ProductMapping)}


def is_in_logic(spec: NetworkSpec) -> bool:
    """Tell whether a network's products run on the engine in the logic.

    Raises:
        SpecError: some do and some do not, which no design has yet.
    """
    found = weighted(spec)
    inside = [name for name, m in found.items() if m.runs_on == PL]
    others = [name for name, m in found.items() if m.runs_on not in (PL, "ps")]
    if inside and others:
        text = f"'{inside[0]}' runs on the matrix engine in the logic and '{others[0]}' on the array: no design has both"
        remedy = f"give {', '.join(others)} engine: pl or engine: ps too, or leave engine: pl out"
        raise SpecError(spec.source.problem(RULE, spec.at_mapping(inside[0], "engine"), text, remedy))
    return bool(inside)


def plan_network(network: Network, board: Board, operators: Operators) -> LogicPlan:
    """Decide everything about a design whose products run on the engine.

    Raises:
        CannotFit: a layer cannot run there, or the engine has no room.
    """
    spec = network.spec
    engine = _engine(spec, board)
    steps: list[EngineStep | PsStep] = []
    problems: list[Problem] = []
    for layer in network.layers:
        mapping = spec.mapping[layer.name]
        try:
            if mapping.runs_on == PL and layer.name in weighted(spec):
                steps.append(_engine_step(spec, engine, layer, operators[layer.op]))
            else:
                reason = (
                    "mapping: engine: ps"
                    if layer.name in weighted(spec)
                    else "the engine multiplies matrices only"
                )
                steps.append(processor_step(operators[layer.op], spec, layer, reason))
        except CannotFit as e:
            problems += e.problems
    if problems:
        raise CannotFit(problems)
    products = [s for s in steps if isinstance(s, EngineStep)]
    rest = processor_plan([s for s in steps if isinstance(s, PsStep)], products)
    return LogicPlan(
        project=spec.name,
        engine=engine,
        x=as_float(network.x),
        y=as_float(network.y),
        steps=tuple(steps),
        processor=rest,
    )


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


def _engine_step(spec: NetworkSpec, engine: EnginePlan, layer: Layer, operator: Operator) -> EngineStep:
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
    has_bias = any(p.name == "bias" for p in layer.parameters)
    return EngineStep(
        layer=layer.name,
        op=layer.op,
        x=layer.x,
        y=layer.y,
        inputs=layer.inputs,
        window=window,
        has_bias=has_bias,
        cost=product_cost(engine, layer.y.shape[0], window.pixels, window.taps, adds=has_bias),
    )


def evaluated(
    plan: LogicPlan, parameters: Mapping[str, Parameters], x: NDArray[np.float32]
) -> Iterator[Evaluated]:
    """Yield each layer as engine and processor compute it of `x` `(n, channels, height, width)`."""
    passing = Passing(plan.steps, np.asarray(x, np.float32))
    for step in plan.steps:
        given, trained = passing.take(step), parameters.get(step.layer, {})
        taken = given if isinstance(given, tuple) else (given,)
        types: tuple[TensorType, ...] = (step.x,)
        if isinstance(step, EngineStep):
            y = _product(plan.engine, step, trained, taken[0])
        else:
            y = processor_values(step, trained, given)
            types = (step.x, *step.others)
        passing.put(step.layer, y)
        yield Evaluated(
            layers=(step.layer,),
            inputs=step.inputs,
            given=tuple(Elements(values=v, type=t) for v, t in zip(taken, types, strict=True)),
            made=Elements(values=y, type=step.y),
        )


def _product(engine: EnginePlan, step: EngineStep, trained: Parameters, x: Values) -> Values:
    m, n, k = step.size
    weight = np.asarray(trained["weight"], np.float32).reshape(m, k)
    seen = gathered(step.window, x)  # (images, k, n)
    columns = seen.transpose(1, 0, 2).reshape(k, len(x) * n)
    bias = (
        np.broadcast_to(np.asarray(trained["bias"], np.float32)[:, None], (m, len(x) * n))
        if step.has_bias
        else None
    )
    found = product(weight, columns, engine.element, engine.block.k, beta=float(step.has_bias), c=bias)
    return found.reshape(m, len(x), n).transpose(1, 0, 2).reshape(len(x), *step.y.shape)
