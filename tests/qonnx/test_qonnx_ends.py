"""Models whose ends are integers: a published network of exclusive or, as a converter wrote it from TensorFlow Lite.

Its integers and scales are those of OpenQNPU's model (ThomasMuyal/OpenNPU, quantmodel.onnx), whose document gives the results
-79, 85, 85, -79 for the four pairs of bits.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import aieloom
from aieloom.errors import SpecError
from aieloom.flow.onnx_project import write_onnx_project
from aieloom.flow.opening import open_project
from aieloom.flow.samples import load_samples
from aieloom.model.onnx_import import read_onnx
from aieloom.reference.results import hardware_reference

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
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return np.concatenate([session.run(None, {"x": row[None]})[0] for row in x])


def every_input(step: int) -> np.ndarray[Any, Any]:
    values = np.arange(0, 256, step, dtype=np.uint8)
    return np.stack(np.meshgrid(values, values, indexing="ij"), -1).reshape(-1, 2)


def test_the_published_integers_are_reproduced(tmp_path: Path) -> None:
    model = exclusive_or()
    onnx.save(model, tmp_path / "m.onnx")
    write_onnx_project(tmp_path / "p", tmp_path / "m.onnx", "vck190")
    x = np.array([[0, 0], [0, 255], [255, 0], [255, 255]], np.uint8)
    np.savez(tmp_path / "p" / "bits.npz", x=x)
    with (tmp_path / "p" / "network.yaml").open("a") as f:
        f.write("data: {samples: bits.npz}\n")
    project = open_project(tmp_path / "p")
    assert project.network.spec.input.integers is not None
    samples = load_samples(project).x
    assert samples.ravel().tolist() == pytest.approx([0, 0, 0, 1, 1, 0, 1, 1])
    y = hardware_reference(project.plan, project.parameters, samples)
    steps = y.ravel() / CONSTANTS["z_scale"] + CONSTANTS["z_zero"]
    assert tuple(np.rint(steps).astype(int)) == PUBLISHED
    assert np.allclose(steps, np.rint(steps), atol=1e-4)


def test_a_session_takes_and_gives_the_model_s_integers(tmp_path: Path) -> None:
    model = exclusive_or()
    onnx.save(model, tmp_path / "m.onnx")
    session = aieloom.Session(tmp_path / "m.onnx", target="zynq-7020")
    x = every_input(15)
    (y,) = session.run(None, {"x": x})
    wanted = by_onnxruntime(model, x)
    assert y.dtype == np.uint8 and y.shape == wanted.shape
    assert (y == wanted).all()


def test_two_meanings_of_an_input_are_refused(tmp_path: Path) -> None:
    onnx.save(exclusive_or(reads_twice=True), tmp_path / "m.onnx")
    with pytest.raises(SpecError, match="input 'x' is uint8; float32 is known, and uint8 or int8 that"):
        read_onnx(tmp_path / "m.onnx", shown_as="m.onnx")
