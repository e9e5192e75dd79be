"""Layers that only rename values leave the planned network: results by PyTorch stay, and the plan is that without them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

import aieloom
from aieloom.errors import SpecError
from aieloom.explain.explain import explain
from aieloom.explain.suggest import suggest
from aieloom.flow.opening import open_project
from aieloom.network.layers import Array
from aieloom.network.no_ops import Dissolved, dissolve
from aieloom.ops import REGISTRY
from aieloom.plan.types import array_of
from aieloom.reference.results import torch_reference
from tests.designs import network_of, weights_of

HEAD = "name: net\ntarget: vck190\nweights: w.safetensors\ninput: {{name: x, shape: {shape}}}\nlayers:\n"
AXES = ("channels", "height", "width")


def text_of(shape: list[int], *layers: str) -> str:
    lines = (f"  - {{name: l{i}, op: {layer}}}\n" for i, layer in enumerate(layers))
    return HEAD.format(shape=shape) + "".join(lines)


def dissolved(text: str) -> Dissolved:
    return dissolve(network_of(text), REGISTRY)


@st.composite
def networks(draw: st.DrawFn) -> str:
    """Draw renaming layers of every kind among layers that look at the shape, and such that do not."""
    shape = tuple(draw(st.sampled_from([(2, 4, 3), (1, 4, 6), (6, 1, 1), (12, 1, 2)])))
    layers, given_shape = [], list(shape)
    for _ in range(draw(st.integers(1, 7))):
        kind = draw(
            st.sampled_from(["flatten", "reshape", "identity", "transpose", "relu", "conv", "dense", "tanh"])
        )
        if kind == "flatten":
            shape = (int(np.prod(shape)), 1, 1)
        elif kind == "reshape":
            n = int(np.prod(shape))
            c = draw(st.sampled_from([d for d in range(1, n + 1) if n % d == 0]))
            h = draw(st.sampled_from([d for d in range(1, n // c + 1) if n // c % d == 0]))
            shape = (c, h, n // c // h)
            kind = f"reshape, shape: {list(shape)}"
        elif kind == "transpose":
            order = draw(st.permutations(range(3)))
            shape = tuple(shape[i] for i in order)
            kind = f"transpose, axes: [{', '.join(AXES[i] for i in order)}]"
        elif kind == "conv":
            shape = (4, *shape[1:])
            kind = "conv2d, out_channels: 4, kernel: 1"
        elif kind == "dense":
            shape = (8, 1, 1)
            kind = "dense, out_features: 8"
        layers.append(kind)
    return text_of(given_shape, *layers)


@settings(max_examples=60, deadline=None)
@given(text=networks(), seed=st.integers(0, 9))
def test_results_are_those_of_the_network_as_written(text: str, seed: int) -> None:
    written = network_of(text)
    found = dissolve(written, REGISTRY).network
    random = np.random.default_rng(seed)
    parameters = weights_of(written)
    x = random.normal(size=(2, *written.x.shape)).astype(np.float32)
    assert found.x.outside == written.x.shape and found.y.outside == written.y.shape
    for trained, rtol in ((one_each(parameters, random), 0.0), (parameters, 1e-5)):
        wanted = torch_reference(written, trained, x)
        y = found.y.to_outside(torch_reference(found, trained, found.x.to_inside(x)))
        np.testing.assert_allclose(y, wanted, rtol=rtol, atol=rtol)


def one_each(
    parameters: Mapping[str, Mapping[str, Array]], random: np.random.Generator
) -> dict[str, dict[str, Array]]:
    """Return weights of which each output has one that is not 0, a power of two.

    PyTorch adds the products of another shape in another order. Of one product and a bias the sum is the same in any.
    """

    def picked(weight: Array) -> Array:
        flat = np.zeros((len(weight), weight[0].size), np.float32)
        flat[np.arange(len(flat)), random.integers(flat.shape[1], size=len(flat))] = random.choice(
            [-2.0, 0.5, 1.0], len(flat)
        )
        return flat.reshape(weight.shape)

    return {
        layer: {name: picked(v) if name == "weight" else v for name, v in tensors.items()}
        for layer, tensors in parameters.items()
    }


CONV, DENSE = "conv2d, out_channels: 4, kernel: 3", "dense, out_features: 5"
TURNED = "transpose, axes: [height, width, channels]"
BACK = "transpose, axes: [width, channels, height]"


@pytest.mark.parametrize(
    ("layers", "left"),
    [
        ([CONV, "max_pool, kernel: 2", "flatten", DENSE], [0, 1, 3]),
        ([CONV, "flatten", "relu", "identity", DENSE], [0, 2, 4]),
        ([CONV, "reshape, shape: [2, 2, 16]", "reshape, shape: [64, 1, 1]", DENSE], [0, 3]),
        ([CONV, TURNED, BACK, "tanh", DENSE], [0, 3, 4]),
        ([CONV, TURNED, "identity", BACK, CONV], [0, 4]),
        ([CONV, "global_avg_pool", "flatten", "softmax"], [0, 1, 3]),
        ([CONV, "flatten"], [0]),
        ([CONV, TURNED, DENSE], [0, 1, 2]),  # moves values
        ([CONV, "flatten", "softmax"], [0, 1, 2]),  # goes over the channels that it makes
        ([CONV, TURNED, "flatten", DENSE], [0, 1, 3]),
    ],
)
def test_what_only_renames_is_left_out(layers: list[str], left: list[int]) -> None:
    network = dissolved(text_of([1, 6, 6], *layers)).network
    assert [layer.name for layer in network.layers] == [f"l{i}" for i in left]


def test_an_engine_said_for_it_keeps_a_layer() -> None:
    text = text_of([1, 6, 6], CONV, "flatten", DENSE) + "mapping:\n  l1: {engine: pl}\n"
    assert [la.name for la in dissolved(text).network.layers] == ["l0", "l1", "l2"]


def written(folder: Path, text: str) -> Path:
    folder.mkdir()
    (folder / "network.yaml").write_text(text)
    tensors = weights_of(network_of(text))
    save_file({f"{n}.{k}": v for n, of in tensors.items() for k, v in of.items()}, folder / "w.safetensors")
    return folder


@pytest.mark.integration
def test_features_in_and_out_of_a_convolution_keep_their_shapes_and_bits(tmp_path: Path) -> None:
    """The ends of the network as its user knows them, through host program, movers and kernels."""
    text = text_of([36], "reshape, shape: [1, 6, 6]", CONV, "relu", "flatten")
    design = aieloom.design(written(tmp_path / "a", text))
    assert str(design.plan.x).startswith("36x1x1") and str(design.plan.y).startswith("64x1x1")
    assert not any(step.op in ("reshape", "flatten") for step in array_of(design.plan).steps)
    x = np.random.default_rng(3).normal(size=(3, 36)).astype(np.float32)
    y = design.emulate(x)
    assert y.shape == (3, 64)
    np.testing.assert_array_equal(y, design.reference(x))
    np.testing.assert_allclose(y, design.torch(x), atol=1e-5)


@pytest.mark.integration
def test_a_flatten_costs_nothing_and_says_so(tmp_path: Path) -> None:
    layers = [CONV, "relu", "max_pool, kernel: 2", "flatten", DENSE]
    flattened = open_project(written(tmp_path / "with", text_of([1, 8, 8], *layers)))
    without = text_of([1, 8, 8], *layers).replace("  - {name: l3, op: flatten}\n", "")
    plain = open_project(written(tmp_path / "plain", without))
    assert flattened.array.cost == plain.array.cost
    assert "'l3' costs nothing: it only renames values, which are read as they lie" in flattened.weights_notes
    assert list(explain(flattened, "l3")) == [
        "l3 (flatten) costs nothing: what reads it reads the result of 'l2' as it lies"
    ]
    with pytest.raises(SpecError, match="layer 'l3' costs nothing"):
        suggest(flattened, "l3")


def test_what_forces_an_image_buffer_is_named(tmp_path: Path) -> None:
    project = open_project(written(tmp_path / "a", text_of([1, 8, 8], CONV, "relu", TURNED, DENSE)))
    (line,) = [line for line in explain(project, "l1") if "keeps whole images" in line]
    assert line.strip() == (
        "pl_l1_l2 keeps whole images: layer 'l2' (transpose) moves the values of an image, "
        "and a streaming kernel has none"
    )
