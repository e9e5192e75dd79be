"""Quantised ONNX models: QuantizeLinear and DequantizeLinear around float nodes (QDQ), and the QLinear operators.

A QuantizeLinear says what the elements behind the layer before it mean; a DequantizeLinear says it again. Constants that
are dequantised are folded to floats like all others, their scales are kept: weight / scale is the integer again.
A tensor is rounded where a QuantizeLinear reads it and nowhere else. Layers that only move values may stand between it and the
layer that computed them; elements that already have a scale are looked up in a table (an identity) for another one.
Elements without sign are shifted by 128 with their zero point, which changes nothing of what they mean.
Facts: ONNX operator specifications of QuantizeLinear, DequantizeLinear, QLinearConv, QLinearMatMul.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from aieloom.arrays import Values
from aieloom.network.readers.onnx_graph import Node
from aieloom.network.readers.onnx_nodes import TRANSLATORS, Piece, Pieces, for_each_channel
from aieloom.network.readers.refused import Refused
from aieloom.network.readers.registry import only_moves
from aieloom.network.tensor import Quantisation

PRODUCTS = ("Conv", "ConvTranspose", "Gemm", "MatMul")
INPUT = "input"  # a piece that stands for the network's input
INT8 = np.dtype(np.int8)
UINT8 = np.dtype(np.uint8)


def _scalar(values: Values, what: str) -> float:
    if values.size != 1:
        raise Refused(
            f"its {what} has {values.size} values: activations have one scale each", "quantise by tensor"
        )
    return float(values.reshape(-1)[0])


def quantisation_of(node: Node, scale_index: int) -> Quantisation:
    """Return the quantisation that a node's inputs `scale_index` and the next one say."""
    scale = _scalar(node.constant(scale_index, "scale"), "scale")
    zero = node.optional(scale_index + 1)
    if (
        zero is None
    ):  # QuantizeLinear's default, or what its output_dtype says [TensorProto.DataType: 2 uint8, 3 int8]
        kind = int(node.get("output_dtype", 0))
        if kind not in (0, 2, 3):
            raise Refused(
                f"makes elements of the type {kind}; int8 and uint8 are supported", "quantise to 8 bits"
            )
        zero = np.zeros((), INT8 if kind == 3 else UINT8)
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


def moves(piece: Piece) -> bool:
    """Tell whether a piece's results are values that it sees: all but a border of another value than 0."""
    return only_moves(piece.op) and not piece.keys.get("value")


def _keeps(piece: Piece) -> bool:
    """Tell whether elements of one scale stay elements of it: a relu's 0 is one of them, a border's value may be none."""
    return moves(piece) or piece.op == "relu"


def current(pieces: Pieces) -> Quantisation | None:
    """Return what the elements mean that the last piece gives; None where they are floats that nothing has rounded."""
    for piece in reversed(pieces):
        if piece.quant is not None:
            return piece.quant
        if not _keeps(piece):
            return None
    return None


def _marked(pieces: Pieces, quant: Quantisation) -> Pieces:
    """Return the pieces with `quant` behind the last.

    Floats are rounded by what computed them, for moving them changes none. Elements of another scale are looked up.
    """
    at = len(pieces) - 1
    while at >= 0 and pieces[at].quant is None and moves(pieces[at]):
        at -= 1
    if at < 0:
        return [Piece(INPUT, quant=quant), *pieces]
    found = pieces[at]
    if found.quant is None:
        return [*pieces[:at], replace(found, quant=quant), *pieces[at + 1 :]]
    return pieces if found.quant == quant else [*pieces, Piece("identity", quant=quant)]


def _quantize(node: Node, pieces: Pieces) -> Pieces:
    return _marked(pieces, quantisation_of(node, 1))


def _dequantize(node: Node, pieces: Pieces) -> Pieces:
    if (kind := node.get("output_dtype", 0)) not in (0, 1):  # TensorProto.DataType: as the scale, float32
        raise Refused(f"makes values of the type {kind}; float32 is supported", "export it in float32")
    quant, before = quantisation_of(node, 1), current(pieces)
    if before is not None and node.optional(2) is None and before.zero_point == 0:
        quant = replace(quant, zero_point=0)  # the zero point is 0 in the type of what comes, which is int8
    if before is not None and quant != before:
        text = f"reads elements of scale {before.scale:g} and zero point {before.zero_point} as if they had {quant.scale:g}"
        raise Refused(f"{text} and {quant.zero_point}", "export the model again")
    return pieces


def _expect(node: Node, pieces: Pieces, index: int) -> Quantisation:
    """Return the quantisation of a QLinear node's input, which is that of the layer before it."""
    quant, before = quantisation_of(node, index), current(pieces)
    if before is None or quant != before:
        raise Refused(
            f"reads elements by another scale than the node before it gives: {quant}, not {before}",
            "export the model again",
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
    return [*made[:-1], replace(made[-1], scales=scale, quant=quantisation_of(node, 6))]


def _qlinear_matmul(node: Node, pieces: Pieces) -> Pieces:
    if node.inputs[0] != node.x:
        raise Refused(f"multiplies the constant from the left: {node.inputs[0]}", "write it as x @ weight")
    _expect(node, pieces, 1)
    weight, scale = _dequantised(node, 3, 1)
    inputs, constants = (node.inputs[0], "w"), {**node.constants, "w": weight}
    made = TRANSLATORS["MatMul"](replace(node, inputs=inputs, constants=constants), pieces)
    return [*made[:-1], replace(made[-1], scales=scale, quant=quantisation_of(node, 6))]


def added_to_elements(node: Node, x: Quantisation, values: Values) -> Piece:
    """Return the layer that adds one value to each channel of elements: a product with 1 and a bias.

    A bias counts in steps of x.scale * scale for any scale of the weight; of 1 / 64 to 1 / 127 each channel has the one of
    which its value is most nearly a whole number of steps.
    """
    wholes = np.arange(64, 128)
    steps = values.astype(np.float64)[:, None] * wholes / x.scale
    weights = wholes[np.abs(steps - np.rint(steps)).argmin(axis=1)]
    scales, count = np.float32(1) / weights, len(values)
    if len(node.x_shape) == 4:
        return replace(for_each_channel(np.ones(count), values), scales=scales)
    return Piece("dense", {"out_features": count}, {"weight": np.eye(count), "bias": values}, scales=scales)


def with_scales(node: Node, pieces: Pieces) -> Pieces:
    """Return the pieces with the scales of the weights that `node` brought, when those were integers."""
    weight = node.inputs[1] if len(node.inputs) > 1 else ""
    scales = node.scales.get(weight) if node.op in PRODUCTS else None
    at = len(pieces) - 1
    if pieces and pieces[at].op == "pixel_shuffle" and node.op == "ConvTranspose":
        at -= 1  # each output has several channels before it
    if scales is None or not pieces or "weight" not in pieces[at].tensors:
        return pieces
    outputs = len(pieces[at].tensors["weight"])
    if node.op == "ConvTranspose" and scales.size == node.y_shape[1]:
        scales = np.repeat(scales, outputs // scales.size)
    if scales.size not in (1, outputs):
        raise Refused(
            f"its weight has {scales.size} scales for {outputs} outputs",
            "quantise weights by output channel or by tensor",
        )
    return [*pieces[:at], replace(pieces[at], scales=scales), *pieces[at + 1 :]]


QUANTISED: Mapping[str, Callable[[Node, Pieces], Pieces]] = {
    "DequantizeLinear": _dequantize,
    "QLinearConv": _qlinear_conv,
    "QLinearMatMul": _qlinear_matmul,
    "QuantizeLinear": _quantize,
}
