"""An LSTM or GRU as what it is on rows: a product of all steps at once, and the recurrence.

Facts: ONNX operator specifications of LSTM (gates in the order i, o, f, c; here PyTorch's i, f, c, o) and of GRU (z, r, h; here
PyTorch's r, z, n), whose `linear_before_reset` says whether the reset gate is a factor of the product with h.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aieloom.arrays import Values
from aieloom.network.readers.onnx_graph import Node

LSTM, GRU = "aieloom.LSTM", "aieloom.GRU"  # nodes that no file has
ORDERS = {"LSTM": (0, 2, 3, 1), "GRU": (1, 0, 2)}  # of ONNX's gates, PyTorch's
NODES = {"LSTM": LSTM, "GRU": GRU}
DIRECTIONS = {
    b"forward": (False,),
    b"reverse": (True,),
    b"bidirectional": (False, True),
}  # which begin at the last step
PLAIN = {"layout": 0, "clip": 0.0, "input_forget": 0}  # of attributes
TAKEN = "let it begin at zeros, with its own activations and no clip"


@dataclass(frozen=True, slots=True)
class Recurrent:
    """The constants: of the inputs, `(features, gates)`, of the gates, and of h, `(gates, hidden)`.

    `inner` is the bias beside the product with h that a GRU's reset gate is a factor of; None where there is none.
    """

    inputs: Values
    bias: Values
    hidden: Values
    inner: Values | None = None
    reverse: bool = False


def recurrent_of(node: Node) -> tuple[Recurrent, ...]:
    """Return the constants of each direction of an LSTM or GRU that begins at zero; nothing of another one."""
    order, ways = ORDERS[node.op], DIRECTIONS.get(node.get("direction", b"forward"), ())
    inputs, hidden, bias, _, *states, peepholes = [node.optional(i) for i in range(1, 8)]
    if inputs is None or hidden is None or peepholes is not None or not _is_plain(node):
        return ()
    features = hidden.shape[-1]
    gates = len(order) * features
    count = len(ways)
    both = np.zeros((count, 2 * gates), np.float32) if bias is None else bias
    wanted = ((count, gates, node.x_shape[-1]), (count, gates, features), (count, 2 * gates))
    if (inputs.shape, hidden.shape, both.shape) != wanted or any(s is not None and s.any() for s in states):
        return ()
    given = zip(inputs, hidden, both, ways, strict=True)
    return tuple(_of_direction(node, *arrays, reverse=reverse) for *arrays, reverse in given)


def _of_direction(node: Node, inputs: Values, hidden: Values, bias: Values, *, reverse: bool) -> Recurrent:
    order, features = ORDERS[node.op], hidden.shape[-1]
    of_x, of_h = (_ordered(v.astype(np.float64), order) for v in np.split(bias, 2))
    inner = None
    if node.op == "GRU" and node.get("linear_before_reset", 0):
        inner = of_h[2 * features :].copy()
        of_h[2 * features :] = 0
    return Recurrent(_ordered(inputs, order).T, of_x + of_h, _ordered(hidden, order), inner, reverse)


def _is_plain(node: Node) -> bool:
    """Tell whether one tensor of one image's steps flows in, and the attributes say nothing that is not followed."""
    flows = len(node.xs) == 1 and len(node.x_shape) == 3 and node.x_shape[1] == 1
    hidden = node.optional(2)
    size = hidden is not None and node.get("hidden_size", hidden.shape[-1]) == hidden.shape[-1]
    whole = len(node.inputs) <= 4 or not node.inputs[4]  # lengths of sequences
    plain = all(node.get(key, value) == value for key, value in PLAIN.items())
    return flows and size and whole and plain and "activations" not in node.attributes


def _ordered(values: Values, order: tuple[int, ...]) -> Values:
    parts = np.split(values, len(order))
    return np.concatenate([parts[i] for i in order])
