"""The search for what a network.yaml leaves out: as it is, else with images cut into tiles, or layers on the processor."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from aieloom.errors import CannotFit
from aieloom.network.layers import Network
from aieloom.network.operator import Operators
from aieloom.plan.build import make_plan
from aieloom.plan.capacity import Excess
from aieloom.plan.frames.choice import with_tiles
from aieloom.plan.partition import PS
from aieloom.search.goal import Goal
from aieloom.search.quick import FEW, SIMULATED, Quick, beginning, quick
from aieloom.search.scope import open_layers
from aieloom.search.structure import (
    Alternative,
    Remake,
    Search,
    cut_otherwise,
    on_other_engines,
    refused_layers,
    searched,
)
from aieloom.spec.device import Device

AUTO = "auto"


def best_design(
    network: Network,
    device: Device,
    operators: Operators,
    remake: Remake,
    excess: Excess | None = None,
    *,
    moves: bool,
) -> tuple[Quick, dict[str, str]]:
    """Return the best design, with a line about it for each open layer and for each that went to the processor.

    Of a network with an `excess` of weights nothing is tried but what moves it to the processor; without `moves` nothing goes
    there for lack of room.

    Raises:
        SpecError: there is none.
    """
    goal = Goal.of(network.spec, device)

    def search(changed: Network, simulations: int = SIMULATED) -> Quick:
        names = open_layers(changed, operators)
        return quick(changed, device, operators, goal, names, simulations=simulations)

    best: Quick | None = None
    lacks, refusal = "the best of them", excess.refusal if excess else None
    if network.spec.tiles != AUTO and not excess:
        try:
            best = search(network)
            lacks = f"as it is, no design keeps to {goal.text}"
        except CannotFit as e:
            refusal = e
    if refusal:
        lacks = f"as it is, no design fits: [{refusal.problems[0].rule}] {refusal.problems[0].text}"
    if best and not best.over:
        return best, best.lines(goal)
    few = partial(search, simulations=FEW)
    must = frozenset(excess.moved) if excess else None
    otherwise = _otherwise(
        network,
        device,
        operators,
        goal,
        remake=remake,
        refusal=refusal,
        search=few,
        must=must,
        moves=moves or not refusal,
    )
    tried = list(otherwise)
    found = [(t.found.order, t.label, t.found) for t in tried if t.found]
    if found and (best is None or min(f[0] for f in found) < best.order):
        _, label, won = min(found, key=lambda item: item[:2])
        text = f"{label}, of {len(tried)} ways to divide the work: {lacks}"
        return won, _lines(network, won, goal, text)
    if refusal:
        raise excess.after([f"{t.label}: {t.refused}" for t in tried]) if excess else refusal
    best = best or _smallest(network, device, operators, search)
    return best, best.lines(goal)


def _otherwise(
    network: Network,
    device: Device,
    operators: Operators,
    goal: Goal,
    *,
    remake: Remake,
    refusal: CannotFit | None,
    search: Search,
    must: frozenset[str] | None,
    moves: bool,
) -> Iterator[Alternative]:
    """Yield designs of images in tiles, and where none of those will do, with `moves` of layers on other engines.

    Where the layers `must` are known to have no room on the array, nothing else is tried.
    """
    good = False
    if must is None and (
        refusal or network.spec.tiles == AUTO
    ):  # tiles take less logic, but no fewer cores or streams
        for t in searched(cut_otherwise(network, operators, beginning(device, operators)), search):
            good = good or bool(t.found and not t.found.over)
            yield t
    if moves and not good:
        if must is None:
            must = refused_layers(network.spec, refusal) if refusal else frozenset[str]()
        moved = on_other_engines(network, operators, device, remake=remake, goal=goal, must=must)
        yield from searched(moved, search)


def _lines(network: Network, won: Quick, goal: Goal, text: str) -> dict[str, str]:
    """Return the lines about a design that differs as a whole, as `text` says."""
    lines = {name: f"{line}; {text}" for name, line in won.lines(goal).items()}
    for name, m in won.design.network.spec.mapping.items():
        if m.runs_on == PS != network.spec.mapping[name].runs_on:
            lines[name] = f"chosen by the search, for {goal.text}: {text}"
    return lines


def _smallest(
    network: Network,
    device: Device,
    operators: Operators,
    search: Search,
) -> Quick:
    """Return the best design in the tiles that the planner finds; what it says where it finds none is raised."""
    frame = make_plan(network, device, operators).frame
    return search(with_tiles(network, (frame.rows.tile, frame.cols.tile) if frame else None))
