"""How a line buffer's columns lie in banks, so that a beat is written, and a word read, in one cycle.

A direct convolution takes and gives lanes: values that lie a strip of columns apart. Between them and rows, whose values are
neighbours, or lanes of other strips, no plain order of columns keeps all of both in different banks. A skew does: column x
lies in bank (x / step + x % step * skew) % banks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

MOST = 4  # times as many banks as a word has values


@dataclass(frozen=True, slots=True)
class Access:
    """Values that are written or read together: `count` columns, `apart` from each other, from any of `firsts` on."""

    count: int
    apart: int
    firsts: tuple[int, ...]

    @classmethod
    def neighbours(cls, count: int, width: int) -> Access:
        """Return a row's neighbours: `count` at a time."""
        return cls(count, 1, tuple(range(0, width, count)))

    @classmethod
    def lanes(cls, count: int, apart: int, lanes: int, columns: range) -> Access:
        """Return `count` of `lanes` at a time, of any of a lane's `columns`."""
        return cls(count, apart, tuple(lane * apart + c for lane in range(0, lanes, count) for c in columns))


@dataclass(frozen=True, slots=True)
class Banks:
    """Where columns lie: see above."""

    banks: int
    step: int
    skew: int

    def of(self, column: int) -> int:
        """Return the bank of a column, which may lie outside the image."""
        return (column // self.step + column % self.step * self.skew) % self.banks

    def serves(self, access: Access, width: int) -> bool:
        """Tell whether values inside the image that come or go together lie in different banks."""
        for first in access.firsts:
            columns = (first + i * access.apart for i in range(access.count))
            found = [self.of(x) for x in columns if 0 <= x < width]
            if len(found) != len(set(found)):
                return False
        return True


@lru_cache(maxsize=4096)
def skewed(width: int, written: Access, read: Access) -> Banks | None:
    """Return the fewest banks, in powers of two times a word's values, that serve both; None if none do."""
    least = max(written.count, read.count)
    times = 1
    while times <= MOST:
        for step in dict.fromkeys((read.apart, written.apart)):
            for skew in range(least * times):
                found = Banks(least * times, step, skew)
                if found.serves(written, width) and found.serves(read, width):
                    return found
        times *= 2
    return None
