"""What a mapping leaves out: chosen by the search, in little time, the same every time, and kept by content.

The planner fills each layer by itself; around its design the search looks at a bounded number of cuts of every open
layer, with the PL kernels as they are and streaming, and takes the best by network.yaml's objective within its budget.
The planner's own design takes part, so that nothing gets worse.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from aieloom.cost.of_plan import simulate_plan
from aieloom.errors import CannotFit
from aieloom.kept import code_digest, digest
from aieloom.model.network import Network
from aieloom.paths import cache_folder, write_whole
from aieloom.plan.build import make_plan
from aieloom.plan.chains.segments import on_device
from aieloom.plan.types import Plan
from aieloom.search.candidates import LayerFront, Space, layer_fronts
from aieloom.search.chained import chained_designs, is_chained
from aieloom.search.choose import Goal, Rank, simulated
from aieloom.search.clocks import streamed
from aieloom.search.figures import CORES, IM2COL, INTERVAL, LATENCY, PLIO, TILES, Choice, fixed
from aieloom.search.merge import Front, limits, merge
from aieloom.spec.device import Device
from aieloom.spec.network import MappingSpec, NetworkSpec

CANDIDATES = 16_000  # of all layers together, about: a second or two
LEAST_CANDIDATES = 1_000  # of a layer
SIMULATED = 12  # designs of a front
WIDTHS = (64, 128)  # of streams
NARROW = 32  # tried where no design keeps the limits: image buffers have a copy for each value of a word
ROWS = 2  # of a direct convolution's tile: small ones let the kernels beside it work meanwhile, which no sum shows
PLANNED = 12  # designs that are planned until one keeps every rule
FOLDER = "search"
Stored = dict[str, dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Settled:
    """A network whose mapping says everything that was open, with its plan."""

    network: Network
    plan: Plan


@dataclass(frozen=True, kw_only=True)
class _Found:
    rank: Rank
    network: Network
    interval_us: float


def settle(
    network: Network, device: Device, operators: Mapping[str, Any], *, plugins: bytes = b""
) -> Settled:
    """Plan a network; what its mapping leaves out, the search chooses. `plugins` is what else the result depends on.

    Raises:
        CannotFit: a design rule is broken.
    """
    network = on_device(network, device)
    names = open_layers(network, operators)
    if not names or is_chained(network):
        return Settled(network=network, plan=make_plan(network, device, operators))
    file = cache_folder() / FOLDER / f"{_key(network, device, plugins)}.json"
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, ValidationError, CannotFit):
        return _again(network, device, operators, json.loads(file.read_text(encoding="utf-8")))
    plan = make_plan(network, device, operators)
    chosen, plan, why = _search(network, plan, operators, names)
    with contextlib.suppress(OSError):
        write_whole(file, _as_json(network.spec, chosen.spec, why).encode())
    return Settled(network=chosen, plan=_explained(plan, why))


def open_layers(network: Network, operators: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the layers on AI Engines whose mapping leaves their cut open."""
    spec = network.spec
    return tuple(la.name for la in network.layers if _is_open(spec.mapping[la.name], operators[la.op]))


def _is_open(mapping: MappingSpec, operator: Any) -> bool:
    fields = type(mapping).model_fields
    if not hasattr(operator, "gemm") or not set(Choice._fields) <= set(fields):
        return False
    return getattr(mapping, "tile", None) is None and getattr(mapping, "place", None) is None


def said_of(mapping: MappingSpec) -> dict[str, Any]:
    """Return what a layer's mapping fixes."""
    keys = mapping.model_fields_set.intersection(Choice._fields)
    return {key: value for key in sorted(keys) if (value := getattr(mapping, key)) is not None}


def remapped(network: Network, mapping: Mapping[str, MappingSpec]) -> Network:
    """Return the network with another mapping."""
    return replace(network, spec=network.spec.model_copy(update={"mapping": dict(mapping)}))


