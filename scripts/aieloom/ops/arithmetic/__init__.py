"""mul, sub, div: two tensors place by place; the second may have the length 1 where the first has more.

On programmable logic; div of integers on the processor. In integers sub is TensorFlow Lite's SUB and mul its MUL
[kernels/internal/reference/sub.h, integer_ops/mul.h], whose multiplier must be below 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from pydantic import create_model

from aieloom.arrays import Values
from aieloom.errors import CannotFit
from aieloom.network.layers import Layer, Parameters, ShapeError
from aieloom.network.quantisation import float_multiplier_of, float_quotient, limits, to_even
from aieloom.network.tensor import TensorType
from aieloom.ops.add import (
    CALIBRATE,
    FURTHEST,
    ExactSum,
    IntegerSum,
    Term,
    exact_join,
    exact_sum,
    integer_sum,
    term_of,
)
from aieloom.ops.join import Join, join_step
from aieloom.ops.pl import TINY, UNIT, PlMapping
from aieloom.ops.registry import REGISTRY
from aieloom.pl.steps import PlStep
from aieloom.plan.processor import PsStep
from aieloom.spec.network import LayerSpec, NetworkSpec
from aieloom.spec.quantize import Scales
from aieloom.spec.types import DataType

if TYPE_CHECKING:
    import torch

INTEGERS = (DataType.INT8, DataType.INT16)


@dataclass(frozen=True, slots=True)
class _Sign:
    """An operation in C++ and in Python, with its price on programmable logic (estimates)."""

    says: str
    sign: str
    values: Callable[[Any, Any], Any]  # of arrays or of tensors
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


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegerProduct:
    """(a - zero_a) * (b - zero_b), scaled, plus the zero point, saturated."""

    places: Places
    zero_a: int
    zero_b: int
    y: Term
    zero: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegerDifference:
    """As an IntegerSum, but for the sign of b."""

    places: Places
    sum: IntegerSum


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactDifference(ExactSum):
    """ONNX's difference of elements: a sum whose second multiplier is below 0."""

    places: Places


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactProduct:
    """ONNX's product of elements: (a - zero_a) * (b - zero_b) times the scales' quotient as float32, exactly, rounded once."""

    places: Places
    zero_a: int
    zero_b: int
    multiplier: int
    shift: int
    zero: int

    def of(self, first: Values, second: Values) -> Values:
        """Return the products of elements."""
        product = (first.astype(np.int64) - self.zero_a) * (second.astype(np.int64) - self.zero_b)
        total = to_even(product * self.multiplier, self.shift) + self.zero
        found: Values = np.clip(total, *limits(DataType.INT8)).astype(first.dtype)
        return found


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

    def infer_join(self, spec: LayerSpec, xs: tuple[TensorType, ...]) -> TensorType:
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
        """Return why it is not on programmable logic: a quotient of integers is not."""
        if self.name != "div" or dtype not in INTEGERS:
            return ""
        return f"op {self.name} has no form for {dtype.value} on programmable logic"

    def plan_pl(self, spec: NetworkSpec, at: Layer, mapping: PlMapping) -> PlStep:
        """Return the process that joins.

        Raises:
            CannotFit: integers' scales lie too far apart, or they are to be divided.
        """
        (c, h, w), other = at.x.shape, at.others[0]
        _, oh, ow = other.shape
        places = Places(
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
        if at.x.quant:
            return self._integers(spec, at, mapping, places)
        why = f"{self.name}: {at.y.elements} results in float32, one a cycle"
        return join_step(
            spec,
            at,
            mapping,
            template="ops/arithmetic.h.j2",
            detail=places,
            dsp=self.sign.dsp,
            lut=self.sign.lut,
            why=why,
        )

    def _integers(self, spec: NetworkSpec, at: Layer, mapping: PlMapping, places: Places) -> PlStep:
        """Return the process that joins elements."""
        found: IntegerProduct | IntegerDifference
        if spec.scaling is Scales.ONNX and self.name != "div":
            exact = _exact_product if self.name == "mul" else _exact_difference
            return exact_join(spec, at, mapping, self.name, exact(spec, at, places))
        if self.name == "mul":
            found = _product(spec, at, places)
        elif self.name == "sub":
            found = IntegerDifference(places=places, sum=integer_sum(spec, at))
        else:
            text = f"layer '{at.name}': {self.processor_reason(at.x.dtype)}"
            path = spec.at_mapping(at.name, "engine")
            raise CannotFit(spec.source.problem("ps-2", path, text, "use engine: ps"))
        why = f"{self.name}: TensorFlow Lite's, {at.y.elements} results, one a cycle"
        template = f"ops/integer_{self.name}.h.j2"
        return join_step(spec, at, mapping, template=template, detail=found, dsp=12, lut=900, why=why)

    def integer(self, plan: PlStep, x: tuple[Values, Values]) -> Values:
        """Return the results of elements."""
        d = plan.detail
        if isinstance(d, ExactDifference | ExactProduct):
            return d.of(*x)
        a, b = (v.astype(np.int64) for v in x)
        if isinstance(d, IntegerProduct):
            total = d.y.of((a - d.zero_a) * (b - d.zero_b)) + d.zero
            low, high = limits(plan.y.dtype)
        else:
            s = plan.read(IntegerDifference).sum
            total = s.y.of(s.a.of((a - s.zero_a) << s.left) - s.b.of((b - s.zero_b) << s.left)) + s.zero
            low, high = s.low, s.high
        found: Values = np.clip(total, low, high).astype(x[0].dtype)
        return found

    def torch_forward(
        self, spec: LayerSpec, params: Parameters, x: tuple[torch.Tensor, torch.Tensor]
    ) -> torch.Tensor:
        """Return PyTorch's result."""
        made: torch.Tensor = self.sign.values(*x)
        return made

    def hardware(self, plan: PlStep | PsStep, params: Parameters, x: tuple[Values, Values]) -> Values:
        """Return the results, rounded once in the precision of `x`."""
        with np.errstate(all="ignore"):
            found: Values = self.sign.values(*x)
        return found


def _product(spec: NetworkSpec, at: Layer, places: Places) -> IntegerProduct:
    """Return how elements are multiplied.

    Raises:
        CannotFit: the result's scale is below the product of the inputs'.
    """
    a, b, y = (t.quant for t in (*at.xs, at.y))
    assert a is not None
    assert b is not None
    assert y is not None
    real = a.scale * b.scale / y.scale
    if real >= 1:
        text = f"layer '{at.name}': its result's scale {y.scale:g} is not above its inputs' {a.scale:g} x {b.scale:g}"
        remedy = "calibrate on typical inputs: the products are far below those of the largest values"
        raise CannotFit(spec.source.problem("quant-3", spec.at_layer(at.index), text, remedy))
    return IntegerProduct(
        places=places, zero_a=a.zero_point, zero_b=b.zero_point, y=term_of(real), zero=y.zero_point
    )


def _exact_product(spec: NetworkSpec, at: Layer, places: Places) -> ExactProduct:
    """Return how elements are multiplied by ONNX's definition.

    Raises:
        CannotFit: the quotient of the scales is beyond what 64 bits hold.
    """
    a, b, y = (t.quant for t in (*at.xs, at.y))
    assert a is not None
    assert b is not None
    assert y is not None
    quotient = float_quotient(a.scale, b.scale, by=y.scale)
    if not 1 / FURTHEST < quotient < FURTHEST:
        text = f"layer '{at.name}': its result's scale {y.scale:g} is too far from its inputs' {a.scale:g} x {b.scale:g}"
        raise CannotFit(spec.source.problem("quant-3", spec.at_layer(at.index), text, CALIBRATE))
    multiplier, shift = float_multiplier_of(quotient)
    return ExactProduct(
        places=places,
        zero_a=a.zero_point,
        zero_b=b.zero_point,
        multiplier=multiplier,
        shift=shift,
        zero=y.zero_point,
    )


def _exact_difference(spec: NetworkSpec, at: Layer, places: Places) -> ExactDifference:
    found = exact_sum(spec, at, sign=-1)
    return ExactDifference(places=places, **{f.name: getattr(found, f.name) for f in fields(found)})


class Difference(Arithmetic):
    """sub, of which the analysis of rounding knows how far it moves."""

    def spread(self, plan: PlStep, params: Parameters, deviation: tuple[Values, Values]) -> Values:
        """Return the deviations of both inputs together."""
        return deviation[0] + deviation[1]

    def rounding(self, plan: PlStep, params: Parameters, x: tuple[Values, Values]) -> Values:
        """Return half a unit in the last place of each difference."""
        return np.abs(x[0].astype(np.float64) - x[1]) * UNIT * 1.001 + TINY


for _name in SIGNS:
    _made = (Difference if _name == "sub" else Arithmetic)(_name)
    REGISTRY.add(_made)
    globals()[_made.layer_model.__name__] = _made.layer_model  # the search's processes find it by this name
