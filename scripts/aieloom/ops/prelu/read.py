"""prelu in models: ONNX's PRelu, torch.nn.PReLU."""

from __future__ import annotations

from aieloom.network.readers.onnx_graph import Node
from aieloom.network.readers.onnx_nodes import Piece, Pieces, by_channel, number, weights_name
from aieloom.network.readers.registry import from_onnx, from_torch
from aieloom.network.readers.torch_ops import FEATURES, Call, Calls


@from_onnx("PRelu", rows=True)
def onnx_node(node: Node, pieces: Pieces) -> Pieces:
    """Return the pieces with the function; one slope for all channels is a leaky_relu."""
    slope = node.constant(1, "slope")
    if slope.size == 1:
        return [*pieces, Piece("leaky_relu", {"alpha": number(slope.reshape(()))})]
    return [*pieces, Piece("prelu", {}, {"weight": by_channel(node, slope)}, weights_name(node, 1))]


@from_torch("prelu")
def torch_call(b: Calls, call: Call) -> str:
    """Return the function."""
    slope = call.trained("weight")
    wide = slope.values.reshape(-1, *(1,) * (len(call.x.shape) - FEATURES))
    return b.node("PRelu", [call.x.name, b.constant(slope.name, wide)])
