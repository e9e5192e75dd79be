"""Quantised ONNX models: QuantizeLinear and DequantizeLinear around float nodes (QDQ), and the QLinear operators.

A QuantizeLinear says what the elements behind the layer before it mean; a DequantizeLinear says it again. Constants that
are dequantised are folded to floats like all others, their scales are kept: weight / scale is the integer again.
Elements without sign are shifted by 128 with their zero point, which changes nothing of what they mean.
Facts: ONNX operator specifications of QuantizeLinear, DequantizeLinear, QLinearConv, QLinearMatMul.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aieloom.model.onnx_graph import Node, Refused
from aieloom.model.onnx_nodes import TRANSLATORS, Piece, Pieces
from aieloom.model.tensor import Quantisation

Values = NDArray[Any]
INPUT = "input"  # a piece that stands for the network's input
KEEP = ("max_pool", "avg_pool", "global_avg_pool", "pad", "flatten", "reshape", "pixel_shuffle", "upsample")
INT8 = np.dtype(np.int8)
UINT8 = np.dtype(np.uint8)


def _scalar(values: Values, what: str) -> float:
    if values.size != 1:
        raise Refused(
            f"its {what} has {values.size} values: activations have one scale each", "quantise by tensor"
        )
    return float(values.reshape(-1)[0])


def _quantisation(node: Node, scale_index: int) -> Quantisation:
    """Return the quantisation that inputs `scale_index` and the next one say."""
    scale = _scalar(node.constant(scale_index, "scale"), "scale")
    zero = node.optional(scale_index + 1)
    if zero is None:
        zero = np.zeros((), np.uint8)  # the default of QuantizeLinear's output
    point = int(_scalar(zero, "zero point"))
    if not 0 < scale < float("inf"):
        raise Refused(f"has the scale {scale:g}", "calibrate again")
    if zero.dtype == UINT8:
        return Quantisation(scale=scale, zero_point=point - 128)
    if zero.dtype != INT8:
        raise Refused(
            f"makes elements of type {zero.dtype}; int8 and uint8 are supported", "quantise to 8 bits"
        )
    return Quantisation(scale=scale, zero_point=point)


def current(pieces: Pieces) -> Quantisation | None:
    """Return what the elements mean that the last piece gives; None where nothing has said so."""
    for piece in reversed(pieces):
        if piece.quant is not None:
            return piece.quant
        if piece.op not in KEEP:
            return None
    return None


def _marked(pieces: Pieces, quant: Quantisation) -> Pieces:
    """Return the pieces with `quant` behind the last; where that one keeps another, an identity rescales."""
    if not pieces:
        return [Piece(INPUT, quant=quant)]
    before, last = current(pieces), pieces[-1]
    if before == quant:
        return pieces
    if before is not None or last.op in KEEP:
        return [*pieces, Piece("identity", quant=quant)]
    return [*pieces[:-1], replace(last, quant=quant)]


def _quantize(node: Node, pieces: Pieces) -> Pieces:
    return _marked(pieces, _quantisation(node, 1))


def _dequantize(node: Node, pieces: Pieces) -> Pieces:
    quant, before = _quantisation(node, 1), current(pieces)
    if before is not None and quant != before:
        text = f"reads elements of scale {before.scale:g} and zero point {before.zero_point} as if they had {quant.scale:g}"
        raise Refused(f"{text} and {quant.zero_point}", "export the model again")
    return pieces


def _expect(node: Node, pieces: Pieces, index: int) -> Quantisation:
    """Return the quantisation of a QLinear node's input, which is that of the layer before it."""
    quant, before = _quantisation(node, index), current(pieces)
    if before is None or quant != before:
        raise Refused(
            "reads elements by another scale than the node before it gives", "export the model again"
        )
    return quant


def _dequantised(node: Node, index: int, axis: int) -> tuple[Values, Values]:
    """Return weights as floats and their scales, from the constants `index` to `index + 2`."""
    values, scale = node.constant(index, "weight"), node.constant(index + 1, "weight's scale").reshape(-1)
    zero = node.constant(index + 2, "weight's zero point").reshape(-1)
    shape = [1] * values.ndim
    shape[axis] = -1
    floats = (values.astype(np.float64) - zero.astype(np.float64).reshape(shape)) * scale.astype(
        np.float64
    ).reshape(shape)
    return floats, scale


def _qlinear_conv(node: Node, pieces: Pieces) -> Pieces:
    x = _expect(node, pieces, 1)
    weight, scale = _dequantised(node, 3, 0)
    constants = {**node.constants, "w": weight}
    inputs: tuple[str, ...] = (node.inputs[0], "w")
    bias = node.optional(8)
    if bias is not None:
        constants["b"] = bias.astype(np.float64) * x.scale * scale.astype(np.float64)
        inputs = (*inputs, "b")
    made = TRANSLATORS["Conv"](replace(node, inputs=inputs, constants=constants), pieces)
    return [*made[:-1], replace(made[-1], scales=scale, quant=_quantisation(node, 6))]


def _qlinear_matmul(node: Node, pieces: Pieces) -> Pieces:
    if node.inputs[0] != node.x:
        raise Refused("multiplies the constant from the left", "write it as x @ weight")
    _expect(node, pieces, 1)
    weight, scale = _dequantised(node, 3, 1)
    inputs, constants = (node.inputs[0], "w"), {**node.constants, "w": weight}
    made = TRANSLATORS["MatMul"](replace(node, inputs=inputs, constants=constants), pieces)
    return [*made[:-1], replace(made[-1], scales=scale, quant=_quantisation(node, 6))]


def with_scales(node: Node, pieces: Pieces) -> Pieces:
    """Return the pieces with the scales of the weights that `node` brought, when those were integers."""
    weight = node.inputs[1] if len(node.inputs) > 1 else ""
    scales = node.scales.get(weight)
    if scales is None or not pieces or "weight" not in pieces[-1].tensors:
        return pieces
    outputs = len(pieces[-1].tensors["weight"])
    if scales.size not in (1, outputs):
        raise Refused(
            f"its weight has {scales.size} scales for {outputs} outputs",
            "quantise weights by output channel or by tensor",
        )
    return [*pieces[:-1], replace(pieces[-1], scales=scales)]


QUANTISED: Mapping[str, Callable[[Node, Pieces], Pieces]] = {
    "DequantizeLinear": _dequantize,
    "QLinearConv": _qlinear_conv,
    "QLinearMatMul": _qlinear_matmul,
    "QuantizeLinear": _quantize,
}
