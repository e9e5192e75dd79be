"""Operators on programmable logic as what they become for 8-bit elements.

A function of one value is a table of 256 entries, exact for each element. What only moves values moves elements. A
window (a pool, a border, a softmax) has a template and arithmetic of its own: its operator says them by `integer_step`
and `integer`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from aieloom.errors import CannotFit
from aieloom.model.network import Layer
from aieloom.model.quantize.arithmetic import dequantise, quantise
from aieloom.plan.logic import ELEMENTWISE, JOIN, REORDER, ElementTable, PlStep
from aieloom.spec.network import NetworkSpec
from aieloom.spec.types import DataType

TABLE = "ops/int8_table.h.j2"
ELEMENTS = 256


def integer_step(operator: Any, spec: NetworkSpec, at: Layer, mapping: Any) -> PlStep:
    """Return what a layer on programmable logic does to elements.

    Raises:
        CannotFit: its operator has no integer form.
    """
    step: PlStep = operator.plan_pl(spec, at, mapping)
    if step.kind == REORDER:
        return step
    if at.x.dtype is not DataType.INT8:
        text = (
            f"layer '{at.name}': op {at.op} has no form for {at.x.dtype.value} elements on programmable logic"
        )
        remedy = "use int8, or a relu directly behind a conv2d or dense layer, which is part of it"
        raise CannotFit(spec.source.problem("quant-4", spec.at_layer(at.index), text, remedy))
    if step.kind == JOIN:  # it knows its inputs' scales and has made its integers' form
        return step
    if step.kind == ELEMENTWISE:
        return _tabulated(operator, step)
    if hasattr(operator, "integer_step"):
        made: PlStep = operator.integer_step(step)
        return made
    text = f"layer '{at.name}': op {at.op} has no integer form, and the network is quantised"
    remedy = "give the operator integer_step() and integer(), or leave 'quantize:' out"
    raise CannotFit(spec.source.problem("quant-4", spec.at_layer(at.index), text, remedy))


def _tabulated(operator: Any, step: PlStep) -> PlStep:
    assert step.x.quant is not None
    assert step.y.quant is not None
    elements = np.arange(-ELEMENTS // 2, ELEMENTS // 2)
    values = dequantise(elements, step.x.quant).astype(np.float64).reshape(1, 1, 1, -1)
    results = operator.exact(values) if hasattr(operator, "exact") else operator.hardware(step, {}, values)
    table = quantise(results.ravel(), step.y.quant, step.y.dtype)
    return replace(
        step,
        template=TABLE,
        detail=ElementTable(values=tuple(int(v) for v in table)),
        bram36=0,
        dsp=0,
        lut=100,  # 256 bytes in LUTs (estimate)
        why=(f"{step.op} by a table of all {ELEMENTS} elements",),
    )
