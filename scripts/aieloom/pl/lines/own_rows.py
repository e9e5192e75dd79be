"""Which rows each writer of a streaming kernel keeps, where its tiles see some of an image's rows and not the others.

Writers share beats: each has all of them. Where the layer behind is cut over the rows, a writer's tile of a round sees rows of
its own, and the rest would fill its line buffer for nothing: a direct convolution of 16 groups needs 3 of 16 rows. So a writer
keeps the rows that its own tiles see, `span` places for each round, one round after another, and drops what it does not send.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from aieloom.pl.lines.schedule import Rows

MOST_ROWS = 1024  # of an image: a table in LUTs says for each where it lies

Seen = tuple[int, int] | None  # first and last row that a tile sees; None: there is no such tile


@dataclass(frozen=True, slots=True)
class OwnRows:
    """For each writer and round the rows that its tile sees; no writer's tiles of two rounds see one row."""

    seen: tuple[tuple[Seen, ...], ...]
    height: int
    span: int  # places of a round: the most rows that a tile sees

    @property
    def places(self) -> int:
        """Places of an image's rows, one after another."""
        return self.span * len(self.seen[0])

    def rings(self, rows: int) -> tuple[tuple[int, ...], ...]:
        """Return for each writer where each row of the image lies in a ring of so many rows; -1: it is not kept."""
        found = []
        for rounds in self.seen:
            place = [-1] * self.height
            for number, tile in enumerate(rounds):
                if tile is not None:
                    for behind in range(tile[1] - tile[0] + 1):
                        place[tile[0] + behind] = (number * self.span + behind) % rows
            found.append(tuple(place))
        return tuple(found)

    def places_of(self, band: Rows) -> Rows:
        """Return a band of rows with the first and the last place, of any writer, that it can touch."""
        tiles = [[t for t in tiles if t is not None] for tiles in zip(*self.seen, strict=True)]
        begun = [r for r, seen in enumerate(tiles) if any(first <= band.touched for first, _ in seen)]
        open_yet = [r for r, seen in enumerate(tiles) if any(last >= band.low for _, last in seen)]
        last = max(begun, default=0)
        first = min(min(open_yet, default=last), last)
        return replace(band, low=first * self.span, touched=last * self.span + self.span - 1)

    def rounds_of(self, rounds: Sequence[Rows]) -> tuple[Rows, ...]:
        """Return the rounds with the first place that each reads."""
        return tuple(replace(r, low=number * self.span) for number, r in enumerate(rounds))


def own_rows_of(seen: Sequence[Sequence[Seen]], height: int) -> OwnRows | None:
    """Return which rows each writer keeps; None where that spares nothing, or where two rounds of a writer see one row."""
    if len(seen) == 1 or height > MOST_ROWS:
        return None
    for rounds in seen:
        tiles = [t for t in rounds if t]
        if any(after[0] <= before[1] for before, after in pairwise(tiles)):
            return None
    found = OwnRows(
        tuple(map(tuple, seen)), height, max(t[1] - t[0] + 1 for rounds in seen for t in rounds if t)
    )
    return found if found.places < height else None
