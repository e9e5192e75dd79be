"""What each layer of a design is given and makes: the one view of a run in the reference, whatever executes the layers."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from aieloom.arrays import Values
from aieloom.network.elements import meaning
from aieloom.network.layers import Layer, Network, Parameters
from aieloom.network.tensor import TensorType
from aieloom.plan.step import Step
from aieloom.reference.forward import evaluate


@dataclass(frozen=True, slots=True, kw_only=True)
class Elements:
    """A tensor of a batch, `(n, channels, height, width)`, as elements of its type."""

    values: Values
    type: TensorType

    @property
    def meaning(self) -> Values:
        """What they mean, as float32."""
        return meaning(self.values, self.type)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """A layer, with those that are fused into it, as the design computes it.

    Attributes:
        layers: their names in order of evaluation; the last one's output is made.
        inputs: the tensors that it reads, by the names of the layers that make them, or INPUT.
        given: what these are.
        made: what it makes of them.
    """

    layers: tuple[str, ...]
    inputs: tuple[str, ...]
    given: tuple[Elements, ...]
    made: Elements

    @property
    def name(self) -> str:
        """The layer whose output is made."""
        return self.layers[-1]


def of_steps(steps: Sequence[Step], parameters: Mapping[str, Parameters], x: Values) -> Iterator[Evaluated]:
    """Yield the steps of a plan whose layers have places of their own; `x` is the network's input, as elements."""
    for step, given, made in evaluate(steps, parameters, x):
        taken = given if isinstance(given, tuple) else (given,)
        types = (step.x, *step.others)
        yield Evaluated(
            layers=(step.name, *step.fused),
            inputs=step.inputs,
            given=tuple(Elements(values=v, type=t) for v, t in zip(taken, types, strict=True)),
            made=Elements(values=made, type=step.y),
        )


def by_layers(found: Iterable[Evaluated], network: Network) -> Iterator[Evaluated]:
    """Yield what is evaluated in the layers and tensors of the network: those that run in several parts, as attention, as one.

    A step says at least the first and the last of the layers that are fused in it, and reads tensors by any of their names.
    """
    layers = {layer.name: layer for layer in network.layers}
    made_by: dict[str, str] = {}  # a layer: the last of those that are fused with it
    inside: dict[str, Elements] = {}  # what parts of the next layer read
    for part in found:
        inside |= zip((made_by.get(name, name) for name in part.inputs), part.given, strict=True)
        if part.name not in layers:
            continue
        names = _between(layers, part, {made_by.get(name, name) for name in part.inputs}, made_by)
        inputs = tuple(dict.fromkeys(n for name in names for n in layers[name].inputs if n not in names))
        given = tuple(inside[made_by.get(name, name)] for name in inputs)
        yield replace(part, layers=names, inputs=inputs, given=given)
        made_by |= dict.fromkeys(names, part.name)
        inside = {}


def _between(
    layers: Mapping[str, Layer], part: Evaluated, given: Container[str], made_by: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the layers from a step's first to its last; a join among them reads one of them and one that the step is given."""
    found = [part.name]
    while found[-1] != part.layers[0]:
        found.append(next(n for n in layers[found[-1]].inputs if made_by.get(n, n) not in given))
    return tuple(reversed(found))
