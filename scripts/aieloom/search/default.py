"""What a network.yaml leaves out: chosen by the search, in little time, the same every time, and kept by content.

The planner fills each layer by itself; around its design the search looks at a bounded number of cuts of every open
layer, with the PL kernels as they are and streaming, and takes the best by network.yaml's objective within its budget.
Where no design fits the device or the budget, images are cut into tiles, or layers go to the processor.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypedDict

from pydantic import ValidationError

from aieloom.cache import load, store
from aieloom.cached_arrays import digest
from aieloom.digests import code_digest
from aieloom.errors import SpecError
from aieloom.network.layers import Network
from aieloom.network.operator import Operators
from aieloom.paths import cache_folder
from aieloom.plan.build import make_plan, require_products
from aieloom.plan.capacity import excess_of
from aieloom.plan.fanout import crowded_loops
from aieloom.plan.linked import is_linked, on_device
from aieloom.plan.partition import PS
from aieloom.plan.rules_streams import crowded_logic
from aieloom.plan.types import ArrayPart
from aieloom.search.scope import open_layers, other_engines, remapped, with_engines
from aieloom.spec.device import Device
from aieloom.spec.network import NetworkSpec, TilesSpec

if TYPE_CHECKING:
    from aieloom.search.structure import Remake


FOLDER = "search"
Stored = dict[str, dict[str, object]]


class Kept(TypedDict):
    """What an earlier search found, as the cache has it."""

    mapping: Stored
    tiles: object
    copies: int | None
    why: dict[str, str]
    remarks: list[str]


@dataclass(frozen=True, kw_only=True)
class Settled:
    """A network whose description says everything that was open, with its plan."""

    network: Network
    plan: ArrayPart


def settle(
    network: Network,
    device: Device,
    operators: Operators,
    *,
    plugins: bytes = b"",
    remake: Remake | None = None,
    moves: bool = True,
) -> Settled:
    """Plan a network; what its description leaves out, the search chooses.

    `plugins` is what else the result depends on; `remake` makes the network of a description whose engines have changed.
    Without `moves`, layers that have no room on the array go nowhere else: the caller has another way for such networks.

    Raises:
        CannotFit: a design rule is broken.
    """
    require_products(network.spec, device)
    network = on_device(network, device)
    excess = excess_of(network, device, operators)
    # Layers that the array has no room for may go to the processor where the file says nothing of them.
    if excess and not (
        moves and excess.moved and all(PS in other_engines(network.spec, n) for n in excess.moved)
    ):
        raise excess.refusal
    if not open_layers(network, operators) or is_linked(network):
        plan = make_plan(network, device, operators)
        remarks = spare_cores(plan, network.spec.budget.aie_cores, None)
        return Settled(network=network, plan=_explained(plan, {}, remarks))
    remake = remake or (lambda spec: replace(network, spec=spec))
    file = cache_folder() / FOLDER / f"{_key(network, device, plugins, moves=moves)}.json"
    known = load(file)
    if known is not None:
        with contextlib.suppress(
            ValueError, KeyError, TypeError, ValidationError, SpecError
        ):  # another version's
            return _again(network, device, operators, json.loads(known), remake)
    from aieloom.search.best import best_design  # noqa: PLC0415 - it is large, and found before most of the time

    chosen, why = best_design(network, device, operators, remake, excess, moves=moves)
    remarks = spare_cores(chosen.design.plan, network.spec.budget.aie_cores, chosen.more)
    store(file, _as_json(network.spec, chosen.design.network.spec, why, remarks).encode())
    return Settled(network=chosen.design.network, plan=_explained(chosen.design.plan, why, remarks))


def _explained(plan: ArrayPart, why: Mapping[str, str], remarks: Sequence[str]) -> ArrayPart:
    """Return the plan whose layers say how they were chosen, with remarks on the whole."""
    aie = tuple(
        replace(la, draft=replace(la.draft, why=(*la.draft.why, why[la.name]))) if la.name in why else la
        for la in plan.aie
    )
    processor = plan.processor
    if processor:
        segments = tuple(
            replace(s, steps=tuple(replace(p, reason=why.get(p.name, p.reason)) for p in s.steps))
            for s in processor.segments
        )
        processor = replace(processor, segments=segments)
    return replace(
        plan, aie=aie, processor=processor, remarks=(*remarks, *crowded_loops(plan), *crowded_logic(plan))
    )


def _key(network: Network, device: Device, plugins: bytes, *, moves: bool) -> str:
    """Return a digest of all that the choice depends on."""
    spec = network.spec
    said = {name: (m, sorted(m.model_fields_set)) for name, m in spec.mapping.items()}
    open_ = (spec.tiles, spec.copies, sorted(spec.source.data))
    parts = (said, network.layers, spec.input, spec.movers, spec.objective, spec.budget, device, open_, moves)
    return digest(code_digest(), plugins, *map(repr, parts))


def _as_json(before: NetworkSpec, after: NetworkSpec, why: Mapping[str, str], remarks: Sequence[str]) -> str:
    """Return what the search changed, and its reasons."""
    changed: Stored = {}
    for name, mapping in after.mapping.items():
        old = before.mapping[name].model_dump(mode="json", exclude_unset=True)
        now = mapping.model_dump(mode="json", exclude_unset=True)
        new = {k: v for k, v in now.items() if k not in old or v != old[k]}
        if new:
            changed[name] = new
    size = after.tiles.size if isinstance(after.tiles, TilesSpec) else None
    whole = {"tiles": size, "copies": after.copies, "why": dict(why), "remarks": list(remarks)}
    return json.dumps({"mapping": changed, **whole}, indent=1)


def _again(
    network: Network,
    device: Device,
    operators: Operators,
    kept: Kept,
    remake: Remake,
) -> Settled:
    """Return the design that an earlier search found."""
    changed, why = kept["mapping"], kept["why"]
    engines = {name: str(keys["engine"]) for name, keys in changed.items() if "engine" in keys}
    if engines:
        network = remake(with_engines(network.spec, engines))
    mapping = dict(network.spec.mapping)
    for name, keys in changed.items():
        checked = type(mapping[name]).model_validate(keys)
        mapping[name] = mapping[name].model_copy(update={k: getattr(checked, k) for k in keys})
    size, copies = kept["tiles"], kept["copies"]
    tiles = TilesSpec.model_validate({"size": size}) if size else None
    if (mapping, tiles, copies) != (network.spec.mapping, network.spec.tiles, network.spec.copies):
        network = remapped(network, mapping, tiles=tiles, copies=copies)
    plan = make_plan(network, device, operators)
    return Settled(network=network, plan=_explained(plan, why, kept["remarks"]))


def spare_cores(plan: ArrayPart, given: int | None, more: Sequence[float] | None) -> tuple[str, ...]:
    """Return a remark on cores of the budget that are not taken; () where all are, or none was given.

    `more` are the intervals, in us, of designs that were found within the budget and take more cores; None: there was nothing
    to choose.
    """
    taken = plan.cores
    if given is None or taken >= given:
        return ()
    if more is None:
        why = "network.yaml says how every layer is cut"
    elif more:
        why = f"of {len(more)} designs that take more, the fastest gives an image in {min(more):.4g} us"
    else:
        why = "no design that was found takes more: further cores would wait for the others, or find no part of a layer"
    from aieloom.simulation.of_plan import modelled_rates  # noqa: PLC0415 - most designs have no budget of cores

    rate = modelled_rates(plan).system
    here = f"this one gives an image in {rate.interval_us:.4g} us, for which {rate.bottleneck} is the slowest"
    return (f"{taken} of the budget's {given} cores: {why}; {here}",)
