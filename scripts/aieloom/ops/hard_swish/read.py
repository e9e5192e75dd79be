"""hard_swish in models: ONNX's HardSwish, torch.nn.Hardswish."""

from __future__ import annotations

from aieloom.network.readers.onnx_graph import Node
from aieloom.network.readers.onnx_nodes import Piece, Pieces
from aieloom.network.readers.registry import from_onnx, from_torch
from aieloom.network.readers.torch_ops import Call, Layers


@from_onnx("HardSwish", rows=True)
def onnx_node(_node: Node, pieces: Pieces) -> Pieces:
    """Return the pieces with the function."""
    return [*pieces, Piece("hard_swish")]


@from_torch("hardswish", "hardswish_")
def torch_call(_call: Call) -> Layers:
    """Return the function."""
    return [Piece("hard_swish")]
