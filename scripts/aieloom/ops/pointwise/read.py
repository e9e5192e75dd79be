"""The functions of the tables in models: ONNX's nodes and PyTorch's calls of the names that their rows say."""

from __future__ import annotations

from aieloom.network.readers.onnx_graph import Node
from aieloom.network.readers.onnx_nodes import Piece, Pieces, Translator, number
from aieloom.network.readers.registry import from_onnx, from_torch
from aieloom.network.readers.torch_ops import TRANSLATORS, function
from aieloom.ops.function import Function
from aieloom.ops.pointwise import FUNCTIONS, TABULATED


def _reader(op: str, row: Function) -> Translator:
    """Return what takes a node whose attributes are the function's keys; the schema has those that it leaves out."""

    def take(node: Node, pieces: Pieces) -> Pieces:
        return [
            *pieces,
            Piece(op, {key: number(node.get(key, value)) for key, (value, _) in row.keys.items()}),
        ]

    return take


for _op, _row in {**FUNCTIONS, **TABULATED}.items():
    if _row.onnx:
        from_onnx(_row.onnx, rows=True)(_reader(_op, _row))
        if isinstance(_row.torch, str) and _row.torch not in TRANSLATORS:  # which have more arguments
            from_torch(_row.torch)(function(_row.onnx))
