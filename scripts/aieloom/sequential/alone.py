"""One layer of a design by itself: the same engines, a command list that brings its inputs, computes it and takes its result.

The host program is given one tensor of floats, all inputs one behind the other; conversions lay each out, as elements of the
type and the scale that the layer's input has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import gcd

import numpy as np

from aieloom.arrays import Values
from aieloom.network.elements import meaning, to_elements
from aieloom.network.layers import Parameters
from aieloom.network.tensor import TensorType, as_float
from aieloom.sequential import commands as c
from aieloom.sequential.builder import Builder, placed
from aieloom.sequential.made import plan_of
from aieloom.sequential.memory import aligned, allocated
from aieloom.sequential.onchip.builder import RowBuilder
from aieloom.sequential.plan import InTurn, engines_of
from aieloom.sequential.reference import result_of
from aieloom.sequential.steps import Step
from aieloom.sequential.vector import VectorForm
from aieloom.spec.types import DataType
from aieloom.units.plan import Plan
from aieloom.units.types import Turn


def types_of(step: Step) -> tuple[TensorType, ...]:
    """Return the types of a layer's inputs, as the network has them."""
    return (step.taken, *step.others)


def alone(plan: Plan, name: str, shapes: dict[tuple[str, str], tuple[int, ...]]) -> Plan:
    """Return the plan of one layer with the engines of all; `shapes` are those of trained tensors, by layer and name."""
    design = engines_of(plan)
    found = next(s for s in design.steps if s.layer == name)
    step = found.called or found
    if step.fold != (1, 1) and not step.others:
        return _of_images(plan, design, step, shapes)
    types = types_of(step)
    step = step.reading(tuple(f"input {i}" for i in range(len(types))))
    forms = {k: v for k, v in design.forms.items() if k == name}
    made = _builder(design, step, forms, shapes)
    flat = _flat(types)
    whole = made.new("inputs", flat)
    laid = [made.new(n, t) for n, t in zip(step.inputs, types, strict=True)]
    made.made |= {n: (t, x) for n, t, x in zip(step.inputs, types, laid, strict=True)}
    made.build()
    places, end = {}, 0
    for tensor, size in made.sizes.items():
        places[tensor] = end
        end += aligned(size)
    again, end = end, end + aligned(whole.image_bytes)
    brought = [Turn(units=(), record=c.Input(replace(whole, offset=0), again), name="input")]
    row = 0
    for x, t in zip(laid, types, strict=True):
        rows = t.elements // flat.shape[2]
        part = replace(whole, offset=row * whole.image_bytes // whole.height, height=rows)
        laid_out = c.Convert(part, replace(x, offset=places[made.names[x.offset]]))
        brought.append(Turn(units=(), record=laid_out))
        row += rows
    return _planned(plan, made, end, flat, (*brought, *placed(made, places)))


def _builder(
    design: InTurn,
    step: Step,
    forms: dict[str, VectorForm],
    shapes: dict[tuple[str, str], tuple[int, ...]],
) -> Builder:
    """Return what writes the commands of one layer; of one that rows compute with its tensors in their stores."""
    if design.staying and (step.product or step.layer in forms):
        return RowBuilder((step,), design.engine, forms=forms, shapes=shapes, rows=design.staying, count=1)
    return Builder((step,), design.engine, forms=forms, shapes=shapes, array=design.array)


def _of_images(
    plan: Plan, design: InTurn, step: Step, shapes: dict[tuple[str, str], tuple[int, ...]]
) -> Plan:
    """Return the plan of a first layer, which reads the network's input as it is brought."""
    made = _builder(design, step, {}, shapes)
    made.build()
    places, end = allocated(made.lifetimes(1))
    return _planned(plan, made, end, as_float(types_of(step)[0]), placed(made, places))


def _planned(plan: Plan, made: Builder, memory: int, x: TensorType, turns: tuple[Turn, ...]) -> Plan:
    """Return the plan of one image at a time, with the times that the layer has among all."""
    whole, (step,) = engines_of(plan), made.steps
    apart = whole.spatial if whole.spatial and whole.spatial.layer == step.layer else None
    spatial = apart and replace(apart, inputs=step.inputs)
    design = replace(
        whole,
        reason=f"{step.layer} of {plan.project} by itself",
        memory_bytes=memory,
        weights_bytes=made.weights_bytes,
        steps=(spatial,) if spatial else made.steps,
        spatial=spatial,
        forms=made.forms,
    )
    costs = [turn for turn in plan.schedule.turns if turn.name == step.layer and turn.times]
    return plan_of(design, plan.project, (x, as_float(step.y)), batch=1, turns=turns, costs=costs)


def _flat(types: tuple[TensorType, ...]) -> TensorType:
    """Return floats as many as all inputs have, in rows that end where an input ends."""
    sizes = [t.elements for t in types]
    wide = gcd(*sizes)
    row = next(n for n in range(min(wide, c.MOST_SIDE), 0, -1) if wide % n == 0)
    return TensorType((1, sum(sizes) // row, row), DataType.FLOAT32)


def reference_alone(step: Step, parameters: Mapping[str, Parameters], xs: Sequence[Values]) -> Values:
    """Return what a layer makes of its inputs `(n, channels, height, width)`; of integers, what they mean."""
    given = [to_elements(x, t) for x, t in zip(xs, types_of(step), strict=True)]
    return np.asarray(meaning(result_of(step, parameters, given), step.y), np.float32)
