"""ONNX models that are taken: the imported layers compute what onnx.reference computes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.heavy import later, onnx
from tests.onnx.models import Builder, run_imported

ReferenceEvaluator = later("onnx.reference", "ReferenceEvaluator")

CASES: dict[str, Callable[[], tuple[Builder, int]]] = {}


def case(make: Callable[[], Any]) -> Callable[[], Any]:
    """Register a model under its function's name; it may leave the rank of its output, 4, unsaid."""

    def build() -> tuple[Builder, int]:
        made = make()
        return made if isinstance(made, tuple) else (made, 4)

    CASES[make.__name__] = build
    return build


def conv(
    b: Builder, out: int, channels: int, kernel: int = 3, *, bias: bool = True, **attributes: Any
) -> Builder:
    index = len(b.nodes)
    others = [b.weights(f"conv{index}.weight", out, channels, kernel, kernel)]
    if bias:
        others.append(b.weights(f"conv{index}.bias", out))
    return b.add("Conv", *others, kernel_shape=[kernel, kernel], **attributes)


@case
def plain_cnn() -> Builder:
    b = conv(Builder(["N", 3, 8, 8]), 8, 3, pads=[1, 1, 1, 1]).add("Relu")
    return conv(b, 4, 8, 1, bias=False)


@case
def depthwise_separable() -> Builder:
    b = conv(Builder([1, 6, 7, 7]), 6, 1, pads=[1, 1, 1, 1], group=6).add("Relu")
    return conv(conv(b, 4, 6, 1).add("Relu"), 8, 2, 3, strides=[2, 2], group=2)


@case
def classifier() -> tuple[Builder, int]:
    b = conv(Builder([1, 1, 12, 12], 13), 4, 1, pads=[1, 1, 1, 1]).add("Relu")
    b.add("MaxPool", kernel_shape=[2, 2], strides=[2, 2]).add("Flatten")
    b.add("Gemm", b.weights("fc.weight", 10, 144), b.weights("fc.bias", 10), transB=1).add("Softmax", axis=-1)
    return b, 2


@case
def mlp_of_matmul_and_add() -> tuple[Builder, int]:
    b = Builder(["batch", 7], 11)
    b.add("MatMul", b.weights("w1", 7, 5)).add("Add", b.weights("b1", 5)).add("Relu")
    b.add("MatMul", b.weights("w2", 5, 3)).add("Add", b.weights("b2", 3), first=False).add("Softmax", axis=1)
    return b, 2


@case
def gemm_with_alpha_beta_and_no_transposition() -> tuple[Builder, int]:
    b = Builder([1, 6])
    b.add(
        "Gemm",
        b.weights("w", 6, 4),
        b.constant("b", np.array([[1, 2, 3, 4]], np.float32)),
        alpha=0.5,
        beta=2.0,
    )
    return b.add("Tanh"), 2


@case
def gemm_with_a_scalar_bias() -> tuple[Builder, int]:
    b = Builder([1, 6])
    return b.add("Gemm", b.weights("w", 4, 6), b.constant("b", np.float32(0.25)), transB=1), 2


@case
def conv_and_batch_norm() -> Builder:
    b = conv(Builder([1, 3, 6, 6]), 5, 3, bias=False, pads=[1, 1, 1, 1])
    names = [
        b.constant(n, b.random.uniform(0.5, 1.5, 5).astype(np.float32))
        for n in ("bn.weight", "bias", "mean", "var")
    ]
    return b.add("BatchNormalization", *names, epsilon=1e-3).add("LeakyRelu", alpha=0.2)


@case
def conv_with_the_bias_in_an_add() -> Builder:
    b = conv(Builder([1, 2, 5, 5]), 3, 2, bias=False)
    return b.add("Add", b.weights("b", 3, 1, 1)).add("Sigmoid")


