"""Which layers run on the processor, and in which subgraphs the device runs the others.

A subgraph is a part of the network with one tensor from memory and one back to memory (network/parts.py). Two such parts
that have a layer in common make one together (of two ways back from that layer, each leaves both parts at one tensor, and
so on forward), so the largest ones share no layer and there is only one way to choose them. Every layer on AI Engines has
one input and one result, so it lies in one of them: no network is refused for where its layers on the processor lie.
Nothing waits for itself: all layers of a subgraph lead to `e`, so what follows from its result cannot lead into it.

The device takes those subgraphs that have a layer which runs there whatever stands beside it; other layers on
programmable logic go to the processor, because a way through memory for them alone would cost more than they do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from aieloom.errors import CannotFit, Problem
from aieloom.network.layers import Layer, Network
from aieloom.network.operator import Operators
from aieloom.network.parts import Dag, numbers
from aieloom.plan.operators import ArrayOperator, TurnOperator
from aieloom.spec.network import INPUT
from aieloom.spec.types import DataType

PS, AIE = "ps", "aie"
FORCED = "mapping: engine: ps"


@dataclass(frozen=True, kw_only=True)
class Partition:
    """The layers on the processor with the reason of each, and the device's subgraphs in the order in which they run."""

    reasons: Mapping[str, str]
    subgraphs: tuple[frozenset[str], ...]


def device_elements(network: Network) -> DataType:
    """Return the type of what the device computes with."""
    found = {layer.x.dtype for layer in network.layers} - {DataType.FLOAT32}
    return next(iter(found), DataType.FLOAT32)


def partition(network: Network, operators: Operators, dtype: DataType) -> Partition:
    """Decide which layers of a network, whose elements on the device are `dtype`, run on the processor.

    Raises:
        CannotFit: a layer that network.yaml puts on programmable logic would need several tensors from memory.
    """
    walk = _Walk(network, operators, dtype)
    forced = walk.forced()
    if not forced:
        return Partition(reasons={}, subgraphs=(frozenset(walk.layers),))
    sure = walk.sure(forced)
    subgraphs = tuple(names for names in walk.largest(frozenset(forced)) if names & sure)
    device = frozenset[str]().union(*subgraphs)
    walk.check_wishes(sure - device)
    outside = {la.name for la in network.layers} - device
    reasons = {
        la.name: forced.get(la.name) or walk.reason(la, outside, sure)
        for la in network.layers
        if la.name in outside
    }
    return Partition(reasons=reasons, subgraphs=subgraphs)


def in_turn(network: Network, operators: Operators, dtype: DataType) -> dict[str, str]:
    """Return the layers on the processor, with the reason of each, where engines take layers in their turn.

    Tensors lie in device memory then: a layer on the processor keeps no other from an engine.
    """
    forced = _Walk(network, operators, dtype).forced()
    return {name: why for name, why in forced.items() if why == FORCED or not turns(network, operators, name)}


def turns(network: Network, operators: Operators, name: str) -> bool:
    """Tell whether a layer of whole rows has integers of its own, which an engine computes in its turn."""
    layer = next(la for la in network.layers if la.name == name)
    operator = operators[layer.op]
    return isinstance(operator, TurnOperator) and operator.takes_turns(layer)


def dag_of(network: Network) -> Dag:
    """Return a network as who reads what."""
    names = [layer.name for layer in network.layers]
    return Dag((INPUT,), [la.inputs for la in network.layers], [(name,) for name in names], names[-1:])


class _Walk:
    """A network with what lies above and below each layer."""

    def __init__(self, network: Network, operators: Operators, dtype: DataType) -> None:
        self.network = network
        self.operators = operators
        self.dtype = dtype
        self.layers = {layer.name: layer for layer in network.layers}
        self.dag = dag_of(network)

    def named(self, nodes: int) -> frozenset[str]:
        """Return the names of layers."""
        return frozenset(self.network.layers[number].name for number in numbers(nodes))

    def forced(self) -> dict[str, str]:
        """Return the layers that network.yaml puts on the processor, or that nothing else takes."""
        found = {}
        for layer in self.network.layers:
            mapping = self.network.spec.mapping[layer.name]
            engine = mapping.runs_on
            why = self.operators[layer.op].processor_reason(self.dtype)
            if engine == PS and "engine" in mapping.model_fields_set:
                found[layer.name] = FORCED
            elif why and not self._said(layer):
                found[layer.name] = why
        return found

    def _said(self, layer: Layer) -> bool:
        """Tell whether network.yaml says the layer's engine."""
        return "engine" in self.network.spec.mapping[layer.name].model_fields_set

    def _on_array(self, layer: Layer) -> bool:
        """Tell whether network.yaml gives cores to a layer that else runs on programmable logic."""
        return self.network.spec.mapping[layer.name].runs_on == AIE

    def sure(self, forced: Mapping[str, str]) -> frozenset[str]:
        """Return the layers that run on the device whatever stands beside them."""
        return frozenset(
            layer.name
            for layer in self.network.layers
            if layer.name not in forced
            and (
                isinstance(self.operators[layer.op], ArrayOperator)
                or self._said(layer)
                or self._on_array(layer)
            )
        )

    def largest(self, outside: frozenset[str]) -> Iterator[frozenset[str]]:
        """Yield the largest subgraphs without the layers `outside`, in order of evaluation."""
        found = {part.nodes for part in self.dag.parts(sum(1 << self.dag.maker[name] for name in outside))}
        chosen: list[int] = []
        for part in sorted(found, key=int.bit_count, reverse=True):
            if not any(part & other for other in chosen):
                chosen.append(part)
        yield from map(self.named, sorted(chosen, key=lambda part: part & -part))

    def check_wishes(self, left: frozenset[str]) -> None:
        """Refuse layers of `mapping: engine: pl` that lie in no subgraph.

        Raises:
            CannotFit: there are some.
        """
        problems = []
        for name in (n for n in self.layers if n in left):
            layer = self.layers[name]
            text = (
                f"layer '{name}' (op {layer.op}) cannot run on programmable logic: it reads {_named(layer)}, which do not "
                "come out of one subgraph of the device, and a subgraph takes one tensor from memory"
            )
            problems.append(
                self._problem("ps-1", name, text, "leave engine: pl out: it runs on the processor then")
            )
        if problems:
            raise CannotFit(problems)

    def reason(self, layer: Layer, outside: Iterable[str], sure: frozenset[str]) -> str:
        """Say why a layer on programmable logic goes to the processor, as those `outside` the device do."""
        name = layer.name
        after = next((r.name for r in self.network.readers(name) if r.name in outside), None)
        before = next((n for n in layer.inputs if n in outside), None)
        above = self.dag.above[self.dag.maker[name]]
        if after and not self.named(above) - {name} & sure:
            return f"before '{after}', which runs on the processor"
        if before and not self.named(self.dag.behind(name)) & sure:
            return f"behind '{before}', which runs on the processor"
        if before and after and len(layer.inputs) == 1:
            return f"between '{before}' and '{after}', which run on the processor"
        if len(set(layer.inputs)) > 1:
            return f"it reads {_named(layer)}, and a subgraph of the device takes one tensor from memory"
        return "with it more than one tensor would enter or leave a subgraph of the device"

    def _problem(self, rule: str, name: str, text: str, remedy: str) -> Problem:
        spec = self.network.spec
        return spec.source.problem(rule, spec.at_mapping(name), text, remedy)


def _named(layer: Layer) -> str:
    """Return the tensors that a layer reads, for people."""
    return " and ".join(f"'{n}'" for n in dict.fromkeys(layer.inputs))
