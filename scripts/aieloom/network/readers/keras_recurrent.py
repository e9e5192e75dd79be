"""LSTM and GRU of Keras, in one direction or in both: a node of ONNX with its gates in that order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from aieloom.arrays import Values
from aieloom.network.readers.keras_file import KerasCall
from aieloom.network.readers.keras_flow import Builder, Flow, arrays_of
from aieloom.network.readers.keras_reads import says_something
from aieloom.network.readers.refused import Refused

# The gates of ONNX among Keras': of LSTM i, o, f, c of i, f, c, o; of GRU z, r, h in both.
GATES = {"GRU": (0, 1, 2), "LSTM": (0, 3, 1, 2)}


def recurrence(b: Builder, call: KerasCall, x: Flow) -> Flow:
    """Take an LSTM, a GRU, or a Bidirectional around one: both directions side by side."""
    both = call.kind == "Bidirectional"
    inner: Mapping[str, Any] = (
        call.config["layer"] if both else {"class_name": call.kind, "config": call.config}
    )
    kind, config = str(inner["class_name"]), inner["config"]
    _check_recurrence(call, kind, config)
    if both and (call.config.get("merge_mode") != "concat" or config.get("go_backwards")):
        raise Refused(f"joins directions by '{call.config.get('merge_mode')}'", "use merge_mode 'concat'")
    if both:
        _check_backward(inner, call.config.get("backward_layer") or inner)
    rows, ways = b.as_rows(x), 2 if both else 1
    units, (steps, features) = int(config["units"]), rows.shape
    gates, after = len(GATES[kind]) * units, kind == "GRU" and bool(config.get("reset_after", True))
    bias = [(2, gates) if after else (gates,)] if config.get("use_bias", True) else []
    arrays = arrays_of(call, *[(features, gates), (units, gates), *bias] * ways)
    count = len(arrays) // ways
    directions = [_direction(kind, units, arrays[i * count : (i + 1) * count]) for i in range(ways)]
    names = [b.constant(f"{call.name}.recurrence", np.stack(v)) for v in zip(*directions, strict=True)]
    way = "bidirectional" if both else "reverse" if config.get("go_backwards") else "forward"
    more = {"linear_before_reset": int(after)} if kind == "GRU" else {}
    turned = b.node("Transpose", [rows.name], perm=[1, 0, 2])
    y = b.node(kind, [turned, *names], hidden_size=units, direction=way, **more)  # (steps, ways, 1, units)
    if config.get("return_sequences"):
        y = b.node("Transpose", [y], perm=[2, 0, 1, 3])
        return Flow(
            name=b.node("Reshape", [y, b.integers([1, steps, ways * units])]), shape=(steps, ways * units)
        )
    return Flow(name=_last_steps(b, y, steps, units, way), shape=(ways * units,))


def _check_recurrence(call: KerasCall, kind: str, config: Mapping[str, Any]) -> None:
    functions = (config.get("activation"), config.get("recurrent_activation"))
    if kind not in GATES or functions != ("tanh", "sigmoid"):
        raise Refused(f"is a {kind} of {functions}", "use LSTM or GRU of tanh and sigmoid")
    if config.get("return_state") or (config.get("go_backwards") and config.get("return_sequences")):
        raise Refused(
            f"is a {kind} that gives its state, or all steps backwards", "use the last step, or Bidirectional"
        )
    if call.config.get("stateful") or config.get("stateful"):
        raise Refused(
            f"is a {kind} that keeps its state between batches (stateful)", "begin every sequence at zeros"
        )


def _check_backward(forward: Mapping[str, Any], backward: Mapping[str, Any]) -> None:
    """Refuse a Bidirectional whose directions differ in more than the way: both are one node."""
    kinds = forward["class_name"], backward["class_name"]
    if kinds[0] != kinds[1]:
        raise Refused(
            f"has {kinds[0]} forwards and {kinds[1]} backwards", "use one layer for both directions"
        )
    ways = [dict(layer["config"].items()) for layer in (forward, backward)]
    for key in {*ways[0], *ways[1]} - {"go_backwards"}:
        said = [way.get(key) for way in ways]
        if said[0] != said[1] and any(says_something(key, v) for v in said):
            text = f"has {key} {said[0]} forwards and {said[1]} backwards"
            raise Refused(text, "use one layer for both directions")


def _direction(kind: str, units: int, arrays: list[Values]) -> tuple[Values, Values, Values]:
    """Return W, R and B of ONNX: of gates, (gates, features), (gates, units) and both biases one behind the other."""
    weight, hidden, *rest = arrays
    nothing = np.zeros(weight.shape[1], np.float32)
    biases = [*rest[0]] if rest and rest[0].ndim == 2 else [*rest, nothing]
    of_x, of_h = (np.asarray(v) for v in (*biases, nothing)[:2])
    at = np.concatenate([np.arange(units) + g * units for g in GATES[kind]])
    return weight.T[at], hidden.T[at], np.concatenate([of_x[at], of_h[at]])


def _last_steps(b: Builder, y: str, steps: int, units: int, way: str) -> str:
    """Return what each direction gives at its end: one from the last step on at the first step."""
    ends = []
    for i, step in enumerate({"forward": [steps - 1], "reverse": [0]}.get(way, [steps - 1, 0])):
        at = [b.integers(v) for v in ([step, i], [step + 1, i + 1], [0, 1])]
        ends.append(b.node("Reshape", [b.node("Slice", [y, *at]), b.integers([1, units])]))
    return ends[0] if len(ends) == 1 else b.node("Concat", ends, axis=-1)
