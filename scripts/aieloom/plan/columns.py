"""Which interface column each PLIO gets: near its kernels, and where its stream can go straight up or down.

Six streams go north out of an interface tile into its column, and four come back, but eight and six channels lead
to the PL. A stream beyond the straight ones travels sideways along the interface's row, where there is room only
next to a column that is not full: always at the two ends, seldom between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aieloom.spec.device import Device, Tile

Costs = NDArray[np.float64]
SIDEWAYS = 100.0  # columns one rather goes farther than to send a stream sideways in the interface's row
SIDEWAYS_AT_END = 2.0  # beyond the first and last PLIO column the row is free


@dataclass(frozen=True, slots=True)
class PlioWish:
    """A PLIO that wants to be near `column`."""

    name: str
    is_input: bool
    bits: int
    column: float


def wish(name: str, *, is_input: bool, bits: int, tiles: Iterable[Tile]) -> PlioWish:
    """Return the wish of a PLIO that serves `tiles`: their middle column."""
    cols = [t[0] for t in tiles]
    return PlioWish(name, is_input, bits, sum(cols) / len(cols))


def assign_columns(device: Device, wishes: Sequence[PlioWish]) -> dict[str, int] | None:
    """Give each PLIO an interface column with free channels; None when there are too few."""
    found: dict[str, int] = {}
    for is_input in (True, False):
        columns = _Direction(device, [w for w in wishes if w.is_input == is_input], is_input).assign()
        if columns is None:
            return None
        found |= columns
    return found


class _Direction:
    """The PLIOs of one direction: wide ones, which take two channels, and narrow ones, each from left to right.

    Streams that do not cross are shortest, so each column takes the next few of both kinds: the best cut of the
    two sequences into columns is found by dynamic programming over (wide, narrow) PLIOs placed so far.
    """

    def __init__(self, device: Device, wishes: Sequence[PlioWish], is_input: bool) -> None:
        face = device.interface
        ordered = sorted(wishes, key=lambda w: (w.column, w.name))
        self.kinds = tuple(
            [w for w in ordered if (w.bits > face.channel_bits) == wide] for wide in (True, False)
        )
        self.columns = device.plio_column_list
        channels = face.in_channels if is_input else face.out_channels
        straight = device.streams.north if is_input else device.streams.south
        self.shares = [(w, n) for w in range(channels // 2 + 1) for n in range(channels - 2 * w + 1)]
        self.extra = [max(0, w + n - straight) for w, n in self.shares]  # streams that must go sideways

    def assign(self) -> dict[str, int] | None:
        """Return the column of each PLIO."""
        best = np.full([len(kind) + 1 for kind in self.kinds], np.inf)
        best[0, 0] = 0.0
        chosen: list[NDArray[np.int64]] = []  # for each column and state, which share it took
        for column in self.columns:
            far = [np.abs(column - np.array([w.column for w in kind])) for kind in self.kinds]
            sums = (np.append(0.0, far[0].cumsum()), np.append(0.0, far[1].cumsum()))
            sideways = SIDEWAYS_AT_END if column in (self.columns[0], self.columns[-1]) else SIDEWAYS
            ways = np.stack([self._after(best, share, sums, sideways) for share in range(len(self.shares))])
            chosen.append(ways.argmin(axis=0))
            best = ways.min(axis=0)
        return self._trace(chosen) if np.isfinite(best[-1, -1]) else None

    def _after(self, best: Costs, share: int, sums: tuple[Costs, Costs], sideways: float) -> Costs:
        """Return the cost of every state in which a column takes this share; `sums` add up its distances."""
        wide, narrow = self.shares[share]
        after = np.full_like(best, np.inf)
        rows, cols = best.shape
        if wide < rows and narrow < cols:
            after[wide:, narrow:] = best[: rows - wide, : cols - narrow] + self.extra[share] * sideways
            after[wide:, narrow:] += (sums[0][wide:] - sums[0][: rows - wide])[:, None]
            after[wide:, narrow:] += (sums[1][narrow:] - sums[1][: cols - narrow])[None, :]
        return after

    def _trace(self, chosen: Sequence[NDArray[np.int64]]) -> dict[str, int]:
        found: dict[str, int] = {}
        ends = [len(kind) for kind in self.kinds]
        for column, choice in zip(reversed(self.columns), reversed(chosen), strict=True):
            share = self.shares[int(choice[ends[0], ends[1]])]
            for k, count in enumerate(share):
                found |= {w.name: column for w in self.kinds[k][ends[k] - count : ends[k]]}
                ends[k] -= count
        return found