@case
def functions_of_a_value() -> Builder:
    b = conv(Builder([1, 2, 5, 5], 20), 3, 2).add("Elu", alpha=0.7).add("HardSwish").add("HardSigmoid")
    b.add("Gelu", approximate="tanh").add("Gelu").add("Mish").add("Softplus").add("Exp").add("Log").add("Abs")
    return b.add("Sqrt").add("Reciprocal").add("Erf").add("Neg").add("HardSigmoid", alpha=0.3, beta=0.6)


@case
def arithmetic_with_a_number() -> Builder:
    b = conv(Builder([1, 2, 5, 5]), 3, 2).add("Relu")
    two, three, one = (
        b.constant(n, np.array(v, np.float32)) for n, v in (("two", 2), ("three", 3), ("one", [1.5]))
    )
    b.add("Add", one).add("Mul", three, first=False).add("Div", two).add("Div", three, first=False)
    return b.add("Sub", one).add("Sub", two, first=False).add("Pow", two)


@case
def arithmetic_of_branches() -> Builder:
    b = conv(Builder([1, 2, 5, 5]), 3, 2).add("Sigmoid")
    wide = b.last
    b.add("GlobalAveragePool").add("Mul", wide).add("Sub", wide)
    low = b.last
    return b.add("Sigmoid").add("Div", low, first=False)


@case
def axes_in_another_order() -> Builder:
    b = conv(Builder([1, 2, 5, 4]), 3, 2).add("Transpose", perm=[0, 2, 3, 1])
    return b.add("Transpose", perm=[0, 3, 2, 1]).add("ReduceMean", axes=[1, -1], keepdims=1)


@case
def norm_of_features_and_the_best() -> tuple[Builder, int]:
    b = Builder([1, 6])
    b.add("Gemm", b.weights("w", 5, 6), b.constant("c", np.float32(0.25)), transB=1)
    b.add("LayerNormalization", b.weights("norm.weight", 5), b.weights("norm.bias", 5), epsilon=1e-3)
    return b.add("ArgMax", axis=1).add("Cast", to=1), 2


@case
def norms_of_images() -> Builder:
    b = conv(Builder([1, 2, 5, 6]), 3, 2)
    b.add("LayerNormalization", b.weights("rows", 4))
    return b.add("LayerNormalization", b.weights("all", 3, 3, 4), b.weights("shift", 3, 3, 4), axis=1)


@case
def strides_and_oblong_kernels() -> Builder:
    b = Builder([1, 2, 11, 9])
    return b.add("Conv", b.weights("w", 3, 2, 3, 5), kernel_shape=[3, 5], strides=[2, 1], pads=[1, 2, 1, 2])


@case
def pads_that_differ_on_the_sides() -> Builder:
    return conv(Builder([1, 2, 6, 6]), 3, 2, pads=[0, 1, 2, 1])


@case
def auto_pad_same_upper() -> Builder:
    return conv(Builder([1, 2, 7, 7]), 3, 2, auto_pad="SAME_UPPER", strides=[2, 2])


@case
def auto_pad_same_lower_of_an_even_kernel() -> Builder:
    return conv(Builder([1, 2, 7, 7]), 3, 2, 4, auto_pad="SAME_LOWER")


@case
def auto_pad_valid() -> Builder:
    return conv(Builder([1, 2, 7, 7]), 3, 2, auto_pad="VALID")


@case
def max_pool_with_overlap_and_padding() -> Builder:
    return Builder([1, 3, 9, 9]).add("MaxPool", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])


@case
def max_pool_with_ceil_mode() -> Builder:
    return Builder([1, 2, 6, 6]).add("MaxPool", kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)


@case
def average_pool_without_its_padding() -> Builder:
    return Builder([1, 2, 6, 6]).add("AveragePool", kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1])


@case
def average_pool_with_its_padding() -> Builder:
    b = Builder([1, 2, 6, 6])
    return b.add("AveragePool", kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1], count_include_pad=1)


