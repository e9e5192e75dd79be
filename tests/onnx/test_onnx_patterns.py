"""Operators written as many nodes are one layer again, and only those: whatever becomes of it computes what the file says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.heavy import later
from tests.onnx.models import Builder, run_imported

ReferenceEvaluator = later("onnx.reference", "ReferenceEvaluator")


def erf_gelu(b: Builder, *, half_first: bool = False, root: float = 2.0, product: bool = False) -> Builder:
    x, half = b.last, b.constant("half", np.float32(0.5))
    if half_first:
        b.add("Mul", half, first=False)
    halved = b.last
    b.last = x
    if product:
        b.add("Mul", b.constant("root", np.float32(root**-0.5)))
    else:
        b.add("Div", b.constant("root", np.float32(root**0.5)))
    b.add("Erf").add("Add", b.constant("one", np.float32(1)))
    if half_first:
        return b.add("Mul", halved, first=False)
    return b.add("Mul", x, first=False).add("Mul", half)


def norm(
    b: Builder, *, axes: tuple[int, ...] = (-1,), weight: str = "", bias: str = "", square: str = "Pow"
) -> Builder:
    x = b.last
    b.add("ReduceMean", axes=list(axes), keepdims=1)
    mean, b.last = b.last, x
    b.add("Sub", mean)
    centred = b.last
    b.add("Pow", b.constant("two", np.float32(2))) if square == "Pow" else b.add("Mul", centred)
    b.add("ReduceMean", axes=list(axes), keepdims=1)
    b.add("Add", b.constant("eps", np.float32(1e-3))).add("Sqrt")
    b.add("Div", centred, first=False)
    if weight:
        b.add("Mul", weight)
    return b.add("Add", bias) if bias else b


def ops_of(b: Builder, path: Path, rank: int) -> list[str]:
    """Return the imported operators, after a comparison with onnx.reference."""
    b.save(path, rank)
    x = np.random.default_rng(1).normal(size=[1, *(int(n) for n in b.shape[1:])]).astype(np.float32)
    wanted = np.asarray(ReferenceEvaluator(str(path)).run(None, {"x": x})[0])
    y, imported = run_imported(path, x)
    np.testing.assert_allclose(y.reshape(wanted.shape), wanted, rtol=1e-5, atol=1e-5)
    return [str(la["op"]) for la in imported.layers]


@pytest.mark.parametrize("half_first", [False, True])
@pytest.mark.parametrize("product", [False, True])
def test_gelu(half_first: bool, product: bool, tmp_path: Path) -> None:
    b = erf_gelu(Builder([1, 2, 3, 3], 13), half_first=half_first, product=product)
    assert ops_of(b, tmp_path / "m.onnx", 4) == ["gelu"]


def test_what_is_nearly_a_gelu_stays_what_it_is(tmp_path: Path) -> None:
    assert "gelu" not in ops_of(erf_gelu(Builder([1, 2, 3, 3], 13), root=2.1), tmp_path / "a.onnx", 4)
    b = erf_gelu(Builder([1, 2, 3, 3], 13))
    erf = b.nodes[1].output[0]  # read by another node too
    assert "gelu" not in ops_of(b.add("Add", erf), tmp_path / "b.onnx", 4)


@pytest.mark.parametrize("square", ["Pow", "Mul"])
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("shifted", [False, True])
def test_norm_of_features(square: str, scaled: bool, shifted: bool, tmp_path: Path) -> None:
    b = Builder([1, 6], 13)
    weight = b.weights("norm.weight", 6) if scaled else ""
    bias = b.weights("norm.bias", 6) if shifted else ""
    assert ops_of(norm(b, weight=weight, bias=bias, square=square), tmp_path / "m.onnx", 2) == ["layer_norm"]


def test_norm_of_a_whole_image_and_of_rows(tmp_path: Path) -> None:
    b = Builder([1, 2, 3, 4], 13)
    assert ops_of(norm(b, axes=(1, 2, 3), weight=b.weights("w", 2, 3, 4)), tmp_path / "a.onnx", 4) == [
        "layer_norm"
    ]
    assert ops_of(norm(Builder([1, 2, 3, 4], 13)), tmp_path / "b.onnx", 4) == ["layer_norm"]


def test_a_norm_whose_parts_others_read_stays_what_it_is(tmp_path: Path) -> None:
    b = norm(Builder([1, 6, 1, 1], 13), axes=(1,))
    centred = b.nodes[1].output[0]
    assert "layer_norm" not in ops_of(b.add("Add", centred), tmp_path / "m.onnx", 4)


def test_a_product_with_its_own_sigmoid_is_a_silu(tmp_path: Path) -> None:
    b = Builder([1, 2, 3, 3], 13)
    b.add("Conv", b.weights("w.weight", 4, 2, 1, 1))
    x = b.last
    assert ops_of(b.add("Sigmoid").add("Mul", x), tmp_path / "m.onnx", 4) == ["conv2d", "silu"]
    b = Builder([1, 4, 3, 3], 13)
    b.add("Relu")
    x = b.last
    b.add("Tanh").add("Sigmoid").add("Mul", x)
    assert "silu" not in ops_of(b, tmp_path / "o.onnx", 4)
