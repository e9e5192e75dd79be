"""An affine layout as the dimensions of a DMA's buffer descriptor: how many steps of how many words, and zeros beside them.

A dimension of a descriptor has a wrap and a step, that of a memory tile zeros before and after
as well [AM020, Memory Tile; AM029].
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from aieloom.layout.expression import coefficients
from aieloom.layout.nest import Axis, Layout

WORD_BYTES = 4  # steps and runs are counted in 32-bit words


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimension:
    """`wrap` steps of `step` elements or words over what the buffer holds, zeros for so many steps beside."""

    wrap: int
    step: int
    before: int = 0
    after: int = 0

    @property
    def padded(self) -> bool:
        """Tell whether zeros come before or after."""
        return bool(self.before or self.after)


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """A layout's dimensions, the fastest first, and the first element.

    `unpadded` limits are no zeros beside one dimension, or leave nothing of it beside which zeros could be.
    """

    dimensions: tuple[Dimension, ...]
    first: int
    unpadded: int


def walk(layout: Layout) -> Walk:
    """Return an affine layout's dimensions in elements, one for each loop.

    Raises:
        ValueError: a place is no sum of indices by constants.
    """
    steps, first = dict[str, int](), 0
    for number, a in enumerate(layout.axes):
        stride = math.prod(layout.sizes[number + 1 :])
        for name, by in _affine(a).items():
            steps[name] = steps.get(name, 0) + by * stride
    zeros, unpadded = _zeros(layout)
    found = []
    for number, i in enumerate(reversed(layout.loops)):
        before, after = zeros.get(i.name, (0, 0))
        step = steps.get(i.name, 0)
        first += before * step
        wrap = i.count.number - before - after
        unpadded += wrap < 1
        if wrap != 1 or before or after or number == 0:
            found.append(Dimension(wrap=wrap, step=step, before=before, after=after))
    return Walk(dimensions=tuple(found), first=first + steps[""], unpadded=unpadded)


def _zeros(layout: Layout) -> tuple[dict[str, tuple[int, int]], int]:
    """Return how many steps of each loop lie before and behind all limits, and how many limits no single loop reaches."""
    counts = {i.name: i.count.number for i in layout.loops}
    found, others = dict[str, tuple[int, int]](), 0
    for bound in layout.bounds:
        moved = {n: step for n, step in _affine(bound).items() if step and counts.get(n, 1) > 1}
        low, high = bound.place.interval
        if list(moved.values()) == [1]:
            (name,) = moved
            before, after = found.get(name, (0, 0))
            found[name] = max(before, -low), max(after, high + 1 - bound.size.number)
        else:
            others += 1
    return found, others


def _affine(a: Axis) -> dict[str, int]:
    found = coefficients(a.place)
    if found is None:
        raise ValueError(f"a DMA has no steps along {a.name}: {a.place}")
    return found


def in_words(dimensions: Sequence[Dimension], size: int) -> list[Dimension]:
    """Return dimensions of elements of so many bytes as those of words, a part of a word counted as one."""

    def words(elements: int) -> int:
        return -(-elements * size // WORD_BYTES)

    first, *others = dimensions
    run = replace(first, wrap=words(first.wrap), step=1, before=words(first.before), after=words(first.after))
    return [run, *(replace(d, step=words(d.step)) for d in others)]


def merged(dimensions: Sequence[Dimension]) -> list[Dimension]:
    """Return the dimensions with those joined that go on where the one inside them ends."""
    found: list[Dimension] = []
    for outer in dimensions:
        inner = found[-1] if found else None
        if inner and not inner.padded and not outer.padded and outer.step == inner.step * inner.wrap:
            found[-1] = replace(inner, wrap=inner.wrap * outer.wrap)
        else:
            found.append(outer)
    if len(found) > 1 and found[0].wrap == 1 and not found[0].padded:
        del found[0]  # runs of a word
    return found


def split(dimensions: Sequence[Dimension], most: int) -> list[Dimension]:
    """Return the dimensions with those of more than `most` steps in two, where they divide so; the last one runs on."""
    found: list[Dimension] = []
    for d in dimensions[:-1]:
        parts = [n for n in range(2, d.wrap) if d.wrap % n == 0 and d.wrap // n <= most and n <= most]
        if d.wrap > most and not d.padded and parts:
            inside = d.wrap // parts[0]
            found.append(replace(d, wrap=inside))
            found.append(Dimension(wrap=parts[0], step=d.step * inside))
        else:
            found.append(d)
    return [*found, *dimensions[-1:]]
