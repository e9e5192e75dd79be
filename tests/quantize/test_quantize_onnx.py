"""Quantised ONNX models as they are: QDQ and QLinear, against the definition of their operators in float and integers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from aieloom.errors import SpecError
from aieloom.flow.onnx_project import write_onnx_project
from aieloom.flow.opening import open_project
from aieloom.flow.project import Project
from aieloom.reference.results import hardware_reference
from tests.heavy import TensorProto, helper, numpy_helper, onnx

Values = NDArray[Any]
YAML = "name: net\ntarget: vek280\nweights: net.onnx\n"


class Qdq:
    """Builds a model node by node, and computes beside it what the nodes mean, in float64."""

    def __init__(self, shape: tuple[int, ...], unsigned: bool = False, seed: int = 0) -> None:
        self.shape, self.random = shape, np.random.default_rng(seed)
        self.dtype = np.uint8 if unsigned else np.int8
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, Values] = {}
        self.last, self.rank = "x", len(shape)

    def name(self, stem: str) -> str:
        return f"{stem}_{len(self.nodes)}_{len(self.constants)}"

    def constant(self, stem: str, values: Any) -> str:
        name = self.name(stem)
        self.constants[name] = np.asarray(values)
        return name

    def add(self, op: str, inputs: list[str], **attributes: Any) -> Qdq:
        out = self.name(op.lower())
        self.nodes.append(helper.make_node(op, inputs, [out], name=f"n_{out}", **attributes))
        self.last = out
        self.rank = 2 if op == "Flatten" else self.rank
        return self

    def pair(self, scale: float, zero: int) -> list[str]:
        """Add a scale and a zero point (of int8; shifted for uint8)."""
        shift = 128 if self.dtype is np.uint8 else 0
        return [self.constant("scale", np.float32(scale)), self.constant("zero", self.dtype(zero + shift))]

    def round(self, scale: float, zero: int) -> Qdq:
        """Quantise and dequantise."""
        names = self.pair(scale, zero)
        self.add("QuantizeLinear", [self.last, *names])
        return self.add("DequantizeLinear", [self.last, *names])

    def weight(self, *shape: int, scales: int | None = None, axis: int = 0, dtype: Any = np.int8) -> str:
        """Add dequantised weights."""
        count = shape[axis] if scales is None else scales
        integers = self.random.integers(-127, 128, shape)
        zero = 128 if dtype is np.uint8 else 0
        fan = float(np.prod(shape) / shape[axis])
        scale = (self.random.uniform(0.5, 1, count) / 70 / np.sqrt(fan)).astype(np.float32)
        names = [
            self.constant("w", (integers + zero).astype(dtype)),
            self.constant("ws", scale if count > 1 else scale[0]),
            self.constant("wz", np.full(count, zero, dtype) if count > 1 else dtype(zero)),
        ]
        out = self.name("weight")
        self.nodes.append(helper.make_node("DequantizeLinear", names, [out], axis=axis))
        return out

    def save(self, folder: Path, extra: str = "") -> Project:
        graph = helper.make_graph(
            self.nodes,
            "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, list(self.shape))],
            [
                helper.make_tensor_value_info(
                    self.last, TensorProto.FLOAT, [f"d{i}" for i in range(self.rank)]
                )
            ],
            [numpy_helper.from_array(v, n) for n, v in self.constants.items()],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.save(model, folder / "net.onnx")
        (folder / "network.yaml").write_text(YAML + extra)
        return open_project(folder, build=folder / "build")


def run(project: Project, count: int = 200) -> tuple[Values, Values]:
    x = np.random.default_rng(4).normal(0, 1, (count, *project.plan.x.shape)).astype(np.float32)
    return x, hardware_reference(project.array, project.parameters, x)


def fake(x: Values, scale: float, zero: int) -> Values:
    """QuantizeLinear and DequantizeLinear in float64, by their definition."""
    meant: Values = (np.clip(np.rint(x / np.float32(scale)) + zero, -128, 127) - zero) * np.float32(scale)
    return meant


def dequantised(b: Qdq, stem: str) -> Values:
    """Return the first constant weights of a model as floats, output channels first."""
    index = next(i for i, n in enumerate(b.constants) if n.startswith(stem + "_"))
    w, scale, zero = list(b.constants.values())[index : index + 3]
    scale, zero = (np.broadcast_to(v.astype(np.float64), len(w)) for v in (scale, zero))
    column = (-1, *(1,) * (w.ndim - 1))
    return (w - zero.reshape(column)) * scale.reshape(column)


@pytest.mark.parametrize("unsigned", [False, True])
@pytest.mark.parametrize("weights", [np.int8, np.uint8])
def test_a_dense_layer_means_what_its_nodes_mean(unsigned: bool, weights: Any, tmp_path: Path) -> None:
    b = Qdq((1, 12), unsigned)
    b.round(0.03, 5)
    weight = b.weight(7, 12, dtype=weights, scales=1 if weights is np.uint8 else None)
    bias = b.constant("bias", np.linspace(-1, 1, 7).astype(np.float32))
    b.add("Gemm", [b.last, weight, bias], transB=1).add("Relu", [b.last]).round(0.011, -100)
    x, y = run(b.save(tmp_path))
    floats = fake(x.reshape(-1, 12), 0.03, 5) @ dequantised(b, "w").T + np.linspace(-1, 1, 7)
    wanted = fake(np.maximum(floats, 0), 0.011, -100)
    off = np.abs(y.reshape(-1, 7) - wanted) / 0.011
    assert off.max() < 1.01  # the scales' quotient is a float32, which may decide otherwise very near a half
    assert (off < 0.01).mean() > 0.999
    assert len(np.unique(y)) > 50


def test_a_convolution_pads_by_the_zero_point_and_pools_keep_their_scale(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    b = Qdq((1, 2, 6, 6))
    b.round(0.02, -20)
    b.add("Conv", [b.last, b.weight(5, 2, 3, 3)], pads=[1, 1, 1, 1]).round(0.01, 30)
    b.add("MaxPool", [b.last], kernel_shape=[2, 2], strides=[2, 2]).round(0.01, 30)
    b.add("AveragePool", [b.last], kernel_shape=[3, 3]).round(0.005, 10).add("Flatten", [b.last]).round(
        0.005, 10
    )
    first = b.save(tmp_path).network.layers[0].name
    project = b.save(tmp_path, f"mapping:\n  {first}: {{strategy: chained}}\n")
    x, y = run(project)
    weight = torch.from_numpy(dequantised(b, "w"))
    floats = torch.nn.functional.conv2d(
        torch.from_numpy(fake(x, 0.02, -20).astype(np.float64)), weight, padding=1
    )
    pooled = torch.nn.functional.max_pool2d(torch.from_numpy(fake(floats.numpy(), 0.01, 30)), 2)
    wanted = fake(torch.nn.functional.avg_pool2d(pooled, 3).numpy(), 0.005, 10)
    off = np.abs(y.reshape(wanted.shape) - wanted)
    assert (
        off.max() < 1.01 * 0.005
    )  # a sum of nine elements lies in the middle of two of the average's now and then
    assert (off > 0.01 * 0.005).mean() < 0.01
    assert len(np.unique(y)) > 50
    assert project.network.layers[1].op == "max_pool"
    (conv,) = project.array.aie
    assert conv.draft.strategy == "chained"
    assert conv.draft.fused == (project.network.layers[1].name,), "the core does the pool"
    assert [s.op for g in project.array.pl for s in g.steps] == ["avg_pool"]


def test_qlinear_operators_are_the_same_as_their_qdq_form(tmp_path: Path) -> None:
    results = []
    for form in ("qdq", "qlinear"):
        b = Qdq((1, 2, 5, 5), seed=3)
        b.round(0.02, -20)
        if form == "qlinear":
            b.nodes.pop()  # the integers flow on
            b.last = b.nodes[-1].output[0]
        given = [n for n in b.constants]  # scale and zero of the input
        bias = np.arange(-3, 3).astype(np.int32) * 40
        weight = b.weight(6, 2, 3, 3)
        w = [n for n in b.constants if n.startswith(("w_", "ws_", "wz_"))]
        out = b.pair(0.01, 30)
        if form == "qlinear":
            b.nodes.pop()
            b.add("QLinearConv", [b.last, *given, *w, *out, b.constant("bias", bias)])
            b.add("DequantizeLinear", [b.last, *out])
        else:
            floats = bias * np.float64(np.float32(0.02)) * b.constants[w[1]].astype(np.float64)
            b.add("Conv", [b.last, weight, b.constant("bias", floats.astype(np.float32))])
            b.add("QuantizeLinear", [b.last, *out]).add("DequantizeLinear", [b.last, *out])
        folder = tmp_path / form
        folder.mkdir()
        results.append(run(b.save(folder))[1])
    assert np.array_equal(results[0], results[1])
    assert len(np.unique(results[0])) > 50


def test_a_new_project_of_a_quantised_model_keeps_its_integers(tmp_path: Path) -> None:
    b = small()
    b.add("Gemm", [b.last, b.weight(3, 4)], transB=1).round(0.01, 0)
    x, y = run(b.save(tmp_path))
    made = write_onnx_project(tmp_path / "made", tmp_path / "net.onnx", "vck190")
    assert made == ("network.yaml", "model.onnx")
    project = open_project(tmp_path / "made", build=tmp_path / "build")
    assert project.target == "vck190"
    assert np.array_equal(hardware_reference(project.array, project.parameters, x), y)


def refused(b: Qdq, folder: Path, extra: str = "") -> str:
    with pytest.raises(SpecError) as caught:
        b.save(folder, extra)
    return str(caught.value)


def small() -> Qdq:
    b = Qdq((1, 4))
    return b.round(0.02, 0)


def test_what_a_model_leaves_open_is_refused(tmp_path: Path) -> None:
    b = small()
    b.add("Gemm", [b.last, b.weight(3, 4)], transB=1)
    assert "[quant-5] layer 'dense1' (op dense): the model does not say what its results" in refused(
        b, tmp_path
    )
    b = Qdq((1, 4))
    b.add("Gemm", [b.last, b.weight(3, 4)], transB=1).round(0.01, 0)
    assert "[quant-5] the model does not say what its input is quantised to" in refused(b, tmp_path)


def test_sums_beyond_32_bits_and_scales_too_far_apart_are_refused(tmp_path: Path) -> None:
    b = small()
    bias = b.constant("bias", np.array([0, 1e9, 0], np.float32))
    b.add("Gemm", [b.last, b.weight(3, 4), bias], transB=1).round(1e4, 0)
    assert "[quant-2] layer 'dense1': the sums of channel 1 may reach" in refused(b, tmp_path)
    for scales, text in (
        ([0.01, 0.01 * 2.0**-25.5, 0.01], "go down to 2^-32; the smallest is 2^-29"),
        ([0.01, 1e4 * 2.0**22, 0.01], "so that results before saturation could exceed 32 bits"),
        ([500, 2.0**-29.5, 0.01], "differ by 2^38; 2^37 can be levelled"),
    ):
        b = small()
        weight = b.weight(3, 4)
        scale = next(n for n in b.constants if n.startswith("ws_"))
        b.constants[scale] = np.array(scales, np.float32)
        b.add("Gemm", [b.last, weight], transB=1).round(0.01, 0)
        message = refused(b, tmp_path)
        assert "[quant-3] layer 'dense1': the multipliers of its channels" in message
        assert text in message


def test_elements_of_other_widths_are_refused(tmp_path: Path) -> None:
    b = small()
    scale = b.constant("s", np.float32(0.1))
    zero = b.constant("z", np.int32(0))
    b.add("Gemm", [b.last, b.weight(3, 4)], transB=1)
    b.add("QuantizeLinear", [b.last, scale, b.constant("z16", np.zeros((), np.uint8))])
    b.add("DequantizeLinear", [b.last, scale, zero])
    assert "makes elements of type int32; int8 and uint8" in refused(b, tmp_path)


def test_a_dequantisation_by_another_scale_is_refused(tmp_path: Path) -> None:
    b = small()
    b.add("Gemm", [b.last, b.weight(3, 4)], transB=1)
    b.add("QuantizeLinear", [b.last, *b.pair(0.1, 0)]).add("DequantizeLinear", [b.last, *b.pair(0.2, 0)])
    assert "reads elements of scale 0.1 and zero point 0 as if they had 0.2 and 0" in refused(b, tmp_path)


def test_a_models_own_scales_exclude_powers_of_two_and_other_layers(tmp_path: Path) -> None:
    b = small()
    b.add("Gemm", [b.last, b.weight(3, 4)], transB=1).round(0.01, 0)
    for scales in ("power_of_two", "multiplier", "multiplier16"):
        text = refused(b, tmp_path, f"quantize: {{scales: {scales}}}\n")
        assert f"[quant-5] the model is quantised by ONNX's definition, scales: onnx, not {scales}" in text
    assert "[quant-5] the model is quantised by ONNX's definition, which saturates" in refused(
        b, tmp_path, "quantize: {overflow: wrap}\n"
    )
    layers = "input: {name: x, shape: [4, 1, 1]}\nlayers:\n  - {name: other, op: dense, out_features: 3, bias: false}\n"
    assert "leave 'layers:' out" in refused(b, tmp_path, layers)
