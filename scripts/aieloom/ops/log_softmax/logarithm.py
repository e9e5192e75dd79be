"""log(x) for x >= 1 in single float32 operations, so that NumPy, the emulator and the logic agree to the bit.

x = m 2^e with m between sqrt(1/2) and sqrt(2), by the exponent's bits; log(m) = 2 atanh(s) with s = (m - 1) / (m + 1), by the
first terms of its series in s^2 < 0.0295, whose remainder is below 3e-9 of it; ln 2 in two parts, the first with so few bits
that its product with e is exact (Cody and Waite).
"""

from __future__ import annotations

import numpy as np

from aieloom.arrays import Values
from aieloom.ops.exact import horner
from aieloom.ops.exponential import LN2_HIGH, LN2_LOW

SQRT_HALF = float(np.float32(0.5**0.5))
ATANH = tuple(float(np.float32(1 / (2 * k + 1))) for k in range(4, -1, -1))


def log_of(x: Values) -> Values:
    """Return log(x), x >= 1, in the precision of `x`; each operation rounds once. NaN stays NaN."""
    number = x.dtype.type
    m, whole = np.frexp(x)
    low = m < number(SQRT_HALF)
    m, e = np.where(low, m * number(2), m), np.where(low, whole - 1, whole).astype(x.dtype)
    s = (m - number(1)) / (m + number(1))
    result: Values = e * number(LN2_HIGH) + (number(2) * s * horner(s * s, ATANH) + e * number(LN2_LOW))
    return result
