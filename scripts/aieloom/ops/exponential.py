"""exp(x) for x <= 0 in single float32 operations, so that NumPy, the emulator and the logic agree to the bit.

x = n ln 2 + r with n the integer nearest to x / ln 2; exp(r) by its Taylor polynomial of degree 7, |r| < 0.35, whose
remainder is below 6e-9; times 2^n by the exponent's bits. ln 2 is subtracted in two parts, the first with so few
bits that its product with n is exact (Cody and Waite). Below -87 the result, under 2^-125, is taken as 0.
"""

from __future__ import annotations

from math import factorial

import numpy as np

from aieloom.arrays import Values
from aieloom.ops.exact import horner

EXP_ROUNDING = 100  # units in the last place: |value - largest| < 88, the polynomial, the products
LOWEST = -87.0
LOG2_E = float(np.float32(1.4426950408889634))
LN2_HIGH = 0.693359375  # 355 / 512
LN2_LOW = float(np.float32(0.6931471805599453 - LN2_HIGH))
COEFFICIENTS = tuple(float(np.float32(1 / factorial(k))) for k in range(7, -1, -1))


def exp_of(x: Values) -> Values:
    """Return exp(x), x <= 0, in the precision of `x`; each operation rounds once. NaN stays NaN."""
    number = x.dtype.type
    held = np.where(x >= number(LOWEST), x, number(LOWEST))
    n = np.trunc(held * number(LOG2_E) - number(0.5))  # towards zero: the nearest, as held is not above 0
    r = (held - n * number(LN2_HIGH)) - n * number(LN2_LOW)
    power = np.ldexp(horner(r, COEFFICIENTS), n.astype(np.int32))
    result: Values = np.where(x >= number(LOWEST), power, np.where(x < number(LOWEST), number(0), x))
    return result


def largest(x: Values) -> Values:
    """Return the largest value of each pixel; 0 and -0 are equal, which of them stays changes nothing."""
    best = x[:, :1]
    for c in range(1, x.shape[1]):
        best = np.where(x[:, c : c + 1] > best, x[:, c : c + 1], best)
    return best


def total(power: Values) -> Values:
    """Return the sum over the channels of each pixel, from 0 and in their order."""
    found = np.zeros_like(power[:, :1])
    for c in range(power.shape[1]):
        found = found + power[:, c : c + 1]
    return found
