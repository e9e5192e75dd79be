"""A LeNet, a ResNet-8, an autoencoder and a mixture of branches of seeded weights, quantised by onnxruntime.quantization as its users do it."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.heavy import TensorProto, helper, numpy_helper, onnx

Values = NDArray[Any]
OPSET = 17


class Floats:
    """A float model that grows node by node; weights are He's."""

    def __init__(self, shape: tuple[int, ...], seed: int) -> None:
        self.shape, self.random = shape, np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.tensors: list[onnx.TensorProto] = []
        self.last = "x"

    def constant(self, values: Any, kind: Any = np.float32) -> str:
        name = f"w{len(self.tensors)}"
        self.tensors.append(numpy_helper.from_array(np.asarray(values, kind), name))
        return name

    def add(self, op: str, *inputs: str, **attributes: Any) -> str:
        out = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, [*inputs], [out], name=f"{op}{len(self.nodes)}", **attributes))
        self.last = out
        return out

    def conv(self, x: str, ins: int, outs: int, kernel: int, *, stride: int = 1, pad: int = 0) -> str:
        w = self.random.normal(0, np.sqrt(2 / (ins * kernel**2)), (outs, ins, kernel, kernel))
        b = self.random.normal(0, 0.1, outs)
        return self.add("Conv", x, self.constant(w), self.constant(b), strides=[stride] * 2, pads=[pad] * 4)

    def dense(self, x: str, ins: int, outs: int) -> str:
        w = self.random.normal(0, np.sqrt(2 / ins), (outs, ins))
        return self.add(
            "Gemm", x, self.constant(w), self.constant(self.random.normal(0, 0.1, outs)), transB=1
        )

    def model(self, outs: int) -> onnx.ModelProto:
        graph = helper.make_graph(
            self.nodes,
            "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, list(self.shape))],
            [helper.make_tensor_value_info(self.last, TensorProto.FLOAT, [1, outs])],
            self.tensors,
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)


def lenet() -> onnx.ModelProto:
    m = Floats((1, 1, 28, 28), 1)
    x = m.add("MaxPool", m.add("Relu", m.conv("x", 1, 6, 5, pad=2)), kernel_shape=[2, 2], strides=[2, 2])
    x = m.add("AveragePool", m.add("Relu", m.conv(x, 6, 16, 5)), kernel_shape=[2, 2], strides=[2, 2])
    x = m.add("Relu", m.dense(m.add("Flatten", x), 400, 120))
    m.dense(m.add("Relu", m.dense(x, 120, 84)), 84, 10)
    return m.model(10)


def resnet8() -> onnx.ModelProto:
    m = Floats((1, 3, 16, 16), 2)
    x = m.add("Relu", m.conv("x", 3, 16, 3, pad=1))
    for ins, outs in ((16, 16), (16, 32), (32, 64)):
        stride = 1 if ins == outs else 2
        y = m.conv(m.add("Relu", m.conv(x, ins, outs, 3, stride=stride, pad=1)), outs, outs, 3, pad=1)
        beside = x if ins == outs else m.conv(x, ins, outs, 1, stride=stride)
        x = m.add("Relu", m.add("Add", y, beside))
    m.dense(m.add("Flatten", m.add("GlobalAveragePool", x)), 64, 10)
    return m.model(10)


def autoencoder() -> onnx.ModelProto:
    m = Floats((1, 640), 3)
    x, widths = "x", (640, 128, 128, 128, 128, 8, 128, 128, 128, 128, 640)
    for number, (ins, outs) in enumerate(itertools.pairwise(widths), 1):
        x = m.dense(x, ins, outs)
        x = m.add("Relu", x) if number < len(widths) - 1 else x
    return m.model(640)


def mixed() -> onnx.ModelProto:
    """Gates, leaky and shared branches: what onnxruntime has quantised operators of its own for."""
    m = Floats((1, 3, 12, 12), 4)
    x = m.add("LeakyRelu", m.conv("x", 3, 8, 3, pad=1), alpha=0.1)
    gate = m.add("Sigmoid", m.conv(m.add("GlobalAveragePool", x), 8, 8, 1))
    x = m.add("Concat", m.add("Mul", x, gate), m.conv(x, 8, 8, 3, pad=1), axis=1)
    x = m.add("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2])
    m.dense(m.add("Flatten", x), 16 * 36, 10)
    return m.model(10)


MODELS = {"lenet": lenet, "resnet8": resnet8, "autoencoder": autoencoder, "mixed": mixed}


def inputs(model: onnx.ModelProto, count: int, seed: int) -> Values:
    shape = [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
    return np.random.default_rng(seed).normal(0, 1, (count, *shape[1:])).astype(np.float32)


def quantised(
    name: str, folder: Path, *, unsigned: bool, per_channel: bool, operators: bool = False
) -> onnx.ModelProto:
    """Return the model as quantize_static makes it, QDQ or with `operators` QOperator; weights of 7 bits, as it advises for machines without VNNI."""
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

    logging.getLogger().setLevel(logging.ERROR)  # it advises to preprocess
    model = MODELS[name]()

    class Reader(CalibrationDataReader):  # type: ignore[misc]  # no types
        def __init__(self) -> None:
            self.samples: Iterator[Values] = iter(inputs(model, 32, 7))

        def get_next(self) -> dict[str, Values] | None:
            found = next(self.samples, None)
            return None if found is None else {"x": found[None]}

    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(model, folder / "float.onnx")
    quantize_static(
        folder / "float.onnx",
        folder / "net.onnx",
        Reader(),
        quant_format=QuantFormat.QOperator if operators else QuantFormat.QDQ,
        per_channel=per_channel,
        reduce_range=True,
        activation_type=QuantType.QUInt8 if unsigned else QuantType.QInt8,
        weight_type=QuantType.QInt8,
    )
    return onnx.load(folder / "net.onnx")
