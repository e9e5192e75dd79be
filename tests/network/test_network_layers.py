"""Shapes of every layer against PyTorch, for any sizes; what does not fit is refused."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from aieloom.network.layers import infer_shapes
from aieloom.network.tensor import ParameterType, TensorType
from aieloom.ops import REGISTRY
from aieloom.reference.results import torch_reference
from aieloom.spec.types import DataType
from tests.designs import ESPCN, network_of, refusal, weights_of
from tests.heavy import torch

SIZE = st.integers(1, 9)
PAIR = st.one_of(st.integers(1, 4), st.tuples(st.integers(1, 4), st.integers(1, 4)))
PADDING = st.one_of(st.integers(0, 3), st.tuples(st.integers(0, 3), st.integers(0, 3)))


def spelled(value: int | tuple[int, int]) -> str:
    return str(list(value)) if isinstance(value, tuple) else str(value)


def both(value: int | tuple[int, int]) -> tuple[int, int]:
    return value if isinstance(value, tuple) else (value, value)


@settings(max_examples=30, deadline=None)
@given(SIZE, SIZE, SIZE, st.integers(1, 5), PAIR, PAIR, PADDING, st.integers(1, 3), st.booleans())
def test_shapes_are_pytorchs(  # noqa: PLR0917 - drawn by hypothesis
    c: int,
    h: int,
    w: int,
    out: int,
    kernel: int | tuple[int, int],
    stride: int | tuple[int, int],
    padding: int | tuple[int, int],
    upscale: int,
    bias: bool,
) -> None:
    assume(all(k <= s + 2 * p for k, s, p in zip(both(kernel), (h, w), both(padding), strict=True)))
    text = f"""
name: t
target: vck190
weights: w.pt
input: {{name: x, shape: [{c}, {h}, {w}]}}
layers:
  - {{name: a, op: conv2d, out_channels: {out * upscale**2}, kernel: {spelled(kernel)},
     stride: {spelled(stride)}, padding: {spelled(padding)}, bias: {str(bias).lower()}}}
  - {{name: b, op: tanh}}
  - {{name: c, op: pixel_shuffle, upscale: {upscale}}}
"""
    network = network_of(text)
    conv = torch.nn.Conv2d(c, out * upscale**2, kernel, stride, padding, bias=bias)
    y = torch.pixel_shuffle(torch.tanh(conv(torch.zeros(1, c, h, w))), upscale)
    assert network.y == TensorType((y.shape[1], y.shape[2], y.shape[3]), DataType.FLOAT32)
    shapes = {k: tuple(v.shape) for k, v in conv.state_dict().items()}
    assert {p.name: p.shape for p in network.layers[0].parameters} == shapes
    result = torch_reference(network, weights_of(network), torch.zeros(2, c, h, w).numpy())
    assert result.shape == (2, *network.y.shape)


def test_espcn_shapes_and_sizes() -> None:
    network = network_of(ESPCN)
    assert [layer.y.shape for layer in network.layers] == [
        (64, 16, 16),
        (64, 16, 16),
        (32, 16, 16),
        (32, 16, 16),
        (4, 16, 16),
        (1, 32, 32),
    ]
    assert (network.x.elements, network.x.bytes, network.y.pixels) == (256, 1024, 1024)
    assert str(network.x) == "1x16x16 float32"
    assert network.layers[2].parameters[0] == ParameterType("weight", (32, 64, 3, 3))
    assert str(network.layers[2].parameters[0]) == "weight (32, 64, 3, 3)"


@pytest.mark.parametrize(("c", "near"), [(3, "4"), (5, "4 or 8"), (7, "4 or 8")])
def test_channels_that_cannot_be_shuffled(c: int, near: str) -> None:
    text = ESPCN.replace("out_channels: 4,", f"out_channels: {c},")
    assert f"give it {near} channels" in refusal(text)


def test_shapes_are_inferred_layer_by_layer_and_never_changed() -> None:
    network = network_of(ESPCN)
    again = infer_shapes(network.spec, REGISTRY)
    assert again == network
    for before, after in zip(network.layers, network.layers[1:], strict=False):
        assert after.x == before.y
