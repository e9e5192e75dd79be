"""A network's outputs, where it has several: its last layer, `graph_outputs`, is the record in which they lie in order."""

from __future__ import annotations

from aieloom.arrays import Values
from aieloom.network.layers import Network
from aieloom.network.tensor import TensorType
from aieloom.spec.network import GRAPH_OUTPUTS


def outputs_of(network: Network) -> tuple[tuple[str, TensorType], ...]:
    """Return the layers that give the network's outputs, and what they give, in order."""
    last = network.layers[-1]
    if last.op != GRAPH_OUTPUTS:
        return ((last.name, network.y),)
    return tuple(zip(last.inputs, last.xs, strict=True))


def separated(y: Values, network: Network) -> tuple[Values, ...]:
    """Return the outputs in a network's results, each in the user's order: `(n, features)`, rows or images."""
    rows, at = y.reshape(len(y), -1), 0
    found: list[Values] = []
    for _, tensor in outputs_of(network):
        part = rows[:, at : at + tensor.elements].reshape(len(rows), *tensor.shape)
        whole = tensor.to_outside(part)
        found.append(whole if tensor.rows or tensor.pixels > 1 else whole.reshape(len(rows), -1))
        at += tensor.elements
    return tuple(found)
