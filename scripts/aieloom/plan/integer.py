"""Operators on programmable logic as what they become for integer elements.

A function of one value is a table: exact for each of 256 elements, of 16-bit ones within one element (plan/element_tables.py).
What only moves values moves elements. A window (a pool, a border, a softmax) has a template and arithmetic of its own: its
operator says them by `integer_step` and `integer`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from aieloom.arrays import Values
from aieloom.errors import CannotFit
from aieloom.network.layers import Layer
from aieloom.network.quantisation import dequantise, quantise
from aieloom.pl.steps import ELEMENTWISE, JOIN, REORDER, PlStep
from aieloom.plan.element_tables import table_bram36, table_note, table_of_elements
from aieloom.plan.operators import Computed, ExactOperator, IntegerOperator, LogicOperator
from aieloom.spec.network import NetworkSpec
from aieloom.spec.types import DataType


def integer_step(operator: LogicOperator, spec: NetworkSpec, at: Layer, mapping: object) -> PlStep:
    """Return what a layer on programmable logic does to elements.

    Raises:
        CannotFit: its operator has no integer form.
    """
    step = operator.plan_pl(spec, at, mapping)
    if step.kind == REORDER:
        return step
    if step.kind == JOIN:  # it knows its inputs' scales and has made its integers' form
        return step
    if step.kind == ELEMENTWISE:
        return _tabulated(operator, step)
    if isinstance(operator, IntegerOperator):
        return operator.integer_step(replace(step, scaling=spec.scaling))
    text = f"layer '{at.name}': op {at.op} has no integer form, and the network is quantised"
    remedy = "give the operator integer_step() and integer(), or leave 'quantize:' out"
    raise CannotFit(spec.source.problem("quant-4", spec.at_layer(at.index), text, remedy))


def _tabulated(operator: object, step: PlStep) -> PlStep:
    x, y = step.x.quant, step.y.quant
    assert x is not None
    assert y is not None

    def results(elements: Values) -> Values:
        values = dequantise(elements, x).astype(np.float64).reshape(1, 1, 1, -1)
        if isinstance(operator, ExactOperator):
            made = operator.exact(values)
        else:
            assert isinstance(operator, Computed)
            made = operator.hardware(step, {}, values)
        return quantise(made.ravel(), y, step.y.dtype)

    with np.errstate(all="ignore"):
        table = table_of_elements(step.x.dtype, results)
    narrow = step.x.dtype is DataType.INT8
    return replace(
        step,
        template=table.template,
        detail=table,
        bram36=table_bram36(table),
        dsp=0 if narrow else 1,
        lut=100 if narrow else 300,  # of int8: 256 bytes in LUTs (estimates)
        why=(f"{step.op} {table_note(table)}",),
    )
