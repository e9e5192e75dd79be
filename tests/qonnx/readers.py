"""Random quantised graphs in which several readers see one tensor, each behind nodes that move values and at a scale of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.heavy import onnx

Values = NDArray[Any]
SHAPE = (1, 4, 4, 4)
OUTPUTS = 6


class Drawn:
    """A model that grows."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.nodes: list[Any] = []
        self.constants: dict[str, Values] = {}
        self.moved: list[str] = []

    def of(self, *choices: Any) -> Any:
        return choices[int(self.random.integers(len(choices)))]

    def constant(self, values: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(values)
        return name

    def node(self, op: str, *inputs: str, outputs: int = 1, **attributes: Any) -> str:
        names = [f"t{len(self.nodes)}" + (f".{i}" if i else "") for i in range(outputs)]
        self.nodes.append(onnx.helper.make_node(op, list(inputs), names, **attributes))
        return names[int(self.random.integers(outputs))]

    def rounded(self, x: str, scale: float, zero: int = 0) -> str:
        scale *= 1.0173  # no decimals, of which sums are halves: how these are rounded is another test
        names = self.constant(np.float32(scale)), self.constant(np.int8(zero))
        return self.node("DequantizeLinear", self.node("QuantizeLinear", x, *names), *names)

    def weights(self, *shape: int) -> str:
        integers = self.constant(self.random.integers(-63, 64, shape).astype(np.int8))
        return self.node(
            "DequantizeLinear", integers, self.constant(np.float32(0.01)), self.constant(np.int8(0))
        )

    def moving(self, x: str, shape: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
        """Add a node that moves values of an image of `shape`."""
        _, c, h, w = shape
        op = self.of("Split", "Slice", "Pad", "Reshape", "Transpose", "Concat", "Relu", "MaxPool", "Identity")
        self.moved.append(op)
        if op == "Split" and c > 1:
            sizes = self.constant(np.array([c // 2, c - c // 2]))
            found = self.node(op, x, sizes, outputs=2, axis=1)
            return found, (1, c - c // 2 if found.endswith(".1") else c // 2, h, w)
        if op == "Slice" and c > 1:
            begin = self.of(0, c // 2)
            ends = (self.constant(np.array([v])) for v in (begin, c, 1))
            return self.node(op, x, *ends), (1, c - begin, h, w)
        return self._as_whole(op, x, shape)

    def _as_whole(self, op: str, x: str, shape: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
        _, c, h, w = shape
        if op == "Pad":
            sides = self.constant(np.array([0, 0, 1, 0, 0, 0, 0, 1]))
            value = [self.constant(np.float32(self.of(0.5, -2)))] if self.of(0, 0, 1) else []
            return self.node(op, x, sides, *value), (1, c, h + 1, w + 1)
        if op in ("Reshape", "Transpose"):
            keys: dict[str, Any] = {"perm": [0, 1, 3, 2]} if op == "Transpose" else {}
            more = [self.constant(np.array([1, c, w, h]))] if op == "Reshape" else []
            return self.node(op, x, *more, **keys), (1, c, w, h)
        if op == "Concat":
            return self.node(op, x, x, axis=1), (1, 2 * c, h, w)
        if op == "MaxPool":
            return self.node(op, x, kernel_shape=[2, 2]), (1, c, h - 1, w - 1)
        return self.node("Relu" if op == "Relu" else "Identity", x), shape


def drawn(seed: int) -> tuple[Any, Values, Sequence[str]]:
    """Return a model, samples and the operators that move."""
    d = Drawn(seed)
    x = d.node("Conv", d.rounded("x", 0.02), d.weights(6, 4, 1, 1))
    shared = {
        0: x,
        1: d.rounded(x, 0.01, d.of(0, -3)),
        2: d.node("Elu", d.rounded(x, 0.01)),
        3: d.node("Relu", x),
    }[d.of(0, 1, 2, 3)]
    whole, scales = "", (d.of(0.01, 0.02), d.of(0.01, 0.05))
    for _ in range(d.of(2, 2, 3)):
        shape: tuple[int, ...] = (1, 6, 4, 4)
        y = shared
        for _ in range(d.of(0, 1, 1, 2)):
            y, shape = d.moving(y, shape)
            if d.of(0, 0, 1):
                y = d.rounded(y, d.of(*scales), d.of(0, 0, 5))
        if d.of(0, 1):
            y = d.rounded(d.node("Flatten", y), d.of(*scales), d.of(0, 0, 5))
        else:
            y = d.node("Flatten", d.rounded(y, d.of(*scales), d.of(0, 0, 5)))
        y = d.rounded(d.node("Gemm", y, d.weights(OUTPUTS, int(np.prod(shape))), transB=1), 0.05)
        whole = d.rounded(d.node("Add", whole, y), 0.0871) if whole else y
    info = onnx.helper.make_tensor_value_info
    kind = onnx.TensorProto.FLOAT
    graph = onnx.helper.make_graph(
        d.nodes,
        "g",
        [info("x", kind, SHAPE)],
        [info(whole, kind, [1, OUTPUTS])],
        [onnx.numpy_helper.from_array(v, n) for n, v in d.constants.items()],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    return model, d.random.normal(0, 1, (8, *SHAPE[1:])).astype(np.float32), d.moved
