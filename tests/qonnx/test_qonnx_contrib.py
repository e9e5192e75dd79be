"""onnxruntime's own quantised operators (com.microsoft), each beside onnxruntime's kernel of it, and its QOperator models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom.errors import SpecError
from aieloom.network.readers.onnx_import import read_onnx
from tests.heavy import TensorProto, helper, numpy_helper, onnx
from tests.qonnx.compare import by_aieloom, by_onnxruntime, last_scale, planned
from tests.qonnx.models import inputs, quantised

OPERATORS: dict[
    str, tuple[int, dict[str, Any]]
] = {  # operands and attributes; QGemm and QLinearConcat have inputs of their own
    "QLinearAdd": (2, {}),
    "QLinearMul": (2, {}),
    "QLinearAveragePool": (1, {"kernel_shape": [2, 2], "strides": [2, 2]}),
    "QLinearGlobalAveragePool": (1, {}),
    "QLinearLeakyRelu": (1, {"alpha": 0.2}),
    "QLinearSigmoid": (1, {}),
    "QLinearConcat": (2, {"axis": 1}),
}


class Built:
    """A model of (1, 4, 6, 6) floats, quantised, through operators to floats again; scales and zero points are drawn."""

    def __init__(self, kind: type[np.uint8 | np.int8], seed: int) -> None:
        self.kind, self.random = kind, np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.tensors: list[onnx.TensorProto] = []

    def constant(self, values: Any) -> str:
        self.tensors.append(numpy_helper.from_array(np.asarray(values), f"c{len(self.tensors)}"))
        return self.tensors[-1].name

    def scale(self) -> list[str]:
        limits = np.iinfo(self.kind)
        middle = (limits.max + limits.min + 1) // 2
        zero = self.kind(middle + self.random.integers(-20, 21))
        return [self.constant(np.float32(self.random.uniform(0.01, 0.04))), self.constant(zero)]

    def add(self, op: str, names: list[str], **attributes: Any) -> str:
        domain = "com.microsoft" if op.startswith(("QLinear", "QGemm")) and op != "QLinearConv" else ""
        out = f"t{len(self.nodes)}"
        self.nodes.append(
            helper.make_node(op, names, [out], f"n{len(self.nodes)}", domain=domain, **attributes)
        )
        return out

    def model(self, last: str, scale: list[str], rank: int = 4) -> onnx.ModelProto:
        self.add("DequantizeLinear", [last, *scale])
        graph = helper.make_graph(
            self.nodes,
            "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4, 6, 6])],
            [helper.make_tensor_value_info(self.nodes[-1].output[0], TensorProto.FLOAT, ["?"] * rank)],
            self.tensors,
        )
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def model_of(op: str, kind: type[np.uint8 | np.int8], seed: int) -> onnx.ModelProto:
    made = Built(kind, seed)
    source, first, y = made.scale(), made.scale(), made.scale()
    weight = made.constant(made.random.integers(-60, 61, (4, 4, 1, 1), np.int8))
    by = made.constant(np.float32(0.008)), made.constant(np.int8(0))
    x = made.add("QuantizeLinear", ["x", *source])
    x = made.add("QLinearConv", [x, *source, weight, *by, *first])
    if op == "QGemm":
        flat = made.add("Flatten", [x])
        weight = made.constant(made.random.integers(-60, 61, (5, 144), np.int8))
        bias = made.constant(made.random.integers(-900, 900, 5, np.int32))
        by = made.constant(np.float32(0.003)), by[1]
        return made.model(made.add("QGemm", [flat, *first, weight, *by, bias, *y], transB=1, alpha=0.5), y, 2)
    operands, attributes = OPERATORS[op]
    other = made.scale()
    beside = made.add("QLinearLeakyRelu", [x, *first, *other], alpha=0.5)
    names = [x, *first, beside, *other][: 3 * operands]
    names = [*y, *names] if op == "QLinearConcat" else [*names, *y]
    return made.model(made.add(op, names, **attributes), y)


@pytest.mark.parametrize("kind", [np.uint8, np.int8])
@pytest.mark.parametrize("op", [*OPERATORS, "QGemm"])
def test_each_operator_gives_what_onnxruntimes_kernel_gives(
    op: str, kind: type[np.uint8 | np.int8], tmp_path: Path
) -> None:
    for seed in range(4):
        model = model_of(op, kind, seed)
        x = inputs(model, 12, seed)
        wanted = by_onnxruntime(model, x)
        ours = by_aieloom(planned(model, tmp_path), x)
        off = np.rint(np.abs(ours - wanted) / last_scale(model))
        # sums of halves: onnxruntime adds the zero point before it rounds, so that some go the other way
        assert off.max() <= 1, (op, seed)
        assert (off == 0).mean() >= (0.9 if op == "QLinearAveragePool" else 0.98), (op, seed)
        assert len(np.unique(wanted)) > 3


@settings(max_examples=12)
@given(st.sampled_from([*OPERATORS, "QGemm"]), st.integers(0, 10**6), st.booleans())
def test_chains_of_them_are_layers(op: str, seed: int, unsigned: bool) -> None:
    """Nothing of onnxruntime's is left, and the result has the scale that the last operator says."""
    import tempfile  # noqa: PLC0415

    model = model_of(op, np.uint8 if unsigned else np.int8, seed)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "net.onnx"
        onnx.save(model, file)
        network = read_onnx(file, shown_as="net.onnx")
    scales = {t.name: float(numpy_helper.to_array(t)) for t in model.graph.initializer if t.data_type == 1}
    said = model.graph.node[-1].input[1]
    assert network.is_quantised
    assert network.quants[str(network.layers[-1]["name"])].scale == pytest.approx(scales[said], rel=0)


