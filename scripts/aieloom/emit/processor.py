"""What the header of the layers on the processor prints: their functions, their tensors, and the calls in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jinja2

from aieloom.emit.pl import step_view
from aieloom.emit.text import float_lines
from aieloom.model.network import Parameters
from aieloom.ops import exact
from aieloom.plan.logic import ELEMENTWISE, REORDER
from aieloom.plan.processor import WHOLE, ProcessorPlan, PsStep
from aieloom.spec.network import INPUT

Templates = Callable[[str], jinja2.Environment]


@dataclass(frozen=True, slots=True)
class TensorView:
    """A result on the processor: its variable, how many values it has, what it is."""

    name: str
    size: int
    note: str


@dataclass(frozen=True, slots=True)
class WeightsView:
    """A trained tensor as a constant."""

    name: str
    size: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionView:
    """A layer: why it is here, its tensors and its C++ function."""

    title: str
    reason: str
    why: tuple[str, ...]
    weights: tuple[WeightsView, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessorView:
    """The header of the layers on the processor."""

    guard: str
    exact: tuple[Any, ...]  # one where functions of ops/exact.py are called
    functions: tuple[FunctionView, ...]
    tensors: tuple[TensorView, ...]
    before: tuple[str, ...]  # calls
    after: tuple[str, ...]
    sent: str
    result: str
    again: tuple[str, ...]  # one where the layers behind the device read results of those before it
    in_note: str
    out_note: str


def processor_view(
    plan: ProcessorPlan, parameters: Mapping[str, Parameters], templates: Templates, program: str
) -> ProcessorView:
    """Return what the header prints; `templates` gives the environment of a folder."""
    functions = tuple(_function(s, parameters.get(s.layer, {}), templates) for s in plan.steps)
    early = {s.layer for s in plan.before}
    again = any(early & set(s.inputs) for s in plan.after)
    return ProcessorView(
        guard=f"{program.upper()}_H",
        exact=(exact,) if any("exact::" in f.text for f in functions) else (),
        functions=functions,
        tensors=tuple(TensorView(_variable(s.layer), s.y.elements, f"{s.op}, {s.y}") for s in plan.steps),
        before=tuple(_calls(plan.before, plan)),
        after=tuple(_calls(plan.after, plan)),
        sent=_pointer(plan.sends, plan),
        result=_pointer(plan.after[-1].layer, plan) if plan.after else "received",
        again=("before",) if again else (),
        in_note=str(plan.x),
        out_note=str(plan.y),
    )


def _function(step: PsStep, trained: Parameters, templates: Templates) -> FunctionView:
    text = templates(step.folder).get_template(step.template).render(step=step_view(step))
    weights = tuple(
        WeightsView(f"k{step.layer}_{name}", trained[name].size, float_lines(trained[name], indent=4))
        for name in step.weights
    )
    return FunctionView(
        title=f"{step.layer}: {step.op}, {step.x} to {step.y}",
        reason=step.reason,
        why=step.why,
        weights=weights,
        text=text.rstrip("\n"),
    )


def _calls(steps: Sequence[PsStep], plan: ProcessorPlan) -> Iterable[str]:
    """Yield the statements that compute the layers, in order."""
    for step in steps:
        inputs = [_pointer(name, plan) for name in step.inputs]
        result = _pointer(step.layer, plan)
        if step.kind == ELEMENTWISE:
            yield f"std::transform({inputs[0]}, {inputs[0]} + {step.x.elements}, {result}, {step.function});"
        elif step.kind == REORDER:
            sizes = ", ".join(map(str, (*step.y.shape, *step.x.shape[1:])))
            yield f"gather<{sizes}>({inputs[0]}, {result}, {step.function});"
        else:
            assert step.kind == WHOLE
            trained = [f"k{step.layer}_{name}" for name in step.weights]
            yield f"{step.function}({', '.join([*inputs, *trained, result])});"


def _variable(layer: str) -> str:
    return f"{layer}_"


def _pointer(tensor: str, plan: ProcessorPlan) -> str:
    """Return the expression for a tensor's first value."""
    if tensor == INPUT:
        return "image"
    return "received" if tensor == plan.receives else f"{_variable(tensor)}.data()"
