"""Functions of a value for the processor, in float64 operations that are the same everywhere.

The C library's exp, log and erf differ between libraries in their last bits. These are made of sums, products,
quotients, square roots and powers of two alone, each rounded once by IEEE 754, in the order that `host/ps/exact.h` has too:
NumPy and the compiled host program agree to the bit. The result is rounded to float32 at the end; before, it is within
1e-12 of the true value, relatively where that is not below 1e-30 (tests/ops/test_ops_processor.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aieloom.arrays import Values

MOST = 1000.0  # beyond it float64 is infinite or 0, so that products with infinities are as the definitions have them
LOG2_E = 1.4426950408889634
LN2_HIGH = 0.693147180369123816  # 32 bits: its product with an exponent is exact
LN2_LOW = 1.9082149292705877e-10
SQRT_HALF = 0.7071067811865476
TWO_OVER_SQRT_PI = 1.1283791670955126
EXP_TERMS = 14  # of Taylor's series for |x| < ln 2 / 2
SMALL = 0.25  # below it exp(x) - 1 is a series of its own
LOG_TERMS = 18  # of atanh's series for |s| <= 1/3
ERF_TERMS = 80  # of erf's series for |x| < ERF_MOST
ERF_MOST = 5.0  # beyond it erf is 1 to 2e-12


def _held(x: Values, low: float, high: float) -> Values:
    return np.where(x > high, high, np.where(x < low, low, x))


def horner(x: Values, coefficients: Sequence[float]) -> Values:
    """Return a polynomial, the highest power's coefficient first, in the precision of `x`; each operation rounds once."""
    total = np.full_like(x, x.dtype.type(coefficients[0]))
    for c in coefficients[1:]:
        total = total * x + x.dtype.type(c)
    return total


def _inverse_factorials(terms: int, first: int) -> tuple[float, ...]:
    """Return 1 / k! from k = first + terms - 1 down to k = first, each by repeated division."""
    found, value = [], 1.0
    for k in range(1, first + terms):
        if k > first:
            found.append(value)
        value = value / k
    return (*reversed([*found, value]),)


def _inverse_odds(terms: int) -> tuple[float, ...]:
    return tuple(1.0 / (2 * k + 1) for k in range(terms - 1, -1, -1))


def exp(x: Values) -> Values:
    """Return e to the power x: n ln 2 + r, a polynomial of r, times 2^n."""
    held = _held(x, -MOST, MOST)
    n = np.rint(held * LOG2_E)
    rest = (held - n * LN2_HIGH) - n * LN2_LOW
    power = horner(rest, _EXP)
    whole = np.where(np.isnan(x), 0.0, n).astype(np.int32)
    with np.errstate(over="ignore", under="ignore"):
        return np.where(np.isnan(x), x, np.ldexp(power, whole))


def expm1(x: Values) -> Values:
    """Return e to the power x, less 1, without cancellation near 0."""
    is_near = np.abs(x) < SMALL
    held = np.where(is_near, x, 0.0)  # powers of others can be too large for a float64
    return np.where(is_near, held * horner(held, _EXPM1), exp(x) - 1.0)


def log(x: Values) -> Values:
    """Return the natural logarithm: e ln 2 plus that of m, which lies between sqrt(1/2) and sqrt(2)."""
    positive = (x > 0) & (x < np.inf)
    m, e = np.frexp(np.where(positive, x, 1.0))
    low = m < SQRT_HALF
    m, e = np.where(low, m * 2.0, m), np.where(low, e - 1, e).astype(np.float64)
    found = e * LN2_HIGH + (_atanh2((m - 1.0) / (m + 1.0)) + e * LN2_LOW)
    special = np.where(x == 0, -np.inf, np.where(x > 0, x, np.nan))
    return np.where(positive, found, special)


def log1p_small(x: Values) -> Values:
    """Return the logarithm of 1 + x for x from 0 to 1."""
    return _atanh2(x / (2.0 + x))


def _atanh2(s: Values) -> Values:
    return 2.0 * s * horner(s * s, _ATANH)


def erf(x: Values) -> Values:
    """Return the error function: 2 / sqrt(pi) exp(-x^2) times the sum of x (2x^2)^k / (1 3 5 ... (2k + 1))."""
    held = _held(x, -ERF_MOST, ERF_MOST)
    step = 2.0 * held * held
    total = np.full_like(held, 1.0)
    for k in range(ERF_TERMS, 0, -1):
        total = 1.0 + total * (step / (2.0 * k + 1.0))
    found = TWO_OVER_SQRT_PI * held * exp(-(held * held)) * total
    return np.where(x > ERF_MOST, 1.0, np.where(x < -ERF_MOST, -1.0, found))


def tanh(x: Values) -> Values:
    """Return the hyperbolic tangent of |x| with the sign of x."""
    less = expm1(-2.0 * np.abs(x))
    size = -less / (less + 2.0)
    return np.where(x < 0, -size, size)


def sigmoid(x: Values) -> Values:
    """Return 1 / (1 + exp(-x))."""
    return 1.0 / (1.0 + exp(-x))


def softplus(x: Values) -> Values:
    """Return log(1 + exp(x))."""
    return np.where(x > 0, x, 0.0) + log1p_small(exp(-np.abs(x)))


_EXP = _inverse_factorials(EXP_TERMS, 0)
_EXPM1 = _inverse_factorials(EXP_TERMS, 1)
_ATANH = _inverse_odds(LOG_TERMS)
