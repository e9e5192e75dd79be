"""What the table computes, and how far a value is from where the table steps."""

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
    scaled = (x * x.dtype.type(lut.scale)).astype(np.float64)
    nearest = np.copysign(np.floor(np.abs(scaled) + 0.5), scaled)
    return np.clip(nearest + lut.offset, 0, lut.entries - 1).astype(np.int64)


def hardware(lut: Lut, x: Values) -> Values:
    """Return the table's value for each `x`, `above` from `high` on and `below` under `low`."""
    values = np.asarray(lut.values, x.dtype)[index_of(lut, x)]
    values = np.where(x >= lut.high, x.dtype.type(lut.above), values)
    return np.where(x < lut.low, x.dtype.type(lut.below), values)


def step_distance(lut: Lut, x: Values) -> Values:
    """Return how far each `x` (float64) is from the nearest place where the table's value changes.

    Steps lie half-way between entries; the first and the last entry end at the range's limits.
    """
    inner = np.clip(x, (0.5 - lut.offset) / lut.scale, (lut.entries - 1.5 - lut.offset) / lut.scale)
    scaled = inner * lut.scale
    nearest_half = np.floor(scaled) + 0.5
    to_step = np.abs(x - nearest_half / lut.scale)
    return np.minimum(to_step, np.minimum(np.abs(x - lut.low), np.abs(x - lut.high)))
