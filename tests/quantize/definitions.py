"""TensorFlow Lite's published arithmetic in Python's integers: what aieloom's NumPy and C++ are tested against.

Written from tensorflow/lite/kernels/internal/common.h, quantization_util.cc and gemmlowp's fixedpoint.h, statement by
statement, with C's division towards zero.
"""

from __future__ import annotations

import math


def divide_towards_zero(a: int, b: int) -> int:
    return abs(a) // b if a >= 0 else -(abs(a) // b)


def saturating_rounding_doubling_high_mul(a: int, b: int) -> int:
    if a == b == -(1 << 31):
        return (1 << 31) - 1
    product = a * b
    nudge = (1 << 30) if product >= 0 else 1 - (1 << 30)
    return divide_towards_zero(product + nudge, 1 << 31)


def rounding_divide_by_pot(x: int, exponent: int) -> int:
    mask = (1 << exponent) - 1
    remainder = x & mask
    threshold = (mask >> 1) + (1 if x < 0 else 0)
    return (x >> exponent) + (1 if remainder > threshold else 0)


def multiply_by_quantized_multiplier(x: int, multiplier: int, shift: int) -> int:
    left, right = max(shift, 0), max(-shift, 0)
    return rounding_divide_by_pot(saturating_rounding_doubling_high_mul(x * (1 << left), multiplier), right)


def multiply_by_reduced_multiplier(x: int, multiplier: int, shift: int) -> int:
    """The 64-bit version, with 16 bits of the multiplier."""
    reduced = (multiplier + (1 << 15)) >> 16 if multiplier < 0x7FFF0000 else 0x7FFF
    total = 15 - shift
    return (x * reduced + (1 << (total - 1))) >> total


def quantize_multiplier(real: float) -> tuple[int, int]:
    if real == 0:
        return 0, 0
    fraction, shift = math.frexp(real)
    fixed = math.floor(abs(fraction) * (1 << 31) + 0.5)
    if fixed == 1 << 31:
        fixed //= 2
        shift += 1
    if shift < -31:
        return 0, 0
    return fixed, shift


def average_pool(values: list[int]) -> int:
    """reference_integer_ops::AveragePool of one window."""
    total, count = sum(values), len(values)
    return divide_towards_zero(total + count // 2 if total > 0 else total - count // 2, count)
