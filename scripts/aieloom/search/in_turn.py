"""The search for the engine of layers one after another: where, how large, how many images at a time.

Each candidate is planned as network.yaml with `engine: {where: ...}` would be, and costed by the same model. The batch trades
the rate, for which images share loads of weights, for the time until results are there. What network.yaml says of the engine
stays: the search is for what it leaves open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from aieloom.errors import CannotFit
from aieloom.network.layers import Network
from aieloom.search.choose import Goal, Rank
from aieloom.sequential.array import GRIDS
from aieloom.sequential.engine import BLOCKS
from aieloom.sequential.onchip.engine import GRIDS as ROW_GRIDS
from aieloom.sequential.plan import engines_of
from aieloom.sequential.remarks import energy, latency_us
from aieloom.spec.board import Board
from aieloom.spec.device import Device
from aieloom.spec.flow_style import flow_yaml
from aieloom.spec.network import EngineSpec
from aieloom.units.plan import Plan, interval_us, resources

BATCHES = (1, 2, 4, 8, 16)
Planner = Callable[[Network], Plan]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """An engine that was looked at, and its plan, or why it has none."""

    sized: EngineSpec
    plan: Plan | None
    refused: str = ""

    @property
    def cores(self) -> int:
        """Cores of the array."""
        return resources(self.plan).cores if self.plan else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class InTurn:
    """What a search found: the design as written, and all others, the best first."""

    goal: Goal
    written: Tried
    designs: tuple[Tried, ...]
    refused: tuple[Tried, ...]

    @property
    def winner(self) -> Tried:
        """The best."""
        return self.designs[0]


def search_in_turn(
    network: Network, board: Board, goal: Goal, plan: Planner, tell: Callable[[str], None]
) -> InTurn:
    """Return the engines of a network in turn, the best first; `plan` plans it.

    Raises:
        CannotFit: no engine keeps to the budget.
    """
    written = _tried(network, network.spec.sized, plan)
    tried = [written]
    for any_size, sizes in _kinds(network, board):
        first = _tried(network, any_size, plan)
        if first.plan is None:  # no size helps
            tell(f"  {said(any_size)}: {first.refused}")
            tried.append(first)
            continue
        for size in sizes:
            found = _tried(network, size, plan)
            tell(f"  {said(size)}: {_figures(found)}")
            tried.append(found)
            if found.plan and network.spec.sized.batch is None:
                staying = engines_of(found.plan).staying
                rows = staying.rows if staying else 1  # each of which owns images
                others = (b * rows for b in BATCHES if b * rows != found.plan.schedule.batch)
                tried += [_tried(network, size.model_copy(update={"batch": b}), plan) for b in others]
    kept = [t for t in tried if t.plan and _keeps(t, goal)]
    if not kept:
        raise _beyond(network, goal, [t for t in tried if t.plan])
    return InTurn(
        goal=goal,
        written=written,
        designs=tuple(_distinct(sorted(kept, key=lambda t: rank(t, goal)))),
        refused=tuple(t for t in tried if t.plan is None),
    )


def rank(tried: Tried, goal: Goal) -> Rank:
    """Return what to sort engines by; the logic's DSP slices stand for what tiles are of cores."""
    plan = tried.plan
    assert plan
    return goal.rank(
        interval=interval_us(plan),
        latency=latency_us(plan),
        cores=max(1, tried.cores),
        tiles=tried.cores,
        plio=resources(plan).dsp,
        flattened=0,
        energy=e.mj if (e := energy(plan)) else None,
    )


def _fixed(network: Network) -> dict[str, Any]:
    """Return the keys of `engine:` that network.yaml says, with their values; where: auto leaves the place open."""
    keys = network.spec.sized.model_dump(exclude_none=True)
    return {key: value for key, value in keys.items() if (key, value) != ("where", "auto")}