@case
def global_pools() -> tuple[Builder, int]:
    b = conv(Builder([1, 3, 6, 6]), 4, 3).add("GlobalAveragePool")
    b.add("Reshape", b.constant("shape", np.array([0, -1], np.int64)))
    return b.add("Gemm", b.weights("w", 2, 4), transB=1), 2


@case
def global_max_pool() -> Builder:
    return Builder([1, 3, 4, 6]).add("GlobalMaxPool")


@case
def mean_of_height_and_width() -> tuple[Builder, int]:
    return Builder([1, 3, 4, 6], 13).add("ReduceMean", axes=[2, 3], keepdims=0), 2


@case
def mean_of_height_and_width_by_input() -> Builder:
    b = Builder([1, 3, 4, 6], 18)
    return b.add("ReduceMean", b.constant("axes", np.array([-1, -2], np.int64)))


@case
def relu6_by_clip() -> Builder:
    b = conv(Builder([1, 1, 5, 5]), 2, 1)
    return b.add("Clip", b.constant("low", np.float32(0)), b.constant("high", np.float32(6)))


@case
def clip_of_opset_ten_with_attributes() -> Builder:
    return conv(Builder([1, 1, 5, 5], 10), 2, 1).add("Clip", min=-0.25, max=0.5)


@case
def clip_with_one_bound() -> Builder:
    b = conv(Builder([1, 1, 5, 5]), 2, 1)
    return b.add("Clip", "", b.constant("high", np.float32(0.1)))


@case
def depth_to_space_crd() -> Builder:
    return conv(Builder([1, 2, 4, 4]), 8, 2).add("DepthToSpace", blocksize=2, mode="CRD")


@case
def depth_to_space_dcr() -> Builder:
    return conv(Builder([1, 2, 4, 4]), 12, 2).add("DepthToSpace", blocksize=2)


@case
def resize_by_scales() -> Builder:
    b = Builder([1, 2, 3, 4], 13)
    scales = b.constant("scales", np.array([1, 1, 2, 3], np.float32))
    mode: dict[str, Any] = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    return b.add("Resize", "", scales, mode="nearest", **mode)


@case
def resize_by_sizes_with_half_pixels() -> Builder:
    b = Builder([1, 2, 3, 4], 19)
    return b.add("Resize", "", "", b.constant("sizes", np.array([1, 2, 9, 8], np.int64)), mode="nearest")


@case
def upsample_of_opset_nine() -> Builder:
    b = Builder([1, 2, 3, 4], 9)
    return b.add("Upsample", b.constant("scales", np.array([1, 1, 2, 2], np.float32)), mode="nearest")


@case
def pad_by_attribute() -> Builder:
    return Builder([1, 2, 3, 4], 10).add("Pad", pads=[0, 0, 1, 2, 0, 0, 3, 0], value=0.5)


@case
def pad_by_input_and_axes() -> Builder:
    b = Builder([1, 2, 3, 4], 18)
    pads, axes = (
        b.constant("pads", np.array([1, 0, 2, 1], np.int64)),
        b.constant("axes", np.array([2, -1], np.int64)),
    )
    return b.add("Pad", pads, "", axes)


@case
def dropout_identity_and_cast_vanish() -> Builder:
    b = conv(Builder([1, 1, 4, 4]), 2, 1).add("Identity").add("Dropout", outputs=2)
    return b.add("Cast", to=1).add("Relu")


@case
def a_shape_that_the_graph_computes() -> tuple[Builder, int]:
    """As exporters write x.view(x.size(0), -1)."""
    b = conv(Builder(["N", 1, 5, 5]), 2, 1)
    image = b.last
    b.add("Shape")
    b.add("Gather", b.constant("zero", np.int64(0)), axis=0)
    b.add("Unsqueeze", b.constant("axes", np.array([0], np.int64)))
    size = b.last
    b.last = image
    b.nodes.append(
        onnx.helper.make_node("Concat", [size, b.constant("rest", np.array([-1], np.int64))], ["to"], axis=0)
    )
    return b.add("Reshape", "to").add("Gemm", b.weights("w", 3, 18), transB=1), 2


