"""sigmoid and tanh in single float32 operations, so that NumPy, the emulator and the logic agree to the bit.

With e = exp(-|x|), of ops/exponential.py: sigmoid(x) = 1 / (1 + e), or e / (1 + e) below 0. With e = exp(-2 |x|):
tanh(x) = (1 - e) / (1 + e), with the sign of x. Both are within 2e-7 of the functions. NaN stays NaN.
"""

from __future__ import annotations

import numpy as np

from aieloom.arrays import Values
from aieloom.ops.exponential import exp_of


def sigmoid(x: Values) -> Values:
    """Return the sigmoid in the precision of `x`; each operation rounds once."""
    one = x.dtype.type(1)
    power = exp_of(-np.abs(x))
    found: Values = np.where(x < 0, power, one) / (one + power)
    return np.where(np.isnan(x), x, found)


def tanh(x: Values) -> Values:
    """Return the hyperbolic tangent in the precision of `x`; each operation rounds once."""
    one, two = x.dtype.type(1), x.dtype.type(2)
    power = exp_of(-(two * np.abs(x)))
    found = (one - power) / (one + power)
    signed: Values = np.where(x < 0, -found, found)
    return np.where(np.isnan(x), x, signed)
