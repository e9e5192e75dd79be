"""The short search: what it makes of the designs that it simulated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from aieloom.flow.opening import open_project
from aieloom.network.layers import Network
from aieloom.ops import REGISTRY
from aieloom.search import quick
from aieloom.search.candidates import LayerFront
from aieloom.search.figures import CORES, INTERVAL, METRICS, PLIO, TILES, present
from aieloom.search.goal import Area, Goal, Modelled
from aieloom.search.merge import merge
from tests.designs import ROOT

WIDE = 128  # bits of a large cut's streams, by which the simulation below knows it
CUTS = {32: 1, WIDE: 6}  # cores of a small and of a large cut


def cuts(cores: int) -> np.ndarray:
    """Return a cut's figures: the more cores the faster."""
    figures = np.zeros(len(METRICS))
    figures[[CORES, TILES, PLIO, INTERVAL]] = cores, cores, 2, 1 / cores
    return figures


def test_the_fastest_design_gives_back_the_cores_that_its_rate_does_not_hang_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As simulated the rate hangs on the third layer alone: the others are cut small in the end, and sums add up."""
    project = open_project(ROOT / "projects" / "iris")
    names = tuple(la.name for la in project.array.aie)
    choice = present(project.array, project.array.aie[0])[0]
    choices = tuple(choice._replace(plio=bits) for bits in CUTS)
    rows = np.stack([cuts(cores) for cores in CUTS.values()])
    layers = [
        LayerFront(name=n, choices=choices, figures=rows, evaluated=len(rows), too_large=0) for n in names
    ]
    front = merge(layers, [0.0] * len(METRICS), {CORES: 1000.0})
    at = {tuple(picks): row for row, picks in enumerate(front.picks.tolist())}

    def timed(network: Network) -> Modelled:
        is_wide = getattr(network.spec.mapping[names[2]], "plio", 0) == WIDE
        return Modelled(1.0 if is_wide else 3.0, 9.0, 0)

    monkeypatch.setattr(quick, "unplaced", lambda network, *_: network)
    monkeypatch.setattr(quick, "timed", timed)
    goal = Goal()
    of = quick._Sums(network=project.planned, plan=project.array, front=front)
    found = [
        quick._simulated(replace(of, row=at[pick]), REGISTRY, goal=goal, names=names)
        for pick in ((1,) * len(names), (0,) * len(names))
    ]
    *_, best = quick._leaner([d for d in found if d], REGISTRY, goal=goal, names=names)
    assert best.interval_us == 1.0
    assert [getattr(best.network.spec.mapping[n], "plio", 0) == WIDE for n in names] == [
        n == names[2] for n in names
    ]
    assert best.cores == CUTS[WIDE] + (len(names) - 1) * CUTS[32]
    assert best.rank == goal.rank(Modelled(1.0, 9.0, 0), Area(best.cores, best.cores, 2 * len(names)))
