"""A search in little time: some thousand cuts of every open layer, the best designs simulated, the best of those planned.

The planner's own design takes part, so that nothing gets worse.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from aieloom.errors import CannotFit
from aieloom.layout.grid import RowGrid
from aieloom.network.layers import Network
from aieloom.network.operator import Operators
from aieloom.plan.build import make_plan, outline
from aieloom.plan.linked import is_linked
from aieloom.plan.rates import least_interval_us
from aieloom.plan.rules_streams import crowded_logic
from aieloom.plan.strategy import strategies, takes
from aieloom.plan.types import ArrayPart
from aieloom.progress import at
from aieloom.search.candidates import NARROW, LayerFront, Space, layer_fronts
from aieloom.search.figures import (
    BRAM,
    CORES,
    INTERVAL,
    LATENCY,
    URAM,
    fixed,
)
from aieloom.search.goal import Goal, Modelled, Rank
from aieloom.search.linked import linked_designs
from aieloom.search.mapped import Mapped, as_whole, planned, timed, unplaced
from aieloom.search.merge import Front, limits, merge
from aieloom.search.otherwise import otherwise
from aieloom.search.plainer import plainer
from aieloom.search.scope import Choice, copy_counts, open_layers, remapped, said_of
from aieloom.search.streaming import longest_layer, streamed
from aieloom.spec.device import Device
from aieloom.spec.product import DEFAULT_STRATEGY

CANDIDATES = 16_000  # of all layers together, about: a second or two
LEAST_CANDIDATES = 1_000  # of a layer
SIMULATED = 14  # designs of a front
FEW = 3  # where many alternatives are compared
EACH = 3  # of them at least of every number of copies, and of every share of the cores
FEWER = (1 / 2, 1 / 4)  # of the best one's cores
CROWDS = 4  # times as many designs are looked at as are wanted, while the logic has no room for them
WIDTHS = (64, 128)  # of streams
ROWS = 2  # of a direct convolution's tile: small ones let the kernels beside it work meanwhile, which no sum shows
ROUNDS = 1024  # of a layer as the planner cuts it, with which streaming kernels are planned in little time
BRAM_OF_URAM = 8  # 288 and 36 Kbit
PLANNED = 12  # designs of a kind that are planned until one keeps every rule
FINER = 2  # times as many cuts are looked at where the search begins anew from what it found


@dataclass(frozen=True, kw_only=True)
class Quick:
    """The best design that was found, and among how many."""

    order: tuple[bool, Rank]  # what to sort by: whether it takes more than the budget, and the objective
    design: Mapped
    layers: tuple[
        LayerFront, ...
    ]  # the candidates of each open layer beside it; none of a chain and of the planner's own
    counts: Mapping[str, int]  # cuts of each open layer
    designs: int
    alone_us: float  # interval of the planner's own design, in which each layer is cut by itself
    more: tuple[float, ...]  # intervals of designs within the budget that take more cores

    @property
    def over(self) -> bool:
        """Whether it takes more than the budget."""
        return self.order[0]

    def lines(self, goal: Goal) -> dict[str, str]:
        """Return a line about the choice for each open layer."""
        alone = f"{self.alone_us:.4g} us"
        gain = f"{self.design.interval_us:.4g} us an image, {alone} where each layer is cut by itself"
        if self.design.interval_us == self.alone_us:
            gain = f"none is faster than the layers cut each by itself, {alone} an image"
        return {
            name: f"chosen by the search, of {count:,} cuts of this layer and {self.designs} designs, for {goal.text}: {gain}"
            for name, count in self.counts.items()
        }


@dataclass(frozen=True, kw_only=True)
class _Found:
    rank: Rank
    network: Network
    interval_us: float
    cores: int
    kind: str  # what the PL kernels are like: what a rule refuses of one design it often does of its like
    of: _Sums | None = None  # where it is from; None: a chain

    @property
    def crowded(self) -> bool:
        """Whether it takes more of the logic than is expected to close, by which designs are ranked first."""
        return bool(self.rank[0])


@dataclass(frozen=True, kw_only=True)
class _Sums:
    """Where designs come from: the one that was begun with, its layers' candidates added up, and a row of these."""

    network: Network
    plan: ArrayPart
    front: Front
    layers: tuple[LayerFront, ...]  # all candidates, of which the front may have some alone
    row: int = 0