@pytest.mark.parametrize("name", ["lenet", "resnet8", "mixed"])
@pytest.mark.parametrize("unsigned", [True, False])
def test_models_in_the_operator_format_give_onnxruntimes_results(
    name: str, unsigned: bool, tmp_path: Path
) -> None:
    model = quantised(name, tmp_path, unsigned=unsigned, per_channel=True, operators=True)
    assert any(n.domain == "com.microsoft" for n in model.graph.node)
    x = inputs(model, 12, 8)
    wanted = by_onnxruntime(model, x)
    off = np.rint(np.abs(by_aieloom(planned(model, tmp_path), x) - wanted) / last_scale(model))
    assert (off == 0).mean() >= 0.98
    assert off.max() <= 1
    assert len(np.unique(wanted)) > 15


def test_a_softmax_is_within_one_element_of_onnxruntimes_table(tmp_path: Path) -> None:
    model = model_of("QGemm", np.uint8, 3)
    last, graph = model.graph.node[-1], model.graph
    _, *scale = last.input
    share = (
        numpy_helper.from_array(np.array(1 / 256, np.float32), "share"),
        numpy_helper.from_array(np.array(0, np.uint8), "none"),
    )
    graph.initializer.extend(share)
    names = [last.input[0], *scale, "share", "none"]
    soft = helper.make_node(
        "QLinearSoftmax", names, ["soft"], "soft", domain="com.microsoft", axis=-1, opset=13
    )
    back = helper.make_node("DequantizeLinear", ["soft", "share", "none"], list(last.output))
    del graph.node[-1]
    graph.node.extend([soft, back])
    x = inputs(model, 12, 3)
    off = np.abs(by_aieloom(planned(model, tmp_path), x) - by_onnxruntime(model, x)) * 256
    assert off.max() <= 1 + 1e-6


def test_what_is_no_float_operator_is_refused_by_name(tmp_path: Path) -> None:
    model = model_of("QLinearSigmoid", np.int8, 1)
    model.graph.node[3].op_type = "QLinearWhere"
    onnx.save(model, tmp_path / "net.onnx")
    with pytest.raises(SpecError, match=r"com\.microsoft\.QLinearWhere"):
        read_onnx(tmp_path / "net.onnx", shown_as="net.onnx")
