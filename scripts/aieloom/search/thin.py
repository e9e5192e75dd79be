"""A search in little time: of the ways to cut a dimension only those into a round number of pieces."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

# Prime factors of the numbers of pieces that are tried, level by level; () on the last but one: powers of two, then of four.
_FACTORS: tuple[tuple[int, ...] | None, ...] = (None, (3, 5), (3,), (), ())
LEVELS = len(_FACTORS)
_MODES = (99, 99, 4, 2, 2)  # ways to multiply, the best first
_LARGEST = 1 << 24


@cache
def pieces(level: int) -> frozenset[int] | None:
    """Return the numbers of pieces that a level tries; None when it tries all."""
    factors = _FACTORS[level]
    if factors is None:
        return None
    step = 4 if level == LEVELS - 1 else 2
    return frozenset(n * f for n in _powers(step) for f in (1, *factors))


def _powers(step: int) -> Iterator[int]:
    n = 1
    while n <= _LARGEST:
        yield n
        n *= step


def tries(level: int, count: int) -> bool:
    """Tell whether a level cuts a dimension into so many pieces."""
    known = pieces(level)
    return known is None or count in known


def modes(level: int) -> int:
    """Return how many ways to multiply a level tries."""
    return _MODES[level]
