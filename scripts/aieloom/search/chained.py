"""A network's open layers as chains on the AIE-ML array: from the fewest cores on, the slowest layer gets more."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from aieloom.errors import CannotFit
from aieloom.model.network import Network
from aieloom.model.operator import Operators
from aieloom.plan.build import make_plan
from aieloom.plan.chain_grid import STRATEGY
from aieloom.plan.types import Plan
from aieloom.search.choose import Goal
from aieloom.search.scope import copy_counts, remapped
from aieloom.spec.device import Device

PLANNED = 100  # designs that are tried
BANDS = (2, 3, 4, 8)
STEPS = 8  # numbers of cores that are tried from one to its double
COPIED = 4  # designs of several copies
PLIO = (128, 64, 32)  # widths of the streams at a chain's ends, the widest whose words the elements fill
Cut = tuple[int | None, int | None]  # cores and bands of a layer; None: the planner's choice


def is_chained(network: Network) -> bool:
    """Tell whether network.yaml puts layers into chains."""
    return any(getattr(m, "strategy", None) == STRATEGY for m in network.spec.mapping.values())


def chained_designs(
    network: Network, device: Device, operators: Operators, names: Sequence[str], goal: Goal
) -> Iterator[tuple[Network, Plan]]:
    """Yield designs whose layers `names` are chained, within the budget's cores; none where a rule refuses that.

    Where copies are open, also the best of them side by side, as often as the budget has cores for.
    """
    if not device.architecture.facts.chains:
        return
    most = goal.budget.aie_cores
    widths = ({"plio": plio, "plio_out": out} for plio, out in product(PLIO, PLIO))
    tried = (list(_grown(network, device, operators, names, most=most, ends=ends)) for ends in widths)
    found: list[tuple[Network, Plan]] = next(filter(None, tried), [])
    yield from found
    several = [made for design in found if (made := copied(*design, operators, goal))]
    yield from sorted(several, key=lambda design: design[1].cost.interval_us)[:COPIED]


def copied(network: Network, plan: Plan, operators: Operators, goal: Goal) -> tuple[Network, Plan] | None:
    """Return a complete design side by side with itself, as often as budget and device allow; None where once."""
    most = goal.budget.aie_cores
    for count in reversed(copy_counts(network.spec, goal.most_copies)):
        if count <= network.spec.copies:
            break
        if most is None or count * plan.cores // plan.copies <= most:
            with contextlib.suppress(CannotFit):
                changed = remapped(network, network.spec.mapping, copies=count)
                return changed, make_plan(changed, plan.device, operators)
    return None


def _grown(
    network: Network,
    device: Device,
    operators: Operators,
    names: Sequence[str],
    *,
    most: int | None,
    ends: Mapping[str, int],
) -> Iterator[tuple[Network, Plan]]:
    """Yield chains from the fewest cores on, with streams of such widths at their ends; none where those cannot be."""
    cuts: dict[str, Cut] = {}
    more: Iterator[Cut] = iter(())
    slowest, before = "", math.inf
    for _ in range(PLANNED):
        changed = _with_cuts(network, names, cuts, ends)
        with contextlib.suppress(CannotFit):
            plan = make_plan(changed, device, operators)
            stage = max((s for s in plan.cost.stages if s.kind != "ps"), key=lambda s: s.interval_us)
            if stage.interval_us < before and (most is None or plan.cores <= most):
                yield changed, plan
                before, slowest = stage.interval_us, stage.name
                used = next((len(la.kernels) for la in plan.aie if la.name == slowest), 0)
                more = _cuts(used)
        if slowest not in names or (cut := next(more, None)) is None:
            return  # something else than the chain, or no number of cores makes it faster
        cuts = {**cuts, slowest: cut}


def _cuts(used: int) -> Iterator[Cut]:
    """Yield cuts over more cores than are used, up to twice as many: over output channels, then over bands of rows too."""
    for count in range(used + 1, 2 * used + 1, max(1, used // STEPS)):
        yield count, None
        yield from ((count, bands) for bands in BANDS if count % bands == 0)


def _with_cuts(
    network: Network, names: Sequence[str], cuts: Mapping[str, Cut], ends: Mapping[str, int]
) -> Network:
    mapping = dict(network.spec.mapping)
    for name in names:
        cores, bands = cuts.get(name, (None, None))
        keys = {"strategy": STRATEGY, **ends, "cores": cores, "bands": bands}
        said = {key: value for key, value in keys.items() if value is not None}
        mapping[name] = mapping[name].model_copy(update=said)
    return replace(network, spec=network.spec.model_copy(update={"mapping": mapping}))
