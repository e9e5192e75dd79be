"""Which interface column each PLIO gets: near its kernels, and where its stream can go straight up or down.

Six streams go north out of an interface tile into its column, and four come back, but eight and six channels lead
to the PL; of the eight only six have the registers that a fast PL clock needs, if room is left. A stream beyond the straight
ones travels sideways along the interface's row, where there is room only
next to a column that is not full: always at the two ends, seldom between them.
"""

from __future__ import annotations

from collections import Counter
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
    mhz: float  # of its PL clock


def wish(name: str, *, is_input: bool, bits: int, tiles: Iterable[Tile], mhz: float) -> PlioWish:
    """Return the wish of a PLIO that serves `tiles`: their middle column."""
    cols = [t[0] for t in tiles]
    return PlioWish(name, is_input, bits, sum(cols) / len(cols), mhz)


def assign_columns(device: Device, wishes: Sequence[PlioWish]) -> dict[str, int] | None:
    """Give each PLIO an interface column with free channels; None when there are too few.

    Where channels with registers do not suffice, those up to the higher threshold take any: see registered_above.
    """
    for threshold in device.register_thresholds:
        found: dict[str, int] = {}
        for is_input in (True, False):
            mine = [w for w in wishes if w.is_input == is_input]
            columns = _Direction(device, mine, is_input, threshold).assign()
            if columns is None:
                break
            found |= columns
        else:
            return found
    return None


def registered_above(device: Device, plios: Iterable[tuple[int, int, float]]) -> float:
    """Return the PL clock above which the inputs of a plan, (column, bits, MHz) each, find channels with registers.

    It is the default of the graph's compiler where that holds, else the highest that it takes.
    """
    every = list(plios)
    for threshold in device.register_thresholds:
        fast = [
            (column, bits > device.interface.channel_bits) for column, bits, mhz in every if mhz > threshold
        ]
        wide, narrow = Counter(c for c, w in fast if w), Counter(c for c, w in fast if not w)
        room = device.interface.room(is_input=True, registered=True)
        if all(room.holds(wide[c], narrow[c]) for c, _ in fast):
            break
    return threshold


class _Direction:
    """The PLIOs of one direction: wide ones, which take two channels, and narrow ones, each from left to right.

    Streams that do not cross are shortest, so each column takes the next few of both kinds: the best cut of the
    two sequences into columns is found by dynamic programming over (wide, narrow) PLIOs placed so far.
    """

    def __init__(self, device: Device, wishes: Sequence[PlioWish], is_input: bool, threshold: float) -> None:
        face = device.interface
        ordered = sorted(wishes, key=lambda w: (w.column, w.name))
        self.kinds = tuple(
            [w for w in ordered if (w.bits > face.channel_bits) == wide] for wide in (True, False)
        )
        self.columns = device.plio_column_list
        # where one stream needs registers, all get such channels: slow clocks are too rare for a kind of their own
        room = face.room(is_input=is_input, registered=any(w.mhz > threshold for w in wishes))
        straight = device.streams.north if is_input else device.streams.south
        self.shares = [(w, n) for w in range(room.pairs + 1) for n in range(room.channels - 2 * w + 1)]
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
