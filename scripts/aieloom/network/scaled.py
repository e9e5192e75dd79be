"""Factors and offsets of integers: y = zero + (u * factor + offset) / 2^shift, halves up, kept between -128 and 127.

`u` is what a layer scales (an element above its zero point, a normalised value in steps of 2^-12); factors have 16 bits with
sign, offsets 31, and the shift is the largest that both allow, so that the factors lose as little as they can.
"""

from __future__ import annotations

import numpy as np

from aieloom.arrays import Values

MOST_ELEMENTS = (
    1 << 12
)  # of a row that is normalised: a sum of 32 bits holds its squares, 19 bits a normalised value
FACTOR_BITS = 15  # beside the sign
OFFSET_BITS = 30
MOST_SHIFT = 30


def factors_of(weight: Values, bias: Values) -> dict[str, Values] | None:
    """Return factors and offsets, int32 of the shapes that are given, and the shift `(1)`; None where no shift is enough.

    `weight` and `bias` are real numbers in elements of the result: y is about u * weight + bias.
    """
    largest, far = (float(np.abs(v).max(initial=0.0)) for v in (weight, bias))
    fits = [
        s
        for s in range(MOST_SHIFT, -1, -1)
        if np.rint(largest * 2.0**s) < 1 << FACTOR_BITS and np.rint(far * 2.0**s) < 1 << OFFSET_BITS
    ]
    if not fits:
        return None
    one = 2.0 ** fits[0]
    return {
        "factor": np.rint(weight * one).astype(np.int32),
        "offset": np.rint(bias * one).astype(np.int32),
        "shift": np.array(fits[:1], np.int32),
    }


def scaled(u: Values, factor: Values, offset: Values, shift: int, zero: int) -> Values:
    """Return elements; factors and offsets broadcast against the integers `u`."""
    half = (1 << shift) >> 1
    found = (u.astype(np.int64) * factor + offset + half) >> shift
    held: Values = np.clip(found + zero, -128, 127).astype(np.int8)
    return held
