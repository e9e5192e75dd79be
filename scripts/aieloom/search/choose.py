"""Which design wins: those of the front are simulated, and the best by the objective planned as a whole.

Sums over layers say which designs may be good; the event simulation, in which stages wait for each other's buffers,
says how fast they are. Every design rule holds for what wins, because it was planned.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from aieloom.cost.blocks import Loops
from aieloom.cost.power import Energy, Work, energy_of, has_power
from aieloom.errors import CannotFit, Problem, SpecError
from aieloom.network.layers import Network
from aieloom.network.operator import Operators
from aieloom.plan.build import make_plan, outline
from aieloom.plan.energy import plan_energy
from aieloom.plan.rates import Rates
from aieloom.plan.rules_streams import crowded_logic
from aieloom.plan.types import AieLayerPlan, ArrayPart
from aieloom.progress import at
from aieloom.search.candidates import Evaluator, LayerFront, Space, layer_fronts
from aieloom.search.figures import CORES, PLIO, TILES, fixed, present
from aieloom.search.front import representatives
from aieloom.search.merge import JUDGED, Front, limits, merge
from aieloom.search.scope import Choice, copy_counts, remapped
from aieloom.simulation.of_plan import modelled_rates, simulate_plan
from aieloom.spec.board import Board
from aieloom.spec.network import MAX_COPIES, BudgetSpec, NetworkSpec, Objective, WeightsSpec

FINALISTS = 12  # designs that are planned as a whole
SIMULATED = 400  # designs of a front, about: more are thinned out
MOST_REFUSED = 96  # refusals after which the search gives up when nothing was planned
HEAD = (
    f"{'images/s':>10} {'the array':>10} {'at memory':>10} {'interval us':>12} {'latency us':>11} {'mJ':>8} {'cores':>6} "
    f"{'tiles':>6} {'plio':>5}"
)
DIGITS = 6  # figures that agree in so many digits are equal
Tell = Callable[[str], None]
Rank = tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Goal:
    """What is looked for, and within what. `said` names the budget's keys that the command line gave."""

    objective: Objective = "throughput"
    budget: BudgetSpec = field(default_factory=BudgetSpec)
    said: tuple[str, ...] = ()
    copies: int | None = None  # of the whole design, at most, as the command line says
    board: Board | None = None  # whose power is modelled: of the objective energy

    @classmethod
    def of(
        cls,
        spec: NetworkSpec,
        board: Board,
        objective: Objective | None = None,
        more: Mapping[str, float] | None = None,
        *,
        copies: int | None = None,
    ) -> Goal:
        """Return what network.yaml asks for, with what the command line says instead.

        Raises:
            SpecError: energy is asked for, and nothing public says what the board draws.
        """
        said = dict(more or {})
        wanted = objective or spec.objective
        if wanted == "energy" and not has_power(board):
            text = f"objective: energy: nothing public says what {board.name} draws beside a design"
            remedy = "write power: {source: ..., rest_w: ...} of your board in a device file of your own (docs/energy.md)"
            at = Problem(rule="dse-2", file="objective=", text=text, remedy=remedy)
            raise SpecError(at if objective else spec.source.problem("dse-2", ("objective",), text, remedy))
        return cls(
            objective=wanted,
            budget=spec.budget.model_copy(update=said),
            said=tuple(said),
            copies=copies,
            board=board,
        )

    @property
    def most_copies(self) -> int | None:
        """How many copies are searched for together with the cuts; None: one, as more make nothing better."""
        return (self.copies or self.budget.aie_cores or MAX_COPIES) if self.wants_rate else None

    @property
    def wants_rate(self) -> bool:
        """Whether more images a second are what is asked for, or a part of it, as of energy: copies raise that alone."""
        o = self.objective
        return o.throughput > 0 if isinstance(o, WeightsSpec) else o in ("throughput", "energy")

    def rank(
        self,
        *,
        interval: float,
        latency: float,
        cores: float,
        tiles: float,
        plio: float,
        flattened: int,
        energy: float | None = None,
        crowded: bool = False,
    ) -> Rank:
        """Return what to sort designs by, the best first; of equal ones that which leaves less to the compiler.

        A `crowded` one, which takes more of the logic than is expected to close, is behind all others.
        `energy` are millijoules of an image; of a design that is not planned yet its interval and tiles tell about what.
        """
        i, la, area = rounded(interval), rounded(latency), (tiles, plio)
        if isinstance(self.objective, WeightsSpec):
            w = self.objective
            score = (
                w.throughput * math.log(interval) + w.latency * math.log(latency) + w.cores * math.log(cores)
            )
            return (crowded, rounded(score), i, la, *area, flattened)
        orders = {
            "throughput": (i, *area, flattened, la),
            "latency": (la, i, *area, flattened),
            "cores": (cores, *area, i, flattened, la),
        }
        if self.objective == "energy":
            about = self._energy(interval, tiles) if energy is None else energy
            return (crowded, rounded(about), i, *area, flattened, la)
        return (crowded, *orders[self.objective])

    def _energy(self, interval: float, tiles: float) -> float:
        found = energy_of(self.board, Work(interval_us=interval, tiles=tiles)) if self.board else None
        return found.mj if found else math.inf

    @property
    def text(self) -> str:
        """The goal in words."""
        o = self.objective
        what = o if isinstance(o, str) else ", ".join(f"{k} {v:g}" for k, v in o.model_dump().items() if v)
        limits = ", ".join(f"{k} {v:g}" for k, v in self.budget.model_dump().items() if v is not None)
        return f"{what}; budget: {limits or 'the device'}"


