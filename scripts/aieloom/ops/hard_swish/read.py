"""hard_swish in models: ONNX's HardSwish, torch.nn.Hardswish."""

from __future__ import annotations

from aieloom.model.onnx_graph import Node
from aieloom.model.onnx_nodes import Piece, Pieces
from aieloom.model.readers import from_onnx, from_torch
from aieloom.model.torch_ops import Call, Layers


@from_onnx("HardSwish", rows=True)
def onnx_node(_node: Node, pieces: Pieces) -> Pieces:
    """Return the pieces with the function."""
    return [*pieces, Piece("hard_swish")]


@from_torch("hardswish", "hardswish_")
def torch_call(_call: Call) -> Layers:
    """Return the function."""
    return [Piece("hard_swish")]
