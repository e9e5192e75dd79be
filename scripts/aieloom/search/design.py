"""What a search finds, whoever proposed it: planned designs with their modelled figures, and what there is to say of all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from aieloom.cost.power import Energy
from aieloom.network.layers import Network
from aieloom.plan.types import ArrayPart
from aieloom.search.goal import Area, Goal, Modelled, Rank
from aieloom.spec.flow_style import flow_yaml
from aieloom.spec.network import BudgetSpec
from aieloom.units.plan import Plan, Settings


@dataclass(frozen=True, kw_only=True)
class Design:
    """A planned design with its modelled figures."""

    head: ClassVar[str]
    network: Network
    plan: Plan | ArrayPart
    modelled: Modelled
    area: Area
    energy: Energy | None  # of an image; None where nothing public says what the board draws
    taken: Mapping[str, float]  # what a budget can bound
    said: Settings  # what plans it again in network.yaml

    @property
    def interval_us(self) -> float:
        """The time between two images, end to end."""
        return self.modelled.interval_us

    @property
    def latency_us(self) -> float:
        """The time of an image, or of the batch in which it is computed."""
        return self.modelled.latency_us

    @property
    def cores(self) -> int:
        """Cores of the array."""
        return int(self.taken["aie_cores"])

    @property
    def line(self) -> str:
        """The line of a table under `head`."""
        raise NotImplementedError

    @property
    def figures(self) -> Mapping[str, object]:
        """Its figures as JSON has them."""
        raise NotImplementedError

    @property
    def told(self) -> tuple[str, ...]:
        """Its rates in words."""
        raise NotImplementedError

    @property
    def drawn(self) -> str:
        """The millijoules of an image, for a table."""
        return f"{self.energy.mj:.4g}" if self.energy else "-"

    def rank(self, goal: Goal) -> Rank:
        """Return what to sort by."""
        return goal.rank(self.modelled, self.area, self.energy.mj if self.energy else None)

    def order(self, goal: Goal) -> tuple[bool, Rank]:
        """Return what to sort by: whether it takes more than the budget, and the objective."""
        return self.over(goal.budget), self.rank(goal)

    def over(self, budget: BudgetSpec) -> bool:
        """Tell whether it takes more than the budget."""
        limits = budget.model_dump(exclude_none=True)
        return any(limits[key] < used for key, used in self.taken.items() if key in limits)


DesignT_co = TypeVar("DesignT_co", bound=Design, covariant=True)


@dataclass(frozen=True, kw_only=True)
class Found(Generic[DesignT_co]):
    """What a search found: the design as written, and all within the budget, the best first."""

    goal: Goal
    written: DesignT_co
    designs: tuple[DesignT_co, ...]
    refused: Mapping[str, int]  # what was looked at and has no plan, by the rule that refuses it

    @property
    def winner(self) -> DesignT_co:
        """The best."""
        return self.designs[0]

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is said below the table of designs."""
        raise NotImplementedError


def in_yaml(network: Network, settings: Settings) -> Iterator[str]:
    """Yield the lines of network.yaml that have settings, those of `mapping:` with what else is said of their layers."""
    for key, value in settings.items():
        if key == "mapping":
            yield "mapping:"
            for name, mapping in network.spec.mapping.items():
                keys = mapping.model_dump(exclude_unset=True, exclude_none=True) | value.get(name, {})
                yield from [f"  {name}: {flow_yaml(keys)}"] if keys else []
        elif key != "execution" or value != network.spec.source.data.get(key, "spatial"):
            yield f"{key}: {flow_yaml(value)}"


def in_short(settings: Settings) -> str:
    """Return settings on one line."""
    return flow_yaml(innermost(settings))


def innermost(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings without the keys around them, and without what says that there is such a unit."""
    found: dict[str, Any] = {}
    for key, value in settings.items():
        if key != "execution":
            found |= innermost(value) if isinstance(value, Mapping) else {key: value}
    return found
