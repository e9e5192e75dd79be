"""The inner loop of a convolution in lanes, tap by tap: its template prints it, and schedules are made of it."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import NamedTuple


class Load(NamedTuple):
    """An operand: so many blocks behind a pointer."""

    name: str
    pointer: str
    at: int


class Mac(NamedTuple):
    """One mmul."""

    sum: str
    weights: str
    pixels: str


class Tap(NamedTuple):
    """A kernel column: the pixels that no tap before it has loaded, its weights, its products."""

    pixels: tuple[Load, ...]
    weights: tuple[Load, ...]
    macs: tuple[Mac, ...]


def sum_name(row: int, line: int, step: int) -> str:
    """Return what a block of sums in flight is called."""
    return f"c{row}{line}{step}"


@lru_cache(maxsize=4096)
def taps_of(held: tuple[int, int, int], stride: int, taps: int) -> tuple[Tap, ...]:
    """Return the taps: a step sees column step x stride + tap, which a tap before it has loaded for another step, or none."""
    outputs, lines, steps = (range(count) for count in held)
    found, loaded = [], set[int]()
    for tap in range(taps):
        fresh = [c for c in (x * stride + tap for x in steps) if c not in loaded]
        loaded.update(fresh)
        found.append(
            Tap(
                pixels=tuple(Load(f"p{y}_{c}", f"b{y}", c) for y, c in product(lines, fresh)),
                weights=tuple(Load(f"w{r}_{tap}", f"a{r}", tap) for r in outputs),
                macs=tuple(
                    Mac(sum_name(r, y, x), f"w{r}_{tap}", f"p{y}_{x * stride + tap}")
                    for r, y, x in product(outputs, lines, steps)
                ),
            )
        )
    return tuple(found)
