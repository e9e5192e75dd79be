"""Which layers run on the processor: those that network.yaml puts there, those that nothing else takes, and what lies beyond.

The device is one stretch of the network: one tensor enters it from memory, one leaves it. A layer on the processor
lies before that stretch or behind it; layers on programmable logic between it and the network's end go with it,
because a second way through memory would cost more than they do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from aieloom.errors import CannotFit, Problem
from aieloom.model.network import Layer, Network
from aieloom.spec.network import INPUT
from aieloom.spec.types import DataType

PS = "ps"


@dataclass(frozen=True, kw_only=True)
class Partition:
    """The layers on the processor with the reason of each; empty: all run on the device."""

    reasons: Mapping[str, str]
    before: frozenset[str] = frozenset()  # those of which the device's input is made
    sends: str = INPUT


def partition(network: Network, operators: Mapping[str, Any], dtype: DataType) -> Partition:
    """Decide which layers of a network, whose elements on the device are `dtype`, run on the processor.

    Raises:
        CannotFit: the device's part would not be one stretch with one tensor in and one out.
    """
    walk = _Walk(network, operators, dtype)
    forced = walk.forced()
    if not forced:
        return Partition(reasons={})
    walk.check_ends(forced)
    reasons = {**forced, **walk.beyond(forced)}
    order = {layer.name: reasons[layer.name] for layer in network.layers if layer.name in reasons}
    before = frozenset(name for name in order if not walk.above[name] - set(order))
    return walk.closed(order, before)


class _Walk:
    """A network with what lies above and below each layer."""

    def __init__(self, network: Network, operators: Mapping[str, Any], dtype: DataType) -> None:
        self.network = network
        self.operators = operators
        self.dtype = dtype
        self.layers = {layer.name: layer for layer in network.layers}
        self.above: dict[str, set[str]] = {}
        for layer in network.layers:
            direct = [name for name in layer.inputs if name != INPUT]
            self.above[layer.name] = set(direct).union(*(self.above[name] for name in direct))
        self.below = {name: {n for n in self.above if name in self.above[n]} for name in self.layers}

    def forced(self) -> dict[str, str]:
        """Return the layers that network.yaml puts on the processor, or that nothing else takes."""
        found = {}
        for layer in self.network.layers:
            mapping = self.network.spec.mapping[layer.name]
            engine = getattr(mapping, "engine", None)
            why = self.operators[layer.op].processor_reason(self.dtype)
            if engine == PS and "engine" in mapping.model_fields_set:
                found[layer.name] = "mapping: engine: ps"
            elif why and not self._said(layer):
                found[layer.name] = why
        return found

    def _said(self, layer: Layer) -> bool:
        """Tell whether network.yaml says the layer's engine."""
        return "engine" in self.network.spec.mapping[layer.name].model_fields_set

    def _sure(self, forced: Mapping[str, str]) -> set[str]:
        """Return the layers that run on the device whatever stands beside them."""
        return {
            layer.name
            for layer in self.network.layers
            if layer.name not in forced
            and (hasattr(self.operators[layer.op], "plan_aie") or self._said(layer))
        }

    def check_ends(self, forced: Mapping[str, str]) -> None:
        """Refuse layers on the processor between layers on the device."""
        sure, problems = self._sure(forced), []
        for name, why in forced.items():
            before, after = self.above[name] & sure, self.below[name] & sure
            if before and after:
                last, first = self._last(before), self._first(after)
                text = (
                    f"layer '{name}' (op {self.layers[name].op}) runs on the processor ({why}), but lies between "
                    f"'{last}' and '{first}', which run on the device: the data would go through memory twice"
                )
                remedy = (
                    f"map '{first}' and what follows to engine: ps as well, or use an operator in place of "
                    f"'{name}' that runs on the device"
                )
                problems.append(self._problem("ps-1", name, text, remedy))
        if problems:
            raise CannotFit(problems)

    def beyond(self, forced: Mapping[str, str]) -> dict[str, str]:
        """Return the layers on programmable logic that lie between the processor's and the network's ends."""
        sure = self._sure(forced)
        free = [la for la in self.network.layers if la.name not in sure]
        found: dict[str, str] = {}
        for layer in free:
            near = [n for n in layer.inputs if n in forced or n in found]
            if near and layer.name not in forced and not self.below[layer.name] & sure:
                found[layer.name] = f"behind '{near[0]}', which runs on the processor"
        for layer in reversed(free):
            readers = [la.name for la in self.network.readers(layer.name)]
            near = [n for n in readers if n in forced or n in found]
            if near and layer.name not in (*forced, *found) and not self.above[layer.name] & sure:
                found[layer.name] = f"before '{near[0]}', which runs on the processor"
        return found

    def closed(self, reasons: Mapping[str, str], before: frozenset[str]) -> Partition:
        """Return the partition when one tensor enters the device and one leaves it."""
        device = [la for la in self.network.layers if la.name not in reasons]
        enters = dict.fromkeys(t for la in device for t in la.inputs if t == INPUT or t in reasons)
        leaves = dict.fromkeys(
            la.name
            for la in device
            if la.name == self.network.layers[-1].name
            or any(reader.name in reasons for reader in self.network.readers(la.name))
        )
        problems = []
        for what, tensors in (("enters", enters), ("leaves", leaves)):
            if device and len(tensors) != 1:
                names = ", ".join(f"'{t}'" for t in tensors)
                text = (
                    f"with {', '.join(reasons)} on the processor more than one tensor {what} the device: {names}; "
                    "it has one way from memory and one to memory"
                )
                remedy = "put the layers where these meet on the same side (mapping: engine: ps)"
                problems.append(self._problem("ps-2", next(iter(reasons)), text, remedy))
        if problems:
            raise CannotFit(problems)
        return Partition(reasons=reasons, before=before, sends=next(iter(enters), INPUT))

    def _last(self, names: Iterable[str]) -> str:
        return max(names, key=lambda name: self.layers[name].index)

    def _first(self, names: Iterable[str]) -> str:
        return min(names, key=lambda name: self.layers[name].index)

    def _problem(self, rule: str, name: str, text: str, remedy: str) -> Problem:
        spec = self.network.spec
        return spec.source.problem(rule, spec.at_mapping(name), text, remedy)
