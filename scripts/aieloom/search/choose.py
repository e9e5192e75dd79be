"""Which design wins: those of the front are simulated, and the best by the objective planned as a whole.

Sums over layers say which designs may be good; the event simulation, in which stages wait for each other's buffers,
says how fast they are. Every design rule holds for what wins, because it was planned.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from aieloom.errors import CannotFit, Problem, SpecError
from aieloom.network.layers import Network
from aieloom.network.operator import Operators
from aieloom.plan.build import make_plan
from aieloom.plan.types import ArrayPart
from aieloom.progress import at
from aieloom.search.candidates import Evaluator, LayerFront, Space, layer_fronts
from aieloom.search.design import Found
from aieloom.search.figures import CORES, PLIO, fixed
from aieloom.search.front import representatives
from aieloom.search.goal import Goal, Modelled, Tell, problem_of
from aieloom.search.mapped import Mapped, as_it_is, designed, timed, unplaced, with_choices
from aieloom.search.merge import JUDGED, Front, limits, merge
from aieloom.search.scope import copy_counts
from aieloom.spec.network import NetworkSpec

FINALISTS = 12  # designs that are planned as a whole
SIMULATED = 400  # designs of a front, about: more are thinned out
MOST_REFUSED = 96  # refusals after which the search gives up when nothing was planned


@dataclass(frozen=True, kw_only=True)
class Outcome(Found[Mapped]):
    """The mappings that a search found, and how it came to them.

    `clocks` has a line about each clock where there were several, `ways` about other ways to divide the work; `label` is the
    one that won, where it is not what is written.
    """

    front: Front
    space: Space
    over: int  # finalists that were planned, but take more than the budget
    fates: Mapping[int, str]  # what became of those rows of the front that were planned
    times: tuple[Modelled, ...]  # what is simulated of the front's rows
    clocks: tuple[str, ...] = ()
    ways: tuple[str, ...] = ()
    label: str = ""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is said below the table of designs."""
        return (f"modelled by {self.winner.plan.cost.produced_by}",)


def search(
    network: Network,
    plan: ArrayPart,
    operators: Operators,
    goal: Goal,
    *,
    space: Space | None = None,
    workers: int | Evaluator = 1,
    finalists: int = FINALISTS,
    written: Mapped | None = None,
    others: Sequence[Mapped] = (),
    tell: Tell | None = None,
) -> Outcome:
    """Search for a mapping of the network's layers on AI Engines; `plan` is its plan as it is written.

    `finalists` designs are planned as a whole. `written` is what network.yaml says, where `plan` is it with other PL clocks,
    and `others` are designs beside those of the front.
    The result does not depend on who evaluates: `workers` processes, or another machine's.

    Raises:
        SpecError: no design keeps to the budget, or the design rules refuse all that were tried.
    """
    say = tell or (lambda _: None)
    layers: list[LayerFront] = []
    space = space or Space()
    for layer in layer_fronts(network, plan, operators, space, workers=workers):
        layers.append(layer)
        say(f"{layer.name}: {layer.evaluated:,} candidates, {len(layer.choices)} that none beats")
    front = merge(
        layers,
        fixed(plan),
        limits(plan.device, goal.budget),
        copies=copy_counts(network.spec, goal.most_copies),
        tiles=plan.tiles,
    )
    as_cut = as_it_is(network, plan)
    if written is None:
        written = as_cut = replace(as_cut, written=True)
    if len(front.figures) > SIMULATED:
        front = front.only(representatives(front.figures, JUDGED))
    say(f"{len(front.figures)} designs on the front are simulated")
    rows = range(len(front.figures))
    times = [_time(_of_row(network, front, row), plan, operators) for row in _told(rows)]
    refused: Counter[str] = Counter()
    fates: dict[int, str] = {}
    designs = [as_cut, *([] if written.choices else [written]), *others]
    for row in _order(front, times, goal):
        if len(designs) > finalists + len(others) or len(fates) >= MOST_REFUSED:
            break
        changed = _of_row(network, front, row, space.keep)
        at(f"planning the best, {len(fates) + 1} so far")
        try:
            made = make_plan(changed, plan.device, operators)
            designs.append(designed(changed, made, front.choices(row), row))
            fates[row] = "planned"
        except CannotFit as e:
            rules = sorted({p.rule for p in e.problems})
            refused.update(rules)
            fates[row] = "refused: " + " ".join(rules)
    within = [d for d in designs if not d.over(goal.budget) and d.plan.copies <= (goal.copies or math.inf)]
    if not within:
        raise SpecError(
            list(_impossible(network.spec, goal, front, times=times, designs=designs, refused=refused))
        )
    return Outcome(
        goal=goal,
        front=front,
        space=space,
        designs=tuple(sorted(within, key=lambda d: (d.rank(goal), d.row is not None))),
        written=written,
        refused=dict(sorted(refused.items())),
        over=len(designs) - len(within),
        fates=fates,
        times=tuple(times),
    )


def _told(rows: range) -> Iterator[int]:
    """Yield the rows of a front that are simulated, telling how far that is."""
    for row in rows:
        at(f"simulating design {row + 1} of {len(rows)}")
        yield row


def _of_row(network: Network, front: Front, row: int, keep: Sequence[str] = ()) -> Network:
    """Return the network as a design of the front has it."""
    return with_choices(network, front.choices(row), keep, copies=int(front.copies[row]))


def _time(network: Network, plan: ArrayPart, operators: Operators) -> Modelled:
    """Return the simulated interval and latency; of a design that a rule refuses, which planning will say, for ever."""
    try:
        return timed(unplaced(network, plan, operators))
    except CannotFit:
        return Modelled(math.inf, math.inf, 0)


def _order(front: Front, times: Sequence[Modelled], goal: Goal) -> list[int]:
    """Return the front's rows within the latency of the budget, the best first."""
    most = goal.budget.latency_us or math.inf
    ranks = {
        row: goal.rank(modelled, front.area(row))
        for row, modelled in enumerate(times)
        if modelled.latency_us <= most
    }
    return sorted(ranks, key=lambda row: (ranks[row], row))


def _impossible(
    spec: NetworkSpec,
    goal: Goal,
    front: Front,
    *,
    times: Sequence[Modelled],
    designs: Sequence[Mapped],
    refused: Mapping[str, int],
) -> list[Problem]:
    """Say which limit of the budget no design keeps, with the least that was found."""
    least = min(copy_counts(spec, goal.most_copies)) * np.sum(
        [la.figures.min(axis=0) for la in front.layers], axis=0
    )
    budget, found = goal.budget, []
    least_latency = min([*(t.latency_us for t in times), *(d.latency_us for d in designs)])
    for key, limit, value, unit in (
        ("aie_cores", budget.aie_cores, float(least[CORES]), "cores"),
        ("plio", budget.plio, float(least[PLIO]), "streams"),
        ("latency_us", budget.latency_us, least_latency, "us"),
    ):
        if limit is not None and value > limit:
            text = f"no design keeps to {key}: {limit:g}: the least that any takes is {value:.5g} {unit}"
            found.append(problem_of(spec, goal, key, text, f"allow {math.ceil(value)} or more"))
    if not found:
        keys = [k for k, v in budget.model_dump().items() if v is not None]
        rules = ", ".join(f"{rule} {count}" for rule, count in refused.items())
        text = f"no design keeps to {', '.join(keys)} together" + (
            f"; the design rules refused {rules}" if rules else ""
        )
        found.append(problem_of(spec, goal, keys[0] if keys else "", text, "allow more of one of them"))
    return found
