"""The state that an LSTM or GRU ends with, its second result, as the step of its first result at which it ends.

Facts: ONNX operator specifications of LSTM and GRU: Y is (steps, directions, batch, hidden), Y_h (directions, batch, hidden).
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import onnx

RECURRENT = ("GRU", "LSTM")
LENGTHS = 4  # the input that says how long each sequence is


def last_states(model: onnx.ModelProto) -> None:
    """Write each Y_h in `model` that somebody reads as what it is of Y; of sequences that end early it stays."""
    graph = model.graph
    read = {i for n in graph.node for i in n.input} | {o.name for o in graph.output}
    if not any(n.op_type in RECURRENT and read.intersection(n.output[1:2]) for n in graph.node):
        return
    nodes = [made for n in graph.node for made in _written(n, graph, read)]
    del graph.node[:]
    graph.node.extend(nodes)


def _written(node: onnx.NodeProto, graph: onnx.GraphProto, read: set[str]) -> Iterator[onnx.NodeProto]:
    from onnx import helper, numpy_helper  # noqa: PLC0415 - only this format needs it

    made = deepcopy(node)  # the list that holds it is emptied
    yield made
    said = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    short = len(node.input) > LENGTHS and node.input[LENGTHS]
    wanted = read.intersection(node.output[1:2])
    if node.op_type not in RECURRENT or not wanted or short or said.get("layout", 0):
        return
    (state,) = wanted
    made.output[1] = ""
    made.output[0] = made.output[0] or f"{state}/all steps"
    numbers = {n: f"{state}/number {n}" for n in (-1, 0, 1, 2)}
    graph.initializer.extend(numpy_helper.from_array(np.array([n], np.int64), v) for n, v in numbers.items())
    way = said.get("direction", b"forward")

    def at(step: int, to: str) -> list[onnx.NodeProto]:
        """Return what gives Y at a step."""
        gathered = helper.make_node(
            "Gather", [made.output[0], numbers[step]], [f"{to}/step"], node.name, axis=0
        )
        return [gathered, helper.make_node("Squeeze", [f"{to}/step", numbers[0]], [to], node.name)]

    if way != b"bidirectional":
        yield from at(0 if way == b"reverse" else -1, state)
        return
    parts = []
    for direction, step in ((0, -1), (1, 0)):
        both, one = f"{state}/both {direction}", f"{state}/{direction}"
        yield from at(step, both)
        bounds = [numbers[direction], numbers[direction + 1], numbers[0]]
        yield helper.make_node("Slice", [both, *bounds], [one], node.name)
        parts.append(one)
    shape = f"{state}/shape"  # of a batch of one, which is the only one that is taken
    graph.initializer.append(numpy_helper.from_array(np.array([2, 1, -1], np.int64), shape))
    yield helper.make_node("Concat", parts, [f"{state}/flat"], node.name, axis=2)
    yield helper.make_node("Reshape", [f"{state}/flat", shape], [state], node.name)
