"""Copies of a whole design side by side where nobody says how many: as many as are of use, four at most.

A design that is the best for the rate is laid beside itself while each copy makes it faster end to end and the device has room
within its margins: each has movers and memory ports of its own.
How many more would fit, and what they would give, is told. A budget of cores, or `copies`, says otherwise.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aieloom.errors import CannotFit
from aieloom.network.layers import Network
from aieloom.network.operator import Operators
from aieloom.pl.use import logic_use
from aieloom.plan.build import make_plan
from aieloom.plan.route import interface_capacity
from aieloom.plan.types import ArrayPart
from aieloom.search.choose import Goal, simulated, timed
from aieloom.search.scope import remapped, says
from aieloom.spec.network import MAX_COPIES

MOST = 4
GAIN = 1.01  # a copy that makes less of a difference is left out


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """A design in copies, with its interval and latency in us."""

    network: Network
    plan: ArrayPart
    interval_us: float
    latency_us: float


def copies_open(network: Network, goal: Goal) -> bool:
    """Tell whether the number of copies is the search's own choice: for the rate, where nobody says anything of it."""
    return goal.wants_rate and goal.most_copies is None and not says(network.spec, "copies")


def repeated(network: Network, plan: ArrayPart, operators: Operators, goal: Goal) -> Repeated | None:
    """Return a complete design of one copy in as many as are of use; None where one is all, or no more is gained."""
    if plan.copies != 1 or not copies_open(network, goal):
        return None
    most = min(MOST, _holds(plan, goal))
    useful, _ = _useful(network, plan, operators, most)
    for count in range(useful, 1, -1):
        with contextlib.suppress(CannotFit):
            changed = remapped(network, network.spec.mapping, copies=count)
            made = make_plan(changed, plan.device, operators)
            interval, latency, _ = timed(made)
            return Repeated(network=changed, plan=made, interval_us=interval, latency_us=latency)
    return None


def best_repeated(
    network: Network, plan: ArrayPart, leaner: Sequence[Network], operators: Operators, goal: Goal
) -> Repeated | None:
    """Return the fastest of a design's copies and of those of `leaner` ones; None where none gains on the design."""
    found = [repeated(network, plan, operators, goal)]
    for other in leaner if copies_open(network, goal) else ():
        with contextlib.suppress(CannotFit):
            found.append(repeated(other, make_plan(other, plan.device, operators), operators, goal))
    best = min(filter(None, found), key=lambda r: r.interval_us, default=None)
    return best if best and best.interval_us * GAIN < timed(plan).interval_us else None


def more_copies(network: Network, plan: ArrayPart, operators: Operators, goal: Goal) -> tuple[str, ...]:
    """Return a remark on what more copies than the search takes by itself would give; () where no more are of use."""
    if not copies_open(network, goal):
        return ()
    count, interval = _useful(network, plan, operators, _holds(plan, goal))
    if count <= plan.copies:
        return ()
    each = plan.cores // plan.copies
    here = (
        f"{plan.copies} copies of a design of {each} cores"
        if plan.copies > 1
        else f"one design of {each} cores"
    )
    cores = f"{count * each} of {plan.device.array.cores} cores"
    return (
        f"{here}: by itself the search repeats a design {MOST} times at most; "
        f"`copies: {count}` on {cores} would give {1e6 / interval:,.0f} images/s end to end by the model, before placing, "
        "and `budget: {aie_cores: N}` asks for the best of N cores",
    )


def _useful(network: Network, plan: ArrayPart, operators: Operators, most: int) -> tuple[int, float]:
    """Return the fewest copies, up to `most`, that give nearly what any number of them does, and the interval in us.

    Memory, or the processor, may set the rate of fewer; and each copy is started for each batch, so that more may be slower.
    """
    found: dict[int, float] = {}
    for count in range(1, min(most, MAX_COPIES) + 1):
        with contextlib.suppress(CannotFit):  # a share of the logic is too little for so many
            changed = remapped(network, network.spec.mapping, copies=count)
            found[count] = simulated(changed, plan, operators).interval_us
            if count > 1 and found[count] > GAIN * min(found.values()):
                break
    best = min(found.values(), default=math.inf)
    return next(((n, us) for n, us in found.items() if us <= GAIN * best), (1, best))


def _holds(plan: ArrayPart, goal: Goal) -> int:
    """Return how many of a plan's copies the device has resources and ports for within its margins, and the budget."""
    most = [there * plan.copies // used for used, there in _taken(plan) if used]
    if plan.device.platform.noc_masters and plan.movers:
        most.append(plan.device.platform.noc_masters // len(plan.movers))
    if goal.budget.plio:
        most.append(goal.budget.plio * plan.copies // len(plan.plios))
    return int(min([MAX_COPIES, *most]))


def _taken(plan: ArrayPart) -> Iterator[tuple[int, float]]:
    """Yield what a plan takes, and what there is: tiles, streams each way, kinds of logic as far as they may be filled."""
    device, logic = plan.device, logic_use(plan.pl, plan.movers, plan.copies)
    yield plan.tiles_in_use, device.array.cores
    for is_input in (True, False):
        streams = sum(p.is_input == is_input for p in plan.plios)
        yield streams, interface_capacity(device, is_input=is_input)
    room = device.logic.room(max(unit.clock_mhz for unit in plan.units))
    for kind in ("lut", "ff", "bram36", "uram288", "dsp"):
        yield getattr(logic, kind), getattr(room, kind)
