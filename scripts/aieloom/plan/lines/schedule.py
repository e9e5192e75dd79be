"""When a task with a line buffer takes what comes, and how many rows it keeps: a plan made before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

MARGIN = (
    64  # cycles between a line buffer's last write and the tile that may read it: more than the loop's depth
)


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of the image that arrive together, or that a round needs, and how many beats or words that are."""

    low: int
    high: int  # the last row that is whole then
    touched: int  # the last row of which something comes
    count: int


def schedule(bands: Sequence[Rows], rounds: Sequence[Rows]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the beats that a task takes before each round, and those that it takes during it."""
    ends = list(accumulate(b.count for b in bands))
    needs = [next(end for end, b in zip(ends, bands, strict=True) if b.high >= r.high) for r in rounds]
    needs[-1] = ends[-1]  # an image is taken in whole, also rows that no round reads
    before, during, taken = [], [], 0
    for number, r in enumerate(rounds):
        before.append(max(0, needs[number] - taken))
        taken += before[-1]
        ahead = needs[number + 1] - taken if number + 1 < len(rounds) else 0
        during.append(max(0, min(ahead, r.count - MARGIN)))
        taken += during[-1]
    return tuple(before), tuple(during)


def rows_held(
    bands: Sequence[Rows], rounds: Sequence[Rows], before: Sequence[int], during: Sequence[int], height: int
) -> int:
    """Return how many rows a line buffer needs.

    In every round the rows that it and later rounds read and those that come meanwhile have places of their own.
    """
    ends = list(accumulate(b.count for b in bands))
    span, taken = 1, 0
    for number in range(len(rounds)):
        begun, taken = taken, taken + before[number] + during[number]
        arriving = [b for b, end in zip(bands, ends, strict=True) if begun < end and end - b.count < taken]
        low = min([r.low for r in rounds[number:]] + [b.low for b in arriving])
        come = [b.touched for b, end in zip(bands, ends, strict=True) if end - b.count < taken]
        span = max(span, max(come) - low + 1)
    return min(span, height)