def rounded(value: float) -> float:
    """Return a figure by which designs are compared: those that agree in so many digits are equal."""
    return float(f"{value:.{DIGITS}g}")


def left_to_compiler(layers: Iterable[AieLayerPlan]) -> int:
    """Return how many loops the layers' figures count as flattened into a loop around them, of which one pipeline is made then.

    The source asks for that, and whether a compiler finds registers for so long a body is its luck: without it conv1 of
    mnist_int8 takes six times as long. An innermost loop that is marked counts nothing: every kernel has those. Each kind of
    core of a chain counts its own.
    """
    return sum(flattened_loops(layer.draft.loops) for layer in layers)


def flattened_loops(loops: Iterable[Loops]) -> int:
    """Return how many loops a kernel's source asks to flatten; one of a single trip is none."""
    return sum(trips > 1 for nest in loops if nest.flattened for trips in nest.trips)


class Modelled(NamedTuple):
    """What the simulation says of a design, end to end, and what it leaves to the compiler.

    A `crowded` design takes more of the logic than is expected to close.
    """

    interval_us: float
    latency_us: float
    flattened: int
    crowded: bool = False


@dataclass(frozen=True, kw_only=True)
class Design:
    """A planned design with what the event simulation says of it, held to what movers, memory and the host program carry."""

    choices: Mapping[str, Choice]
    network: Network
    plan: ArrayPart
    interval_us: float
    latency_us: float
    rates: Rates
    row: int | None = None  # of the front; None: its layers are cut as network.yaml says now
    written: bool = False  # it is what network.yaml says now, PL clocks included

    @property
    def plio(self) -> int:
        """Streams between PL and array."""
        return len(self.plan.plios)

    @property
    def cores(self) -> int:
        """Cores of the array."""
        return self.plan.cores

    @property
    def energy(self) -> Energy | None:
        """What an image takes; None where nothing public says what the board draws."""
        return plan_energy(self.plan, self.interval_us)

    @property
    def line(self) -> str:
        """The line of a table under HEAD."""
        energy = f"{self.energy.mj:.4g}" if self.energy else "-"
        three = (self.rates.system, self.rates.array, self.rates.memory)
        return (
            f"{' '.join(f'{rate.images_per_s:>10,.0f}' for rate in three)} {self.interval_us:>12.3f} {self.latency_us:>11.2f} "
            f"{energy:>8} {self.cores:>6} {self.plan.tiles_in_use:>6} {self.plio:>5}"
        )

    @property
    def figures(self) -> dict[str, object]:
        """Its figures as JSON has them."""
        rates = {"array": self.rates.array, "memory": self.rates.memory, "system": self.rates.system}
        return {
            "images_per_s": {name: rate.images_per_s for name, rate in rates.items()},
            "interval_us": self.interval_us,
            "energy_mj": self.energy.mj if self.energy else None,
            "latency_us": self.latency_us,
            "cores": self.cores,
            "tiles": self.plan.tiles_in_use,
            "plio": self.plio,
            "copies": self.plan.copies,
            "as_written": self.written,
        }

    def rank(self, goal: Goal) -> Rank:
        """Return what to sort by."""
        return goal.rank(
            interval=self.interval_us,
            latency=self.latency_us,
            cores=self.cores,
            tiles=self.plan.tiles_in_use,
            plio=self.plio,
            flattened=left_to_compiler(self.plan.aie),
            energy=self.energy.mj if self.energy else None,
            crowded=any(crowded_logic(self.plan)),
        )

    def over(self, budget: BudgetSpec) -> bool:
        """Tell whether it takes more than the budget."""
        pairs = (
            (self.plan.cores, budget.aie_cores),
            (self.plio, budget.plio),
            (self.latency_us, budget.latency_us),
        )
        return any(limit is not None and used > limit for used, limit in pairs)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a search found: designs within the budget, the best first, and how it came to them.

    `clocks` has a line about each clock where there were several, `ways` about other ways to divide the work; `label` is the
    one that won, where it is not what is written.
    """

    goal: Goal
    front: Front
    space: Space
    designs: tuple[Design, ...]
    written: Design
    refused: Mapping[str, int]  # finalists by the rule that refused them
    over: int  # finalists that were planned, but take more than the budget
    fates: Mapping[int, str]  # what became of those rows of the front that were planned
    times: tuple[tuple[float, float], ...]  # simulated interval and latency of the front's rows, in us
    clocks: tuple[str, ...] = ()
    ways: tuple[str, ...] = ()
    label: str = ""

    @property
    def winner(self) -> Design:
        """The best design."""
        return self.designs[0]

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
    written: Design | None = None,
    others: Sequence[Design] = (),
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
            designs.append(_design(changed, made, front.choices(row), row))
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
        times=tuple((t.interval_us, t.latency_us) for t in times),
    )


def _told(rows: range) -> Iterator[int]:
    """Yield the rows of a front that are simulated, telling how far that is."""
    for row in rows:
        at(f"simulating design {row + 1} of {len(rows)}")
        yield row


def as_it_is(network: Network, plan: ArrayPart) -> Design:
    """Return a plan as a design of the search."""
    return _design(network, plan, {la.name: present(plan, la)[0] for la in plan.aie})


def as_whole(network: Network, plan: ArrayPart, *, written: bool = False) -> Design:
    """Return a plan no layer of which has choices, such as a chain, as a design of the search."""
    return replace(_design(network, plan, {}), written=written)


def _design(
    network: Network, plan: ArrayPart, choices: Mapping[str, Choice], row: int | None = None
) -> Design:
    run = simulate_plan(plan)
    rates = modelled_rates(plan, run)
    return Design(
        choices=choices,
        network=network,
        plan=plan,
        interval_us=rates.system.interval_us,
        latency_us=run.latency_us,
        rates=rates,
        row=row,
    )


def _of_row(network: Network, front: Front, row: int, keep: Sequence[str] = ()) -> Network:
    """Return the network as a design of the front has it."""
    return with_choices(network, front.choices(row), keep, copies=int(front.copies[row]))


def with_choices(
    network: Network, choices: Mapping[str, Choice], keep: Sequence[str] = (), *, copies: int | None = None
) -> Network:
    """Return the network with the layers cut as chosen, and placed by the planner; those of `keep` stay as they are."""
    mapping = dict(network.spec.mapping)
    for name, choice in choices.items():
        fields = type(mapping[name]).model_fields
        if name not in keep and set(Choice._fields) <= set(fields):
            place = {"place": None} if "place" in fields else {}
            mapping[name] = mapping[name].model_copy(update={**choice._asdict(), **place})
    if set(choices) - set(keep):  # other cuts want other readers: the planner chooses them
        for name, spec in mapping.items():
            if getattr(spec, "readers", None):
                mapping[name] = spec.model_copy(update={"readers": None})
    return remapped(network, mapping, copies=copies or network.spec.copies)


def _time(network: Network, plan: ArrayPart, operators: Operators) -> Modelled:
    """Return the simulated interval and latency; of a design that a rule refuses, which planning will say, for ever."""
    try:
        return simulated(network, plan, operators)
    except CannotFit:
        return Modelled(math.inf, math.inf, 0)


def simulated(network: Network, plan: ArrayPart, operators: Operators) -> Modelled:
    """Return what is modelled of a design that has no places yet.

    The interval is that end to end, by which designs are compared everywhere.
    """
    return timed(unplaced(network, plan, operators))


def unplaced(network: Network, plan: ArrayPart, operators: Operators) -> ArrayPart:
    """Return a network's design beside its `plan` as it was, without places, for which the simulation does not ask.

    Raises:
        CannotFit: a rule refuses a layer's cut.
    """
    made = outline(network, plan.device, operators)
    return replace(
        plan,
        aie=tuple(AieLayerPlan(draft=d, kernels=()) for d in made.drafts),
        pl=made.pl,
        subgraphs=made.subgraphs,
        frame=made.frame,
        copies=network.spec.copies,
        others=(),
    )


def timed(plan: ArrayPart) -> Modelled:
    """Return what is modelled of a plan."""
    run = simulate_plan(plan)
    interval = modelled_rates(plan, run).system.interval_us
    return Modelled(interval, run.latency_us, left_to_compiler(plan.aie), any(crowded_logic(plan)))


def _order(front: Front, times: Sequence[Modelled], goal: Goal) -> list[int]:
    """Return the front's rows within the latency of the budget, the best first."""
    most = goal.budget.latency_us or math.inf
    ranks = {
        row: goal.rank(
            interval=times[row].interval_us,
            latency=times[row].latency_us,
            cores=float(f[CORES]),
            tiles=float(f[TILES]),
            plio=float(f[PLIO]),
            flattened=times[row].flattened,
            crowded=times[row].crowded,
        )
        for row, f in enumerate(front.figures)
        if times[row].latency_us <= most
    }
    return sorted(ranks, key=lambda row: (ranks[row], row))


def _impossible(
    spec: NetworkSpec,
    goal: Goal,
    front: Front,
    *,
    times: Sequence[Modelled],
    designs: Sequence[Design],
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


def problem_of(spec: NetworkSpec, goal: Goal, key: str, text: str, remedy: str) -> Problem:
    """Return what is wrong with a key of the budget, which the command line or network.yaml says."""
    if key in goal.said:
        return Problem(rule="dse-1", file=f"{key}=", text=text, remedy=remedy)
    return spec.source.problem("dse-1", ("budget", key), text, remedy)
