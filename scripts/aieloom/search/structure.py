"""What a design is as a whole: which layers the processor takes, and whether and how images are cut into tiles.

Each alternative is a network of its own, in which the layers' cuts are then searched. What network.yaml says stays.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from aieloom.errors import CannotFit, SpecError
from aieloom.network.layers import Layer, Network
from aieloom.network.operator import Operators
from aieloom.plan.build import cut
from aieloom.plan.cost import processor_cost
from aieloom.plan.frames.choice import lengths, with_tiles
from aieloom.plan.on_processor import processor_step
from aieloom.plan.operators import ArrayOperator
from aieloom.plan.partition import PS
from aieloom.progress import at, working
from aieloom.search.goal import Goal
from aieloom.search.quick import Quick
from aieloom.search.scope import other_engines, tiles_open, with_engines
from aieloom.spec.device import Device
from aieloom.spec.network import NetworkSpec, TilesSpec

SEARCHED = 4  # alternatives of a kind whose cuts are searched
PLANNED = 24  # alternatives of a kind that are planned
MOST_HALO = 0.25  # of the work, where the whole image fits: more is never made good
ENGINES = {"ps": "the processor", "pl": "programmable logic", "aie": "AI Engines"}
Remake = Callable[[NetworkSpec], Network]  # the network of a description in which engines have changed
Search = Callable[[Network], Quick]


@dataclass(frozen=True, kw_only=True)
class Alternative:
    """A network that differs as a whole, and how, in words; where it was tried, with its best design or what refused it."""

    label: str
    network: Network
    found: Quick | None = None
    refused: str = ""


def searched(some: Sequence[Alternative], search: Search) -> Iterator[Alternative]:
    """Yield what becomes of alternatives, in their order, until so many designs within the budget were found."""
    good = 0
    for a in some:
        try:
            with working(f"trying {a.label}"):
                found = search(a.network)
        except SpecError as e:
            first = e.problems[0]
            yield replace(a, refused=f"[{first.rule}] {first.text}")
            continue
        yield replace(a, found=found)
        good += not found.over
        if good >= SEARCHED:
            return


def cut_otherwise(
    network: Network,
    operators: Operators,
    plans: Callable[[Network], object],
    *,
    most_halo: float = 1.0,
) -> list[Alternative]:
    """Return the largest tiles that fit, of several widths, the least work first; none where tiles are said or cannot be.

    A design of more rows or columns never takes less, so of each width only the highest tile that `plans` is of interest.
    Tiles of which more than `most_halo` is halo are left out.
    """
    if not tiles_open(network.spec) or len(network.x.outside) < 3:
        return []
    whole = with_tiles(network, None)
    try:
        rows, cols = (sorted(lengths(whole, operators, axis)) for axis in (0, 1))
    except SpecError:  # a layer sees the whole image
        return []
    pixels = rows[-1] * cols[-1]
    work = {(h, w): _work(whole, operators, (h, w)) for h in rows for w in cols}
    sizes = [size for size, w in work.items() if w and 1 - pixels / w <= most_halo]
    found: list[tuple[int, int]] = []
    highest = rows[-1]
    for width in cols:
        heights = [h for h, w in sizes if w == width and h <= highest]
        if heights and not _fits(plans, with_tiles(network, _size(network, (heights[0], width)))):
            break  # what is wider fits neither
        high = next(
            (
                h
                for h in reversed(heights[1:])
                if _fits(plans, with_tiles(network, _size(network, (h, width))))
            ),
            heights[0] if heights else None,
        )
        if high is not None:
            found.append((high, width))
            highest = high
    return [
        Alternative(label=_size_text(network, size), network=with_tiles(network, _size(network, size)))
        for size in sorted(found, key=lambda size: (work[size] or 0, -size[1]))
    ]


def _size(network: Network, size: tuple[int, int]) -> tuple[int, int] | None:
    return None if size == network.x.shape[1:] else size


def _size_text(network: Network, size: tuple[int, int]) -> str:
    return f"tiles of {size[0]}x{size[1]}" if _size(network, size) else "whole images"


def _work(network: Network, operators: Operators, size: tuple[int, int]) -> int | None:
    """Return the pixels that are computed for an image; None where tiles of that size cannot cover it."""
    made = with_tiles(network, _size(network, size))
    with contextlib.suppress(SpecError):
        frame = cut(made, operators).frame(made, ())
        return (frame.tiles if frame else 1) * size[0] * size[1]
    return None


def _fits(plans: Callable[[Network], object], network: Network) -> bool:
    size = network.spec.tiles.size if isinstance(network.spec.tiles, TilesSpec) else None
    at(f"looking whether tiles of {size[0]}x{size[1]} fit" if size else "looking whether whole images fit")
    try:
        plans(network)
    except SpecError:
        return False
    return True


@dataclass(frozen=True, kw_only=True)
class _Move:
    """Layers on another engine, and what the processor takes for them more, in us an image."""

    engines: tuple[tuple[str, str], ...]
    ps_us: float

    @property
    def label(self) -> str:
        """The move in words."""
        of: dict[str, list[str]] = {}
        for name, engine in self.engines:
            of.setdefault(engine, []).append(name)
        return "; ".join(f"{', '.join(names)} on {ENGINES[engine]}" for engine, names in of.items())


def on_other_engines(
    network: Network,
    operators: Operators,
    device: Device,
    *,
    remake: Remake,
    goal: Goal,
    within_us: float | None = None,
    must: frozenset[str] = frozenset(),
    one_of: frozenset[str] = frozenset(),
) -> list[Alternative]:
    """Return the network with layers on other engines, the least work for the processor first.

    Moves are tried of one layer, of the first or last ones together, and of the lightest. Those that take the processor
    `within_us` or more are left out, with the budget's cores those that leave more layers on the array than cores; where the
    planner refuses the layers `must`, those that leave one of them; with `one_of` those that leave all of these.
    """
    spec = network.spec
    if spec.tiles is not None:
        return []  # the processor takes whole images
    times = {la.name: _ps_us(device, operators, network, la) for la in network.layers}
    open_ = {la.name: other_engines(spec, la.name) for la in network.layers}
    products = [la.name for la in network.layers if isinstance(operators[la.op], ArrayOperator)]
    array = [n for n in products if spec.mapping[n].runs_on != PS]
    to_ps = [n for n, us in times.items() if PS in open_[n] and us is not None]
    most = goal.budget.aie_cores or len(array)  # layers that may stay on the array
    moves = {
        _Move(engines=tuple((n, PS) for n in names), ps_us=sum(times[n] or 0.0 for n in names))
        for names in _sets(to_ps, [n for n in array if n in to_ps], times, must)
        if 0 < len(set(array) - set(names)) <= most and must <= set(names)
    }
    if not must:
        away = ((n, e) for n, others in open_.items() for e in others if e != PS)
        moves |= {_Move(engines=(move,), ps_us=0.0) for move in away}
    good = [
        m
        for m in moves
        if (within_us is None or m.ps_us < within_us) and (not one_of or one_of & {n for n, _ in m.engines})
    ]
    found = []
    for move in sorted(good, key=lambda m: (m.ps_us, m.engines))[:PLANNED]:
        with contextlib.suppress(SpecError):
            changed = remake(with_engines(spec, dict(move.engines)))
            found.append(Alternative(label=move.label, network=changed))
    return found


def _sets(
    single: Sequence[str],
    array: Sequence[str],
    times: Mapping[str, float | None],
    must: frozenset[str],
) -> Iterator[tuple[str, ...]]:
    """Yield sets of layers for the processor: one, the first or last of those on the array, the lightest of them."""
    if must:
        yield tuple(n for n in single if n in must)
        return
    yield from ((name,) for name in single)
    light = sorted(array, key=lambda n: times[n] or 0.0)
    for count in range(2, len(array)):
        yield tuple(array[:count])
        yield tuple(array[-count:])
        yield tuple(n for n in array if n in light[:count])


def _ps_us(device: Device, operators: Operators, network: Network, layer: Layer) -> float | None:
    """Return what a layer takes on the processor by the cost model, in us; None where it cannot run there."""
    try:
        step = processor_step(operators[layer.op], network.spec, layer, "")
    except CannotFit:
        return None
    return processor_cost(device, [step], layer.name, ()).interval_us


def refused_layers(spec: NetworkSpec, refusal: CannotFit) -> frozenset[str]:
    """Return the layers at whose lines a refusal points."""
    lines = {p.line for p in refusal.problems}
    return frozenset(
        layer.name
        for i, layer in enumerate(spec.layers)
        if {spec.source.line(spec.at_layer(i)), spec.source.line(spec.at_mapping(layer.name))} & lines
    )
