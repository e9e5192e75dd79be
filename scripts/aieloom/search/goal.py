"""What a search looks for, and within what; how designs are compared by it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from aieloom.cost.power import Work, energy_of, has_power
from aieloom.errors import Problem, SpecError
from aieloom.spec.board import Board
from aieloom.spec.network import MAX_COPIES, BudgetSpec, NetworkSpec, Objective, WeightsSpec

DIGITS = 6  # figures that agree in so many digits are equal
Tell = Callable[[str], None]
Rank = tuple[float, ...]


class Modelled(NamedTuple):
    """What is modelled of a design, end to end, and what it leaves to the compiler.

    A `crowded` design takes more of the logic than is expected to close: it is behind all others.
    """

    interval_us: float
    latency_us: float
    flattened: int
    crowded: bool = False


class Area(NamedTuple):
    """What a design takes of the device, as far as designs are compared by it: of equal ones the smaller is the better."""

    cores: float
    tiles: float
    plio: float


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

    def rank(self, modelled: Modelled, area: Area, energy: float | None = None) -> Rank:
        """Return what to sort designs by, the best first; of equal ones that which leaves less to the compiler.

        `energy` are millijoules of an image; of a design that is not planned yet its interval and tiles tell about what.
        """
        interval, latency = rounded(modelled.interval_us), rounded(modelled.latency_us)
        smaller = (area.tiles, area.plio)
        last = (*smaller, modelled.flattened, latency)
        if isinstance(self.objective, WeightsSpec):
            w = self.objective
            score = (
                w.throughput * math.log(modelled.interval_us)
                + w.latency * math.log(modelled.latency_us)
                + w.cores * math.log(area.cores)
            )
            return (modelled.crowded, rounded(score), interval, latency, *smaller, modelled.flattened)
        if self.objective == "energy":
            about = self._energy(modelled.interval_us, area.tiles) if energy is None else energy
            return (modelled.crowded, rounded(about), interval, *last)
        orders = {
            "throughput": (interval, *last),
            "latency": (latency, interval, *smaller, modelled.flattened),
            "cores": (area.cores, *smaller, interval, modelled.flattened, latency),
        }
        return (modelled.crowded, *orders[self.objective])

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


def problem_of(spec: NetworkSpec, goal: Goal, key: str, text: str, remedy: str) -> Problem:
    """Return what is wrong with a key of the budget, which the command line or network.yaml says."""
    if key in goal.said:
        return Problem(rule="dse-1", file=f"{key}=", text=text, remedy=remedy)
    return spec.source.problem("dse-1", ("budget", key), text, remedy)
