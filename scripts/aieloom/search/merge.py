"""Whole designs from the layers' candidates: figures added up, what breaks a limit left out, the rest thinned to a front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from aieloom.plan.route import interface_capacity
from aieloom.search.candidates import LayerFront
from aieloom.search.figures import (
    BRAM,
    COLUMNS,
    CORES,
    INS,
    INTERVAL,
    LATENCY,
    OUTS,
    PLIO,
    TILES,
    URAM,
    Figures,
)
from aieloom.search.front import pareto, representatives
from aieloom.search.goal import Area
from aieloom.search.scope import Choice
from aieloom.spec.device import Device
from aieloom.spec.network import BudgetSpec

JUDGED = (INTERVAL, LATENCY, CORES, TILES, PLIO)


SUMS = (CORES, TILES, PLIO, COLUMNS, INS, OUTS, BRAM, URAM)  # what every copy of a design takes anew


@dataclass(frozen=True, kw_only=True)
class Front:
    """Designs that no other one beats: a row of figures for each, each layer's choice by its number, how many copies.

    Figures are an image's, of all copies together.
    """

    layers: tuple[LayerFront, ...]
    figures: Figures
    picks: NDArray[np.int64]
    copies: NDArray[np.int64]

    def choices(self, row: int) -> dict[str, Choice]:
        """Return a design's choice of each layer."""
        return {la.name: la.choices[i] for la, i in zip(self.layers, self.picks[row], strict=True)}

    def area(self, row: int) -> Area:
        """Return what a design takes by its figures."""
        figures = self.figures[row]
        return Area(float(figures[CORES]), float(figures[TILES]), float(figures[PLIO]))

    def only(self, rows: NDArray[np.int64]) -> Front:
        """Return the front of some of the designs."""
        return replace(self, figures=self.figures[rows], picks=self.picks[rows], copies=self.copies[rows])


def limits(device: Device, budget: BudgetSpec) -> dict[int, float]:
    """Return the greatest value of each figure that has one. Latency is judged on whole plans, not here."""
    room = device.logic.room(device.clocks.default_pl_mhz)
    most: dict[int, float] = {
        TILES: device.array.cores,
        COLUMNS: device.array.columns,
        INS: interface_capacity(device, is_input=True),
        OUTS: interface_capacity(device, is_input=False),
        BRAM: room.bram36,
        URAM: room.uram288,
    }
    if budget.aie_cores:
        most[CORES] = budget.aie_cores
    if budget.plio:
        most[PLIO] = budget.plio
    return most


def merge(
    layers: Sequence[LayerFront],
    fixed: Sequence[float],
    most: dict[int, float],
    *,
    copies: Sequence[int] = (1,),
    tiles: int = 1,
) -> Front:
    """Combine the layers' candidates to whole designs, each in every one of some numbers of copies.

    The layers' figures are one copy's, and of one of the `tiles` of an image. The front is empty when no design keeps to
    the limits.
    """
    if len(copies) == 1:
        return _several(_merged(layers, fixed, most, copies[0]), copies[0], tiles)
    # Within half the cores too: the fewer there are, the denser their designs are sampled.
    sets = [most, *([most | {CORES: most[CORES] / 2}] if CORES in most else [])]
    fronts = [
        _several(_merged(layers, fixed, some, count), count, tiles) for count in copies for some in sets
    ]
    figures = np.concatenate([f.figures for f in fronts])
    kept = np.array(pareto(figures), dtype=np.int64)
    return Front(
        layers=tuple(layers),
        figures=figures[kept],
        picks=np.concatenate([f.picks for f in fronts])[kept],
        copies=np.concatenate([f.copies for f in fronts])[kept],
    )


def _several(front: Front, copies: int, tiles: int) -> Front:
    """Return a front whose designs stand on the device so many times and take images of so many tiles."""
    figures = front.figures.copy()
    if copies == tiles == 1 or not len(figures):
        return front
    figures[:, LATENCY] += (-(-tiles // copies) - 1) * figures[:, INTERVAL]
    figures[:, INTERVAL] *= tiles / copies
    figures[:, SUMS] *= copies
    return replace(front, figures=figures, copies=front.copies * copies)


def _merged(
    layers: Sequence[LayerFront], fixed: Sequence[float], limits: dict[int, float], copies: int
) -> Front:
    """Combine the layers' candidates, layer by layer, to designs of which the device holds so many copies.

    The combinations are thinned out after each layer to representatives, so that the work stays small.
    """
    most = {metric: limit / copies for metric, limit in limits.items()}
    # No design is faster than its slowest layer's fastest candidate: what is faster than that gains nothing.
    floor = max([fixed[INTERVAL], *(float(la.figures[:, INTERVAL].min()) for la in layers)])
    figures, picks = np.array([fixed], dtype=np.float64), np.zeros((1, 0), dtype=np.int64)
    rest, judged = _least_behind(layers), _judged(layers, fixed, most)
    for number, layer in enumerate(layers):
        own = _representatives(_clamped(layer.figures, floor), judged)
        figures, picks = _combined(figures, picks, layer.figures, own, floor)
        fits = np.all([figures[:, m] + rest[number][m] <= limit for m, limit in most.items()], axis=0)
        figures, picks = figures[fits], picks[fits]
        if not len(figures):
            break
        few = representatives(figures, judged)
        figures, picks = figures[few], picks[few]
    kept = pareto(figures)
    figures, picks = figures[kept], picks[kept]
    if picks.shape[1] < len(layers):  # nothing was left before the last layer
        picks = np.zeros((0, len(layers)), dtype=np.int64)
    ones = np.ones(len(figures), dtype=np.int64)
    return Front(layers=tuple(layers), figures=figures, picks=picks, copies=ones)


def _judged(layers: Sequence[LayerFront], fixed: Sequence[float], most: dict[int, float]) -> tuple[int, ...]:
    """Return the figures for each of which the best are kept: those judged, and those that a limit may stop."""
    largest = np.sum([la.figures.max(axis=0) for la in layers], axis=0) + np.array(fixed)
    return (*JUDGED, *(m for m, limit in most.items() if m not in JUDGED and largest[m] > limit))


def _least_behind(layers: Sequence[LayerFront]) -> list[Figures]:
    """Return for every layer what the layers behind it take at least of each figure."""
    least = [la.figures.min(axis=0) for la in layers]
    return [np.sum(least[i + 1 :], axis=0) if least[i + 1 :] else 0 * least[0] for i in range(len(layers))]


def _clamped(figures: Figures, floor: float) -> Figures:
    clamped = figures.copy()
    clamped[:, INTERVAL] = np.maximum(clamped[:, INTERVAL], floor)
    return clamped


def _representatives(figures: Figures, judged: Sequence[int]) -> NDArray[np.int64]:
    kept = np.array(pareto(figures), dtype=np.int64)
    return kept[representatives(figures[kept], judged)]


def _combined(
    figures: Figures, picks: NDArray[np.int64], other: Figures, own: NDArray[np.int64], floor: float
) -> tuple[Figures, NDArray[np.int64]]:
    """Return every design so far with every one of a layer's candidates."""
    left, right = np.repeat(np.arange(len(figures)), len(own)), np.tile(own, len(figures))
    both = figures[left] + other[right]
    both[:, INTERVAL] = np.maximum(np.maximum(figures[left, INTERVAL], other[right, INTERVAL]), floor)
    return both, np.column_stack([picks[left], right])
