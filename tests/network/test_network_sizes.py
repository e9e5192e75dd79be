"""Sizes are refused before anything is computed with them: tensors of networks, constants of ONNX models."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom.errors import SpecError
from aieloom.network.readers.onnx_import import read_onnx
from aieloom.quantize.network import quantise_network
from aieloom.spec.quantize import QuantizeSpec
from aieloom.spec.types import MAX_ELEMENTS, MAX_TILED_ELEMENTS
from tests.designs import SMALL, network_of, weights_of

SIZES = st.one_of(st.integers(1, 64), st.integers(0, 24).map(lambda k: 1 << k))
HEAD = "name: n\ntarget: vck190\nweights: w.pt\ninput: {{name: x, shape: {}}}\n"
LAYERS = (
    "{{name: l{i}, op: conv2d, out_channels: {n}, kernel: 1}}",
    "{{name: l{i}, op: dense, out_features: {n}}}",
    "{{name: l{i}, op: upsample, scale: {n}}}",
    "{{name: l{i}, op: pad, padding: {n}}}",
    "{{name: l{i}, op: concat, inputs: [{before}, {before}]}}",
)


@st.composite
def networks(draw: st.DrawFn) -> tuple[str, bool]:
    shape = draw(st.lists(SIZES, min_size=1, max_size=3))
    rows = []
    for i in range(draw(st.integers(1, 6))):
        before = f"l{i - 1}" if i else "x"
        rows.append("  - " + draw(st.sampled_from(LAYERS)).format(i=i, n=draw(SIZES), before=before))
    tiled = draw(st.booleans())
    return HEAD.format(shape) + ("tiles: auto\n" if tiled else "") + "layers:\n" + "\n".join(rows), tiled


@settings(max_examples=200, deadline=None)
@given(networks())
def test_a_network_has_bounded_tensors_or_is_refused(given_network: tuple[str, bool]) -> None:
    text, tiled = given_network
    tracemalloc.start()
    try:
        network = network_of(text)
        most = MAX_TILED_ELEMENTS if tiled else MAX_ELEMENTS
        assert all(t.elements <= most for layer in network.layers for t in (*layer.xs, layer.y))
        assert all(
            np.prod([float(d) for d in p.shape]) <= MAX_ELEMENTS
            for la in network.layers
            for p in la.parameters
        )
    except SpecError as e:
        assert "fix: " in str(e)
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 20_000_000  # nothing is computed of them


def test_an_input_of_2_to_40_is_refused_with_its_line() -> None:
    text = (
        HEAD.format("[1, 1048576, 1048576]")
        + "layers:\n  - {name: c, op: conv2d, out_channels: 4, kernel: 3}\n"
    )
    with pytest.raises(
        SpecError, match=r":4: \[shape\] the input is 1 x 1048576 x 1048576 = 1099511627776 values"
    ):
        network_of(text)


@pytest.mark.parametrize("constants", [True, False])
@pytest.mark.parametrize("times", [8, 24, 40])
def test_onnx_nodes_that_double_are_bounded(tmp_path: Path, times: int, *, constants: bool) -> None:
    pytest.importorskip("onnx")
    from tests.onnx.models import Builder  # noqa: PLC0415 - needs onnx

    b = Builder((1, 4, 16, 16))
    if constants:
        b.last = b.constant("c", np.ones((1, 4, 1, 1), np.float32))
    for _ in range(times):
        b.add("Concat", b.last, axis=1)
    if constants:
        b.add("ReduceSum", keepdims=1).add("Add", "x", first=False)
    b.add("Relu")
    tracemalloc.start()
    try:
        read_onnx(b.save(tmp_path / "m.onnx"), shown_as="m.onnx")
        assert times == 8
    except SpecError as e:
        assert times > 8, e
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 200_000_000


@settings(max_examples=25, deadline=None)
@given(
    st.floats(-44, 38.5),
    st.floats(-44, 38.5),
    st.floats(-44, 38.5),
    st.sampled_from([("int8", "multiplier"), ("int8", "power_of_two"), ("int16", "power_of_two")]),
)
def test_weights_of_any_size_become_integers_or_are_refused(
    weight: float, bias: float, x: float, kind: tuple[str, str]
) -> None:
    """Also near float32's largest and smallest numbers: no warning (they are errors here), no scale that is infinite."""
    network = network_of(SMALL)
    sizes = {"weight": weight, "bias": bias}
    parameters = {
        name: {k: (v / np.abs(v).max() * 10.0 ** sizes[k]).astype(np.float32) for k, v in tensors.items()}
        for name, tensors in weights_of(network).items()
    }
    images = (np.random.default_rng(0).uniform(-1, 1, (2, *network.x.shape)) * 10.0**x).astype(np.float32)
    dtype, scales = kind
    spec = QuantizeSpec.model_validate({"activations": dtype, "weights": dtype, "scales": scales})
    try:
        made = quantise_network(network, parameters, spec, images)
    except SpecError as e:
        assert "fix: " in str(e)
        return
    for layer in made.network.layers:
        for tensor in (*layer.xs, layer.y):
            assert tensor.quant is not None
            assert 0 < np.float32(tensor.quant.scale) < np.inf
    for tensors in made.parameters.values():
        assert all(np.isfinite(v).all() for v in tensors.values())
