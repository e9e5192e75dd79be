"""What a network leaves open: the cuts of layers, their engines, whether images are cut, how many copies there are.

What network.yaml says is never changed; `spec.source` is the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple, get_args

from aieloom.hardware.mmul import Shape
from aieloom.network.layers import Network
from aieloom.network.operator import AnyOperator, Operators
from aieloom.plan.operators import ProductOperator
from aieloom.plan.partition import PS
from aieloom.spec.network import MAX_COPIES, MappingSpec, NetworkSpec
from aieloom.spec.product import DEFAULT_STRATEGY
from aieloom.spec.types import Buffers

COUNTS = tuple(sorted({f << n for n in range(7) for f in (1, 3) if f << n <= MAX_COPIES}))  # of copies


class Choice(NamedTuple):
    """How a layer is cut: the keys of its mapping."""

    tile: Shape
    mmul: Shape | None  # None: the strategy multiplies without
    groups: int
    buffers: Buffers
    plio: int
    plio_out: int | None = None
    strategy: str = DEFAULT_STRATEGY
    cascade: int | None = None  # None: single cores


Said = Mapping[str, Any]


def is_cut(mapping: MappingSpec) -> bool:
    """Tell whether a layer's work is cut over cores: conv2d, dense and matmul, but for those on the processor."""
    return set(Choice._fields) <= set(type(mapping).model_fields) and mapping.runs_on != PS


def open_layers(network: Network, operators: Operators) -> tuple[str, ...]:
    """Return the layers on AI Engines whose mapping leaves their cut open."""
    spec = network.spec
    return tuple(la.name for la in network.layers if _is_open(spec.mapping[la.name], operators[la.op]))


def _is_open(mapping: MappingSpec, operator: AnyOperator) -> bool:
    if not isinstance(operator, ProductOperator) or not is_cut(mapping):
        return False
    return getattr(mapping, "tile", None) is None and getattr(mapping, "place", None) is None


def said_of(mapping: MappingSpec) -> Said:
    """Return what a layer's mapping fixes."""
    keys = mapping.model_fields_set.intersection(Choice._fields)
    return {key: value for key in sorted(keys) if (value := getattr(mapping, key)) is not None}


def remapped(network: Network, mapping: Mapping[str, MappingSpec], **keys: object) -> Network:
    """Return the network with another mapping, and with other keys of network.yaml such as `copies`."""
    return replace(network, spec=network.spec.model_copy(update={"mapping": dict(mapping), **keys}))


def says(spec: NetworkSpec, key: str) -> bool:
    """Tell whether network.yaml has a key at its top."""
    return key in spec.source.data


def tiles_open(spec: NetworkSpec) -> bool:
    """Tell whether the search may say how images are cut: where the file says nothing of it, or `auto`."""
    return not says(spec, "tiles") or bool(spec.source.data["tiles"] == "auto")


def other_engines(spec: NetworkSpec, name: str) -> tuple[str, ...]:
    """Return the engines that a layer could have beside its present one; none where the file says anything of the layer.

    A layer of the array has no engine in the logic: that one stands beside no array (engine-2).
    """
    mapping = spec.source.data.get("mapping")
    if isinstance(mapping, dict) and mapping.get(name):
        return ()
    field = type(spec.mapping[name]).model_fields.get("engine")
    now = spec.mapping[name].runs_on
    never = {now, "pl"} if now == "aie" else {now}
    return tuple(e for e in get_args(field.annotation) if e not in never) if field else ()


def with_engines(spec: NetworkSpec, engines: Mapping[str, str]) -> NetworkSpec:
    """Return a description whose layers run where `engines` says; nothing else is said of them."""
    changed = {name: type(spec.mapping[name]).model_validate({"engine": e}) for name, e in engines.items()}
    return spec.model_copy(update={"mapping": {**spec.mapping, **changed}})


def copy_counts(spec: NetworkSpec, most: int | None) -> tuple[int, ...]:
    """Return the numbers of copies that are tried, up to `most`: what the file says, where it says something."""
    if says(spec, "copies"):
        return (spec.copies,)
    if most is None:
        return (1,)
    counts = [n for n in COUNTS if n <= most]
    return tuple(sorted({*counts, min(most, MAX_COPIES)}))
