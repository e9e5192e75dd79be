"""ONNX models that are refused: one message for each node at fault, with its name, its operator and the reason."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aieloom.errors import SpecError
from aieloom.network.readers.onnx_import import read_onnx
from tests.heavy import TensorProto, helper, onnx
from tests.onnx.models import Builder

Made = tuple[Builder, tuple[str, ...]]
CASES: dict[str, Callable[[], Made]] = {}


def case(make: Callable[[], Made]) -> Callable[[], Made]:
    CASES[make.__name__] = make
    return make


def conv(b: Builder, out: int, channels: int, kernel: int = 3, **attributes: Any) -> Builder:
    name = f"w{len(b.nodes)}"
    return b.add(
        "Conv", b.weights(name, out, channels, kernel, kernel), kernel_shape=[kernel, kernel], **attributes
    )


def refusal(path: Path) -> str:
    with pytest.raises(SpecError) as refused:
        read_onnx(path, shown_as=path.name)
    assert all(p.remedy for p in refused.value.problems)
    return str(refused.value)


@case
def unknown_operators_are_all_named() -> Made:
    b = conv(Builder([1, 1, 5, 5]), 2, 1).add("Sin").add("Relu").add("Round")
    return b, ("node 'sin_1' (Sin)", "node 'round_3' (Round)", "not supported")


def fork(b: Builder) -> tuple[Builder, str]:
    """Return a builder behind a convolution whose result it reads once more."""
    conv(b, 2, 2, pads=[1, 1, 1, 1])
    short = b.last
    return conv(b, 2, 2, pads=[1, 1, 1, 1]), short


@case
def a_difference_whose_first_branch_is_the_smaller() -> Made:
    b = conv(Builder([1, 2, 5, 5]), 2, 2)
    wide = b.last
    b.add("GlobalAveragePool").add("Sub", wide)
    return b, ("node 'sub_2' (Sub): computes with branches of the shapes (1, 2, 1, 1) and (1, 2, 3, 3)",)


@case
def a_factor_for_each_row() -> Made:
    b = Builder([1, 2, 5, 5]).add("Relu")
    return b.add("Mul", b.weights("f", 2, 5, 1)), (
        "node 'mul_1' (Mul): computes with a constant of shape (2, 5, 1)",
    )


@case
def a_division_by_nothing() -> Made:
    b = conv(Builder([1, 2, 5, 5]), 2, 2).add("Relu")
    return b.add("Div", b.constant("z", np.float32(0))), ("node 'div_2' (Div): divides by 0",)


@case
def a_power_that_is_no_operator() -> Made:
    b = conv(Builder([1, 2, 5, 5]), 2, 2).add("Relu")
    return b.add("Pow", b.constant("e", np.float32(3))), ("node 'pow_2' (Pow): is the power 3; 2, 0.5",)


@case
def a_class_along_the_rows() -> Made:
    return conv(Builder([1, 2, 5, 5]), 2, 2).add("ArgMax", axis=2).add("Cast", to=1), (
        "(ArgMax): is taken along axis 2",
    )


@case
def a_norm_of_height_and_width() -> Made:
    b = Builder([1, 2, 5, 5])
    b.add("LayerNormalization", b.weights("s", 5, 5), axis=2)
    return b, ("(LayerNormalization): normalises (1, 2, 5, 5) from axis 2 on",)


@case
def an_average_that_drops_its_axis() -> Made:
    b = Builder([1, 2, 5, 5]).add("ReduceMean", axes=[1], keepdims=0)
    return b, ("(ReduceMean)",)


@case
def a_matrix_product_of_branches() -> Made:
    b = Builder([1, 2, 5, 5]).add("ReduceMean", axes=[1], keepdims=1)
    return b.add("MatMul", "x", first=False), (
        "node 'matmul_1' (MatMul): multiplies two activations, as rows (1, 10, 5) and (1, 5, 5): the axes before",
    )


@case
def a_sum_of_different_shapes() -> Made:
    b = conv(Builder([1, 2, 5, 5]), 2, 2)
    short = b.last
    b.add("GlobalAveragePool").add("Add", short)
    return b, ("node 'add_2' (Add): adds branches of the shapes (1, 2, 1, 1) and (1, 2, 3, 3)",)


@case
def a_concatenation_of_rows() -> Made:
    b, short = fork(Builder([1, 2, 5, 5]))
    return b.add("Concat", short, axis=2), (
        "node 'concat_2' (Concat): concatenates (1, 2, 5, 5) along axis 2",
    )


@case
def a_concatenation_with_a_constant() -> Made:
    b = conv(Builder([1, 2, 5, 5]), 2, 2)
    return b.add("Concat", b.weights("c", 1, 2, 3, 3), axis=1), (
        "node 'concat_1' (Concat): joins a branch and a constant",
    )


@case
def branches_and_a_constant() -> Made:
    b, short = fork(Builder([1, 2, 5, 5]))
    return b.add("Sum", short, b.weights("c", 1, 2, 5, 5)), (
        "node 'sum_2' (Sum): joins branches and a constant",
    )


@case
def a_second_result() -> Made:
    b = Builder([1, 2, 4, 4]).add("MaxPool", outputs=2, kernel_shape=[2, 2])
    b.nodes.append(helper.make_node("Cast", ["t0_1"], ["i"], name="indices", to=1))
    return b.add("Add", "i"), ("node 'indices' (Cast): reads 't0_1', which is not the first result",)


@case
@case
def one_dimensional_convolution() -> Made:
    b = Builder([1, 2, 6, 6])
    b.add("Reshape", b.constant("s", np.array([1, 12, 6], np.int64)))
    return b.add("Conv", b.weights("w", 3, 12, 3)), (
        "node 'conv_1' (Conv): computes with (1, 12, 6); images are taken",
    )


@case
def softmax_of_columns() -> Made:
    return Builder([1, 2, 3, 4], 13).add("Softmax", axis=-1), ("(Softmax): takes the softmax", "along axis 3")


@case
def softmax_of_opset_eleven_over_an_image() -> Made:
    return Builder([1, 2, 3, 4], 11).add("Softmax", axis=1), ("(Softmax): takes the softmax", "opset 11")


@case
def a_transposition() -> Made:
    return Builder([1, 2, 3, 4]).add("Transpose", perm=[1, 0, 2, 3]), ("(Transpose)",)


@case
def cubic_interpolation() -> Made:
    b = Builder([1, 2, 3, 4], 13)
    b.add("Resize", "", b.constant("s", np.array([1, 1, 2, 2], np.float32)), mode="cubic")
    return b, ("node 'resize_0' (Resize): interpolates (cubic)",)


@case
def a_scale_that_is_no_whole_number() -> Made:
    b = Builder([1, 2, 4, 4], 13)
    return b.add("Resize", "", b.constant("s", np.array([1, 1, 1.5, 1.5], np.float32))), (
        "(Resize): resizes",
    )


@case
def other_nearest_pixels() -> Made:
    b = Builder([1, 2, 4, 4], 13)
    how: dict[str, Any] = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "ceil"}
    return b.add("Resize", "", b.constant("s", np.array([1, 1, 2, 2], np.float32)), **how), (
        "reads other pixels than",
    )


@case
def borders_of_the_other_side() -> Made:
    b = Builder([1, 2, 4, 4], 19)
    return b.add("Pad", b.constant("p", np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64)), mode="wrap"), (
        "by mode 'wrap'",
    )


@case
def more_channels_by_padding() -> Made:
    b = Builder([1, 2, 4, 4], 13)
    return b.add("Pad", b.constant("p", np.array([0, 1, 0, 0, 0, 0, 0, 0], np.int64))), (
        "node 'pad_0' (Pad): pads",
    )


@case
def a_mean_of_channels() -> Made:
    return Builder([1, 3, 4, 6], 13).add("ReduceMean", axes=[0, 1]), ("(ReduceMean): averages",)


@case
def a_constant_that_is_no_bias() -> Made:
    b = conv(Builder([1, 1, 5, 5]), 2, 1)
    return b.add("Add", b.weights("c", 2, 3, 3)), (
        "node 'add_1' (Add): computes with a constant of shape (2, 3, 3)",
    )


@case
def a_constant_for_each_row_behind_relu() -> Made:
    b = Builder([1, 2, 5, 5]).add("Relu")
    return b.add("Add", b.weights("c", 2, 5, 1)), ("(Add): computes with a constant of shape (2, 5, 1)",)


@case
def a_product_from_the_left() -> Made:
    b = Builder([1, 2, 4, 4]).add("MatMul", "w", first=False)
    b.weights("w", 4, 4)
    return b, ("node 'matmul_0' (MatMul): multiplies the constant from the left",)


@case
def another_type() -> Made:
    return Builder([1, 2, 4, 4]).add("Cast", to=TensorProto.FLOAT16).add("Cast", to=1), (
        "node 'cast_0' (Cast): casts",
    )


@case
def weights_that_are_not_finite() -> Made:
    b = Builder([1, 1, 4, 4])
    b.add("Conv", b.constant("w", np.full((1, 1, 3, 3), np.nan, np.float32)))
    return b, ("node 'conv_0' (Conv): its constant 'w' has NaN",)


@case
def shapes_that_do_not_fit() -> Made:
    b = conv(Builder([1, 3, 6, 6]), 2, 4)
    return b, ("node 'conv_0' (Conv): its weight (2, 4, 3, 3) takes 4 channels",)


@case
def an_image_of_unknown_size() -> Made:
    return Builder([1, 3, "height", "width"]).add("Relu"), ("input 'x' has the shape (1, 3, ?, ?)",)


@case
def several_matrices_as_input() -> Made:
    return Builder([2, 3, 8]).add("Relu"), ("input 'x' has the shape (2, 3, 8)",)


@case
def an_old_opset() -> Made:
    return Builder([1, 3, 8, 8], 7).add("Relu"), ("the model uses opset 7; 9 to",)


@case
def weights_of_a_second_input() -> Made:
    b = Builder([1, 1, 4, 4]).add("Relu")
    shape = b.constant("s", np.array([1, 1, 1, 4], np.int64))
    return b.add("Tile", shape), ("node 'tile_1' (Tile)",)


@case
def a_constant_that_would_fill_the_memory() -> Made:
    b = Builder([1, 2, 4, 4])
    b.constant("size", np.array([1 << 20, 1 << 20], np.int64))
    b.nodes.append(helper.make_node("ConstantOfShape", ["size"], ["huge"], name="fill"))
    b.nodes.append(helper.make_node("ReduceMean", ["huge"], ["mean"], keepdims=0))
    return b.add("Add", "mean"), ("node 'fill' (ConstantOfShape): gives a constant that cannot be computed",)


@case
def a_constant_that_a_loop_computes() -> Made:
    """An endless loop over constants is not run to see what it gives."""
    b = Builder([1, 2, 4, 4])
    b.constant("always", np.array(True))
    b.constant("start", np.array([1], np.float32))
    flag = helper.make_tensor_value_info("go", TensorProto.BOOL, [])
    state = helper.make_tensor_value_info("s", TensorProto.FLOAT, [1])
    count = helper.make_tensor_value_info("i", TensorProto.INT64, [])
    same = [helper.make_node("Identity", ["go"], ["go2"]), helper.make_node("Identity", ["s"], ["s2"])]
    ends = [
        helper.make_tensor_value_info("go2", TensorProto.BOOL, []),
        helper.make_tensor_value_info("s2", TensorProto.FLOAT, [1]),
    ]
    body = helper.make_graph(same, "body", [count, flag, state], ends)
    b.nodes.append(helper.make_node("Loop", ["", "always", "start"], ["done"], name="forever", body=body))
    return b.add("Add", "done"), ("node 'forever' (Loop)",)


@pytest.mark.parametrize("name", CASES)
def test_the_message_names_node_operator_and_reason(name: str, tmp_path: Path) -> None:
    builder, words = CASES[name]()
    message = refusal(builder.save(tmp_path / "model.onnx"))
    for word in words:
        assert word in message
    assert "model.onnx: [onnx] " in message


def test_there_are_enough_models() -> None:
    assert len(CASES) >= 15


def test_files_that_are_no_models(tmp_path: Path) -> None:
    broken = tmp_path / "broken.onnx"
    assert "there is no such file" in refusal(broken)
    broken.write_bytes(b"not an onnx file at all")
    assert "not a readable ONNX file" in refusal(broken)
    whole = Builder([1, 1, 4, 4]).add("Relu").save(tmp_path / "whole.onnx").read_bytes()
    broken.write_bytes(whole[: len(whole) // 2])
    assert "ONNX" in refusal(broken)
    broken.write_bytes(b"")
    assert "not a valid ONNX model" in refusal(broken)


def test_a_node_of_another_domain_is_named(tmp_path: Path) -> None:
    b = Builder([1, 2, 4, 4]).add("Relu", domain="com.microsoft")
    model = b.model()
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    onnx.save(model, tmp_path / "m.onnx")
    assert "node 'relu_0' (com.microsoft.Relu)" in refusal(tmp_path / "m.onnx")


def test_an_output_that_is_the_input(tmp_path: Path) -> None:
    b = Builder([1, 2, 4, 4]).add("Relu").add("Tanh")
    model = b.model()
    given = model.graph.input[0].name
    model.graph.output.append(helper.make_tensor_value_info(given, TensorProto.FLOAT, [1, 2, 4, 4]))
    onnx.save(model, tmp_path / "m.onnx")
    assert f"the output '{given}' does not depend on the input" in refusal(tmp_path / "m.onnx")


def test_an_integer_input(tmp_path: Path) -> None:
    model = Builder([1, 2, 4, 4]).add("Relu").model()
    model.graph.input[0].type.tensor_type.elem_type = TensorProto.INT8
    onnx.save(model, tmp_path / "m.onnx")
    assert "node 'relu_0' (Relu) computes with whole numbers of an input" in refusal(tmp_path / "m.onnx")
    model.graph.input[0].type.tensor_type.elem_type = 127
    onnx.save(model, tmp_path / "m.onnx")
    assert "input 'x' is of the unknown type 127" in refusal(tmp_path / "m.onnx")


def test_without_the_package_the_message_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Builder([1, 2, 4, 4]).add("Relu").save(tmp_path / "m.onnx")
    monkeypatch.setitem(sys.modules, "onnx", None)
    message = refusal(path)
    assert "needs the package 'onnx', which is not installed" in message
    assert "pip install onnx" in message


def test_a_tensor_whose_bytes_do_not_fill_its_shape_is_named(tmp_path: Path) -> None:
    b = Builder([1, 4]).add("MatMul")
    b.nodes[0].input.append(b.weights("m", 4, 3))
    model = b.model(out_rank=2)
    model.graph.initializer[0].dims[1] = 2
    onnx.save(model, tmp_path / "m.onnx")
    assert "the tensor 'm' cannot be read" in refusal(tmp_path / "m.onnx")
