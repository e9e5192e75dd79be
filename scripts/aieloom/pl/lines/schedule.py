"""When a task with a line buffer may send what, and take what comes: a plan made before anything runs.

Such a task never stops between images. In every step it sends a word, if the rows that the word's round reads have come, and
takes a beat, if its place is free: rows of the next image come while the last of this one leave. Rows lie in a ring.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

SETTLE_CYCLES = 32  # steps from a beat's coming until it may be read: more than a pipeline is deep
TURNS = 8  # rings full of images over whose second half a task's steps are counted


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of the image that arrive together, or that a round needs, and how many beats or words that are."""

    low: int
    high: int  # the last row that is whole then
    touched: int  # the last row of which something comes
    count: int


@dataclass(frozen=True, slots=True)
class Schedule:
    """Beats, counted from an image's first, that must have come before each round, and that may have come while it is sent."""

    needs: tuple[int, ...]
    room: tuple[int, ...]  # more than an image has: of the next one
    cycles: int  # of an image where beats are there whenever they may come

    @classmethod
    def of(cls, bands: Sequence[Rows], rounds: Sequence[Rows], *, rows: int, turn: int) -> Schedule:
        """Return the schedule in a ring of `rows`, in which an image begins `turn` rows behind the one before."""
        needs = needed(bands, rounds)
        room = tuple(_room(bands, rounds, rows, turn))
        return cls(needs, room, _cycles(needs, room, tuple(r.count for r in rounds)))


def needed(bands: Sequence[Rows], rounds: Sequence[Rows]) -> tuple[int, ...]:
    """Return how many beats must have come before each round: whole bands, and an image in whole before the last."""
    ends, found, band = list(accumulate(b.count for b in bands)), list[int](), 0
    for r in rounds:
        while bands[band].high < r.high:
            band += 1
        found.append(ends[band])
    return (*found[:-1], ends[-1])


def least_rows(bands: Sequence[Rows], rounds: Sequence[Rows]) -> int:
    """Return the fewest rows with which no round waits for beats that have no place."""
    ends = list(accumulate(b.count for b in bands))
    span, band = max(b.touched - b.low + 1 for b in bands), 0
    for low, need in zip(_lowest(rounds), needed(bands, rounds), strict=True):
        while ends[band] < need:
            band += 1
        span = max(span, bands[band].touched - low + 1)
    return span


def choices(least: int, turn: int, beats: int) -> list[int]:
    """Return numbers of rows to try, from the fewest to those of two images, and of as many as settle together.

    `turn` is the rows of an image in the ring, `beats` what it comes in.
    """
    most = turn * (2 + -(-SETTLE_CYCLES // beats))
    some = {least, least + 1, least + 2, least * 3 // 2, 2 * least, turn, turn + least, 2 * turn, most}
    powers = {1 << n for n in range(most.bit_length())}
    return sorted(n for n in some | powers if least <= n <= most)


@lru_cache(maxsize=1 << 12)  # a search plans the same kernel for each of the designs that it compares
def rings(
    bands: tuple[Rows, ...], rounds: tuple[Rows, ...], height: int, banked: int = 1
) -> tuple[tuple[int, Schedule], ...]:
    """Return numbers of rows, multiples of `banked`, and the schedules in such rings, from the fewest rows on.

    An image of `height` rows takes as many multiples as it needs.
    """
    turn, beats = -(-height // banked), sum(b.count for b in bands)
    kept = choices(-(-least_rows(bands, rounds) // banked), turn, beats)
    return tuple((n * banked, Schedule.of(bands, rounds, rows=n * banked, turn=turn * banked)) for n in kept)


def _lowest(rounds: Sequence[Rows]) -> list[int]:
    """Return for each round the first row that it or a later one reads."""
    return list(accumulate((r.low for r in reversed(rounds)), min))[::-1]


def _room(bands: Sequence[Rows], rounds: Sequence[Rows], rows: int, turn: int) -> Iterator[int]:
    """Yield for each round the beats that find places while it is sent: where no later round reads what they replace."""
    band = beats = image = 0
    for low in _lowest(rounds):
        while bands[band].touched + image * turn < low + rows:
            beats += bands[band].count
            image, band = (image, band + 1) if band + 1 < len(bands) else (image + 1, 0)
        yield beats


def _cycles(needs: tuple[int, ...], room: tuple[int, ...], counts: tuple[int, ...]) -> int:
    """Return the steps of an image, one after another, where a beat is there in every step."""
    image, ends, now, taken = needs[-1], list[int](), 0, 0
    turns = TURNS * -(-room[-1] // image)
    came = deque[tuple[int, int, int]]()  # (beats, since, at): one a step from `since` on, at `at`
    for first in range(0, turns * image, image):
        for need, most, count in zip(needs, room, counts, strict=True):
            last = first + need
            if last > taken:
                wait = last - taken + SETTLE_CYCLES
            else:
                while came[0][0] < last:
                    came.popleft()
                wait = max(0, came[0][2] + last - came[0][1] + SETTLE_CYCLES - now)
            end = now + wait + count
            more = min(first + most, taken + end - now)
            if more > taken:
                came.append((more, taken, now))
                taken = more
            now = end
        ends.append(now)
    half = turns // 2
    return -(-(ends[-1] - ends[half - 1]) // (turns - half))
