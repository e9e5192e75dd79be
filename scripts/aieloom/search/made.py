"""The search for designs on one kind of unit: engines for layers in turn, a circuit, the matrix engine, a project's own.

A maker names settings of network.yaml one after another, those that the file leaves open. Each is planned as the file would be
with it, and costed by the same model, whatever the budget: a larger one so never ends below a smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from aieloom.cost.power import Energy
from aieloom.errors import CannotFit, Problem
from aieloom.makers import Maker
from aieloom.network.layers import Network
from aieloom.ops import REGISTRY
from aieloom.search.choose import Goal, Rank, Tell, problem_of
from aieloom.search.scope import remapped
from aieloom.spec.flow_style import flow_yaml
from aieloom.spec.network import LOGIC, EngineSpec
from aieloom.units.plan import Plan, Settings, interval_us, resources
from aieloom.units.types import Use


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A planned design on a unit, with its modelled figures; `said` is what plans it again in network.yaml."""

    network: Network
    plan: Plan
    said: Settings
    interval_us: float  # end to end
    latency_us: float  # of an image, or of the batch in which it is computed
    energy: Energy | None  # of an image; None where nothing public says what the board draws
    use: Use

    @property
    def cores(self) -> int:
        """Cores of the array."""
        return self.use.cores

    @property
    def taken(self) -> dict[str, float]:
        """What a budget can bound."""
        logic = {key: getattr(self.use, key) for key in LOGIC}
        return {"aie_cores": self.cores, "latency_us": self.latency_us, **logic}

    def takes_all_of(self, other: Candidate) -> bool:
        """Tell whether it takes no less of anything than another one."""
        return all(other.taken[key] <= value for key, value in self.taken.items())

    @property
    def line(self) -> str:
        """The line of a table under Made.head."""
        drawn, use = f"{self.energy.mj:.4g}" if self.energy else "-", self.use
        times = f"{1e6 / self.interval_us:>10,.0f} {self.latency_us:>11,.1f} {drawn:>8} {self.cores:>6}"
        return f"{times} {use.dsp:>6,} {use.lut:>8,} {use.bram36:>6,}  {in_short(self.said)}"

    @property
    def figures(self) -> dict[str, object]:
        """The design's figures as JSON has them."""
        rate, mj = 1e6 / self.interval_us, self.energy.mj if self.energy else None
        return {**self.said, "images_per_s": rate, "energy_mj": mj, **self.taken, "ff": self.use.ff}

    def rank(self, goal: Goal) -> Rank:
        """Return what to sort by; of equal ones the smaller, for which the logic stands as streams do of an array."""
        return goal.rank(
            interval=self.interval_us,
            latency=self.latency_us,
            cores=max(1, self.cores),
            tiles=self.cores,
            plio=self.use.dsp,
            flattened=self.use.lut,
            energy=self.energy.mj if self.energy else None,
        )


@dataclass(frozen=True, kw_only=True)
class Made:
    """What a search found: the design as written, and all within the budget, the best first."""

    head = f"{'images/s':>10} {'latency us':>11} {'mJ':>8} {'cores':>6} {'DSP':>6} {'LUT':>8} {'BRAM':>6}"
    maker: Maker
    goal: Goal
    written: Candidate
    designs: tuple[Candidate, ...]
    refused: tuple[tuple[Settings, str, str], ...]  # what has no plan, the rule, and why
    looked: int  # settings that were looked at

    @property
    def winner(self) -> Candidate:
        """The best."""
        return self.designs[0]

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is said below the table of designs."""
        said = f"{len(self.refused)} of {self.looked} settings have no room"
        if not self.looked:
            why = "network.yaml says how it is" if self.written.said else "it has no settings in network.yaml"
            said = f"nothing else was looked at: the network runs {self.maker.how}, and {why}"
        return (f"{said}; {self.maker.model}",)


def search_made(
    maker: Maker,
    network: Network,
    plan: Plan,
    goal: Goal,
    tell: Tell,
    *,
    near: Callable[[Settings], bool] = lambda _: True,
) -> Made:
    """Return a network's designs on a unit, of those settings that are `near`; `plan` is it as written.

    Raises:
        CannotFit: none keeps to the budget.
    """
    found, refused = [_candidate(maker, network, plan, {})], list[tuple[Settings, str, str]]()
    choices, made = maker.choices(network, plan.board), None
    with suppress(StopIteration):
        while True:
            settings = choices.send(made)
            made = None
            if not near(settings):
                continue
            changed = described(network, settings)
            try:
                made = maker.plan(changed, plan.board, REGISTRY, "searched for", **maker.kept(plan))
                found.append(_candidate(maker, changed, made, settings))
                told = f"{1e6 / found[-1].interval_us:,.0f} images/s, {found[-1].latency_us:,.1f} us"
            except CannotFit as e:
                refused.append((settings, e.problems[0].rule, e.problems[0].text))
                told = refused[-1][-1].partition(";")[0]
            tell(f"  {in_short(settings)}: {told}")
    limits = {key: limit for key, limit in goal.budget.model_dump().items() if limit is not None}
    kept = [c for c in found if all(c.taken[key] <= limit for key, limit in limits.items())]
    if not kept:
        raise CannotFit(_beyond(network, goal, limits, found))
    return Made(
        maker=maker,
        goal=goal,
        written=found[0],
        designs=tuple(_distinct(sorted(kept, key=lambda c: c.rank(goal)))),
        refused=tuple(refused),
        looked=len(found) - 1 + len(refused),
    )


def _candidate(maker: Maker, network: Network, plan: Plan, settings: Settings) -> Candidate:
    return Candidate(
        network=network,
        plan=plan,
        said=maker.said(plan) or settings,
        interval_us=interval_us(plan),
        latency_us=maker.latency_us(plan),
        energy=maker.energy(plan),
        use=resources(plan),
    )


def described(network: Network, settings: Settings) -> Network:
    """Return the network with what network.yaml would say."""
    spec, mapping, more = network.spec, dict(network.spec.mapping), dict[str, object]()
    if "engine" in settings:
        sized = EngineSpec.model_validate(settings["engine"])
        more = {"engine": sized.where, "sized": sized}
    for name, keys in settings.get("mapping", {}).items():
        said = spec.mapping[name].model_dump(exclude_unset=True)
        mapping[name] = type(spec.mapping[name]).model_validate(said | keys)
    return remapped(network, mapping, **more)


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


def _beyond(
    network: Network, goal: Goal, limits: Mapping[str, float], found: Sequence[Candidate]
) -> Iterator[Problem]:
    """Yield the refusal of a budget to which no design keeps, with the least that any takes."""
    least = {key: min(c.taken[key] for c in found) for key in limits}
    over = [key for key, limit in limits.items() if limit < least[key]] or list(limits)
    apart = ", but not together" if len(over) > 1 else ""
    said = network.spec.source.data.get("engine")
    engine = f" with engine: {flow_yaml(said)}" if isinstance(said, dict) else ""
    remedy = f"allow at least that{', or leave keys of engine: out' if engine else ''}"
    for key in over:
        text = f"no design keeps to {key}: {limits[key]:g}{engine}: the least that any takes is {round(least[key], 1):,}"
        yield problem_of(network.spec, goal, key, f"{text}{apart}", remedy)


def _distinct(designs: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yield the designs but those that are planned as one before: blocks for which all products are the array's."""
    seen: list[Settings] = []
    for c in designs:
        if c.said not in seen:
            seen.append(c.said)
            yield c
