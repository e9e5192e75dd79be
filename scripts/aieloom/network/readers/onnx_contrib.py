"""onnxruntime's quantised operators (domain com.microsoft) as the ONNX nodes that define them.

`quantize_static(quant_format=QuantFormat.QOperator)` writes QLinearAdd, QGemm and others, each of which is by its definition
the float operator between DequantizeLinear of its inputs and QuantizeLinear of its result. They are written as these, before
shapes are inferred: what follows knows ONNX's own operators alone.
Facts: onnxruntime's ContribOperators.md (QLinear*, QGemm) and the schemas of onnxruntime 1.32.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from aieloom.arrays import Values

if TYPE_CHECKING:
    import onnx

DOMAIN = "com.microsoft"
# The float operator, and how many operands (element, scale, zero point) stand before the result's scale and zero point.
ELEMENTWISE = {
    "QLinearAdd": ("Add", 2),
    "QLinearMul": ("Mul", 2),
    "QLinearAveragePool": ("AveragePool", 1),
    "QLinearGlobalAveragePool": ("GlobalAveragePool", 1),
    "QLinearLeakyRelu": ("LeakyRelu", 1),
    "QLinearReduceMean": ("ReduceMean", 1),
    "QLinearSigmoid": ("Sigmoid", 1),
    "QLinearSoftmax": ("Softmax", 1),
}
SAME = ("DequantizeLinear", "QLinearConv", "QuantizeLinear")  # as ONNX's own, for more types of elements
NEW_SOFTMAX = 13  # the opset since which a softmax is of one axis
NEW_AXES = 18  # the opset since which the axes of ReduceMean are an input


class _Expansion:
    """The nodes of one node, with the constants that they need."""

    def __init__(self, node: onnx.NodeProto, opset: int) -> None:
        self.node, self.opset = node, opset
        self.inputs = [*node.input, *[""] * 9]  # those left out are empty
        self.attributes = {a.name: a for a in node.attribute}
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def named(self, what: str) -> str:
        return f"{self.node.output[0]}/{what}{len(self.nodes) + len(self.constants)}"

    def add(
        self, op: str, inputs: list[str], output: str = "", attributes: Mapping[str, object] | None = None
    ) -> str:
        import onnx  # noqa: PLC0415 - only this format needs it

        output = output or self.named(op)
        while inputs and not inputs[-1]:
            inputs = inputs[:-1]
        made = onnx.helper.make_node(op, inputs, [output], self.node.name)
        made.attribute.extend(onnx.helper.make_attribute(k, v) for k, v in sorted((attributes or {}).items()))
        self.nodes.append(made)
        return output

    def constant(self, values: Values | np.float32) -> str:
        import onnx  # noqa: PLC0415

        name = self.named("constant")
        self.constants.append(onnx.numpy_helper.from_array(np.asarray(values), name))
        return name

    def dequantised(self, first: int, attributes: Mapping[str, object] | None = None) -> str:
        """Return the floats of an operand: elements, scale and zero point from the input `first` on."""
        return self.add("DequantizeLinear", self.inputs[first : first + 3], attributes=attributes)

    def quantised(self, value: str, scale: int, like: str) -> None:
        """End with elements of the scale at the input `scale`; without a zero point they are of the type of `like`'s."""
        zero = self.inputs[scale + 1]
        if not zero and like:  # x - x is 0 in x's type
            zero = self.add("Sub", [like, like])
        self.add("QuantizeLinear", [value, self.inputs[scale], zero], self.node.output[0])

    def kept(self, *left_out: str) -> dict[str, object]:
        """Return the attributes as they are, without `left_out` and those that change nothing."""
        import onnx  # noqa: PLC0415

        found = {name: onnx.helper.get_attribute_value(a) for name, a in self.attributes.items()}
        return {name: v for name, v in found.items() if name not in (*left_out, "channels_last")}

    def operator(self) -> bool:
        """Write the node as nodes; False for one whose meaning is not that of a float operator of this opset."""
        op, kept = self.node.op_type, self.kept()
        if self.attributes.get("channels_last") and self.attributes["channels_last"].i:
            return False
        if op in SAME:
            self.add(op, list(self.node.input), self.node.output[0], attributes=kept)
        elif op in ELEMENTWISE:
            return self._elementwise(*ELEMENTWISE[op])
        elif op == "QLinearConcat":
            operands = [self.dequantised(i) for i in range(2, len(self.node.input), 3)]
            self.quantised(self.add("Concat", operands, attributes=kept), 0, self.inputs[4])
        elif op == "QGemm":
            self._gemm()
        else:
            return False
        return True

    def _elementwise(self, op: str, operands: int) -> bool:
        kept = self.kept("opset")
        if op == "Softmax":
            said = self.attributes.get("opset")
            if (said.i if said else self.opset) < NEW_SOFTMAX or self.opset < NEW_SOFTMAX:
                return False  # of all axes behind one
            kept.setdefault("axis", -1)
        values = [self.dequantised(3 * i) for i in range(operands)]
        if op == "ReduceMean" and self.opset >= NEW_AXES and "axes" in kept:
            values.append(self.constant(np.array(kept.pop("axes"), np.int64)))
        self.quantised(self.add(op, values, attributes=kept), 3 * operands, self.inputs[2])
        return True

    def _gemm(self) -> None:
        """Write a QGemm: `alpha` is a part of the weight's scale, the bias counts in steps of both scales' product."""
        kept, scale = self.kept("alpha"), self.inputs[4]
        alpha = float(self.attributes["alpha"].f) if "alpha" in self.attributes else 1.0
        if alpha != 1:
            scale = self.add("Mul", [scale, self.constant(np.float32(alpha))])
        columns = 0 if kept.get("transB") else 1
        weight = self.add(
            "DequantizeLinear", [self.inputs[3], scale, self.inputs[5]], attributes={"axis": columns}
        )
        operands = [self.dequantised(0), weight]
        if self.inputs[6]:
            step = self.add("Mul", [self.inputs[1], scale])
            operands.append(self.add("DequantizeLinear", [self.inputs[6], step], attributes={"axis": 0}))
        if self.inputs[7]:
            self.quantised(self.add("Gemm", operands, attributes=kept), 7, self.inputs[2])
        else:
            self.add("Gemm", operands, self.node.output[0], attributes=kept)


def in_onnx_alone(model: onnx.ModelProto) -> None:
    """Write onnxruntime's quantised operators in `model` as ONNX's; those that are no such stay, to be refused by name."""
    graph = model.graph
    if not any(node.domain == DOMAIN for node in graph.node):
        return
    opset = max((int(o.version) for o in model.opset_import if o.domain in ("", "ai.onnx")), default=0)
    nodes = [found for node in graph.node for found in _nodes(node, opset, graph)]
    del graph.node[:]
    graph.node.extend(nodes)


def _nodes(node: onnx.NodeProto, opset: int, graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    made = _Expansion(node, opset)
    if node.domain != DOMAIN or len(node.output) != 1 or not made.operator():
        copy = type(node)()
        copy.CopyFrom(node)  # the list that holds it is emptied
        yield copy
        return
    graph.initializer.extend(made.constants)
    yield from made.nodes
