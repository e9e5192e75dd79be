"""The search for designs on one kind of unit: engines for layers in turn, a circuit, the matrix engine, a project's own.

A maker names settings of network.yaml one after another, those that the file leaves open. Each is planned as the file would be
with it, and costed by the same model, whatever the budget: a larger one so never ends below a smaller.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from aieloom.errors import CannotFit, Problem
from aieloom.makers import Maker
from aieloom.network.layers import Network
from aieloom.ops import REGISTRY
from aieloom.search.design import Design, Found, in_short
from aieloom.search.goal import Area, Goal, Modelled, Tell, problem_of
from aieloom.search.scope import remapped
from aieloom.spec.flow_style import flow_yaml
from aieloom.spec.network import LOGIC, EngineSpec
from aieloom.units.plan import Plan, Settings, interval_us, resources
from aieloom.units.types import Use


@dataclass(frozen=True, kw_only=True)
class Candidate(Design):
    """A design on a unit, which a maker has planned."""

    head = f"{'images/s':>10} {'latency us':>11} {'mJ':>8} {'cores':>6} {'DSP':>6} {'LUT':>8} {'BRAM':>6}"
    plan: Plan
    maker: Maker
    use: Use

    def takes_all_of(self, other: Candidate) -> bool:
        """Tell whether it takes no less of anything than another one."""
        return all(other.taken[key] <= value for key, value in self.taken.items())

    @property
    def line(self) -> str:
        """The line of a table under `head`."""
        times = f"{1e6 / self.interval_us:>10,.0f} {self.latency_us:>11,.1f} {self.drawn:>8} {self.cores:>6}"
        use = f"{self.use.dsp:>6,} {self.use.lut:>8,} {self.use.bram36:>6,}"
        return f"{times} {use}  {in_short(self.said)}"

    @property
    def figures(self) -> Mapping[str, object]:
        """The design's figures as JSON has them."""
        rate, mj = 1e6 / self.interval_us, self.energy.mj if self.energy else None
        return {**self.said, "images_per_s": rate, "energy_mj": mj, **self.taken, "ff": self.use.ff}

    @property
    def told(self) -> tuple[str, ...]:
        """Its rate in words."""
        rate = f"{1e6 / self.interval_us:,.0f} images/s, {self.latency_us:,.1f} us, {self.cores} cores"
        return (f"{rate}: {self.maker.model}.",)


@dataclass(frozen=True, kw_only=True)
class Made(Found[Candidate]):
    """The designs that a search found of what a maker has named."""

    no_room: tuple[tuple[Settings, str], ...]  # what has no plan, and why
    looked: int  # settings that were looked at

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is said below the table of designs."""
        maker, said = self.written.maker, f"{len(self.no_room)} of {self.looked} settings have no room"
        if not self.looked:
            why = "network.yaml says how it is" if self.written.said else "it has no settings in network.yaml"
            said = f"nothing else was looked at: the network runs {maker.how}, and {why}"
        return (f"{said}; {maker.model}",)


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
    found, no_room = [_candidate(maker, network, plan, {})], list[tuple[Settings, str]]()
    refused: Counter[str] = Counter()
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
                refused[e.problems[0].rule] += 1
                no_room.append((settings, e.problems[0].text))
                told = e.problems[0].text.partition(";")[0]
            tell(f"  {in_short(settings)}: {told}")
    kept = [c for c in found if not c.over(goal.budget)]
    if not kept:
        raise CannotFit(_beyond(network, goal, found))
    return Made(
        goal=goal,
        written=found[0],
        designs=tuple(_distinct(sorted(kept, key=lambda c: c.rank(goal)))),
        refused=refused,
        no_room=tuple(no_room),
        looked=len(found) - 1 + len(no_room),
    )


def _candidate(maker: Maker, network: Network, plan: Plan, settings: Settings) -> Candidate:
    use = resources(plan)
    latency, logic = maker.latency_us(plan), {key: getattr(use, key) for key in LOGIC}
    return Candidate(
        network=network,
        plan=plan,
        # of equal ones the smaller: the logic stands for what streams and loops are on an array
        modelled=Modelled(interval_us(plan), latency, use.lut),
        area=Area(max(1, use.cores), use.cores, use.dsp),
        energy=maker.energy(plan),
        taken={"aie_cores": use.cores, "latency_us": latency, **logic},
        said=maker.said(plan) or settings,
        maker=maker,
        use=use,
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


def _beyond(network: Network, goal: Goal, found: Sequence[Candidate]) -> Iterator[Problem]:
    """Yield the refusal of a budget to which no design keeps, with the least that any takes."""
    limits = goal.budget.model_dump(exclude_none=True)
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
