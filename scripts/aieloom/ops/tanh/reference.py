"""What the table computes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aieloom.plan.types import Lut

Values = NDArray[Any]


def index_of(lut: Lut, x: Values) -> NDArray[np.int64]:
    """Return each value's entry: min(entries-1, round(x * scale) + offset), halves away from zero.

    The product is rounded to the precision of `x`, as a multiplier of that precision does.
    """
    inside = np.clip(x, x.dtype.type(lut.low), x.dtype.type(lut.high))  # beyond it no entry is read
    scaled = (inside * x.dtype.type(lut.scale)).astype(np.float64)
    whole = np.trunc(scaled)
    rest = scaled - whole  # exact, which scaled + 0.5 would not be
    nearest = whole + (rest >= 0.5) - (rest <= -0.5)
    index: NDArray[np.int64] = np.clip(nearest + lut.offset, 0, lut.entries - 1).astype(np.int64)
    return index


def hardware(lut: Lut, x: Values) -> Values:
    """Return the table's value for each `x`, `above` from `high` on and `below` under `low`."""
    values = np.asarray(lut.values, x.dtype)[index_of(lut, x)]
    values = np.where(x >= lut.high, x.dtype.type(lut.above), values)
    return np.where(x < lut.low, x.dtype.type(lut.below), values)
