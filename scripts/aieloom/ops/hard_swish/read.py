"""hard_swish in models: ONNX's HardSwish, torch.nn.Hardswish."""

from __future__ import annotations

from aieloom.network.readers.onnx_graph import Node
from aieloom.network.readers.onnx_nodes import Piece, Pieces
from aieloom.network.readers.registry import from_onnx, from_torch
from aieloom.network.readers.torch_ops import Call, Calls


@from_onnx("HardSwish", rows=True)
def onnx_node(_node: Node, pieces: Pieces) -> Pieces:
    """Return the pieces with the function."""
    return [*pieces, Piece("hard_swish")]


@from_torch("hardswish")
def torch_call(b: Calls, call: Call) -> str:
    """Return the function."""
    return b.node("HardSwish", [call.x.name])