def quick(
    network: Network,
    device: Device,
    operators: Operators,
    goal: Goal,
    names: Sequence[str],
    *,
    simulations: int = SIMULATED,
) -> Quick:
    """Search for cuts of the layers `names`; so many designs of each front are simulated.

    Raises:
        CannotFit: the planner finds no design to begin with; what is said is its refusal of the network as it is.
    """
    started = bases(network, device, operators, names)
    mapping = network.spec.mapping
    space = Space(
        keep=tuple(la.name for la in started[0][1].aie if la.name not in names),
        said={name: said_of(mapping[name]) for name in names},
        most=max(LEAST_CANDIDATES, CANDIDATES // max(1, len(names))),
        rows=ROWS,
        whole_rows=started[0][1].frame is not None,
    )
    counts = dict.fromkeys(names, 0)

    def around(started: Sequence[tuple[Network, ArrayPart]], chains: Sequence[_Found] = ()) -> Quick:
        found = list(chains)
        for changed, base in started:
            fronts = _fronts(changed, base, operators, space, goal=goal, counts=counts)
            for front in fronts:
                of = _Sums(network=changed, plan=base, front=front, layers=fronts[0].layers)
                found += _designs(of, operators, goal=goal, names=names, most=simulations)
        best = _best(started[0], operators, goal, found, counts=counts)
        return _last(best, goal, otherwise(network.spec, best.design, operators, goal, best.layers))

    chains = () if any(space.said.values()) else tuple(_chains(network, device, operators, goal, names))
    best = around(started, chains)
    # Sums depend on the PL kernels of the design that was begun with; whose layers follow each other on the array has no cuts.
    if not is_linked(best.design.network):
        space = replace(space, most=FINER * (space.most or 0))
        again = replace(around([(best.design.network, best.design.plan)]), alone_us=best.alone_us)
        best = min(best, again, key=lambda q: q.order)
    free = [n for n in names if "mmul" not in space.said[n]]
    return _last(best, goal, plainer(best.design, operators, free, goal))


def _last(best: Quick, goal: Goal, designs: Iterable[Mapped]) -> Quick:
    """Return the last of some designs, each better than the one before it, in place of the best so far."""
    for d in designs:
        best = replace(best, order=d.order(goal), design=d)
    return best


def _best(
    base: tuple[Network, ArrayPart],
    operators: Operators,
    goal: Goal,
    found: Sequence[_Found],
    *,
    counts: Mapping[str, int],
) -> Quick:
    """Return the best of the designs that are found and of the one that the planner made, `base`."""
    own = best = as_whole(*base)
    layers: tuple[LayerFront, ...] = ()
    tried, order = Counter[str](), own.order(goal)
    for design in sorted(found, key=lambda d: d.rank):
        if (False, design.rank) >= order:
            break
        tried[design.kind] += 1
        at(f"planning design {tried.total()} of {len(found)}")
        if tried[design.kind] > PLANNED:
            continue
        if made := planned(design.network, own.plan.device, operators):
            best, layers = made, design.of.layers if design.of else ()
            break
    return Quick(
        order=best.order(goal),
        design=best,
        layers=layers,
        counts=counts,
        designs=len(found),
        alone_us=own.interval_us,
        more=tuple(d.interval_us for d in found if d.cores > best.cores),
    )


def bases(
    network: Network, device: Device, operators: Operators, names: Sequence[str]
) -> list[tuple[Network, ArrayPart]]:
    """Return the network with its PL kernels as they are and with streaming ones, each as the planner cuts it.

    Raises:
        CannotFit: the planner refuses both; what is said is its refusal of the network as it is.
    """
    try:
        plan = make_plan(network, device, operators)
    except CannotFit as e:
        return [_by_lines(network, device, operators, names, e)]
    longest = longest_layer(plan)
    made = streamed(network, device, operators, pl=plan.pl, longest=longest, open_layers=names)
    return [(network, plan), *([made] if made else [])]


def beginning(device: Device, operators: Operators) -> Callable[[Network], object]:
    """Return what tells of a network, by its refusal, whether the planner finds a design to begin with."""
    return lambda network: bases(network, device, operators, open_layers(network, operators))


def _by_lines(
    network: Network,
    device: Device,
    operators: Operators,
    names: Sequence[str],
    refusal: CannotFit,
) -> tuple[Network, ArrayPart]:
    """Return the network with streaming PL kernels, where the planner refuses it as it is.

    Raises:
        CannotFit: it refuses that too.
    """
    # A layer that reads lines has few rounds; the planner's own cuts of a large image have more than can be planned here.
    for begun, opened in ((_with_lines(network, names), ()), (network, names)):
        with contextlib.suppress(CannotFit):
            made = outline(begun, device, operators)
            if max(d.grid.rounds for d in made.drafts) <= ROUNDS and (
                ready := streamed(begun, device, operators, pl=made.pl, open_layers=opened)
            ):
                return ready
    raise refusal


def _with_lines(network: Network, names: Sequence[str]) -> Network:
    """Return the network whose open convolutions read lines, in one group: few rounds, and few rows between layers."""
    mapping = network.spec.mapping
    key = next(s.key for s in strategies() if issubclass(s.grid, RowGrid))
    free = [n for n in names if takes(type(mapping[n]), key) and not said_of(mapping[n])]
    lines = {"strategy": key, "groups": 1}
    return remapped(network, mapping | {n: mapping[n].model_copy(update=lines) for n in free})


def _fronts(
    network: Network,
    plan: ArrayPart,
    operators: Operators,
    space: Space,
    *,
    goal: Goal,
    counts: dict[str, int],
) -> list[Front]:
    """Return the fronts of all candidates and of those by im2col alone; the candidates are counted into `counts`."""
    most, copies = limits(plan.device, goal.budget), copy_counts(network.spec, goal.most_copies)
    if (
        plan.frame
    ):  # sums count lines as block RAM; those of large tiles may lie in UltraRAM, as the plan then says
        most[BRAM] += BRAM_OF_URAM * most[URAM]
    fronts: list[Front] = []
    for widths in (WIDTHS, (NARROW, *WIDTHS)):
        layers = list(layer_fronts(network, plan, operators, replace(space, plio=widths)))
        for layer in layers:
            counts[layer.name] = counts.get(layer.name, 0) + layer.evaluated
        fronts = [
            merge(few, fixed(plan), most, copies=copies, tiles=plan.tiles) for few in _families(layers, plan)
        ]
        if any(len(front.figures) for front in fronts):
            break
    return fronts


def _families(layers: Sequence[LayerFront], plan: ArrayPart) -> Iterator[Sequence[LayerFront]]:
    """Yield all candidates, and some apart, as figures alike hide how long stages wait for each other.

    Those by im2col alone, whose tiles have other sizes; and of an image so large that it is cut into frames those whose tiles
    have few rows, as kernels with lines between them wait for each other's rows.
    """
    yield layers
    by_im2col = [[c.strategy == DEFAULT_STRATEGY for c in la.choices] for la in layers]
    most = {la.name: ROWS * la.draft.y.shape[-1] for la in plan.aie} if plan.frame else {}
    of_few_rows = [[c.tile[-1] <= most[la.name] for c in la.choices] for la in layers] if most else []
    for wanted in (by_im2col, of_few_rows):
        if not all(map(all, wanted)):
            yield [la.only(w) for la, w in zip(layers, wanted, strict=True)]


def _designs(
    of: _Sums, operators: Operators, *, goal: Goal, names: Sequence[str], most: int
) -> Iterator[_Found]:
    """Yield the best designs of a front, simulated; layers but `names` stay as they are.

    Sums do not count LUTs: behind designs for which the logic has no room, a few more are looked at.
    """
    roomy: dict[int, bool] = {}
    for rows, wanted in _promising(goal, of, most):
        for number, row in enumerate(rows[: CROWDS * wanted]):
            if sum(roomy.get(r, False) for r in rows[:number]) >= wanted:
                break
            if row in roomy:
                continue
            at(f"simulating design {len(roomy) + 1}")
            found = _simulated(
                replace(of, row=row), operators, goal=goal, names=names, roomy=number >= wanted
            )
            roomy[row] = bool(found and not found.crowded)
            if found:
                yield found


def _simulated(
    of: _Sums, operators: Operators, *, goal: Goal, names: Sequence[str], roomy: bool = False
) -> _Found | None:
    """Return a design of candidates as the simulation has it; None where a rule refuses it or it takes too long.

    Where it has to be `roomy`, also None where the logic has no room for it.
    """
    front, row = of.front, of.row
    chosen = {name: c for name, c in front.choices(row).items() if name in names}
    filled = _filled(of.network, chosen, int(front.copies[row]))
    try:
        made = unplaced(filled, of.plan, operators)
    except CannotFit:
        return None
    if roomy and any(crowded_logic(made)):
        return None
    modelled = timed(made)
    if modelled.latency_us > (goal.budget.latency_us or math.inf):
        return None
    return _Found(
        rank=goal.rank(modelled, front.area(row)),
        network=filled,
        interval_us=modelled.interval_us,
        cores=int(front.figures[row, CORES]),
        kind=_kind(of.plan),
        of=of,
    )


def _kind(plan: ArrayPart) -> str:
    """Return which of a plan's PL kernels stream."""
    return " ".join(kernel.name for kernel in plan.pl if kernel.part)


def _promising(goal: Goal, of: _Sums, most: int) -> Iterator[tuple[list[int], int]]:
    """Yield rows of a front, the best first, and how many of them are wanted.

    Those are the best by the sums over layers; the smallest that do what memory and processor allow; some that take fewer
    cores, down to a quarter of the best one's; and some of each number of copies. For sums over layers show neither how well
    stages interleave nor what the PL kernels between them take, so a design of fewer cores may turn out the faster.
    """
    front, counts = of.front, np.unique(of.front.copies).tolist()
    least = {count: least_interval_us(replace(of.plan, copies=count)) for count in counts}
    rows = _sorted(goal, front, {})
    yield rows, most
    yield _sorted(goal, front, least), most

    def within(cores: float) -> list[int]:
        return [row for row in rows if front.figures[row, CORES] <= cores]

    for share in FEWER if rows else ():
        yield within(share * front.figures[rows[0], CORES]), EACH
    half = within((goal.budget.aie_cores or 0) // 2)
    for count in counts if len(counts) > 1 else ():
        for some in (rows, half):
            yield [row for row in some if front.copies[row] == count], EACH


def _chains(
    network: Network, device: Device, operators: Operators, goal: Goal, names: Sequence[str]
) -> Iterator[_Found]:
    """Yield the designs within the budget whose layers hand images on core to core."""
    for made in linked_designs(network, device, operators, names, goal):
        chain = as_whole(*made)
        over, rank = chain.order(goal)
        if not over:
            yield _Found(
                rank=rank,
                network=chain.network,
                interval_us=chain.interval_us,
                cores=chain.cores,
                kind=next(la.draft.strategy for la in chain.plan.aie if la.name in names),
            )


def _filled(network: Network, choices: Mapping[str, Choice], copies: int) -> Network:
    mapping = network.spec.mapping
    cuts = {n: mapping[n].model_copy(update=c._asdict()) for n, c in choices.items()}
    return remapped(network, mapping | cuts, copies=copies)


def _sorted(goal: Goal, front: Front, least: Mapping[int, float]) -> list[int]:
    """Return the rows of a front, the best first; copies take no less time than their number's in `least`."""

    def estimate(row: int) -> tuple[Rank, int]:
        f = front.figures[row]
        interval = max(float(f[INTERVAL]), least.get(int(front.copies[row]), 0.0))
        return goal.rank(Modelled(interval, float(f[LATENCY]), 0), front.area(row)), row

    return sorted(range(len(front.figures)), key=estimate)
