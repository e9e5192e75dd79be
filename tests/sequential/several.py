"""A network of several outputs as an ONNX file, and images for it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.heavy import TensorProto, helper, numpy_helper, onnx

SIZE = 8


def model(path: Path, *, types: tuple[int, ...] = (1, 1, 1)) -> None:
    """Write a network whose outputs are an image, a smaller image that others read, and features, in no order of evaluation; types: TensorProto's."""
    random = np.random.default_rng(0)
    shapes = {
        "wa": (16, 3, 3, 3), "ba": (16,), "wb": (8, 16, 1, 1), "bb": (8,), "wc": (16, 16, 3, 3), "bc": (16,), "wf": (10, 16), "bf": (10,),
    }  # fmt: skip
    tensors = [
        numpy_helper.from_array(random.normal(0, 0.3, s).astype(np.float32), n) for n, s in shapes.items()
    ]
    nodes = [
        helper.make_node("Conv", ["x", "wa", "ba"], ["a"], pads=[1] * 4),
        helper.make_node("Relu", ["a"], ["h"]),
        helper.make_node("Conv", ["h", "wc", "bc"], ["c"], pads=[1] * 4, strides=[2, 2]),
        helper.make_node("Relu", ["c"], ["deep"]),
        helper.make_node("GlobalAveragePool", ["deep"], ["p"]),
        helper.make_node("Flatten", ["p"], ["q"]),
        helper.make_node("Gemm", ["q", "wf", "bf"], ["scores"], transB=1),
        helper.make_node("Conv", ["h", "wb", "bb"], ["heat"]),
    ]
    sizes: dict[str, list[str | int | None]] = {
        "scores": ["n", 10],
        "heat": ["n", 8, SIZE, SIZE],
        "deep": ["n", 16, SIZE // 2, SIZE // 2],
    }
    graph = helper.make_graph(
        nodes, "several", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3, SIZE, SIZE])],
        [helper.make_tensor_value_info(n, t, s) for t, (n, s) in zip(types, sizes.items(), strict=True)],
        tensors,
    )  # fmt: skip
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def images(count: int, seed: int) -> np.ndarray:
    """Return images."""
    return np.random.default_rng(seed).normal(0, 1, (count, 3, SIZE, SIZE)).astype(np.float32)
