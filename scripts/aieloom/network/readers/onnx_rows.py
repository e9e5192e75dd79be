"""The nodes that onnx_views makes, as layers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from aieloom.network.readers.onnx_graph import GRAPH_INPUT, Node, image_shape
from aieloom.network.readers.onnx_nodes import Piece, Pieces, number
from aieloom.network.readers.onnx_recurrent import GRU, LSTM
from aieloom.network.readers.onnx_views import PAD_ROWS, REARRANGE
from aieloom.network.readers.refused import Refused


def _rearrange(node: Node, pieces: Pieces) -> Pieces:
    return [*pieces, Piece("rearrange", dict(node.attributes))]


def _graph_input(node: Node, pieces: Pieces) -> Pieces:
    keys = {**node.attributes, "shape": [*image_shape(tuple(node.get("shape", [])))]}
    return [*pieces, Piece("graph_input", keys, name=node.y)]


def _pad_rows(node: Node, pieces: Pieces) -> Pieces:
    return [*pieces, Piece("pad", dict(node.attributes))]


def batch_matmul(node: Node) -> Piece:
    """Return the layer of a product of two activations."""
    keys = {**node.attributes, "factor": number(node.get("factor", 1.0))}
    default = {"heads": 1, "transpose": False, "factor": 1.0}
    return Piece("batch_matmul", {k: v for k, v in keys.items() if v != default[k]})


def _way(node: Node) -> dict[str, object]:
    return {"reverse": True} if node.get("reverse", default=False) else {}


def _lstm(node: Node, pieces: Pieces) -> Pieces:
    weight = node.constant(1, "weight of h")
    keys = {"hidden": int(weight.shape[1]), **_way(node)}
    return [*pieces, Piece("lstm", keys, {"weight": weight})]


def _gru(node: Node, pieces: Pieces) -> Pieces:
    weight, bias = node.constant(1, "weight of h"), node.optional(2)
    keys: dict[str, object] = {"hidden": int(weight.shape[1]), **_way(node)}
    if bias is None:
        return [*pieces, Piece("gru", {**keys, "reset_after": False}, {"weight": weight})]
    return [*pieces, Piece("gru", keys, {"weight": weight, "bias": bias})]


def _embedding(node: Node, pieces: Pieces) -> Pieces:
    """Take the rows of a table whose numbers flow in."""
    table = node.optional(0)
    if table is None or table.ndim != 2 or int(node.get("axis", 0)) != 0:
        raise Refused(
            f"it selects from '{node.inputs[0]}' by what flows in: that is no trained table whose rows axis 0 counts",
            "use a table (tokens, features) and axis 0, or constant indices",
        )
    tokens, features = table.shape
    return [*pieces, Piece("embedding", {"tokens": tokens, "features": features}, {"weight": table})]


OF_ROWS: Mapping[str, Callable[[Node, Pieces], Pieces]] = {
    "Gather": _embedding,
    GRAPH_INPUT: _graph_input,
    GRU: _gru,
    LSTM: _lstm,
    PAD_ROWS: _pad_rows,
    REARRANGE: _rearrange,
}
