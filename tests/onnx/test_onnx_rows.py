"""Rows of features: what transformers' files hold between images and products, imported and compared with onnxruntime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aieloom.errors import SpecError
from aieloom.network.readers.onnx_import import read_onnx
from aieloom.network.strides import view_of
from tests.heavy import Module, later, nn, onnx, torch
from tests.onnx.models import Builder, run_imported
from tests.onnx.tokens import Attention, Tokens, exported
from tests.onnx_session import session as onnx_session

quant_pre_process = later("onnxruntime.quantization", "quant_pre_process")

QUICK = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def compared(path: Path, x: np.ndarray, *ops: str) -> None:
    """Hold what a file becomes to what onnxruntime computes, and its layers to be of `ops`."""
    y, imported = run_imported(path, x)
    session = onnx_session(path)
    wanted = np.concatenate([session.run(None, {session.get_inputs()[0].name: one[None]})[0] for one in x])
    np.testing.assert_allclose(y.reshape(wanted.shape), wanted, rtol=1e-4, atol=1e-5)
    assert set(ops) <= {layer["op"] for layer in imported.layers}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("own", [True, False])
def test_attention(own: bool, tmp_path: Path) -> None:
    x = exported(Attention(24, 3, own=own), (7, 24), tmp_path / "m.onnx")
    compared(tmp_path / "m.onnx", x, "batch_matmul", "softmax", "rearrange")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("opset", [13, 17, 20])
def test_a_vit_with_a_class_token(opset: int, tmp_path: Path) -> None:
    x = exported(Tokens(), (3, 8, 12), tmp_path / "m.onnx", opset=opset)
    compared(tmp_path / "m.onnx", x, "layer_norm", "gelu", "pad", "affine")


class Recurrent(Module):
    """Two layers of a recurrent network, the scores of the last step."""

    def __init__(self, kind: str, *, both: bool = False) -> None:
        super().__init__()
        self.cells = getattr(nn, kind)(6, 8, 2, batch_first=True, bidirectional=both)
        self.head = nn.Linear(16 if both else 8, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y: torch.Tensor = self.head(self.cells(x)[0][:, -1])
        return y


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_recurrent_networks(kind: str, both: bool, tmp_path: Path) -> None:
    x = exported(Recurrent(kind, both=both), (5, 6), tmp_path / "m.onnx")
    compared(tmp_path / "m.onnx", x, kind.lower(), "dense", *(["concat"] if both else []))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_a_recurrence_from_the_last_step_on(kind: str, tmp_path: Path) -> None:
    """PyTorch writes no such: its model with another direction is another one."""
    x = exported(Recurrent(kind), (5, 6), tmp_path / "m.onnx")
    model = onnx.load(tmp_path / "m.onnx")
    for node in model.graph.node:
        if node.op_type == kind:
            kept = [a for a in node.attribute if a.name != "direction"]
            del node.attribute[:]
            node.attribute.extend([*kept, onnx.helper.make_attribute("direction", "reverse")])
    onnx.save(model, tmp_path / "m.onnx")
    compared(tmp_path / "m.onnx", x, kind.lower(), "dense")


@pytest.mark.filterwarnings("ignore")
def test_a_recurrence_that_begins_elsewhere_is_refused(tmp_path: Path) -> None:
    exported(Recurrent("LSTM"), (5, 6), tmp_path / "m.onnx")
    model = onnx.load(tmp_path / "m.onnx")
    for node in model.graph.node:
        if node.op_type == "LSTM":
            node.attribute.append(onnx.helper.make_attribute("clip", 3.0))
    onnx.save(model, tmp_path / "m.onnx")
    with pytest.raises(
        SpecError, match=r"\(LSTM\): the operator is not supported as it is here(.|\n)*let it begin at zeros"
    ):
        read_onnx(tmp_path / "m.onnx", shown_as="m.onnx")


@pytest.mark.filterwarnings("ignore")
def test_a_gru_whose_reset_gate_comes_before_the_product(tmp_path: Path) -> None:
    """ONNX's default, which PyTorch does not write: its model with the attribute taken away is another one."""
    x = exported(Recurrent("GRU"), (5, 6), tmp_path / "m.onnx")
    model = onnx.load(tmp_path / "m.onnx")
    for node in model.graph.node:
        for attribute in node.attribute if node.op_type == "GRU" else ():
            if attribute.name == "linear_before_reset":
                attribute.i = 0
    onnx.save(model, tmp_path / "m.onnx")
    compared(tmp_path / "m.onnx", x, "gru", "dense")


def opset18() -> Builder:
    return Builder([1, 6, 8], opset=18)


