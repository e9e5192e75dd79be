"""Masks of keys: what is added to scores, followed back to the input of 0 and 1 of which it is made.

Exporters write a mask as arithmetic: (1 - mask) times a large negative number, repeated for rows and heads. Of each value that
follows from such an input by functions of single values it is known which of the input's values it follows from, and what it is
where that one is 0 and where it is 1: whether it hides keys, and nothing else, follows from no samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Network
from aieloom.ops.pl import Elementwise
from aieloom.ops.registry import REGISTRY
from aieloom.quantize.floats import float_forward
from aieloom.spec.network import GRAPH_INPUT, MASK

MASKED = -1000.0  # a score below is none: a mask was added, -10000 as BERT's or less
JOINS = ("add", "sub", "mul")


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """The values of a layer that follow from one input of 0 and 1."""

    source: Layer  # that input
    places: Values  # for each value, of which of the input's it is a function: `(1, channels, height, width)`
    values: Values  # what it is where that one is 0, and where it is 1: `(2, channels, height, width)`

    def why_no_key_mask(self, keys: int) -> str:
        """Return why it is no mask of keys, added to scores that have `keys` channels; empty if it is one."""
        source, shape = self.source.name, self.source.y.shape
        if shape != (keys, 1, 1):
            return (
                f"follows from '{source}' of {' x '.join(map(str, shape))} values, and there are {keys} keys"
            )
        if (self.places != np.arange(keys).reshape(1, -1, 1, 1)).any():
            return f"is not of each key its own value of '{source}', the same for all queries and heads"
        hidden, seen = self.values
        if (seen != 0).any() or (hidden >= MASKED).any():
            found = f"from {seen.min():g} to {seen.max():g} where '{source}' is 1, up to {hidden.max():g} where it is 0"
            return f"is {found}, and a mask is 0 and below {MASKED:g} there"
        return ""


def traced(network: Network) -> dict[str, Traced]:
    """Return the layers whose values follow from an input of 0 and 1, each by a function of single values, with these."""
    masks = {given.name for given in network.spec.inputs if given.below == MASK}
    found: dict[str, Traced] = {}
    for layer in network.layers:
        if layer.op == GRAPH_INPUT and layer.name in masks:
            places = np.arange(layer.y.elements, dtype=np.float64).reshape(1, *layer.y.shape)
            values = np.stack([np.zeros(layer.y.shape), np.ones(layer.y.shape)])
            found[layer.name] = Traced(source=layer, places=places, values=values)
        elif all(name in found for name in layer.inputs):
            made = _through(network, layer, [found[name] for name in layer.inputs])
            found |= {layer.name: made} if made else {}
    return found


def _through(network: Network, layer: Layer, xs: list[Traced]) -> Traced | None:
    """Return what a layer makes of such values; None if a value of its result follows from several of the input's."""
    moves = layer.op == "rearrange"
    single = moves or isinstance(REGISTRY[layer.op], Elementwise)
    joins = layer.op in JOINS and all(t.shape == layer.y.shape for t in layer.xs)
    alike = all(t.source is xs[0].source and np.array_equal(t.places, xs[0].places) for t in xs)
    if not single and not (joins and alike):
        return None
    places = float_forward(network, layer, {}, xs[0].places) if moves else xs[0].places
    given = tuple(t.values for t in xs)
    values = float_forward(network, layer, {}, given if joins else given[0])
    return Traced(source=xs[0].source, places=places, values=values)
