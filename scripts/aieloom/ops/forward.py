"""What a step of the plan computes, for floats and for 8-bit elements alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aieloom.model.network import Parameters
from aieloom.ops.registry import REGISTRY
from aieloom.plan.types import REORDER, ElementTable, PlStep

Values = NDArray[Any]
LOWEST = -128  # the element that a table begins with


def forward(step: Any, trained: Parameters, x: Values) -> Values:
    """Return what a step of the plan makes of `x`: float32 or float64 values, or elements."""
    operator: Any = REGISTRY[step.op]
    if isinstance(step, PlStep) and step.x.quant and step.kind != REORDER:
        if isinstance(step.detail, ElementTable):
            return np.array(step.detail.values, x.dtype)[x.astype(np.int64) - LOWEST]
        elements: Values = operator.integer(step, x)
        return elements
    result: Values = operator.hardware(step, trained, x)
    return result


def step_name(step: Any) -> str:
    """Return the layer that a step of the plan stands for."""
    name: str = step.layer if isinstance(step, PlStep) else step.name
    return name


def trained_of(step: Any, parameters: Mapping[str, Parameters]) -> Parameters:
    """Return a step's tensors."""
    return parameters.get(step_name(step), {})
