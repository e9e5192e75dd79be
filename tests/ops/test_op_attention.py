"""attention: beside PyTorch's; in integers beside onnxruntime's quantised operators and beside floats."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

import aieloom
from aieloom.network.layers import Layer, ShapeError
from aieloom.network.quantisation import quantise
from aieloom.network.tensor import Quantisation, TensorType, tensor_of
from aieloom.ops.attention import Attention, AttentionSpec
from aieloom.ops.attention.integer import powers_of, shared
from aieloom.spec.types import DataType
from tests.designs import network_of
from tests.heavy import TensorProto, helper, onnx
from tests.onnx_session import session as onnx_session


def layer(random: np.random.Generator, x: TensorType) -> dict[str, Any]:
    """Return the keys of a layer whose queries, keys and values are all in `x`."""
    heads = int(random.integers(1, x.shape[0] + 1))
    width = int(random.integers(1, x.shape[0] // heads + 1))
    first = [int(v) for v in random.integers(0, x.shape[0] - heads * width + 1, 3)]
    return {"heads": heads, "width": width, "first": first, "factor": round(float(random.uniform(0.1, 1)), 3)}


def attention(
    rows: int, keys: int, heads: int, width: int, first: tuple[int, int, int], *, masked: bool = False
) -> Layer:
    """Return a layer whose q, k and v lie in two tensors of one more head than they have, `masked` with a mask of keys."""
    wide = (heads + 1) * width
    spec = AttentionSpec(
        name="l", op="attention", heads=heads, width=width, first=first, factor=float(width) ** -0.5
    )
    q = tensor_of((rows, wide), DataType.FLOAT32)
    k = tensor_of((keys, wide), DataType.FLOAT32)
    mask = (tensor_of((keys,), DataType.FLOAT32),) if masked else ()
    return Layer(
        index=0,
        spec=spec,
        x=q,
        y=Attention().infer_join(spec, (q, k, k, *mask)),
        parameters=(),
        inputs=("q", "k", "v", "mask")[: 3 + masked],
        others=(k, k, *mask),
    )


def of_mask(random: np.random.Generator, count: int, keys: int) -> np.ndarray:
    """Return masks of keys, of the first sample all 0, of the second all 1."""
    mask = random.integers(0, 2, (count, keys, 1, 1)).astype(np.float32)
    mask[0], mask[1:2] = 0, 1
    return mask


@given(
    rows=st.integers(1, 9),
    keys=st.integers(1, 11),
    heads=st.integers(1, 3),
    width=st.integers(1, 6),
    masked=st.booleans(),
    seed=st.integers(0, 99),
)
@settings(max_examples=60, deadline=None)
def test_it_is_pytorchs(*, rows: int, keys: int, heads: int, width: int, masked: bool, seed: int) -> None:
    torch: Any = pytest.importorskip("torch")
    random = np.random.default_rng(seed)
    first = tuple(int(v) for v in random.integers(0, width + 1, 3))
    at = attention(rows, keys, heads, width, (first[0], first[1], first[2]), masked=masked)
    xs = [random.normal(size=(3, *t.shape)).astype(np.float32) for t in at.xs[:3]]
    xs += [of_mask(random, 3, keys)] if masked else []
    plan = Attention().plan_ps(network_of(YAML).spec, at)
    found = Attention().hardware(plan, {}, tuple(xs))
    assert found.dtype == np.float32
    wanted = Attention().torch_forward(at.spec, {}, tuple(map(torch.from_numpy, xs)))  # type: ignore[arg-type]
    np.testing.assert_allclose(found, wanted.numpy(), rtol=2e-5, atol=2e-6)
    assert not masked or not found[0].any(), "of no key that counts nothing is taken"


YAML = """\
name: n
target: vck190
weights: w.pt
input: {name: x, shape: [4, 8]}
layers:
  - {name: l, op: attention, width: 8, inputs: [x, x, x]}
"""

MASKED = """\
name: n
target: zcu104
weights: w.safetensors
execution: sequential
inputs:
  - {name: x, shape: [6, 32]}
  - {name: mask, shape: [6], below: 2}
layers:
  - {name: l, op: attention, heads: 2, width: 16, factor: 0.25, inputs: [x, x, x, mask]}
