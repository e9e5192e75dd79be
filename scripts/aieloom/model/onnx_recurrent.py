"""An LSTM as what it is on rows: a product of all steps at once, and the recurrence.

Facts: ONNX operator specification of LSTM (gates in the order i, o, f, c; here PyTorch's i, f, c, o).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aieloom.arrays import Values
from aieloom.model.onnx_graph import Node

LSTM = "aieloom.LSTM"  # a node that no file has
ORDER = (0, 2, 3, 1)  # of ONNX's gates, PyTorch's
PLAIN = {"direction": b"forward", "layout": 0, "clip": 0.0, "input_forget": 0}  # of attributes


@dataclass(frozen=True, slots=True)
class Recurrent:
    """The constants: of the inputs, `(features, gates)`, of the gates, and of h, `(gates, hidden)`."""

    inputs: Values
    bias: Values
    hidden: Values


def recurrent_of(node: Node) -> Recurrent | None:
    """Return the constants of an LSTM of one direction that begins at zero; None of another one."""
    inputs, hidden, bias, _, *states, peepholes = [node.optional(i) for i in range(1, 8)]
    if inputs is None or hidden is None or peepholes is not None or not _is_plain(node):
        return None
    gates = 4 * hidden.shape[-1]
    both = np.zeros((1, 2 * gates), np.float32) if bias is None else bias
    wanted = ((1, gates, node.x_shape[-1]), (1, gates, gates // 4), (1, 2 * gates))
    if (inputs.shape, hidden.shape, both.shape) != wanted or any(s is not None and s.any() for s in states):
        return None
    summed = both[0, :gates].astype(np.float64) + both[0, gates:]
    return Recurrent(_ordered(inputs[0]).T, _ordered(summed), _ordered(hidden[0]))


def _is_plain(node: Node) -> bool:
    """Tell whether one tensor of one image's steps flows in, and the attributes say nothing that is not followed."""
    flows = len(node.xs) == 1 and len(node.x_shape) == 3 and node.x_shape[1] == 1
    whole = len(node.inputs) <= 4 or not node.inputs[4]  # lengths of sequences
    plain = all(node.get(key, value) == value for key, value in PLAIN.items())
    return flows and whole and plain and "activations" not in node.attributes


def _ordered(values: Values) -> Values:
    parts = np.split(values, 4)
    return np.concatenate([parts[i] for i in ORDER])
