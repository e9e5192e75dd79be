"""int8 ADD on all 65,536 pairs: TensorFlow Lite's definition, written from its own steps, and one with multipliers of 16 bits."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from aieloom.network.layers import Layer
from aieloom.network.tensor import Quantisation, TensorType
from aieloom.ops import REGISTRY
from aieloom.ops.integer_pairs import integer_sum
from aieloom.spec.types import DataType

Integers = NDArray[Any]
Scaled = tuple[float, int]
FIRST, SECOND = (v.ravel().astype(np.int64) for v in np.meshgrid(np.arange(-128, 128), np.arange(-128, 128)))
CASES: list[tuple[Scaled, Scaled, Scaled]] = [  # (scale, zero point) of the inputs and of the result
    ((0.02, -3), (0.05, 7), (0.06, 1)),
    ((0.5, 0), (0.5, 0), (0.75, -10)),
    ((0.0039215, -128), (0.0060795, -79), (0.0078, -128)),
    ((1.0, 127), (0.011, -128), (1.01, 0)),
    ((0.3, 5), (0.29, -60), (0.4, 20)),
]


def ours(a: Scaled, b: Scaled, y: Scaled) -> Integers:
    """What generated designs compute, by the reference that they equal to the bit."""
    types = [TensorType((1, 1, 1), DataType.INT8, Quantisation(scale=s, zero_point=z)) for s, z in (a, b, y)]
    layer = Layer(
        index=0,
        spec=REGISTRY["add"].layer_model(name="sum", op="add", inputs=("a", "b")),
        x=types[0],
        y=types[2],
        parameters=(),
        inputs=("a", "b"),
        others=(types[1],),
    )
    detail = integer_sum(SimpleNamespace(), layer)  # type: ignore[arg-type]
    step: Any = SimpleNamespace(detail=detail, read=lambda _: detail)
    operator: Any = REGISTRY["add"]
    return np.asarray(operator.integer(step, (FIRST.astype(np.int8), SECOND.astype(np.int8))), np.int64)


def doubling_high(x: Integers, multiplier: int) -> Integers:
    """gemmlowp's SaturatingRoundingDoublingHighMul: x * multiplier / 2^31, divided towards zero after the nudge."""
    product = x * multiplier + np.where(x * multiplier >= 0, 1 << 30, 1 - (1 << 30))
    return np.asarray(np.sign(product) * (np.abs(product) >> 31))


def by_power(x: Integers, exponent: int) -> Integers:
    """gemmlowp's RoundingDivideByPOT."""
    mask = (1 << exponent) - 1
    return (x >> exponent) + ((x & mask) > (mask >> 1) + (x < 0))


def tflite(a: Scaled, b: Scaled, y: Scaled) -> Integers:
    """reference_integer_ops::Add with what Prepare makes of the scales: 31-bit multipliers, left shift 20."""

    def quantised(real: float) -> tuple[int, int]:
        fraction, exponent = math.frexp(real)
        return math.floor(fraction * 2**31 + 0.5), exponent

    def scaled(x: Integers, real: float) -> Integers:
        multiplier, exponent = quantised(real)
        return by_power(doubling_high(x, multiplier), -exponent)

    widest = 2 * max(a[0], b[0])
    total = scaled((FIRST - a[1]) << 20, a[0] / widest) + scaled((SECOND - b[1]) << 20, b[0] / widest)
    return np.asarray(np.clip(scaled(total, widest / (2**20 * y[0])) + y[1], -128, 127))


def sixteen_bits(a: Scaled, b: Scaled, y: Scaled) -> Integers:
    """The accelerator's: left shift 7, multipliers round(q * 2^15) of 16 bits, clamped to [-128, 127]."""

    def scaled(x: Integers, real: float) -> Integers:
        fraction, exponent = math.frexp(real)
        multiplier, shift = round(fraction * 2**15), 15 - exponent
        return (x * multiplier + (1 << (shift - 1))) >> shift

    widest = 2 * max(a[0], b[0])
    total = scaled((FIRST - a[1]) << 7, a[0] / widest) + scaled((SECOND - b[1]) << 7, b[0] / widest)
    return np.asarray(np.clip(scaled(total, widest / (2**7 * y[0])) + y[1], -128, 127))


@pytest.mark.parametrize("case", CASES)
def test_every_pair_is_tensorflow_lites_sum(case: tuple[Scaled, Scaled, Scaled]) -> None:
    assert len(FIRST) == 65_536
    found = ours(*case)
    assert (found == tflite(*case)).all()
    assert np.abs(found - sixteen_bits(*case)).max() <= 1
    a, b, y = case
    exact = ((FIRST - a[1]) * a[0] + (SECOND - b[1]) * b[0]) / y[0] + y[1]
    assert np.abs(found - np.clip(exact, -128, 127)).max() <= 0.501
