"""mul, sub, div: two tensors place by place; the second may have the length 1 where the first has more.

On programmable logic in float32 and bfloat16; of integers on the processor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
from pydantic import create_model

from aieloom.errors import CannotFit
from aieloom.model.network import Layer, Parameters, ShapeError
from aieloom.model.tensor import TensorType
from aieloom.ops.join import Join, join_step
from aieloom.ops.pl import TINY, UNIT, PlMapping, Values
from aieloom.ops.registry import REGISTRY
from aieloom.plan.logic import PlStep
from aieloom.plan.processor import PsStep
from aieloom.spec.network import LayerSpec, NetworkSpec
from aieloom.spec.types import DataType

INTEGERS = (DataType.INT8, DataType.INT16)


@dataclass(frozen=True, slots=True)
class _Sign:
    """An operation in C++ and in Python, with its price on programmable logic (estimates)."""

    says: str
    sign: str
    values: Callable[[Any, Any], Any]
    dsp: int
    lut: int


SIGNS = {
    "sub": _Sign("y = a - b", "-", lambda a, b: a - b, 2, 400),
    "mul": _Sign("y = a * b", "*", lambda a, b: a * b, 3, 300),
    "div": _Sign("y = a / b", "/", lambda a, b: a / b, 0, 1200),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """What the templates print: the first input's shape, and the second's steps, 0 along an axis of length 1."""

    channels: int
    height: int
    width: int
    size0: int
    size1: int
    step_channel: int
    step_y: int
    step_x: int
    sign: str


class Arithmetic(Join[LayerSpec]):
    """An operation of SIGNS."""

    arity = (2, 2)
    processor_template = "ps/arithmetic.h.j2"

    def __init__(self, name: str) -> None:
        self.name = name  # type: ignore[misc]  # one class for all rows of the table
        self.sign = SIGNS[name]
        self.layer_model = create_model(
            f"{name.title()}Spec", __base__=LayerSpec, op=(cast(Any, Literal[name]), ...)
        )
        self.layer_model.__doc__ = (
            f"{self.sign.says} for `inputs: [a, b]`; b may have the length 1 where a has more."
        )

    def infer_join(self, spec: LayerSpec, xs: tuple[TensorType, ...]) -> TensorType:  # noqa: ARG002
        """Return the first input's type.

        Raises:
            ShapeError: the second does not fit to it.
        """
        first = xs[0]
        for other in xs[1:]:
            if any(b not in (1, a) for a, b in zip(first.shape, other.shape, strict=True)):
                raise ShapeError(
                    f"the second input has neither the first's lengths nor 1: {other} beside {first}",
                    "give inputs of one shape, or the larger one first",
                )
        return first

    def processor_reason(self, dtype: DataType) -> str:
        """Return why it is not on programmable logic: there are floats alone."""
        return (
            f"op {self.name} has no form for {dtype.value} on programmable logic" if dtype in INTEGERS else ""
        )

    def plan_pl(self, spec: NetworkSpec, at: Layer, mapping: PlMapping) -> PlStep:
        """Return the process that joins.

        Raises:
            CannotFit: of integers, which only the processor joins so.
        """
        if at.x.quant:
            text = f"layer '{at.name}': {self.processor_reason(at.x.dtype)}"
            raise CannotFit(
                spec.source.problem("ps-3", spec.at_mapping(at.name, "engine"), text, "use engine: ps")
            )
        (c, h, w), other = at.x.shape, at.others[0]
        _, oh, ow = other.shape
        detail = Places(
            channels=c,
            height=h,
            width=w,
            size0=at.x.elements,
            size1=other.elements,
            step_channel=oh * ow if other.shape[0] > 1 else 0,
            step_y=ow if oh > 1 else 0,
            step_x=1 if ow > 1 else 0,
            sign=self.sign.sign,
        )
        why = f"{self.name}: {at.y.elements} results in float32, one a cycle"
        return join_step(
            spec,
            at,
            mapping,
            template="ops/arithmetic.h.j2",
            detail=detail,
            dsp=self.sign.dsp,
            lut=self.sign.lut,
            why=why,
        )

    def torch_forward(self, spec: LayerSpec, params: Any, x: tuple[Any, Any]) -> Any:  # noqa: ARG002
        """Return PyTorch's result."""
        return self.sign.values(*x)

    def hardware(self, plan: PlStep | PsStep, params: Parameters, x: tuple[Values, Values]) -> Values:  # noqa: ARG002
        """Return the results, rounded once in the precision of `x`."""
        with np.errstate(all="ignore"):
            found: Values = self.sign.values(*x)
        return found


class Difference(Arithmetic):
    """sub, of which the analysis of rounding knows how far it moves."""

    def spread(self, plan: PlStep, params: Parameters, deviation: tuple[Values, Values]) -> Values:  # noqa: ARG002
        """Return the deviations of both inputs together."""
        return deviation[0] + deviation[1]

    def rounding(self, plan: PlStep, params: Parameters, x: tuple[Values, Values]) -> Values:  # noqa: ARG002
        """Return half a unit in the last place of each difference."""
        return np.abs(x[0].astype(np.float64) - x[1]) * UNIT * 1.001 + TINY


for _name in SIGNS:
    REGISTRY.add((Difference if _name == "sub" else Arithmetic)(_name))
