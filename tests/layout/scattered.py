"""The way back from a layout's elements to its array."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from aieloom.layout.nest import PADDING, Layout


def scattered(order: Layout, elements: Iterable[int], outside: int) -> NDArray[np.int64]:
    """Return the array with each element in its place, and `outside` where none has its place."""
    made = np.full(order.sizes, outside, np.int64)
    for place, element in zip(order.flat(), elements, strict=True):
        if place != PADDING:
            made.flat[place] = element
    return made
