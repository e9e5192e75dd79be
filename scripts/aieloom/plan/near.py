"""Which legal tiles are near one that a rule refuses: what its message proposes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from aieloom.hardware.mmul import Shape
from aieloom.plan.gemm import halved, round_up

MULTIPLES = 64  # of the smallest length that are tried, beside the lengths that cut the matrix evenly
NAMED = 3


def nearest_tiles(tile: Shape, size: Shape, steps: Shape, legal: Callable[[Shape], bool]) -> str:
    """Name the legal tiles that differ from `tile` in one length, the nearest ones; empty when there are none.

    `size` is that of the whole matrix product, `steps` are what lengths are multiples of.
    """
    found = [(_apart(tile, other), other) for other in _others(tile, size, steps) if legal(other)]
    nearest = dict.fromkeys(t for _, t in sorted(found))
    return "nearest legal tiles: " + ", ".join(str(list(t)) for t in list(nearest)[:NAMED]) if found else ""


def _others(tile: Shape, size: Shape, steps: Shape) -> Iterator[Shape]:
    for axis, (whole, step) in enumerate(zip(size, steps, strict=True)):
        limit = round_up(whole, step)
        for length in sorted({*range(step, min(limit, MULTIPLES * step) + 1, step), *halved(limit, step)}):
            other = (*tile[:axis], length, *tile[axis + 1 :])
            if other != tile:
                yield other


def _apart(a: Shape, b: Shape) -> float:
    """Return how far two tiles are apart that differ in one length, as a share of the longer one."""
    return max(abs(x - y) / max(x, y) for x, y in zip(a, b, strict=True))
