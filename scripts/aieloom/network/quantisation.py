"""Integer arithmetic as the device does it, in NumPy: exact, so that emulated results equal it bit for bit.

The multiplier and its rounding are TensorFlow Lite's published ones [tensorflow/lite/kernels/internal: QuantizeMultiplier,
MultiplyByQuantizedMultiplier; gemmlowp fixedpoint.h]: a rounding doubling high product (halves up), then a rounding
division by a power of two (halves away from zero). The vector unit has both: shift-round-saturate by `positive_inf`
and by `symmetric_inf` [UG1079].

ONNX leaves the arithmetic of its quantised operators open but for one rounding, of halves to even [QuantizeLinear].
onnxruntime's CPU provider multiplies the sum with the float32 number (x_scale * w_scale) / y_scale and rounds. That number
is a 24-bit integer times a power of two, so integers can do the same product exactly, and round it once: by `conv_even`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from aieloom.arrays import Values
from aieloom.network.layers import Requant
from aieloom.network.tensor import Quantisation
from aieloom.spec.quantize import Scales
from aieloom.spec.types import DataType

Integers = NDArray[np.int64]
INT32 = 1 << 31
FLOAT_BITS = 24  # of a float32's significand
_LIMITS = {DataType.INT8: (-128, 127), DataType.INT16: (-32768, 32767)}
NUMPY = {DataType.INT8: np.int8, DataType.INT16: np.int16}


def limits(dtype: DataType) -> tuple[int, int]:
    """Return the smallest and the largest element."""
    return _LIMITS[dtype]


def quantise(x: Values, quant: Quantisation, dtype: DataType) -> Values:
    """Return the nearest integers (halves to even, as ONNX's QuantizeLinear), saturated; NaN gives the smallest.

    The division is one float32 operation, which the host program does as well.
    """
    low, high = limits(dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        steps = np.rint(np.asarray(x, np.float32) / np.float32(quant.scale))
    zero = quant.zero_point
    held = np.where(steps > low - zero, np.minimum(steps, np.float32(high - zero)), np.float32(low - zero))
    return (held.astype(np.int32) + zero).astype(NUMPY[dtype])


def dequantise(q: Values, quant: Quantisation) -> NDArray[np.float32]:
    """Return what integers mean, as float32: one product of two float32 numbers."""
    steps = (q.astype(np.int32) - quant.zero_point).astype(np.float32)
    result: NDArray[np.float32] = steps * np.float32(quant.scale)
    return result


def shares(*, symmetric: bool) -> Quantisation:
    """Return the quantisation of numbers from 0 to 1: in steps of 1/256 from the lowest element, or of 1/128 about 0."""
    return (
        Quantisation(scale=2.0**-7, zero_point=0)
        if symmetric
        else Quantisation(scale=2.0**-8, zero_point=-128)
    )


def multiplier_of(real: float) -> tuple[int, int]:
    """Return (multiplier, shift) with real = multiplier * 2^(shift - 31), multiplier in [2^30, 2^31), or (0, 0).

    TensorFlow Lite's QuantizeMultiplier: halves away from zero; below 2^-32 it is 0.
    """
    if real == 0:
        return 0, 0
    fraction, shift = math.frexp(real)
    multiplier = math.floor(fraction * INT32 + 0.5)
    if multiplier == INT32:
        multiplier, shift = INT32 // 2, shift + 1
    return (0, 0) if shift < -31 else (multiplier, shift)


def multiplier16_of(multiplier: int) -> int:
    """Return the 16-bit multiplier of a 32-bit one, as TensorFlow Lite reduces it."""
    return (multiplier + (1 << 15)) >> 16 if multiplier < 0x7FFF0000 else 0x7FFF


def high_product(a: Integers, b: Integers) -> Integers:
    """Return a * b / 2^31, halves up: the rounding doubling high product of 32-bit numbers."""
    result: Integers = (a * b + (1 << 30)) >> 31
    return result


def divide_by_power(x: Integers, exponent: Integers) -> Integers:
    """Return x / 2^exponent, halves away from zero."""
    half = np.where(exponent > 0, np.int64(1) << np.maximum(exponent - 1, 0), 0)
    magnitude = (np.abs(x) + half) >> exponent
    result: Integers = np.where(x < 0, -magnitude, magnitude)
    return result


def float_multiplier_of(real: np.float32) -> tuple[int, int]:
    """Return (multiplier, exponent) of a float32 above 0: it is multiplier / 2^exponent exactly, multiplier in [2^23, 2^24)."""
    fraction, power = math.frexp(float(real))
    return int(math.ldexp(fraction, FLOAT_BITS)), FLOAT_BITS - power


def float_quotient(*factors: float, by: float) -> np.float32:
    """Return the product of scales divided by another one, each operation rounded to float32."""
    product = np.float32(1)
    with np.errstate(over="ignore", under="ignore"):
        for factor in factors:
            product = product * np.float32(factor)
        return product / np.float32(by)


def to_even(x: Integers, shift: int) -> Integers:
    """Return x / 2^shift, halves to even."""
    quotient = x >> shift
    if shift == 0:
        return quotient
    rest, half = x & ((1 << shift) - 1), 1 << (shift - 1)
    up = (rest > half) | ((rest == half) & (quotient & 1 == 1))
    result: Integers = quotient + up
    return result


def requantise(
    sums: Integers, requant: Requant, multiplier: Integers, shift: Integers, dtype: DataType
) -> Values:
    """Return the elements of `sums`; `multiplier` and `shift` are the channels', shaped to broadcast against it."""
    if requant.scaling is Scales.POWER_OF_TWO:
        return _power_of_two(sums, requant, dtype)
    if requant.scaling is Scales.ONNX:
        scaled = to_even(np.clip(sums << shift, -INT32, INT32 - 1) * multiplier, requant.shift)
        return _held(scaled + requant.zero_point, requant, dtype)
    if requant.scaling is Scales.MULTIPLIER:
        scaled = high_product(sums << np.maximum(shift, 0), multiplier)
        scaled = divide_by_power(scaled, np.maximum(-shift, 0))
    else:
        total = 15 - shift
        scaled = (sums * multiplier + (np.int64(1) << (total - 1))) >> total
    return _held(scaled + requant.zero_point, requant, dtype)


def _held(x: Integers, requant: Requant, dtype: DataType) -> Values:
    """Return numbers as elements: within the layer's bounds, and saturated unless it wraps."""
    least, most = limits(dtype)
    if requant.low > least:
        x = np.maximum(x, requant.low)
    if requant.high < most:
        x = np.minimum(x, requant.high)
    return (x if requant.wrap else np.clip(x, least, most)).astype(NUMPY[dtype])


def _power_of_two(sums: Integers, requant: Requant, dtype: DataType) -> Values:
    """Shift with halves up into 16 bits, hold within the bounds, narrow: without a multiplication."""
    half = (1 << requant.shift) >> 1
    shifted = (sums + half) >> requant.shift
    wide = shifted.astype(np.int16).astype(np.int64) if requant.wrap else np.clip(shifted, -32768, 32767)
    return _held(wide, requant, dtype)
