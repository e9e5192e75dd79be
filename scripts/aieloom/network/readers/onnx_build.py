"""The ONNX nodes and constants that a model of another format becomes, one after another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from aieloom.arrays import Values
from aieloom.network.readers.onnx_constants import initializer

if TYPE_CHECKING:
    import onnx


@dataclass(slots=True)
class Nodes:
    """What was made so far; `layer` is what nodes are called after, and whose they are in messages."""

    nodes: list[Any] = field(default_factory=list, kw_only=True)
    constants: dict[str, Values] = field(default_factory=dict, kw_only=True)
    layer: str = field(default="", kw_only=True)

    def node(self, op: str, inputs: list[str], **attributes: Any) -> str:
        """Add a node; return its result's name."""
        from onnx import helper  # noqa: PLC0415 - only models of other formats need it

        y = f"{self.layer}/{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [y], name=self.layer or y[1:], **attributes))
        return y

    def constant(self, name: str, values: Any) -> str:
        """Add a constant; return its name, which nothing has yet."""
        known = name if name not in self.constants else f"{name}.{len(self.constants)}"
        self.constants[known] = np.asarray(values)
        return known

    def number(self, value: float) -> str:
        """Add a constant of one number."""
        return self.constant("number", np.array(value, np.float32))

    def integers(self, values: Any) -> str:
        """Add a constant of sizes or places."""
        return self.constant("sizes", np.array(values, np.int64))

    def whole(self, name: str, given: Any, result: Any, opset: int) -> onnx.ModelProto:
        """Return all of it as a model, from what ONNX says of its input to what it says of its result."""
        from onnx.numpy_helper import from_array  # noqa: PLC0415

        constants = [from_array(np.asarray(v, order="C"), k) for k, v in self.constants.items()]
        return self._model(name, given, result, opset, constants)

    def outline(self, name: str, given: Any, result: Any, opset: int) -> onnx.ModelProto:
        """Return the same without the values of large constants."""
        constants = [initializer(v, k) for k, v in self.constants.items()]
        return self._model(name, given, result, opset, constants)

    def _model(
        self, name: str, given: Any, result: Any, opset: int, constants: list[onnx.TensorProto]
    ) -> onnx.ModelProto:
        from onnx import helper  # noqa: PLC0415

        graph = helper.make_graph(self.nodes, name, [given], [result], constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
