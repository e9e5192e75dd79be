"""NumPy's integer arithmetic against TensorFlow Lite's published definition, and the rules of ranges and scales."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aieloom.network.layers import Requant
from aieloom.network.quantisation import (
    dequantise,
    divide_by_power,
    high_product,
    multiplier16_of,
    multiplier_of,
    quantise,
    requantise,
)
from aieloom.network.tensor import Quantisation
from aieloom.quantize.scheme import activation_quantisation, of_range, weight_scales
from aieloom.spec.quantize import QuantizeSpec, Scales
from aieloom.spec.types import DataType
from tests.quantize import definitions as tflite

INT32 = st.integers(-(1 << 31), (1 << 31) - 1)
REALS = st.floats(2.0**-40, 2.0**8)


def numbers(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def requant(scaling: Scales, zero_point: int = 0, **more: int | bool) -> Requant:
    plain = {"low": -128, "high": 127, "shift": 0, "left": False, "wrap": False}
    return Requant(scaling=scaling, zero_point=zero_point, **{**plain, **more})  # type: ignore[arg-type]


@given(INT32, st.integers(1 << 30, (1 << 31) - 1))
def test_high_product_is_the_published_one(a: int, b: int) -> None:
    assert high_product(numbers(a), numbers(b))[0] == tflite.saturating_rounding_doubling_high_mul(a, b)


@given(INT32, st.integers(0, 30))
def test_division_by_a_power_is_the_published_one(x: int, exponent: int) -> None:
    assert divide_by_power(numbers(x), numbers(exponent))[0] == tflite.rounding_divide_by_pot(x, exponent)


@pytest.mark.parametrize("exponent", range(1, 31))
def test_ties_are_rounded_as_published(exponent: int) -> None:
    half = 1 << (exponent - 1)
    for x in (half, -half, 3 * half, -3 * half, half - 1, 1 - half, half + 1, -half - 1):
        if -(1 << 31) <= x < 1 << 31:
            assert divide_by_power(numbers(x), numbers(exponent))[0] == tflite.rounding_divide_by_pot(
                x, exponent
            )
    for x in (1, -1, 3, -3):  # halves of the high product: x * 2^30 / 2^31
        assert high_product(numbers(x), numbers(1 << 30))[0] == tflite.saturating_rounding_doubling_high_mul(
            x, 1 << 30
        )


@given(REALS)
def test_a_multiplier_is_the_published_one(real: float) -> None:
    multiplier, shift = multiplier_of(real)
    assert (multiplier, shift) == tflite.quantize_multiplier(real)
    if multiplier:
        exact = Fraction(multiplier) * Fraction(2) ** (shift - 31)
        assert abs(exact - Fraction(real)) <= Fraction(real) * Fraction(1, 1 << 31)


def test_multipliers_at_the_edges() -> None:
    assert multiplier_of(0.0) == (0, 0)
    assert multiplier_of(1.0) == (1 << 30, 1)
    assert multiplier_of(math.nextafter(1.0, 0)) == (1 << 30, 1)  # rounds up to 2^31, which is halved
    assert multiplier_of(2.0**-33) == (0, 0)
    assert multiplier16_of(0x7FFFFFFF) == 0x7FFF


@given(
    st.lists(st.integers(-(1 << 24), 1 << 24), min_size=1, max_size=8),
    st.floats(2.0**-20, 4),
    st.integers(-128, 127),
)
def test_elements_are_the_published_ones(sums: list[int], real: float, zero: int) -> None:
    multiplier, shift = multiplier_of(real)
    got = requantise(
        numbers(*sums), requant(Scales.MULTIPLIER, zero), numbers(multiplier), numbers(shift), DataType.INT8
    )
    wanted = [tflite.multiply_by_quantized_multiplier(s, multiplier, shift) + zero for s in sums]
    assert got.tolist() == [min(127, max(-128, w)) for w in wanted]


@given(
    st.lists(st.integers(-(1 << 24), 1 << 24), min_size=1, max_size=8),
    st.floats(2.0**-20, 4),
    st.integers(-128, 127),
)
def test_elements_by_16_bits_are_the_published_ones(sums: list[int], real: float, zero: int) -> None:
    multiplier, shift = multiplier_of(real)
    got = requantise(
        numbers(*sums),
        requant(Scales.MULTIPLIER16, zero),
        numbers(multiplier16_of(multiplier)),
        numbers(shift),
        DataType.INT8,
    )
    wanted = [tflite.multiply_by_reduced_multiplier(s, multiplier, shift) + zero for s in sums]
    assert got.tolist() == [min(127, max(-128, w)) for w in wanted]


@given(st.integers(-(1 << 24), 1 << 24), st.integers(0, 20))
def test_a_power_of_two_rounds_halves_up(total: int, shift: int) -> None:
    got = requantise(
        numbers(total), requant(Scales.POWER_OF_TWO, shift=shift), numbers(0), numbers(0), DataType.INT8
    )
    wanted = math.floor(Fraction(total, 1 << shift) + Fraction(1, 2))
    assert got[0] == min(127, max(-128, wanted))


def test_results_saturate_unless_told_to_wrap() -> None:
    one = multiplier_of(1.0)
    for wrap, wanted in ((False, [127, -128, 100]), (True, [-56, 56, 100])):
        got = requantise(
            numbers(200, -200, 100),
            requant(Scales.MULTIPLIER, wrap=wrap),
            numbers(one[0]),
            numbers(one[1]),
            DataType.INT8,
        )
        assert got.tolist() == wanted


def test_relu_holds_at_the_zero_point() -> None:
    one = multiplier_of(1.0)
    kept = requant(Scales.MULTIPLIER, 10, low=10, high=60)
    got = requantise(numbers(-5, 0, 3, 100), kept, numbers(one[0]), numbers(one[1]), DataType.INT8)
    assert got.tolist() == [10, 10, 13, 60]


@given(
    st.floats(-(2.0**100), 2.0**100, width=32), st.floats(2.0**-10, 2.0**10, width=32), st.integers(-128, 127)
)
def test_quantising_is_onnx_quantize_linear(x: float, scale: float, zero: int) -> None:
    quant = Quantisation(scale=scale, zero_point=zero)
    steps = round(Fraction(float(np.float32(x) / np.float32(scale))))  # Python rounds halves to even
    assert quantise(np.array([x]), quant, DataType.INT8)[0] == min(127, max(-128, steps + zero))


def test_what_is_no_number_gives_the_smallest_element() -> None:
    quant = Quantisation(scale=0.5, zero_point=3)
    got = quantise(np.array([np.nan, -np.inf, np.inf]), quant, DataType.INT8)
    assert got.tolist() == [-128, -128, 127]


@given(st.integers(-128, 127), st.floats(2.0**-10, 2.0**10, width=32), st.integers(-128, 127))
def test_elements_come_back(element: int, scale: float, zero: int) -> None:
    quant = Quantisation(scale=scale, zero_point=zero)
    assert quantise(dequantise(np.array([element]), quant), quant, DataType.INT8)[0] == element


@given(
    st.floats(-1e4, 1e4), st.floats(-1e4, 1e4), st.booleans(), st.sampled_from(["multiplier", "power_of_two"])
)
def test_zero_is_always_an_element_and_the_range_is_covered(
    a: float, b: float, symmetric: bool, scales: str
) -> None:
    low, high = min(a, b, 0.0), max(a, b, 0.0)
    quant = of_range(low, high, QuantizeSpec(symmetric=symmetric, scales=scales), DataType.INT8)
    assert -128 <= quant.zero_point <= 127
    assert not (symmetric and quant.zero_point)
    if scales == "power_of_two":
        assert math.log2(quant.scale) == round(math.log2(quant.scale))
    step = quant.scale * (1.01 if symmetric else 1.51)  # the zero point is rounded to an element
    ends = dequantise(np.array([-128, 127]), quant)
    assert ends[0] - step <= low
    assert high <= ends[1] + step


def test_methods_choose_narrower_ranges_than_the_outliers() -> None:
    x = np.random.default_rng(0).normal(size=100_000)
    x[0] = 1000.0
    scales = {
        m: activation_quantisation(x, QuantizeSpec(method=m), DataType.INT8).scale
        for m in ("min_max", "percentile", "mse")
    }
    assert scales["percentile"] < 0.05 < scales["mse"] < scales["min_max"]

    def error(scale: float) -> float:
        quant = Quantisation(scale=scale, zero_point=0)
        return float(((dequantise(quantise(x, quant, DataType.INT8), quant) - x) ** 2).mean())

    assert error(scales["mse"]) <= error(scales["percentile"])


def scales_of(weight: np.ndarray, bias: list[float] | None = None, **keys: object) -> np.ndarray:
    zeros = np.zeros(len(weight)) if bias is None else np.array(bias)
    return weight_scales(weight, zeros, 0.01, QuantizeSpec.model_validate(keys), DataType.INT8)


def test_weights_have_a_scale_for_each_channel() -> None:
    weight = np.array([[1.27, -0.5], [0.0, 0.0], [-12.7, 3.0]])
    np.testing.assert_allclose(scales_of(weight), [0.01, 0.1 * 2**-14, 0.1], rtol=1e-6)
    np.testing.assert_allclose(scales_of(weight, per_channel=False), [0.1] * 3, rtol=1e-6)
    assert scales_of(weight, scales="power_of_two").tolist() == [0.125] * 3
    assert scales_of(np.zeros((2, 3))).tolist() == [1.0, 1.0]


def test_a_bias_fits_the_sums_whatever_the_weights() -> None:
    weight = np.array([[1e-12, 0.0], [1.27, 0.0]])
    scales = scales_of(weight, bias=[1e6, 0.0])
    assert 1e6 / (0.01 * scales[0]) == pytest.approx(2**29, rel=1e-6)


def test_power_of_two_has_no_scale_for_each_channel() -> None:
    with pytest.raises(ValueError, match="per_channel: false"):
        QuantizeSpec(scales="power_of_two", per_channel=True)
