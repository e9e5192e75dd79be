"""Operators on the processor: their step in the host program, and what it computes.

An operator that has a way onto programmable logic has one onto the processor: the same function of a value or of a
place, compiled into the host program, or for windows and joins the same detail printed by `processor_template`. Others
say it by `plan_ps(spec, at)`, and what it computes by `processor(step, params, x)` where that is not `hardware`.
"""

from __future__ import annotations

from dataclasses import replace

from aieloom.errors import CannotFit
from aieloom.network.layers import Layer
from aieloom.network.operator import Operator
from aieloom.network.tensor import as_float
from aieloom.pl.steps import ELEMENTWISE, REORDER
from aieloom.plan.operators import LogicOperator, PrintedOperator, ProcessorOperator
from aieloom.plan.processor import WHOLE, PsStep
from aieloom.spec.network import NetworkSpec

HOST, LOGIC = "host_templates", "pl_templates"
_SUFFIX = {ELEMENTWISE: "value", REORDER: "source", WHOLE: "layer"}


def ps_step(
    spec: NetworkSpec,
    at: Layer,
    *,
    kind: str,
    template: str,
    detail: object,
    why: str,
    operations: int = 0,
    folder: str = HOST,
    weights: tuple[str, ...] = (),
) -> PsStep:
    """Return the step of layer `at`, by default one operation for each value."""
    return PsStep(
        layer=at.name,
        layer_index=at.index,
        op=at.op,
        at=spec.at_mapping(at.name),
        kind=kind,
        function=f"{at.name}_{_SUFFIX[kind]}",
        folder=folder,
        template=template,
        detail=detail,
        x=at.x,
        y=at.y,
        operations=operations or at.y.elements,
        why=(why,),
        weights=weights,
    )


def processor_step(operator: Operator, spec: NetworkSpec, layer: Layer, reason: str) -> PsStep:
    """Return what a layer does on the processor.

    Raises:
        CannotFit: its operator cannot run there.
    """
    at = replace(layer, x=as_float(layer.x), y=as_float(layer.y), others=tuple(map(as_float, layer.others)))
    at = replace(at, requant=None, bounds=None)
    step = (
        operator.plan_ps(spec, at)
        if isinstance(operator, ProcessorOperator)
        else _of_logic(operator, spec, at)
    )
    return replace(step, reason=reason, inputs=at.inputs, others=at.others)


def _of_logic(operator: Operator, spec: NetworkSpec, at: Layer) -> PsStep:
    """Return the step of an operator that has one on programmable logic."""
    found = (
        operator.plan_pl(spec, at, operator.mapping_model()) if isinstance(operator, LogicOperator) else None
    )
    own = operator.processor_template if isinstance(operator, PrintedOperator) else None
    if found is None or (own is None and found.kind not in (ELEMENTWISE, REORDER)):
        text = f"layer '{at.name}': op {at.op} has no form for the processor"
        remedy = "leave engine: ps out, or give the operator plan_ps()"
        raise CannotFit(spec.source.problem("ps-2", spec.at_mapping(at.name), text, remedy))
    return ps_step(
        spec,
        at,
        kind=found.kind if own is None else WHOLE,
        template=own or found.template,
        detail=found.detail,
        why=f"{at.op}: the function that programmable logic computes, {at.x} to {at.y}",
        operations=max(at.y.elements, found.cycles),
        folder=HOST if own else LOGIC,
    )
