"""Searches at several clocks of the PL kernels: what network.yaml says, or every clock that the platforms list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from aieloom.errors import CannotFit, SpecError
from aieloom.network.layers import Network
from aieloom.network.operator import Operators
from aieloom.plan.build import make_plan
from aieloom.plan.linked import is_linked, linking, unlinked
from aieloom.plan.types import ArrayPart
from aieloom.search.candidates import Evaluator, Space
from aieloom.search.choose import Outcome, search
from aieloom.search.goal import Goal, Tell
from aieloom.search.linked import copied, linked_designs
from aieloom.search.mapped import Mapped, as_it_is, as_whole
from aieloom.search.scope import copy_counts, is_cut, remapped
from aieloom.search.streaming import longest_layer, streamed
from aieloom.spec.device import Device

AS_WRITTEN = "the clocks as written"
STREAMED = "those clocks, streaming PL kernels"


def listed_clocks(device: Device) -> tuple[float, ...]:
    """Return the frequencies that some release's platform lists, within the limits of kernels and interface."""
    limit = min(device.clocks.kernel_max_mhz, device.clocks.pl_interface_max_mhz)
    return tuple(sorted({f for c in device.platform.clocks for f in c.listed_mhz if f <= limit}))


def at_clock(network: Network, mhz: float) -> Network:
    """Return the network with all its PL layers' kernels at one clock."""
    mapping = {
        name: spec.model_copy(update={"clock_mhz": mhz}) if "clock_mhz" in type(spec).model_fields else spec
        for name, spec in network.spec.mapping.items()
    }
    return remapped(network, mapping)


def search_clocks(
    network: Network,
    plan: ArrayPart,
    operators: Operators,
    goal: Goal,
    clocks: Sequence[float],
    *,
    space: Space | None = None,
    workers: int | Evaluator = 1,
    tell: Tell | None = None,
    streaming: bool = False,
    others: Sequence[Mapped] = (),
) -> Outcome:
    """Search at the clocks that network.yaml says, and at each of `clocks`; return the best.

    With `streaming` also with every PL kernel streaming that can be. A network whose layers are chained is searched as
    matrix products, beside the chains as they are written. `others` are designs that take part as they are.

    Raises:
        SpecError: there is no design at any clock.
    """
    several = bool(clocks) or streaming
    chain = as_whole(network, plan, written=True) if is_linked(network) else None
    whole = [*others, *(as_whole(*made) for made in _whole(network, plan, operators, goal, space or Space()))]
    if chain:
        (copies, *_) = copy_counts(network.spec, None)  # chains have no cuts to search among
        network = unlinked(remapped(network, network.spec.mapping, copies=copies))
        plan = make_plan(network, plan.device, operators)
    written = chain or (replace(as_it_is(network, plan), written=True) if several else None)
    found: list[tuple[str, Outcome]] = []
    problem: SpecError | None = None
    for name, changed, planned in _networks(network, plan, operators, clocks, streaming):
        if tell and several:
            tell(f"PL kernels at {name}")
        try:
            baseline = None if planned is plan and not chain else written
            outcome = search(
                changed,
                planned,
                operators,
                goal,
                space=space,
                workers=workers,
                written=baseline,
                others=whole,
                tell=tell,
            )
            found.append((name, outcome))
        except SpecError as e:
            problem = problem or e
    if not found:
        assert problem is not None  # the written clocks are always tried
        raise problem
    # Of searches that share their winner the one with the better runner-up.
    best = min(found, key=lambda item: [d.rank(goal) for d in item[1].designs[:2]])[1]
    lines = [
        f"{n}: {1e6 / o.winner.interval_us:,.0f} images/s, {o.winner.latency_us:.2f} us" for n, o in found
    ]
    return replace(best, clocks=tuple(lines) if len(lines) > 1 else ())


def _whole(
    network: Network, plan: ArrayPart, operators: Operators, goal: Goal, space: Space
) -> Iterator[tuple[Network, ArrayPart]]:
    """Yield designs that no layer's choices make: chains, and several copies of what is written."""
    if made := copied(network, plan, operators, goal):
        yield made
    mapping = network.spec.mapping
    names = [la.name for la in plan.aie if is_cut(mapping[la.name])]
    keys = {s.key for s in linking()}  # a pool with cores of its own becomes part of other layers
    if not space.keep and all(la.name in names or mapping[la.name].by_strategy in keys for la in plan.aie):
        yield from linked_designs(unlinked(network), plan.device, operators, names, goal)


def _networks(
    network: Network, plan: ArrayPart, operators: Operators, clocks: Sequence[float], streaming: bool
) -> Iterator[tuple[str, Network, ArrayPart]]:
    yield AS_WRITTEN, network, plan
    if streaming and (
        made := streamed(network, plan.device, operators, pl=plan.pl, longest=longest_layer(plan))
    ):
        yield STREAMED, *made
    for mhz in clocks:
        changed = at_clock(network, mhz)
        try:
            yield f"{mhz:g} MHz", changed, make_plan(changed, plan.device, operators)
        except CannotFit:  # a release whose platform does not list it cannot make it either
            continue
