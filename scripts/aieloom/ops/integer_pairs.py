"""Two tensors of integers place by place: what their elements give together, by TensorFlow Lite's definitions and by ONNX's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from aieloom.arrays import Values
from aieloom.errors import CannotFit
from aieloom.network.layers import Layer, Parameters
from aieloom.network.quantisation import (
    divide_by_power,
    float_multiplier_of,
    float_quotient,
    high_product,
    limits,
    multiplier_of,
    to_even,
)
from aieloom.ops.join import ElementPair, places_of
from aieloom.ops.pl import TINY, UNIT
from aieloom.pl.steps import PlStep
from aieloom.spec.network import NetworkSpec
from aieloom.spec.types import DataType

# Bits by which inputs are shifted left, so that scaling them down rounds far below an element
# [tensorflow/lite/kernels/add.cc: left_shift]
LEFT_SHIFT = {DataType.INT8: 20, DataType.INT16: 15}
# Bits between two quotients that 64-bit products of 24-bit multipliers and 9-bit differences level
LEVELLED = 24
FURTHEST = 2.0**20  # between the scale of an input and that of the result
CALIBRATE = "calibrate on typical inputs"
EXACT = "{at.op}: ONNX's, {at.y.elements} results, one a cycle, scaled by float32 quotients, rounded once, halves to even"


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One scaling: (value * multiplier) / 2^31 rounded, halves up, then / 2^shift, halves away from zero."""

    multiplier: int
    shift: int

    def of(self, value: Values) -> Values:
        """Return the scaled integers."""
        scaled = high_product(value, np.int64(self.multiplier))  # type: ignore[arg-type]  # broadcasts
        return divide_by_power(scaled, np.int64(self.shift))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegerSum(ElementPair):
    """TensorFlow Lite's quantised ADD and SUB [kernels/internal/reference/integer_ops/add.h, sub.h]."""

    value = "requantise/TfliteAdd"
    sign: str  # between the inputs: + or -
    left: int
    a: Term
    b: Term
    y: Term
    low: int
    high: int

    def of(self, first: Values, second: Values) -> Values:
        """Return the sums or differences of elements."""
        pair = ((first, self.zero_a), (second, self.zero_b))
        a, b = ((v.astype(np.int64) - z) << self.left for v, z in pair)
        scaled = self.b.of(b)
        total = self.y.of(self.a.of(a) + (scaled if self.sign == "+" else -scaled)) + self.zero
        result: Values = np.clip(total, self.low, self.high).astype(first.dtype)
        return result


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactSum(ElementPair):
    """ONNX's sum of elements: the quotients of the inputs' scales and the result's as float32, exactly, rounded once."""

    value = "requantise/OnnxAdd"
    a: int  # / 2^shift; of a difference b is below 0
    b: int
    shift: int
    low: int
    high: int

    def of(self, first: Values, second: Values) -> Values:
        """Return the sums of elements."""
        a, b = (v.astype(np.int64) - z for v, z in ((first, self.zero_a), (second, self.zero_b)))
        total = to_even(a * self.a + b * self.b, self.shift) + self.zero
        result: Values = np.clip(total, self.low, self.high).astype(first.dtype)
        return result


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegerProduct(ElementPair):
    """(a - zero_a) * (b - zero_b), scaled, plus the zero point, saturated."""

    value = "requantise/TfliteMul"
    y: Term

    def of(self, first: Values, second: Values) -> Values:
        """Return the products of elements."""
        a, b = first.astype(np.int64) - self.zero_a, second.astype(np.int64) - self.zero_b
        return saturated(self.y.of(a * b) + self.zero, first.dtype)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactProduct(ElementPair):
    """ONNX's product of elements: (a - zero_a) * (b - zero_b) times the scales' quotient as float32, exactly, rounded once."""

    value = "requantise/OnnxMul"
    multiplier: int
    shift: int

    def of(self, first: Values, second: Values) -> Values:
        """Return the products of elements."""
        product = (first.astype(np.int64) - self.zero_a) * (second.astype(np.int64) - self.zero_b)
        return saturated(to_even(product * self.multiplier, self.shift) + self.zero, first.dtype)


def saturated(values: Values, dtype: np.dtype[Any]) -> Values:
    """Return values as elements, the nearest of those that are none."""
    kept = np.iinfo(dtype)
    found: Values = np.clip(values, kept.min, kept.max).astype(dtype)
    return found