@case
def a_reshape_to_another_image() -> Builder:
    b = Builder([1, 4, 2, 3])
    return b.add("Reshape", b.constant("shape", np.array([1, 2, 4, 3], np.int64)))


@case
def features_to_an_image() -> Builder:
    b = Builder([1, 8])
    b.add("Gemm", b.weights("w", 8, 8)).add("Reshape", b.constant("shape", np.array([-1, 2, 2, 2], np.int64)))
    return conv(b, 3, 2, 1)


@case
def squeeze_and_unsqueeze() -> Builder:
    b = conv(Builder([1, 2, 3, 3], 13), 4, 2)
    b.add("Squeeze", b.constant("a", np.array([2, 3], np.int64)))
    return b.add("Unsqueeze", b.constant("c", np.array([2, 3], np.int64))).add("Relu")


@case
def softmax_over_channels() -> Builder:
    return conv(Builder([1, 2, 4, 4], 13), 5, 2).add("Softmax", axis=1)


@case
def weights_that_nodes_compute() -> tuple[Builder, int]:
    """A constant transposed and scaled by nodes of its own."""
    b = Builder([1, 6])
    b.weights("raw", 4, 6)
    b.nodes.append(onnx.helper.make_node("Transpose", ["raw"], ["turned"], perm=[1, 0]))
    b.nodes.append(onnx.helper.make_node("Constant", [], ["two"], value_float=2.0))
    b.nodes.append(onnx.helper.make_node("Mul", ["turned", "two"], ["scaled"]))
    return b.add("MatMul", "scaled"), 2


@case
def a_transposition_that_moves_nothing() -> Builder:
    return (
        conv(Builder([1, 2, 3, 3]), 4, 2)
        .add("Transpose", perm=[0, 2, 3, 1])
        .add("Transpose", perm=[0, 3, 1, 2])
    )


@case
def a_residual_block() -> Builder:
    b = conv(Builder([1, 3, 6, 6]), 4, 3, pads=[1, 1, 1, 1]).add("Relu")
    short = b.last
    conv(conv(b, 4, 4, pads=[1, 1, 1, 1]).add("Relu"), 4, 4, pads=[1, 1, 1, 1])
    return b.add("Add", short).add("Relu")


@case
def a_sum_with_the_input() -> Builder:
    b = conv(Builder([1, 3, 5, 5]), 3, 3, pads=[1, 1, 1, 1], bias=False)
    b.add("Add", b.weights("bias", 3, 1, 1), first=False)
    return b.add("Add", "x", first=False)


@case
def a_value_added_to_itself() -> Builder:
    b = conv(Builder([1, 3, 5, 5]), 3, 3)
    return b.add("Add", b.last)


@case
def a_sum_of_four_branches() -> Builder:
    b = conv(Builder([1, 3, 5, 5]), 3, 3, pads=[1, 1, 1, 1])
    first = b.last
    return b.add("Relu").add("Sum", first, "x", first)


