"""A design that was found, with one thing otherwise as long as that is better: a layer's cut, a PL kernel, how many copies.

Sums over layers say which designs may be good, and only the simulation how stages wait for each other, what the PL kernels
between take and what the host program carries. So around the best one what the sums passed over is simulated.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from aieloom.errors import CannotFit
from aieloom.network.layers import Network
from aieloom.network.operator import Operators
from aieloom.pl.kernel import PlKernel
from aieloom.pl.lines.streamable import can_stream
from aieloom.pl.steps import FRAME, STREAMING
from aieloom.plan.linked import is_linked
from aieloom.plan.types import ArrayPart
from aieloom.progress import at
from aieloom.search.candidates import NARROW, LayerFront
from aieloom.search.figures import BRAM, CORES, INTERVAL, PLIO, TILES, URAM, fixed, present
from aieloom.search.goal import Area, Goal, Rank
from aieloom.search.mapped import Mapped, planned, timed, unplaced
from aieloom.search.merge import limits
from aieloom.search.scope import copy_counts, remapped
from aieloom.search.streaming import asking, says_strategy
from aieloom.simulation.of_plan import simulate_plan
from aieloom.spec.network import MappingSpec, NetworkSpec

SWEEPS = 4  # over all layers and PL kernels, at most
PICKS = 12  # cuts of a layer that are tried
# How much longer than the best a design may take for other numbers of its copies to be looked at.
SLOWER = 1.25
PLANNED = 4  # designs of a sweep that are planned until one keeps every rule
Cuts = Mapping[str, MappingSpec]
# Figures of each layer, and by "" of what no cut changes; of one copy.
Taken = Mapping[str, NDArray[np.float64]]


def otherwise(
    said: NetworkSpec, best: Mapped, operators: Operators, goal: Goal, layers: Sequence[LayerFront]
) -> Iterator[Mapped]:
    """Yield designs, each better than the last and than `best`.

    `layers` have the cuts that there may be; what network.yaml says, `said`, of PL kernels and copies stays.
    """
    for _ in range(0 if is_linked(best.network) else SWEEPS):  # layers of a chain have no cut of their own
        found = [*_sweep(said, best, operators, goal, layers)][-PLANNED:]
        made = (planned(n, best.plan.device, operators) for n in reversed(found))
        better = next((d for d in made if d and d.order(goal) < best.order(goal)), None)
        if better is None:
            return
        best = better
        yield best


def _area(taken: Taken, copies: int, most: Mapping[int, float]) -> Area | None:
    """Return what so many copies take; None where there is no room for them."""
    total = copies * np.sum([*taken.values()], axis=0)
    if any(total[metric] > limit for metric, limit in most.items()):
        return None
    return Area(float(total[CORES]), float(total[TILES]), float(total[PLIO]))


def _sweep(
    said: NetworkSpec, best: Mapped, operators: Operators, goal: Goal, layers: Sequence[LayerFront]
) -> Iterator[Network]:
    """Yield networks, each better than the last by the simulation: PL kernels one by one, then each layer."""
    plan, network, rank = best.plan, best.network, best.rank(goal)
    room: Taken = {"": np.array(fixed(plan)), **{la.name: np.array(present(plan, la)[1]) for la in plan.aie}}
    # Memory in the logic depends on which PL kernels stream: the simulated plan knows it, the sums do not.
    most = {m: v for m, v in limits(plan.device, goal.budget).items() if m not in (BRAM, URAM)}
    counts = sorted({*copy_counts(said, goal.most_copies), plan.copies})
    ranks = partial(_ranks, plan=plan, operators=operators, goal=goal, most=most, counts=counts)
    free = [g for g in plan.pl if can_stream(g) and not says_strategy(said, g)]
    for ways in (partial(_kernels, free), *(partial(_cuts, said, la) for la in layers)):
        better = True
        while better:
            at("simulating the best design with one thing otherwise")
            tried = [
                (found, copies, changed, taken)
                for mapping, taken in ways(network.spec, room)
                for changed in [remapped(network, mapping)]
                for found, copies in ranks(changed, taken, best_us=best.interval_us)
            ]
            found, copies, changed, taken = min(
                tried, key=lambda item: item[:2], default=(rank, 0, network, room)
            )
            better = found < rank
            if better:
                rank, room, network = found, taken, remapped(changed, changed.spec.mapping, copies=copies)
                yield network


def _cuts(
    said: NetworkSpec, layer: LayerFront, spec: NetworkSpec, room: Taken
) -> Iterator[tuple[Cuts, Taken]]:
    """Yield the mapping with a layer's cut as it is and narrow streams, then with some of its cuts, the fewest tiles first."""
    if "plio" not in said.mapping[layer.name].model_fields_set:
        narrow = spec.mapping[layer.name].model_copy(update={"plio": NARROW, "plio_out": None})
        yield {**spec.mapping, layer.name: narrow}, room
    order = np.lexsort((layer.figures[:, INTERVAL], layer.figures[:, TILES]))
    for at_ in np.unique(np.linspace(0, len(order) - 1, PICKS).astype(int)):
        pick = int(order[at_])
        cut = spec.mapping[layer.name].model_copy(update=layer.choices[pick]._asdict())
        yield {**spec.mapping, layer.name: cut}, {**room, layer.name: layer.figures[pick]}


def _kernels(kernels: Sequence[PlKernel], spec: NetworkSpec, room: Taken) -> Iterator[tuple[Cuts, Taken]]:
    """Yield the mapping as it is, for other numbers of copies, and with one PL kernel streaming, or no longer."""
    yield spec.mapping, room
    for kernel in kernels:
        for way in (FRAME, STREAMING):
            mapping = asking(spec, [kernel], way)
            if mapping != spec.mapping:
                yield mapping, room


def _ranks(
    network: Network,
    taken: Taken,
    *,
    plan: ArrayPart,
    operators: Operators,
    goal: Goal,
    most: Mapping[int, float],
    counts: Sequence[int],
    best_us: float,
) -> Iterator[tuple[Rank, int]]:
    """Yield the rank of a network's design in as many copies as it has and in the next numbers of them, with these numbers.

    Where memories of the logic lie depends on how many copies there are; how stages wait for each other does not.
    """
    own, run = counts.index(network.spec.copies), None
    for copies in (counts[own], *counts[max(0, own - 1) : own], *counts[own + 1 : own + 2]):
        with suppress(CannotFit):
            made = unplaced(remapped(network, network.spec.mapping, copies=copies), plan, operators)
            run = run or simulate_plan(made, slices=False)
            found, area = timed(made, replace(run, copies=copies)), _area(taken, copies, most)
            if area and found.latency_us <= (goal.budget.latency_us or math.inf):
                yield goal.rank(found, area), copies
            if copies == counts[own] and found.interval_us > SLOWER * best_us:
                return
