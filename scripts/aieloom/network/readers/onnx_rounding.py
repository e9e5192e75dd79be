"""Where a quantised ONNX model rounds: what floats between two QuantizeLinear may and may not do on the device.

The device keeps every tensor between layers as elements. A float tensor of the model, one that a node computed and that no
QuantizeLinear has rounded, can so be kept only as the elements that its readers make of it: all the same ones.
Facts: ONNX operator specifications.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence

import numpy as np

from aieloom.network.quantisation import dequantise, quantise
from aieloom.network.readers.onnx_graph import Graph, Node
from aieloom.network.readers.onnx_nodes import Piece
from aieloom.network.readers.onnx_quant import QUANTISED, current, quantisation_of
from aieloom.network.readers.refused import Refused
from aieloom.network.tensor import Quantisation
from aieloom.spec.types import DataType

Reader = Quantisation | None  # what a reader rounds a tensor to; None where it reads floats


def unlike_readers(graph: Graph, moving: Container[str]) -> Iterator[tuple[str, Refused]]:
    """Yield the nodes, as messages call them, whose float results are rounded in different ways, or for some readers alone.

    `moving` are the tensors whose values are all ones that their node read: what rounds them rounds what was read.
    """
    if not any(node.op in QUANTISED for node in graph.nodes):
        return
    readers: dict[str, list[Node]] = {}
    for node in graph.nodes:
        for x in dict.fromkeys(node.xs):
            readers.setdefault(x, []).append(node)
    titles = {graph.input_name: f"input '{graph.input_name}'"}
    titles |= {n.y: n.title for n in graph.nodes if n.op not in QUANTISED and n.y not in moving}
    for tensor, title in titles.items():
        ends = set(_ends(tensor, readers, graph.nodes[-1].y, moving))
        if len(ends) > 1:
            text = f"its result '{tensor}' is read {' and '.join(sorted(map(_shown, ends)))}"
            remedy = "let every reader read it behind one QuantizeLinear and DequantizeLinear"
            yield title, Refused(text, remedy)


def _ends(
    tensor: str, readers: Mapping[str, Sequence[Node]], output: str, moving: Container[str]
) -> Iterator[Reader]:
    """Yield what becomes of a float tensor, also behind nodes that only move it."""
    if tensor == output:
        yield None
    for node in readers.get(tensor, ()):
        if node.op == "QuantizeLinear":
            yield _rounding(node)
        elif node.y in moving:
            yield from _ends(node.y, readers, output, moving)
        else:
            yield None


def _rounding(node: Node) -> Reader:
    """Return what a QuantizeLinear rounds to; a node that is refused for it anyway counts as a reader of floats."""
    try:
        return quantisation_of(node, 1)
    except Refused:
        return None


def _shown(reader: Reader) -> str:
    if reader is None:
        return "as floats"
    return f"rounded to the scale {reader.scale:g} and zero point {reader.zero_point}"


def before_border(piece: Piece, pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Return what a border that is none of zeros needs before it: a table, where it has another scale than what it surrounds.

    Raises:
        Refused: it surrounds elements among which its value is not, and nothing rounds the result.
    """
    x = current(list(pieces))
    if x is None or piece.quant == x:
        return ()
    if piece.quant is not None:
        return (Piece("identity", quant=piece.quant),)
    value = np.array(piece.keys["value"], np.float32)
    element = quantise(value, x, DataType.INT8)
    if dequantise(element, x) != value:
        text = f"surrounds elements of scale {x.scale:g} and zero point {x.zero_point} by {value:g}, which is none of theirs"
        raise Refused(text, "put QuantizeLinear and DequantizeLinear behind the Pad, or pad with 0")
    return ()