@case
def an_inception_block() -> Builder:
    b, ends = Builder([1, 3, 6, 6], 13), []
    for kernel in (1, 3, 5):
        b.last = "x"
        conv(b, 2, 3, kernel, pads=[kernel // 2] * 4).add("Relu")
        ends.append(b.last)
    b.last = "x"
    conv(b.add("MaxPool", kernel_shape=[3, 3], pads=[1, 1, 1, 1]), 2, 3, 1)
    return b.add("Concat", *ends, axis=1)


@case
def features_joined() -> tuple[Builder, int]:
    b = conv(Builder([1, 2, 4, 4], 11), 3, 2).add("Flatten")
    flat = b.last
    b.last = "x"
    b.add("GlobalAveragePool").add("Flatten").add("Concat", flat, axis=-1)
    return b.add("Gemm", b.weights("w", 4, 14), transB=1).add("Softmax", axis=1), 2


@case
def a_fork_through_nodes_that_vanish() -> Builder:
    b = conv(Builder([1, 2, 4, 4]), 2, 2, pads=[1, 1, 1, 1]).add("Identity")
    short = b.last
    return b.add("Dropout").add("Relu").add("Add", short)


@case
def gemm_over_a_batch_of_rows() -> tuple[Builder, int]:
    b = Builder([6, 9])
    b.add("Gemm", b.weights("up.weight", 12, 9), b.weights("up.bias", 12), transB=1).add("Relu")
    b.add("Gemm", b.weights("down", 12, 5), b.weights("bias", 1, 5), alpha=0.5)
    return b.add("Softmax", axis=-1), 2


@case
def a_block_of_rows_with_a_skip() -> tuple[Builder, int]:
    b = Builder([1, 7, 8], 13)
    b.add("MatMul", b.weights("up.weight", 8, 20)).add("Add", b.weights("up.bias", 20)).add("Tanh")
    b.add("MatMul", b.weights("down.weight", 20, 8)).add("Add", b.weights("b", 1, 1, 8)).add("Add", "x")
    short = b.last
    b.add("Sigmoid").add("Concat", short, axis=2).add("Reshape", b.constant("s", np.array([7, 16])))
    return b.add("Unsqueeze", b.constant("a", np.array([0]))).add("Softmax", axis=2), 3


@case
def rows_that_are_flattened() -> tuple[Builder, int]:
    b = Builder(["N", 5, 6], 12)
    b.add("MatMul", b.weights("w", 6, 4)).add("LeakyRelu", alpha=0.2).add("Flatten")
    return b.add("Gemm", b.weights("fc.weight", 3, 20), b.weights("fc.bias", 3), transB=1), 2


@case
def a_batch_norm_of_features() -> tuple[Builder, int]:
    b = Builder([4, 3])
    names = [b.weights(f"bn.{n}", 5) for n in ("weight", "bias", "mean")]
    b.constant("bn.var", np.full(5, 0.7, np.float32))
    b.add("MatMul", b.weights("w", 3, 5)).add("BatchNormalization", *names, "bn.var")
    return b.add("Reshape", b.constant("s", np.array([1, 5, 2, 2]))).add("MaxPool", kernel_shape=[2, 2]), 4


@pytest.mark.parametrize("name", CASES)
def test_the_imported_layers_compute_the_same(name: str, tmp_path: Path) -> None:
    builder, rank = CASES[name]()
    path = builder.save(tmp_path / "model.onnx", rank)
    rows = builder.shape[0] if isinstance(builder.shape[0], int) and len(builder.shape) == 2 else 1
    shape = [rows, *(int(d) for d in builder.shape[1:])]
    x = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    outputs: Any = ReferenceEvaluator(builder.model(rank)).run(None, {"x": x})
    wanted = np.asarray(outputs[0])
    y, _ = run_imported(path, x)
    np.testing.assert_allclose(y.reshape(wanted.shape), wanted, rtol=1e-5, atol=1e-6)


def test_names_are_those_of_the_weights_or_of_the_operators(tmp_path: Path) -> None:
    builder, rank = CASES["classifier"]()
    _, imported = run_imported(builder.save(tmp_path / "m.onnx", rank), np.zeros((1, 1, 12, 12), np.float32))
    assert [layer["name"] for layer in imported.layers] == [
        "conv0",
        "relu1",
        "max_pool1",
        "flatten1",
        "fc",
        "softmax1",
    ]
    assert sorted(imported.tensors) == ["conv0.bias", "conv0.weight", "fc.bias", "fc.weight"]


def test_there_are_enough_models() -> None:
    assert len(CASES) >= 25