ROWS: dict[str, Any] = {
    "norm": lambda b: b.add("LayerNormalization", b.weights("g", 8), b.weights("c", 8), axis=-1),
    "gelu": lambda b: b.add("Sqrt").add("Erf"),
    "mean": lambda b: b.add("ReduceMean", b.constant("a", np.array([1])), keepdims=0),
    "mean of features": lambda b: b.add("ReduceMean", b.constant("a", np.array([-1])), keepdims=1),
    "softmax over rows": lambda b: b.add("Softmax", axis=1),
    "places": lambda b: b.add("Mul", b.weights("w", 1, 6, 8)).add("Add", b.weights("v", 6, 1)).add("Sub", b.weights("u", 8)),
    "over": lambda b: b.add("Sub", b.constant("one", np.ones((6, 8), np.float32)), first=False).add("Div", b.constant("d", np.full((8,), 3, np.float32))),
    "split": lambda b: b.add("Split", b.constant("n", np.array([2, 6])), axis=2, outputs=2),
    "slice": lambda b: b.add("Slice", *(b.constant(n, np.array(v)) for n, v in zip("seat", ([1, 1], [6, 8], [1, 2], [2, 3]), strict=True))),
    "gather": lambda b: b.add("Gather", b.constant("i", np.array([1, 3, 5])), axis=1),
    "row": lambda b: b.add("Gather", b.constant("i", np.array(-1)), axis=1),
    "turned": lambda b: b.add("Transpose", perm=[0, 2, 1]).add("MatMul", b.weights("m", 6, 5)),
    "expanded": lambda b: b.add("ReduceMean", b.constant("a", np.array([1])), keepdims=1).add("Expand", b.constant("s", np.array([1, 4, 8]))),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_operators_on_rows(name: str, tmp_path: Path) -> None:
    builder = opset18()
    ROWS[name](builder)
    builder.save(tmp_path / "m.onnx", out_rank=2 if name in ("row", "mean") else 3)
    x = np.random.default_rng(1).random((3, 6, 8)).astype(np.float32)
    compared(tmp_path / "m.onnx", x)


@QUICK
@given(data=st.data())
def test_any_chain_of_moves_is_followed(data: st.DataObject, tmp_path: Path) -> None:
    shape = data.draw(st.sampled_from([(6, 8), (12, 4), (5, 7)]))
    builder = Builder([1, *shape], opset=18)
    x = np.random.default_rng(1).random((2, *shape)).astype(np.float32)
    now: tuple[int, ...] = (1, *shape)
    for i in range(data.draw(st.integers(1, 4))):
        if data.draw(st.booleans()):
            order = data.draw(st.permutations(range(len(now))))
            builder.add("Transpose", perm=order)
            now = tuple(now[a] for a in order)
            continue
        left, made = int(np.prod(now)), []
        for _ in range(data.draw(st.integers(1, 3))):
            made.append(data.draw(st.sampled_from([d for d in range(1, left + 1) if left % d == 0])))
            left //= made[-1]
        now = (1, *made, left)
        builder.add("Reshape", builder.constant(f"s{i}", np.array(now)))
    features = now[-1]
    builder.add("Reshape", builder.constant("rows", np.array([1, -1, features])))
    builder.add("MatMul", builder.weights("w", features, 3))
    builder.save(tmp_path / "m.onnx", out_rank=3)
    compared(tmp_path / "m.onnx", x, "dense")


def test_rows_that_are_turned_about_the_batch_and_back_are_rows(tmp_path: Path) -> None:
    builder = Builder([1, 6, 8], opset=18)
    builder.add("Transpose", perm=[1, 0, 2]).add("Transpose", perm=[1, 0, 2])
    builder.add("MatMul", builder.weights("w", 8, 3))
    builder.save(tmp_path / "m.onnx", out_rank=3)
    compared(tmp_path / "m.onnx", np.random.default_rng(1).random((2, 6, 8)).astype(np.float32), "dense")


def test_images_are_multiplied_too(tmp_path: Path) -> None:
    """Of four axes the last two are matrices, whatever the others mean: the channels of an image are heads."""
    builder = Builder([1, 3, 4, 4])
    builder.add("Conv", builder.weights("w", 3, 3, 3, 3), pads=[1, 1, 1, 1]).add("MatMul", "x")
    builder.add("MatMul", builder.weights("v", 4, 5)).add("Conv", builder.weights("u", 2, 3, 1, 1))
    builder.save(tmp_path / "m.onnx")
    x = np.random.default_rng(1).random((2, 3, 4, 4)).astype(np.float32)
    compared(tmp_path / "m.onnx", x, "batch_matmul", "dense", "conv2d")


def test_a_view_says_when_strides_do_not_suffice() -> None:
    turned = view_of("x", (1, 6, 8), (1, 6, 8), image=False).transposed([0, 2, 1])
    assert turned.reshaped((1, 48)) is not None
    assert turned.sliced(2, 1, 3, 1).reshaped((1, 24)) is not None  # type: ignore[union-attr]
    merged = view_of("x", (1, 6, 8), (1, 6, 8), image=False).transposed([0, 2, 1]).reshaped((48,))
    assert merged is not None
    assert merged.reshaped((6, 8)) is None


def test_what_is_still_refused_names_node_and_operator(tmp_path: Path) -> None:
    builder = opset18()
    builder.add("CumSum", builder.constant("axis", np.array(1))).add("Transpose", perm=[0, 2, 1])
    builder.add("Einsum", equation="bij->bi")
    builder.save(tmp_path / "m.onnx", out_rank=2)
    with pytest.raises(SpecError, match=r"node 'cumsum_0' \(CumSum\).*\n.*\n.*node 'einsum_2' \(Einsum\)"):
        read_onnx(tmp_path / "m.onnx", shown_as="m.onnx")


@pytest.mark.filterwarnings("ignore")
def test_products_that_onnxruntime_has_fused_with_their_biases(tmp_path: Path) -> None:
    """Its preparation of a model makes a Gemm of each MatMul and Add: of rows, between two Reshapes."""
    x = exported(Tokens(), (3, 8, 12), tmp_path / "whole.onnx")
    quant_pre_process(tmp_path / "whole.onnx", tmp_path / "m.onnx")
    assert "Gemm" in {node.op_type for node in onnx.load(tmp_path / "m.onnx").graph.node}
    compared(tmp_path / "m.onnx", x, "layer_norm", "dense", "batch_matmul")