"""


def softmax_of_onnxruntime(scores: np.ndarray, scale: float) -> np.ndarray:
    """Return QLinearSoftmax of rows `(n, length)`, in steps of 1/256 from the lowest element on."""
    tensors = [
        helper.make_tensor("sx", TensorProto.FLOAT, [], [scale]),
        helper.make_tensor("zx", TensorProto.INT8, [], [0]),
        helper.make_tensor("sy", TensorProto.FLOAT, [], [1 / 256]),
        helper.make_tensor("zy", TensorProto.INT8, [], [-128]),
    ]
    node = helper.make_node(
        "QLinearSoftmax", ["x", "sx", "zx", "sy", "zy"], ["y"], domain="com.microsoft", axis=-1, opset=13
    )
    ends = [helper.make_tensor_value_info(n, TensorProto.INT8, scores.shape) for n in "xy"]
    graph = helper.make_graph([node], "g", ends[:1], ends[1:], tensors)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    onnx.checker.check_model(model)
    session = onnx_session(model)
    found: np.ndarray = session.run(None, {"x": scores})[0]
    return found


@pytest.mark.parametrize("length", [1, 2, 16, 197, 1000])
@pytest.mark.parametrize("scale", [0.01, 0.09, 0.4])
def test_shares_are_onnxruntimes(length: int, scale: float) -> None:
    random = np.random.default_rng(length)
    scores = np.clip(random.normal(scale=60, size=(50, length)), -128, 127).astype(np.int8)
    trained = {"powers": powers_of(scale, length), "steps": np.array([256])}
    found = shared(scores.T[None], trained, np.array(True))[0].T
    assert np.array_equal(found, softmax_of_onnxruntime(scores, scale))


@pytest.mark.parametrize("length", [1, 2, 16, 197, 512])  # whose tables are those of fewer elements too
@pytest.mark.parametrize("scale", [0.01, 0.4])
def test_shares_behind_a_mask_are_onnxruntimes_of_the_keys_that_count(length: int, scale: float) -> None:
    random = np.random.default_rng(length)
    trained = {"powers": powers_of(scale, length), "steps": np.array([256])}
    for _ in range(8):
        scores = np.clip(random.normal(scale=60, size=(20, length)), -128, 127).astype(np.int8)
        counts = random.random(length) < random.random()
        scores[:, ~counts] = np.maximum(scores[:, ~counts], 100)  # what does not count is no largest score
        found = shared(scores.T[None], trained, counts[None, :, None])[0].T
        assert (found[:, ~counts] == -128).all(), "a share of 0"
        if counts.any():
            wanted = softmax_of_onnxruntime(np.ascontiguousarray(scores[:, counts]), scale)
            assert np.array_equal(found[:, counts], wanted)


@pytest.mark.slow
def test_the_host_program_masks_keys_too(tmp_path: Path) -> None:
    save_file({}, tmp_path / "w.safetensors")
    (tmp_path / "network.yaml").write_text(MASKED)
    design, random = aieloom.design(tmp_path), np.random.default_rng(0)
    x = {"x": random.normal(size=(4, 6, 32)).astype(np.float32), "mask": of_mask(random, 4, 6).reshape(4, 6)}
    x["mask"][0, 2] = 1  # one key alone: samples whose mask hides all are refused
    y = design.emulate(x)
    np.testing.assert_array_equal(y, design.reference(x))
    np.testing.assert_allclose(y, design.torch(x), rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("masked", [False, True])
def test_integers_are_near_floats(masked: bool) -> None:
    random = np.random.default_rng(5)
    at = attention(50, 60, 3, 16, (0, 16, 16), masked=masked)
    xs = [random.normal(size=(3, *t.shape)) for t in at.xs[:2]]
    mask = [of_mask(random, 3, 60).astype(float)] if masked else []
    operator, plan = Attention(), Attention().plan_ps(network_of(YAML).spec, at)
    scores, shares = operator.inner(at, (xs[0], xs[1], xs[1], *mask))
    wanted = operator.hardware(plan, {}, (xs[0], xs[1], xs[1], *mask))

    def centred(values: np.ndarray) -> Quantisation:
        return Quantisation(scale=float(np.float32(np.abs(values).max() / 127)), zero_point=0)

    asymmetric = Quantisation(scale=float(np.float32((xs[0].max() - xs[0].min()) / 255)), zero_point=7)
    of_masks = [Quantisation(scale=float(np.float32(1 / 255)), zero_point=-128)] * masked
    types = [
        replace(t, dtype=DataType.INT8, quant=q)
        for t, q in zip(at.xs, (asymmetric, centred(xs[1]), centred(xs[1]), *of_masks), strict=True)
    ]
    share = Quantisation(scale=float(np.float32(shares.max() / 255)), zero_point=-128)
    y = replace(at.y, dtype=DataType.INT8, quant=replace(centred(wanted), zero_point=-3))
    whole = replace(at, x=types[0], others=tuple(types[1:]), y=y, inner=(centred(scores), share))
    assert operator.takes_turns(whole)
    elements = [
        quantise(v, t.quant, DataType.INT8)
        for v, t in zip((xs[0], xs[1], xs[1], *mask), types, strict=True)
        if t.quant
    ]
    found = operator.turn(whole).of(operator.integers(whole, {}), *elements)
    assert y.quant
    meant = (found.astype(float) + 3) * y.quant.scale
    ratio = 10 * np.log10((wanted**2).sum() / ((meant - wanted) ** 2).sum())
    assert ratio > 30, (
        "33 dB with these values, 34 with a mask: 8 bits of q, k, scores, shares, v and results"
    )
    assert not masked or (meant[0] == 0).all(), "of no key that counts nothing is taken"


def test_what_does_not_meet_is_refused() -> None:
    at = attention(3, 4, 1, 5, (0, 0, 0))
    with pytest.raises(ShapeError, match="q has 1 x 5 features from 6 on, its tensor 10"):
        Attention().infer_join(at.spec.model_copy(update={"first": (6, 0, 0)}), at.xs)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="a mask of 3x1x1 float32 meets 4 keys"):
        Attention().infer_join(at.spec, (*at.xs, tensor_of((3,), DataType.FLOAT32)))  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="4 keys meet 3 values"):
        Attention().infer_join(at.spec, (at.x, at.others[0], at.x))  # type: ignore[arg-type]
