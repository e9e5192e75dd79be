"""bfloat16 in NumPy: the upper half of a float32, rounded to the nearest, halves to even."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aieloom.arrays import Values


def bfloat16_bits(x: Values) -> NDArray[np.uint16]:
    """Return the bits of the nearest bfloat16 numbers; NaN stays NaN."""
    values = np.ascontiguousarray(x, np.float32)
    bits = values.view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    result: NDArray[np.uint16] = np.where(np.isnan(values), (bits >> 16) | 0x40, rounded).astype(np.uint16)
    return result


def to_bfloat16(x: Values) -> NDArray[np.float32]:
    """Return the nearest bfloat16 numbers, as float32."""
    result: NDArray[np.float32] = (bfloat16_bits(x).astype(np.uint32) << 16).view(np.float32)
    return result
