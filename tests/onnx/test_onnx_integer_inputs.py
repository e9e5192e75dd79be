"""Inputs of integers in every form that a float network has them: a project takes them as onnxruntime does, or refuses the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import aieloom
from aieloom.errors import SpecError
from aieloom.flow.scaffold import new_project
from tests.heavy import onnx, onnxruntime
from tests.onnx_session import session as onnx_session

TYPES = {"int8": np.int8, "uint8": np.uint8, "int32": np.int32, "int64": np.int64, "bool": np.bool_}
SHAPE = (1, 3, 4, 4)
# By form: the nodes between the input and the convolution, with the constants that they read, as fit the type.
FORMS = (
    "dequantised",
    "dequantised, no zero point",
    "by channel",
    "twice alike",
    "twice",
    "cast",
    "cast and scaled",
)


def model(form: str, kind: str) -> Any:
    dtype, h = TYPES[kind], onnx.helper
    constants: dict[str, NDArray[Any]] = {
        "s": np.float32(0.37) * np.ones((), np.float32),
        "t": np.full((), 0.11, np.float32),
        "z": np.asarray(3 if form != "by channel" else 0, dtype),
        "w": np.random.default_rng(0).normal(0, 1, (4, 3, 1, 1)).astype(np.float32),
    }
    if form == "by channel":
        constants |= {"s": np.array([0.5, 0.2, 0.1], np.float32), "z": np.zeros(3, dtype)}
    first = {
        "dequantised": [h.make_node("DequantizeLinear", ["x", "s", "z"], ["f"])],
        "dequantised, no zero point": [h.make_node("DequantizeLinear", ["x", "s"], ["f"])],
        "by channel": [h.make_node("DequantizeLinear", ["x", "s", "z"], ["f"], axis=1)],
        "twice alike": [
            h.make_node("DequantizeLinear", ["x", "s", "z"], ["f1"]),
            h.make_node("DequantizeLinear", ["x", "s", "z"], ["f2"]),
            h.make_node("Add", ["f1", "f2"], ["f"]),
        ],
        "twice": [
            h.make_node("DequantizeLinear", ["x", "s", "z"], ["f1"]),
            h.make_node("DequantizeLinear", ["x", "t", "z"], ["f2"]),
            h.make_node("Add", ["f1", "f2"], ["f"]),
        ],
        "cast": [h.make_node("Cast", ["x"], ["f"], to=1)],
        "cast and scaled": [h.make_node("Cast", ["x"], ["c"], to=1), h.make_node("Mul", ["c", "s"], ["f"])],
    }[form]
    nodes = [*first, h.make_node("Conv", ["f", "w"], ["y"])]
    used = {i for n in nodes for i in n.input}
    graph = h.make_graph(
        nodes,
        "g",
        [h.make_tensor_value_info("x", h.np_dtype_to_tensor_dtype(np.dtype(dtype)), ["n", *SHAPE[1:]])],
        [h.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["n", 4, 4, 4])],
        [onnx.numpy_helper.from_array(v, n) for n, v in constants.items() if n in used],
    )
    return h.make_model(graph, opset_imports=[h.make_opsetid("", 13)], ir_version=8)


def samples(kind: str) -> NDArray[Any]:
    dtype = TYPES[kind]
    bounds = {"bool": (0, 2), "int8": (-128, 120)}
    low, high = bounds.get(kind, (0, 120))
    return np.random.default_rng(1).integers(low, high, (2, *SHAPE[1:])).astype(dtype)


@pytest.mark.parametrize("kind", TYPES)
def test_a_project_takes_integers_as_onnxruntime_does(kind: str, tmp_path: Path) -> None:
    taken = []
    for form in FORMS:
        made, x = model(form, kind), samples(kind)
        try:
            want = onnx_session(made).run(None, {"x": x})[0]
        except onnxruntime.capi.onnxruntime_pybind11_state.InvalidGraph:
            continue  # onnx has no such node
        folder = tmp_path / f"net{FORMS.index(form)}"
        onnx.save(made, tmp_path / "net.onnx")
        try:
            new_project(folder, model=tmp_path / "net.onnx")
            got = aieloom.design(folder).reference(x)
        except SpecError as e:
            assert "DequantizeLinear" in str(e) or "int32" in str(e), form
            continue
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-4, err_msg=form)
        taken.append(form)
    assert {"cast", "cast and scaled"} <= {*taken}
    assert kind not in ("int8", "uint8") or {"dequantised", "twice alike"} <= {*taken}


@pytest.mark.slow
def test_a_session_takes_integers_as_onnxruntime_does(tmp_path: Path) -> None:
    made, x = model("dequantised", "uint8"), samples("uint8")
    onnx.save(made, tmp_path / "net.onnx")
    want = onnx_session(made).run(None, {"x": x})[0]
    with aieloom.Session(tmp_path / "net.onnx", target="vck190") as session:
        np.testing.assert_allclose(session.run(None, {"x": x})[0], want, rtol=1e-5, atol=1e-4)
