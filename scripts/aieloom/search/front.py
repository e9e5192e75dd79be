"""Rows of figures, all the smaller the better: which are beaten by none, and which few stand for many."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

LEVELS = 16


def pareto(figures: NDArray[np.float64]) -> list[int]:
    """Return the rows that no other row beats, in the order of their figures; of equal rows the first."""
    order = np.lexsort(figures.T[::-1])
    rows, kept = figures[order], []
    while len(order):
        kept.append(int(order[0]))
        # The first in lexical order is beaten by none after it; what is nowhere better than it goes.
        better = (rows < rows[0]).any(axis=1)
        order, rows = order[better], rows[better]
    return kept


def representatives(
    figures: NDArray[np.float64], columns: Sequence[int], levels: int = LEVELS
) -> NDArray[np.int64]:
    """Return rows that stand for all: for every two of `columns` the best by one within levels of the other."""
    chosen: set[int] = set()
    ladders = {x: _levels(figures[:, x], levels) for x in columns}
    for y in columns:
        rest = [x for x in columns if x != y]
        order = np.lexsort([figures[:, x] for x in (*reversed(rest), y)])
        for x in rest:
            sorted_x = figures[order, x]
            chosen |= {int(order[np.argmax(sorted_x <= level)]) for level in ladders[x]}
    return np.array(sorted(chosen), dtype=np.int64)


def _levels(values: NDArray[np.float64], count: int) -> list[float]:
    """Return values that occur, from the least to the greatest, evenly spaced among those that occur."""
    distinct = np.unique(values)
    picks = np.unique(np.linspace(0, len(distinct) - 1, min(count, len(distinct))).round().astype(int))
    return [float(v) for v in distinct[picks]]
