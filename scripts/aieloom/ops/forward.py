"""What a step of the plan computes, for floats and for 8-bit elements alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aieloom.model.network import Parameters
from aieloom.ops.registry import REGISTRY
from aieloom.plan.logic import REORDER, ElementTable, PlStep
from aieloom.spec.network import INPUT

Values = NDArray[Any]
LOWEST = -128  # the element that a table begins with


def forward(step: Any, trained: Parameters, x: Any) -> Values:
    """Return what a step of the plan makes of `x`: float32 or float64 values, or elements; of a join, a tuple of them."""
    operator: Any = REGISTRY[step.op]
    if isinstance(step, PlStep) and step.x.quant and step.kind != REORDER:
        if isinstance(step.detail, ElementTable):
            elements: Values = np.array(step.detail.values, x.dtype)[x.astype(np.int64) - LOWEST]
        else:
            elements = operator.integer(step, x)
        return elements
    result: Values = operator.hardware(step, trained, x)
    return result


class Passing:
    """The tensors on their way through a network: each is kept until its last reader has taken it."""

    def __init__(self, readers: Iterable[Any], x: Any) -> None:
        self._left = Counter(name for reader in readers for name in reader.inputs)
        self._made: dict[str, Any] = {INPUT: x}

    def take(self, reader: Any) -> Any:
        """Return what a layer or step is given: its one input, or the tuple of a join's inputs."""
        values = tuple(self._made[name] for name in reader.inputs)
        for name in reader.inputs:
            self._left[name] -= 1
            if not self._left[name]:
                del self._made[name]
        return values if len(values) > 1 else values[0]

    def put(self, name: str, result: Any) -> None:
        """Add the result of layer `name`."""
        self._made[name] = result


def evaluate(
    steps: Sequence[Any], parameters: Mapping[str, Parameters], x: Values
) -> Iterator[tuple[Any, Any, Values]]:
    """Yield each step of a plan with what it is given and what it makes of it; `x` is the network's input."""
    passing = Passing(steps, x)
    for step in steps:
        given = passing.take(step)
        result = forward(step, trained_of(step, parameters), given)
        passing.put(step_name(step), result)
        yield step, given, result


def step_name(step: Any) -> str:
    """Return the layer that a step of the plan stands for."""
    name: str = step.layer if isinstance(step, PlStep) else step.name
    return name


def fused_into(step: Any) -> tuple[str, ...]:
    """Return the layers that a step does beside its own."""
    return () if isinstance(step, PlStep) else tuple(step.fused)


def shown_by(step: Any) -> str:
    """Return the last of the layers that are fused into a step, whose output it gives; empty where none is."""
    fused = fused_into(step)
    return fused[-1] if fused else ""


def trained_of(step: Any, parameters: Mapping[str, Parameters]) -> Parameters:
    """Return a step's tensors."""
    return parameters.get(step_name(step), {})
