"""OpenQNPU's exclusive or, whose integers are published."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.heavy import TensorProto, helper, numpy_helper, onnx
from tests.onnx_session import session as onnx_session

HIDDEN = np.array([[-127, 95, -87], [122, -96, -37]], np.int8)
OUT = np.array([[97], [127], [-62]], np.int8)
CONSTANTS: dict[str, Any] = {
    "hidden_w": HIDDEN, "hidden_b": np.array([42, -465, 0], np.int32),
    "out_w": OUT, "out_b": np.array([-35], np.int32),
    "x_scale": np.float32(0.003921568859368563), "y_scale": np.float32(0.006367564667016268),
    "z_scale": np.float32(0.006079525221139193), "hidden_scale": np.float32(0.008828036487102509),
    "hidden_b_scale": np.float32(3.4619752113940194e-05), "out_scale": np.float32(0.009601140394806862),
    "out_b_scale": np.float32(6.113588460721076e-05),
    "x_zero": np.uint8(0), "inner_x_zero": np.int8(-128), "y_zero": np.int8(-81), "z_zero": np.int8(-79),
    "end_zero": np.uint8(49), "w_zero": np.int8(0), "b_zero": np.int32(0),
}  # fmt: skip
PUBLISHED = (-79, 85, 85, -79)


def exclusive_or(*, reads_twice: bool = False) -> onnx.ModelProto:
    """Return the published model: uint8 in and out."""
    nodes = [
        helper.make_node("DequantizeLinear", ["x", "x_scale", "x_zero"], ["x_real"]),
        helper.make_node("QuantizeLinear", ["x_real", "x_scale", "inner_x_zero"], ["x_inner"]),
        helper.make_node("DequantizeLinear", ["x_inner", "x_scale", "inner_x_zero"], ["x_again"]),
    ]
    given, scale = "x_again", "y"
    for layer in ("hidden", "out"):
        weight, bias = f"{layer}_w_real", f"{layer}_b_real"
        nodes += [
            helper.make_node("DequantizeLinear", [f"{layer}_w", f"{layer}_scale", "w_zero"], [weight]),
            helper.make_node("DequantizeLinear", [f"{layer}_b", f"{layer}_b_scale", "b_zero"], [bias]),
            helper.make_node("Gemm", [given, weight, bias], [f"{layer}_sums"], layer),
            helper.make_node("Relu", [f"{layer}_sums"], [f"{layer}_relu"]),
            helper.make_node("QuantizeLinear", [f"{layer}_relu", f"{scale}_scale", f"{scale}_zero"], [scale]),
            helper.make_node(
                "DequantizeLinear", [scale, f"{scale}_scale", f"{scale}_zero"], [f"{scale}_real"]
            ),
        ]
        given, scale = f"{scale}_real", "z"
    nodes.append(helper.make_node("QuantizeLinear", ["z_real", "z_scale", "end_zero"], ["result"]))
    if reads_twice:
        nodes.append(helper.make_node("DequantizeLinear", ["x", "y_scale", "x_zero"], ["unused"]))
    ends = [helper.make_tensor_value_info(n, TensorProto.UINT8, [1, s]) for n, s in (("x", 2), ("result", 1))]
    tensors = [numpy_helper.from_array(np.asarray(v), n) for n, v in CONSTANTS.items()]
    graph = helper.make_graph(nodes, "xor", ends[:1], ends[1:], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def by_onnxruntime(model: onnx.ModelProto, x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    session = onnx_session(model)
    return np.concatenate([session.run(None, {"x": row[None]})[0] for row in x])


def every_input(step: int) -> np.ndarray[Any, Any]:
    values = np.arange(0, 256, step, dtype=np.uint8)
    return np.stack(np.meshgrid(values, values, indexing="ij"), -1).reshape(-1, 2)