class OfSums:
    """What the analysis of rounding knows of a sum or a difference; stands behind the class that has `hardware`."""

    def hardware(self, plan: PlStep, params: Parameters, x: tuple[Values, Values]) -> Values:
        """Return the results."""
        raise NotImplementedError

    def spread(self, plan: PlStep, params: Parameters, deviation: tuple[Values, Values]) -> Values:
        """Return the deviations of both inputs together."""
        return deviation[0] + deviation[1]

    def rounding(self, plan: PlStep, params: Parameters, x: tuple[Values, Values]) -> Values:
        """Return half a unit in the last place of each result."""
        return np.abs(self.hardware(plan, params, (x[0].astype(np.float64), x[1]))) * UNIT * 1.001 + TINY


def integer_sum(spec: NetworkSpec, at: Layer, sign: str = "+") -> IntegerSum:
    """Return how elements are added (or, of `sign` -, subtracted), by the definition's own steps.

    Raises:
        CannotFit: the result's scale is beyond what the definition can reach.
    """
    a, b, y = _scales(at)
    left, widest = LEFT_SHIFT[at.y.dtype], 2 * max(a, b)
    back = widest / (2**left * y)
    if back >= 1:
        text = f"is below 2^-{left} of its inputs' {widest:g}"
        raise _too_far(spec, at, text, f"{CALIBRATE}: the two branches cancel each other there")
    return IntegerSum(
        **_elements(at),
        **_bounds(at),
        sign=sign,
        left=left,
        a=term_of(a / widest),
        b=term_of(b / widest),
        y=term_of(back),
    )


def exact_sum(spec: NetworkSpec, at: Layer, sign: int = 1) -> ExactSum:
    """Return how elements are added (or, of `sign` -1, subtracted) by ONNX's definition.

    The smaller quotient keeps the bits that 64 hold: where it is below 2^-LEVELLED of the other, it is rounded to them.

    Raises:
        CannotFit: a quotient is beyond FURTHEST.
    """
    a, b, y = _scales(at)
    quotients = [float_quotient(scale, by=y) for scale in (a, b)]
    if not all(0 < q < FURTHEST for q in quotients) or max(quotients) < 1 / FURTHEST:
        text = f"layer '{at.name}': its inputs' scales {a:g} and {b:g} are too far from its result's {y:g}"
        raise CannotFit(spec.problem("quant-3", at.index, text, CALIBRATE))
    pairs = [float_multiplier_of(q) for q in quotients]
    exponents = [e for _, e in pairs]
    shift = max(1, min(max(exponents), min(exponents) + LEVELLED))
    first, second = (
        m << (shift - e) if shift >= e else (m + (1 << (e - shift) >> 1)) >> (e - shift) for m, e in pairs
    )
    return ExactSum(**_elements(at), **_bounds(at), a=first, b=sign * second, shift=shift)


def integer_product(spec: NetworkSpec, at: Layer) -> IntegerProduct:
    """Return how elements are multiplied.

    Raises:
        CannotFit: the result's scale is below the product of the inputs'.
    """
    a, b, y = _scales(at)
    real = a * b / y
    if real >= 1:
        remedy = f"{CALIBRATE}: the products are far below those of the largest values"
        raise _too_far(spec, at, f"is not above its inputs' {a:g} x {b:g}", remedy)
    return IntegerProduct(**_elements(at), y=term_of(real))


def exact_product(spec: NetworkSpec, at: Layer) -> ExactProduct:
    """Return how elements are multiplied by ONNX's definition.

    Raises:
        CannotFit: the quotient of the scales is beyond what 64 bits hold.
    """
    a, b, y = _scales(at)
    quotient = float_quotient(a, b, by=y)
    if not 1 / FURTHEST < quotient < FURTHEST:
        raise _too_far(spec, at, f"is too far from its inputs' {a:g} x {b:g}", CALIBRATE)
    multiplier, shift = float_multiplier_of(quotient)
    return ExactProduct(**_elements(at), multiplier=multiplier, shift=shift)


def term_of(real: float) -> Term:
    """Return the scaling by a factor below 1."""
    multiplier, shift = multiplier_of(real)
    return Term(multiplier=multiplier, shift=-shift)


def _scales(at: Layer) -> tuple[float, float, float]:
    a, b, y = (t.means.scale for t in (*at.xs, at.y))
    return a, b, y


def _elements(at: Layer) -> dict[str, Any]:
    """Return which values are joined, and the elements that mean 0."""
    return {"places": places_of(at), "zero_a": at.x.zero, "zero_b": at.others[0].zero, "zero": at.y.zero}


def _bounds(at: Layer) -> dict[str, Any]:
    low, high = (at.bounds.low, at.bounds.high) if at.bounds else limits(at.y.dtype)
    return {"low": low, "high": high}


def _too_far(spec: NetworkSpec, at: Layer, what: str, remedy: str) -> CannotFit:
    text = f"layer '{at.name}': its result's scale {_scales(at)[2]:g} {what}"
    return CannotFit(spec.problem("quant-3", at.index, text, remedy))