def _kinds(network: Network, board: Board) -> Iterator[tuple[EngineSpec, list[EngineSpec]]]:
    """Yield each kind of engine without a size, and the sizes that are looked at; both with what network.yaml says."""
    fixed = _fixed(network)
    in_logic = EngineSpec(where="pl"), [{"block": block} for block in BLOCKS]
    on_array = [
        (EngineSpec(where="aie", tensors="chip"), [{"grid": grid} for grid in ROW_GRIDS]),
        (EngineSpec(where="aie", tensors="memory"), [{"grid": grid} for grid in GRIDS]),
    ]
    for kind, sizes in (in_logic, *(on_array if isinstance(board, Device) else ())):
        if all(getattr(kind, key) in (None, value) for key, value in fixed.items()):
            found = [kind.model_copy(update={**size, **fixed}) for size in sizes]
            yield kind.model_copy(update=fixed), list(dict.fromkeys(found))


def _tried(network: Network, sized: EngineSpec, plan: Planner) -> Tried:
    spec = network.spec.model_copy(update={"engine": sized.where, "sized": sized})
    try:
        return Tried(sized=sized, plan=plan(replace(network, spec=spec)))
    except CannotFit as e:
        return Tried(sized=sized, plan=None, refused=e.problems[0].text)


def _keeps(tried: Tried, goal: Goal) -> bool:
    budget, plan = goal.budget, tried.plan
    assert plan
    cores, latency = budget.aie_cores, budget.latency_us
    return (cores is None or tried.cores <= cores) and (latency is None or latency_us(plan) <= latency)


def _beyond(network: Network, goal: Goal, planned: Sequence[Tried]) -> CannotFit:
    """Return the refusal of a budget to which no engine keeps, with the least that any takes."""
    least = {
        "aie_cores": min(t.cores for t in planned),
        "latency_us": min(latency_us(t.plan) for t in planned if t.plan),
    }
    said = {key: limit for key, limit in goal.budget.model_dump().items() if limit is not None}
    over = [key for key, limit in said.items() if limit < least[key]] or list(said)
    text = " and ".join(f"{key}: {said[key]:g}" for key in over)
    found = " and ".join(f"{least[key]:,.1f}" if key == "latency_us" else f"{least[key]}" for key in over)
    apart = ", but not together" if len(over) > 1 else ""
    fixed = _fixed(network)
    engine = f" with engine: {flow_yaml(fixed)}" if fixed else ""
    return CannotFit(
        network.spec.source.problem(
            "dse-1",
            ("budget",),
            f"no engine keeps to {text}{engine}: the least that any takes is {found}{apart}",
            f"allow more: budget: {{{over[0]}: ...}} of at least that"
            + (", or leave keys of engine: out" if fixed else ""),
        )
    )


def _distinct(tried: Sequence[Tried]) -> Iterator[Tried]:
    """Yield the engines but those that are planned as one before: blocks for which all products are the array's."""
    seen: list[EngineSpec] = []
    for t in tried:
        made = chosen(t)
        if made not in seen:
            seen.append(made)
            yield t


def chosen(tried: Tried) -> EngineSpec:
    """Return what network.yaml says for an engine to be planned again as it is."""
    plan = tried.plan
    assert plan
    design, batch = engines_of(plan), plan.schedule.batch
    if design.array is None:
        return EngineSpec(where="pl", block=(design.engine.pixels, design.engine.out), batch=batch)
    return EngineSpec(
        where="aie",
        grid=design.array.grid,
        depth=design.array.depth,
        tensors="chip" if design.staying else "memory",
        batch=batch,
    )


def said(sized: EngineSpec) -> str:
    """Return an engine in words."""
    if sized.block:
        what = f"{sized.block[0]} pixels x {sized.block[1]} channels in the logic"
    elif sized.grid:
        rows, chain, columns = sized.grid
        held = "on the chip" if sized.tensors == "chip" else "in memory"
        what = f"{rows} x {columns} chains of {chain} cores, tensors {held}"
    else:
        what = (
            "products "
            + {"aie": "on the array", "pl": "in the logic", "auto": "on the faster engine"}[sized.where]
        )
        what += {"chip": ", tensors on the chip", "memory": ", tensors in memory", None: ""}[sized.tensors]
    return f"{what}, {sized.batch} at a time" if sized.batch else what


def _figures(tried: Tried) -> str:
    plan = tried.plan
    if plan is None:
        return tried.refused.partition(";")[0]
    return f"{1e6 / interval_us(plan):,.0f} images/s, {latency_us(plan):,.1f} us"
