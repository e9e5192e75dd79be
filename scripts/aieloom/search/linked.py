"""A network's open layers as chains on the array: from the fewest cores on, the slowest layer gets more."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from aieloom.errors import CannotFit
from aieloom.network.layers import Network
from aieloom.network.operator import Operators
from aieloom.plan.build import make_plan
from aieloom.plan.linked import LinkingStrategy, linking
from aieloom.plan.rules_streams import crowded_logic
from aieloom.plan.types import ArrayPart
from aieloom.search.goal import Goal, rounded
from aieloom.search.scope import copy_counts, remapped
from aieloom.simulation.of_plan import modelled_rates, simulate_plan
from aieloom.spec.device import Device

PLANNED = 100  # designs that are tried
COPIED = 4  # designs of several copies
Cut = Mapping[str, int]  # keys of a layer's mapping


def linked_designs(
    network: Network, device: Device, operators: Operators, names: Sequence[str], goal: Goal
) -> Iterator[tuple[Network, ArrayPart]]:
    """Yield designs whose layers `names` follow each other on the array, within the budget; none where a rule refuses.

    Where copies are open, also the best of them side by side, as often as the budget has cores for.
    """
    most = goal.budget.aie_cores
    tried = (
        list(_grown(network, device, operators, names, strategy, most=most, ends=ends))
        for strategy in linking()
        if strategy.runs_on(device)
        for ends in strategy.ends()
    )
    found: list[tuple[Network, ArrayPart]] = next(filter(None, tried), [])
    yield from found
    several = [made for design in found if (made := copied(*design, operators, goal))]
    yield from sorted(several, key=lambda design: design[1].cost.interval_us)[:COPIED]


def copied(
    network: Network, plan: ArrayPart, operators: Operators, goal: Goal
) -> tuple[Network, ArrayPart] | None:
    """Return a complete design side by side with itself, as often as is the best within the budget; None where as it is."""
    run, each = simulate_plan(plan, slices=False), plan.cores // plan.copies
    most = goal.budget.aie_cores or plan.device.array.cores

    def order(count: int) -> tuple[bool, float, int]:
        several = replace(plan, copies=count)
        interval = modelled_rates(several, run).system.interval_us
        return any(crowded_logic(several)), rounded(interval), count

    counts = [n for n in copy_counts(network.spec, goal.most_copies) if n >= plan.copies and n * each <= most]
    for count in sorted(counts, key=order):
        if count == plan.copies:
            break
        with contextlib.suppress(CannotFit):
            changed = remapped(network, network.spec.mapping, copies=count)
            return changed, make_plan(changed, plan.device, operators)
    return None


def _grown(
    network: Network,
    device: Device,
    operators: Operators,
    names: Sequence[str],
    strategy: LinkingStrategy,
    *,
    most: int | None,
    ends: Mapping[str, int],
) -> Iterator[tuple[Network, ArrayPart]]:
    """Yield chains from the fewest cores on, with streams of such widths at their ends; none where those cannot be."""
    cuts: dict[str, Cut] = {}
    more: Iterator[Cut] = iter(())
    slowest, before = "", math.inf
    for _ in range(PLANNED):
        changed = _with_cuts(network, names, {"strategy": strategy.key, **ends}, cuts)
        with contextlib.suppress(CannotFit):
            plan = make_plan(changed, device, operators)
            stage = max((s for s in plan.cost.stages if s.kind != "ps"), key=lambda s: s.interval_us)
            if stage.interval_us < before and (most is None or plan.cores <= most):
                yield changed, plan
                before, slowest = stage.interval_us, stage.name
                used = next((len(la.kernels) for la in plan.aie if la.name == slowest), 0)
                more = strategy.larger(used)
        if slowest not in names or (cut := next(more, None)) is None:
            return  # something else than the chain, or no number of cores makes it faster
        cuts = {**cuts, slowest: cut}


def _with_cuts(
    network: Network, names: Sequence[str], common: Mapping[str, str | int], cuts: Mapping[str, Cut]
) -> Network:
    mapping = dict(network.spec.mapping)
    for name in names:
        mapping[name] = mapping[name].model_copy(update={**common, **cuts.get(name, {})})
    return remapped(network, mapping)
