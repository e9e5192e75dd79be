"""`doit dse` over whole designs: what is written, then other engines and other tiles where they may win."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from aieloom.errors import SpecError
from aieloom.network.layers import Network
from aieloom.network.operator import Operators
from aieloom.plan.types import ArrayPart
from aieloom.search.choose import Outcome
from aieloom.search.goal import Goal, Tell
from aieloom.search.mapped import Mapped, as_whole
from aieloom.search.quick import FEW, SIMULATED, Quick, beginning, quick
from aieloom.search.scope import copy_counts, is_cut, open_layers, remapped
from aieloom.search.structure import (
    MOST_HALO,
    Alternative,
    Remake,
    cut_otherwise,
    on_other_engines,
    searched,
)
from aieloom.spec.network import left_to_planner

# A search for all cuts of a network, from its plan on; the last are designs that take part as they are.
Inner = Callable[[Network, ArrayPart, Sequence[Mapped]], Outcome]


@dataclass(frozen=True, kw_only=True)
class Written:
    """A network as network.yaml has it, with its plan, and the layers whose cuts stay."""

    network: Network
    plan: ArrayPart
    keep: tuple[str, ...] = ()

    @property
    def reopened(self) -> Network:
        """The network whose layers' cuts are open, but for those that stay."""
        mapping = self.network.spec.mapping
        cuts = {n: left_to_planner(m) for n, m in mapping.items() if is_cut(m) and n not in self.keep}
        (copies, *_) = copy_counts(self.network.spec, None)
        return remapped(self.network, mapping | cuts, copies=copies)


def search_whole(
    written: Written,
    operators: Operators,
    goal: Goal,
    inner: Inner,
    *,
    remake: Remake,
    tell: Tell,
) -> Outcome:
    """Search for cuts of what is written by `inner`, and of the alternative that a short search finds best, if it wins.

    Raises:
        SpecError: there is no design within the budget; what is said is of the network as written.
    """
    run = partial(_quick, written=written, operators=operators, goal=goal)
    present = Alternative(label="as written", network=written.reopened)
    as_written = list(searched([present], partial(run, simulations=SIMULATED)))
    quick_ones = [t.found for t in as_written if t.found and not t.found.over]
    quickly = [q.design for q in quick_ones]
    try:
        first: Outcome | None = inner(written.network, written.plan, quickly)
    except SpecError as e:
        first, problem = None, e
    best = first.winner if first else None
    some = _alternatives(written, operators, goal, best, remake)
    if not some:
        if first is None:
            raise problem
        return first
    tell(f"{len(some)} other ways to divide the work")
    tried = [*as_written, *searched(some, run)]
    for t in tried:
        tell(tried_line(t))
    order = tried[0].found.order if first and tried[0].found else None
    better = [
        (t.found.order, t.label, t.found)
        for t in tried[1:]
        if t.found and not t.found.over and (order is None or t.found.order < order)
    ]
    found = [first] if first else []
    if better:
        _, label, short = min(better, key=lambda item: item[:2])
        tell(f"all cuts of {label}")
        other = inner(short.design.network, short.design.plan, ())
        found.append(_against(written, other, label))
    if not found:
        raise problem
    won = min(found, key=lambda s: s.winner.rank(goal))
    return replace(won, ways=tuple(map(tried_line, tried)))


def _against(written: Written, found: Outcome, label: str) -> Outcome:
    """Return a search of an alternative, beside the design that network.yaml says."""
    network, plan = written.network, written.plan
    before = as_whole(network, plan, written=True)
    designs = tuple(replace(d, written=False) for d in found.designs)
    return replace(found, label=label, written=before, designs=designs)


def _quick(
    network: Network, *, written: Written, operators: Operators, goal: Goal, simulations: int = FEW
) -> Quick:
    names = [n for n in open_layers(network, operators) if n not in written.keep]
    return quick(network, written.plan.device, operators, goal, names, simulations=simulations)


def tried_line(t: Alternative) -> str:
    """Return what became of a way to divide the work."""
    if t.found is None:
        return f"{t.label}: refused, {t.refused}"
    q = t.found
    over = ", over the budget" if q.over else ""
    d = q.design
    figures = f"{1e6 / d.interval_us:,.4g} images/s end to end, {d.latency_us:.2f} us, {d.cores} cores"
    return f"{t.label}: {figures} by a short search{over}"


def _alternatives(
    written: Written, operators: Operators, goal: Goal, best: Mapped | None, remake: Remake
) -> list[Alternative]:
    """Return what may win against the best design of the network as written, or keep a budget that none of it keeps."""
    if best is None:  # tiles take less logic, but no fewer cores or streams
        return on_other_engines(written.reopened, operators, written.plan.device, remake=remake, goal=goal)
    found = [*_other_tiles(written, operators)]
    if goal.objective == "cores":
        return found  # the fewest cores are none: the processor only helps to keep the budget
    rate = goal.objective in ("throughput", "energy")
    moves = on_other_engines(
        written.reopened,
        operators,
        written.plan.device,
        remake=remake,
        goal=goal,
        within_us=best.interval_us if rate else best.latency_us,
        one_of=_slowest(best.plan) if rate else frozenset(),
    )
    return [*found, *moves]


def _other_tiles(written: Written, operators: Operators) -> Iterator[Alternative]:
    """Yield other tiles: of a whole image those with little halo."""
    network = written.reopened
    fits = beginning(written.plan.device, operators)
    for a in cut_otherwise(network, operators, fits, most_halo=1.0 if network.spec.tiles else MOST_HALO):
        if a.network.spec.tiles != network.spec.tiles:
            yield a


def _slowest(plan: ArrayPart) -> frozenset[str]:
    """Return the layers of the stage that limits a plan, and those beside it; of a mover all on AI Engines."""
    name = plan.cost.bottleneck
    kernel = next((g for g in plan.pl if g.name == name), None)
    if kernel is None:
        products = {la.name for la in plan.aie}
        return frozenset({name}) if name in products else frozenset(products)
    beside = {*(i.producer for i in kernel.inlets), *(o.reader for o in kernel.outlets)}
    return frozenset(beside | {s.layer for s in kernel.steps})