def _search(
    network: Network, plan: Plan, operators: Mapping[str, Any], names: Sequence[str]
) -> tuple[Network, Plan, dict[str, str]]:
    """Return the network with the best mapping, its plan, and a line about it for each open layer."""
    goal, mapping = Goal.of(network.spec), network.spec.mapping
    space = Space(
        keep=tuple(la.name for la in plan.aie if la.name not in names),
        said={name: said_of(mapping[name]) for name in names},
        most=max(LEAST_CANDIDATES, CANDIDATES // len(names)),
        rows=ROWS,
    )
    found: list[_Found] = []
    counts = dict.fromkeys(names, 0)
    for changed, base in _variants(network, plan, operators, names):
        most = limits(base.device, goal.budget)
        for front in _fronts(changed, base, operators, space, most=most, counts=counts):
            found += _designs(changed, base, operators, goal=goal, front=front, names=names)
    counts = {name: counts[name] for name in names}
    if not any(space.said.values()):
        found += _chains(network, plan, operators, goal, names)
    run = simulate_plan(plan)
    before = _rank(goal, plan, run.interval_us, run.latency_us)
    for design in sorted(found, key=lambda d: d.rank)[:PLANNED]:
        if (False, design.rank) >= before:
            break
        with contextlib.suppress(CannotFit):
            made = make_plan(design.network, plan.device, operators)
            gain = f"{design.interval_us:.4g} us an image, {run.interval_us:.4g} us where each layer is cut by itself"
            return design.network, made, _lines(counts, len(found), goal, gain)
    gain = f"none is better than the layers cut each by itself, {run.interval_us:.4g} us an image"
    return network, plan, _lines(counts, len(found), goal, gain)


def _rank(goal: Goal, plan: Plan, interval: float, latency: float) -> tuple[bool, Rank]:
    """Return what the planner's design is compared by: whether it takes more than the budget, and the objective."""
    budget, plio = goal.budget, len(plan.plios)
    over = (
        (plan.cores, budget.aie_cores),
        (plio, budget.plio),
        (latency, budget.latency_us),
    )
    rank = goal.rank(interval=interval, latency=latency, cores=plan.cores, tiles=plan.tiles_in_use, plio=plio)
    return any(most is not None and used > most for used, most in over), rank


def _lines(counts: Mapping[str, int], designs: int, goal: Goal, gain: str) -> dict[str, str]:
    return {
        name: f"chosen by the search, of {count:,} cuts of this layer and {designs} designs, for {goal.text}: {gain}"
        for name, count in counts.items()
    }


def _variants(
    network: Network, plan: Plan, operators: Mapping[str, Any], names: Sequence[str]
) -> Iterator[tuple[Network, Plan]]:
    yield network, plan
    for of_layers in (False, True):
        if made := streamed(network, plan, operators, open_layers=names, of_layers=of_layers):
            yield made


def _fronts(
    network: Network,
    plan: Plan,
    operators: Mapping[str, Any],
    space: Space,
    *,
    most: dict[int, float],
    counts: dict[str, int],
) -> list[Front]:
    """Return the fronts of all candidates and of those by im2col alone, and count the candidates into `counts`."""
    fronts: list[Front] = []
    for widths in (WIDTHS, (NARROW, *WIDTHS)):
        layers = list(layer_fronts(network, plan, operators, replace(space, plio=widths)))
        for layer in layers:
            counts[layer.name] = counts.get(layer.name, 0) + layer.evaluated
        fronts = [merge(few, fixed(plan), most) for few in _families(layers)]
        if any(len(front.figures) for front in fronts):
            break
    return fronts


def _families(layers: Sequence[LayerFront]) -> Iterator[Sequence[LayerFront]]:
    """Yield all candidates, and those by im2col alone: figures alike hide how well tiles of other sizes interleave."""
    yield layers
    if any(c.strategy != IM2COL for la in layers for c in la.choices):
        yield [la.only(IM2COL) for la in layers]


def _designs(
    network: Network,
    plan: Plan,
    operators: Mapping[str, Any],
    *,
    goal: Goal,
    front: Front,
    names: Sequence[str],
) -> Iterator[_Found]:
    """Yield the best designs of a front, simulated; layers but `names` stay as they are."""
    rows = sorted(range(len(front.figures)), key=lambda row: (_estimate(goal, front, row), row))
    for row in rows[:SIMULATED]:
        filled = _filled(network, {name: c for name, c in front.choices(row).items() if name in names})
        with contextlib.suppress(CannotFit):
            interval, latency = simulated(filled, plan, operators)
            if latency <= (goal.budget.latency_us or math.inf):
                yield _Found(
                    rank=_ranked(goal, front, row, interval, latency),
                    network=filled,
                    interval_us=interval,
                )


def _chains(
    network: Network, plan: Plan, operators: Mapping[str, Any], goal: Goal, names: Sequence[str]
) -> Iterator[_Found]:
    """Yield the designs within the budget whose layers hand images on core to core."""
    for changed, made in chained_designs(network, plan.device, operators, names, goal.budget.aie_cores):
        run = simulate_plan(made)
        over, rank = _rank(goal, made, run.interval_us, run.latency_us)
        if not over:
            yield _Found(rank=rank, network=changed, interval_us=run.interval_us)


def _filled(network: Network, choices: Mapping[str, Choice]) -> Network:
    mapping = network.spec.mapping
    return remapped(
        network, mapping | {n: mapping[n].model_copy(update=c._asdict()) for n, c in choices.items()}
    )


def _estimate(goal: Goal, front: Front, row: int) -> Rank:
    f = front.figures[row]
    return _ranked(goal, front, row, float(f[INTERVAL]), float(f[LATENCY]))


def _ranked(goal: Goal, front: Front, row: int, interval: float, latency: float) -> Rank:
    f = front.figures[row]
    return goal.rank(
        interval=interval,
        latency=latency,
        cores=float(f[CORES]),
        tiles=float(f[TILES]),
        plio=float(f[PLIO]),
    )


def _explained(plan: Plan, why: Mapping[str, str]) -> Plan:
    """Return the plan whose layers say how they were chosen."""
    aie = tuple(
        replace(la, draft=replace(la.draft, why=(*la.draft.why, why[la.name]))) if la.name in why else la
        for la in plan.aie
    )
    return replace(plan, aie=aie)


def _key(network: Network, device: Device, plugins: bytes) -> str:
    """Return a digest of all that the choice depends on."""
    spec = network.spec
    said = {name: (m, sorted(m.model_fields_set)) for name, m in spec.mapping.items()}
    parts = (said, network.layers, spec.input, spec.movers, spec.objective, spec.budget, device)
    return digest(code_digest(), plugins, *map(repr, parts))


def _as_json(before: NetworkSpec, after: NetworkSpec, why: Mapping[str, str]) -> str:
    """Return what the search changed, and its reasons."""
    changed: Stored = {}
    for name, mapping in after.mapping.items():
        old = before.mapping[name].model_dump(mode="json", exclude_unset=True)
        now = mapping.model_dump(mode="json", exclude_unset=True)
        new = {k: v for k, v in now.items() if k not in old or v != old[k]}
        if new:
            changed[name] = new
    return json.dumps({"mapping": changed, "why": dict(why)}, indent=1)


def _again(
    network: Network, device: Device, operators: Mapping[str, Any], kept: Mapping[str, Any]
) -> Settled:
    """Return the design that an earlier search found."""
    changed: Stored = kept["mapping"]
    why: Mapping[str, str] = kept["why"]
    mapping = dict(network.spec.mapping)
    for name, keys in changed.items():
        checked = type(mapping[name]).model_validate(keys)
        mapping[name] = mapping[name].model_copy(update={k: getattr(checked, k) for k in keys})
    chosen = remapped(network, mapping) if changed else network
    return Settled(network=chosen, plan=_explained(make_plan(chosen, device, operators), why))
