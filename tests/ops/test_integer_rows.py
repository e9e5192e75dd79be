"""Layers of whole rows in integers beside their own float definitions: layer_norm and affine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom.network.layers import Layer
from aieloom.network.quantisation import dequantise, quantise
from aieloom.network.scaled import factors_of, scaled
from aieloom.network.tensor import Quantisation, TensorType
from aieloom.ops.affine import Affine, AffineSpec
from aieloom.ops.layer_norm import LayerNorm, LayerNormSpec
from aieloom.spec.types import DataType
from tests.heavy import torch


def of_range(values: np.ndarray) -> Quantisation:
    low, high = min(values.min(), 0.0), max(values.max(), 0.0)
    scale = float(np.float32((high - low) / 255))
    return Quantisation(scale=scale, zero_point=int(np.clip(round(-128 - low / scale), -128, 127)))


def quantised(values: np.ndarray, shape: tuple[int, int, int]) -> tuple[TensorType, np.ndarray]:
    kind = TensorType(shape, DataType.INT8, of_range(values), rows=True)
    assert kind.quant
    return kind, quantise(values, kind.quant, DataType.INT8)


@given(
    channels=st.integers(2, 300),
    scale=st.sampled_from([1e-4, 0.02, 1.0, 300.0]),
    off=st.sampled_from([-3.0, 0.0, 0.5]),
    seed=st.integers(0, 999),
)
@settings(max_examples=60, deadline=None)
def test_a_layer_norm_is_within_a_step_of_its_definition(
    channels: int, scale: float, off: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    shape = (channels, 5, 1)
    values = scale * (random.normal(size=(2, *shape)) + off)
    x, elements = quantised(values, shape)
    assert x.quant
    weight, bias = random.uniform(0.5, 1.5, channels), random.normal(0, 0.3, channels)
    given_ = torch.from_numpy(dequantise(elements, x.quant).astype(np.float64))
    spec = LayerNormSpec(name="l", op="layer_norm", over="channels")
    trained = {"weight": weight.astype(np.float32), "bias": bias.astype(np.float32)}
    wanted = (
        LayerNorm()
        .torch_forward(spec, {n: torch.from_numpy(v).double() for n, v in trained.items()}, given_)
        .numpy()
    )
    y = TensorType(shape, DataType.INT8, of_range(wanted), rows=True)
    layer = Layer(index=0, spec=spec, x=x, y=y, parameters=(), inputs=("x",))
    integers = LayerNorm().integers(layer, trained)
    assert integers is not None
    found = LayerNorm().turn(layer).of(integers, elements)
    assert y.quant
    exact = np.clip(wanted / y.quant.scale + y.quant.zero_point, -128, 127)
    # half an element, root and factors to about 2^-14 of a value of at most sqrt(channels), and half a step of the normalised
    # value, 2^-13: much of an element only where eps outweighs the variance, so that results lie close together
    step = weight.max() * 2**-13 / y.quant.scale
    assert np.abs(found - exact).max() < 0.5 + 0.1 + step


def test_a_layer_norm_of_equal_values_is_its_bias() -> None:
    x = TensorType((32, 2, 1), DataType.INT8, Quantisation(scale=1e-3, zero_point=5), rows=True)
    y = replace(x, quant=Quantisation(scale=0.01, zero_point=-7))
    spec = LayerNormSpec(name="l", op="layer_norm", over="channels", eps=1e-12)
    layer = Layer(index=0, spec=spec, x=x, y=y, parameters=(), inputs=("x",))
    bias = np.linspace(-1, 1, 32).astype(np.float32)
    integers = LayerNorm().integers(layer, {"weight": np.ones(32, np.float32), "bias": bias})
    assert integers is not None
    assert integers["epsilon"] == 0, "nothing is divided by it"
    found = LayerNorm().turn(layer).of(integers, np.full((1, 32, 2, 1), 100, np.int8))
    assert np.array_equal(found[0, :, 0, 0], np.floor(bias / np.float32(0.01) + 0.5).astype(int) - 7)


@given(each=st.booleans(), scales=st.booleans(), seed=st.integers(0, 999))
@settings(max_examples=30, deadline=None)
def test_an_affine_layer_is_within_a_step_of_its_definition(each: bool, scales: bool, seed: int) -> None:
    random = np.random.default_rng(seed)
    shape = (20, 6, 1)
    values = random.normal(size=(2, *shape)) + random.normal()
    x, elements = quantised(values, shape)
    assert x.quant
    sizes = shape if each else shape[:1]
    trained = {"bias": random.normal(size=sizes).astype(np.float32)}
    if scales:
        trained["weight"] = random.normal(size=sizes).astype(np.float32)
    spec = AffineSpec(name="l", op="affine", over="all" if each else "channels", scale=scales)
    given_ = torch.from_numpy(dequantise(elements, x.quant).astype(np.float64))
    wanted = (
        Affine()
        .torch_forward(spec, {n: torch.from_numpy(v).double() for n, v in trained.items()}, given_)
        .numpy()
    )
    y = TensorType(shape, DataType.INT8, of_range(wanted), rows=True)
    layer = Layer(index=0, spec=spec, x=x, y=y, parameters=(), inputs=("x",))
    integers = Affine().integers(layer, trained)
    assert integers is not None
    found = Affine().turn(layer).of(integers, elements)
    assert y.quant
    exact = np.clip(wanted / y.quant.scale + y.quant.zero_point, -128, 127)
    assert np.abs(found - exact).max() < 0.5 + 0.02, "factors have 15 bits beside the sign"


def test_factors_without_room_have_no_integers() -> None:
    assert factors_of(np.array([40_000.0]), np.array([0.0])) is None
    assert factors_of(np.array([1.0]), np.array([2.0**31])) is None


def test_halves_go_up_and_results_saturate() -> None:
    u = np.array([-3, -2, -1, 1, 2, 3, 10_000, -10_000])
    found = scaled(u, np.array(1), np.array(0), 1, 0)
    assert found.tolist() == [-1, -1, 0, 1, 1, 2, 127, -128]
