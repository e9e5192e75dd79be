"""onnxruntime's quantised operators (domain com.microsoft) as the ONNX nodes that define them.

`quantize_static(quant_format=QuantFormat.QOperator)` writes QLinearAdd, QGemm and others, each of which is by its definition
the float operator between DequantizeLinear of its inputs and QuantizeLinear of its result. They are written as these, before
shapes are inferred: what follows knows ONNX's own operators alone.
Facts: onnxruntime's ContribOperators.md (QLinear*, QGemm) and the schemas of onnxruntime 1.32.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from aieloom.network.readers.onnx_expanded import Expansion, Rule, rewrite
from aieloom.network.readers.onnx_model import opset_of

if TYPE_CHECKING:
    import onnx

DOMAIN = "com.microsoft"
NEW_SOFTMAX = 13  # the opset since which a softmax is of one axis
NEW_AXES = 18  # the opset since which the axes of ReduceMean are an input


def _kept(e: Expansion) -> dict[str, Any]:
    """Return the attributes as they are, without one that changes nothing."""
    return {a.name: e.get(a.name, None) for a in e.node.attribute if a.name != "channels_last"}


def _dequantised(e: Expansion, first: int, **attributes: Any) -> str:
    """Return the floats of an operand: elements, scale and zero point from the input `first` on."""
    return e.add("DequantizeLinear", *e.node.input[first : first + 3], **attributes)


def _quantised(e: Expansion, value: str, scale: int, like: str) -> str:
    """End with elements of the scale at the input `scale`; without a zero point they are of the type of `like`'s."""
    zero = e.input(scale + 1)
    if not zero and like:  # x - x is 0 in x's type
        zero = e.add("Sub", like, like)
    return e.add("QuantizeLinear", value, e.input(scale), zero)


def _same(e: Expansion) -> str:
    """Take what is as ONNX's own, for more types of elements."""
    return e.add(e.node.op_type, *e.node.input, **_kept(e))


def _elementwise(op: str, operands: int = 1) -> Rule:
    """Return what takes the float operator `op`, whose `operands` stand before the result's scale and zero point."""

    def take(e: Expansion) -> str | None:
        kept = _kept(e)
        said = kept.pop("opset", e.opset)
        if op == "Softmax":
            if min(said, e.opset) < NEW_SOFTMAX:
                return None  # of all axes behind one
            kept.setdefault("axis", -1)
        values = [_dequantised(e, 3 * i) for i in range(operands)]
        if op == "ReduceMean" and e.opset >= NEW_AXES and "axes" in kept:
            values.append(e.value(kept.pop("axes"), np.int64))
        return _quantised(e, e.add(op, *values, **kept), 3 * operands, e.input(2))

    return take


def _concat(e: Expansion) -> str:
    operands = [_dequantised(e, i) for i in range(2, len(e.node.input), 3)]
    return _quantised(e, e.add("Concat", *operands, **_kept(e)), 0, e.input(4))


def _gemm(e: Expansion) -> str:
    """Take a QGemm: `alpha` is a part of the weight's scale, the bias counts in steps of both scales' product."""
    kept, scale = _kept(e), e.input(4)
    alpha = float(kept.pop("alpha", 1.0))
    if alpha != 1:
        scale = e.add("Mul", scale, e.value(alpha))
    columns = 0 if kept.get("transB") else 1
    weight = e.add("DequantizeLinear", e.input(3), scale, e.input(5), axis=columns)
    operands = [_dequantised(e, 0), weight]
    if e.input(6):
        step = e.add("Mul", e.input(1), scale)
        operands.append(e.add("DequantizeLinear", e.input(6), step, axis=0))
    made = e.add("Gemm", *operands, **kept)
    return _quantised(e, made, 7, e.input(2)) if e.input(7) else made


RULES: Mapping[str, Rule] = {
    **dict.fromkeys(("DequantizeLinear", "QLinearConv", "QuantizeLinear"), _same),
    "QGemm": _gemm,
    "QLinearAdd": _elementwise("Add", 2),
    "QLinearAveragePool": _elementwise("AveragePool"),
    "QLinearConcat": _concat,
    "QLinearGlobalAveragePool": _elementwise("GlobalAveragePool"),
    "QLinearLeakyRelu": _elementwise("LeakyRelu"),
    "QLinearMul": _elementwise("Mul", 2),
    "QLinearReduceMean": _elementwise("ReduceMean"),
    "QLinearSigmoid": _elementwise("Sigmoid"),
    "QLinearSoftmax": _elementwise("Softmax"),
}


def in_onnx_alone(model: onnx.ModelProto) -> None:
    """Write onnxruntime's quantised operators in `model` as ONNX's; those that are no such stay, to be refused by name."""
    opset = opset_of(model)
    rewrite(model.graph, [Expansion(node, opset) for node in model.graph.node], _taken)


def _taken(e: Expansion) -> bool:
    rule = RULES.get(e.node.op_type) if e.node.domain == DOMAIN and len(e.node.output) == 1 else None
    return rule is not None and not e.get("channels_last", 0) and e.written_by(rule)
