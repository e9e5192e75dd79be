"""Several inputs of a network: how they are given, what the design takes of them, and what is refused."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom.errors import SpecError
from aieloom.flow.samples import _generated
from aieloom.network.inputs import taken_record
from aieloom.network.layers import Network, infer_shapes
from aieloom.network.tensor import tensor_of
from aieloom.ops import REGISTRY
from aieloom.reference.forward import processor_values
from aieloom.spec.lines import parse_yaml
from aieloom.spec.load import parse_network

SHAPES = st.lists(st.lists(st.integers(1, 4), min_size=1, max_size=3), min_size=2, max_size=4)


def network(shapes: list[list[int]], below: int | None = None, more: str = "") -> Network:
    """Return a network that flattens its inputs and puts them side by side."""
    said = f", below: {below}" if below else ""
    lines = [f"  - {{name: in{i}, shape: {shape}{said}}}" for i, shape in enumerate(shapes)]
    flat = [f"  - {{name: flat{i}, op: flatten, inputs: [in{i}]}}" for i in range(len(shapes))]
    names = ", ".join(f"flat{i}" for i in range(len(shapes)))
    text = "\n".join(
        [
            *("name: net", "target: vck190", "weights: w.pt", "inputs:", *lines, "layers:", *flat),
            f"  - {{name: all, op: concat, inputs: [{names}]}}",
            more,
        ]
    )
    return infer_shapes(parse_network(parse_yaml(text, "network.yaml"), REGISTRY), REGISTRY)


@given(shapes=SHAPES, count=st.integers(1, 3))
@settings(deadline=None, max_examples=50)
def test_a_record_has_every_input_s_values(shapes: list[list[int]], count: int) -> None:
    net = network(shapes)
    random = np.random.default_rng(len(shapes))
    x = {f"in{i}": random.normal(0, 1, (count, *shape)).astype(np.float32) for i, shape in enumerate(shapes)}
    record = taken_record(x, net.x, net.spec.graph_inputs)
    assert record.shape == (count, sum(map(prod, shapes)), 1, 1)
    for layer, (name, values), shape in zip(net.layers, x.items(), shapes, strict=False):
        step = REGISTRY[layer.op].plan_ps(net.spec, layer)  # type: ignore[attr-defined]
        assert layer.name == name
        np.testing.assert_array_equal(
            processor_values(step, {}, record), tensor_of(shape, layer.y.dtype).to_inside(values)
        )


def test_generated_samples_are_what_inputs_say() -> None:
    masks = _generated(network([[6], [4]], below=2))[:, :6, 0, 0]
    assert (np.diff(masks, axis=1) <= 0).all(), "ones, then zeros"
    assert (masks[:, 0] == 1).all()
    assert len({m.sum() for m in masks}) > 1
    tokens = _generated(network([[6], [4]], below=50))
    assert set(np.unique(tokens)) <= set(range(50))


@pytest.mark.parametrize(
    ("x", "said"),
    [
        (np.zeros((2, 5)), "the network has 2 inputs, and one array is given"),
        ({"in0": np.zeros((2, 3))}, "in1 missing"),
        ({"in0": np.zeros((2, 3)), "in1": np.zeros((2, 2)), "more": 0}, "more too many"),
        ({"in0": np.zeros((2, 3)), "in1": np.zeros((1, 2))}, "2 of 'in0', 1 of 'in1'"),
        ({"in0": np.zeros((2, 3)), "in1": np.zeros((2, 4))}, r"'in1' has the shape \(2, 4\)"),
        (
            {"in0": np.zeros((2, 3)), "in1": np.full((2, 2), 4)},
            "'in1' has 4 of 4 values that are no whole numbers from 0 to 3, the first is 4",
        ),
        ({"in0": np.full((2, 3), 0.5), "in1": np.zeros((2, 2))}, "'in0' has 6 of 6 values that are no whole"),
    ],
)
def test_what_is_given_otherwise_is_refused(x: object, said: str) -> None:
    net = network([[3], [2]], below=4)
    with pytest.raises(SpecError, match=said):
        taken_record(x, net.x, net.spec.graph_inputs)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("input: {name: x, shape: [3]}", "input: and inputs: are both given"),
        ("data: {images: '*.png'}", "pictures are one input, and the network has 2"),
        ("tiles: {size: [4, 4]}", "tiles are cut of one image, and the network has 2 inputs"),
    ],
)
def test_what_is_of_one_input_is_refused(more: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        network([[3], [2]], more=more)


@pytest.mark.parametrize(
    ("layers", "said"),
    [
        (
            "[{name: a, op: relu}]",
            r"network.yaml:8: \[inputs\] layer 'a' does not say which of the 2 inputs it reads",
        ),
        (
            "[{name: a, op: relu, inputs: [left]}]",
            r"network.yaml:6: \[unused\] no layer reads the input 'right'",
        ),
        ("[{name: left, op: relu, inputs: [right]}]", "the name 'left' is taken by the input on line 5"),
        (
            "[{name: a, op: add, inputs: [left, input]}]",
            "layer 'a' reads 'input', which is no layer above it",
        ),
    ],
)
def test_layers_say_what_they_read(layers: str, said: str) -> None:
    text = f"""\
name: net
target: vck190
weights: w.pt
inputs:
  - {{name: left, shape: [3]}}
  - {{name: right, shape: [3]}}

layers: {layers}
"""
    with pytest.raises(SpecError, match=said):
        parse_network(parse_yaml(text, "network.yaml"), REGISTRY)
