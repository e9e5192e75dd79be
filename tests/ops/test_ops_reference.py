"""Each operator's reference: against PyTorch, against exact arithmetic within its own bounds, and by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest

from aieloom.errors import SpecError
from aieloom.network.layers import Array, Parameters
from aieloom.ops import REGISTRY
from aieloom.ops.exponential import exp_of
from aieloom.pl.steps import PlStep
from aieloom.reference.results import analyse, hardware_reference, torch_reference
from tests.designs import Design, network_of, plan_of, refusal
from tests.ops.networks import (
    GRAPH_OPS,
    JOINS,
    MAKERS,
    PRODUCTS,
    design_of_yaml,
    network_yaml,
    random_graph_yaml,
    random_yaml,
    row,
)

PL = [op for op in MAKERS if op not in (*JOINS, "batch_norm", *PRODUCTS)]
TABLES = ("sigmoid", "tanh")  # half an entry times the steepest slope
TOLERANCE = {"sigmoid": 1 / 512 + 1e-5, "tanh": 1 / 256 + 1e-5}
BEFORE = "  - {name: c, op: conv2d, out_channels: 1, kernel: 1}"


def single(op: str, seed: int) -> tuple[Design, PlStep]:
    """Return a design of a 1x1 convolution and a layer of `op` before it, which gets whatever input the test gives."""
    random = np.random.default_rng(seed)
    shape = (int(random.integers(1, 10)), int(random.integers(1, 9)), int(random.integers(1, 9)))
    network = network_of(network_yaml(shape, [BEFORE]))
    keys = MAKERS[op](random, network.x)
    assert keys is not None
    design = design_of_yaml(network_yaml(shape, [row("layer", op, keys), BEFORE]))
    assert design is not None
    return design, next(s for g in design.plan.pl for s in g.steps)


def trained_of(design: Design) -> Parameters:
    """Return the trained tensors of `single`'s layer."""
    return design.parameters.get("layer", {})


@pytest.mark.parametrize("op", PL)
def test_the_reference_is_pytorchs(op: str) -> None:
    torch: Any = pytest.importorskip("torch")
    operator: Any = REGISTRY[op]
    for seed in range(12):
        design, step = single(op, seed)
        x = np.random.default_rng(seed).normal(0, 2, (3, *design.network.x.shape)).astype(np.float32)
        y = operator.hardware(step, trained_of(design), x)
        trained = {n: torch.from_numpy(v) for n, v in trained_of(design).items()}
        wanted = operator.torch_forward(design.network.layers[0].spec, trained, torch.from_numpy(x)).numpy()
        assert y.dtype == np.float32
        assert y.shape == (3, *step.y.shape)
        np.testing.assert_allclose(y, wanted, rtol=1e-5, atol=TOLERANCE.get(op, 1e-6), err_msg=str(step.why))


@pytest.mark.parametrize("op", [op for op in PL if op not in TABLES])
def test_rounding_and_spread_are_bounds(op: str) -> None:
    """Float32 against float64 stays within `rounding`; a disturbed input moves the output within `spread`."""
    operator: Any = REGISTRY[op]
    for seed in range(8):
        design, step = single(op, seed)
        random, params = np.random.default_rng(seed), trained_of(design)
        x = random.normal(0, 8, (2, *design.network.x.shape)).astype(np.float32)
        exact = operator.hardware(step, params, x.astype(np.float64))
        assert exact.dtype == np.float64
        assert (
            np.abs(operator.hardware(step, params, x) - exact) <= operator.rounding(step, params, x)
        ).all()
        deviation = np.abs(random.normal(0, 0.01, x.shape)) * (random.random(x.shape) < 0.3)
        moved = operator.hardware(
            step, params, x.astype(np.float64) + deviation * random.choice([-1, 1], x.shape)
        )
        assert (np.abs(moved - exact) <= operator.spread(step, params, deviation) * (1 + 1e-6) + 1e-12).all()


@pytest.mark.parametrize(
    "op", ["max_pool", "leaky_relu", "relu", "clip", "upsample", "pixel_shuffle", "reshape"]
)
def test_nothing_is_reached_where_nothing_deviates(op: str) -> None:
    operator: Any = REGISTRY[op]
    design, step = single(op, 1)
    x = np.zeros((1, *design.network.x.shape))
    assert not operator.spread(step, {}, x).any()


def test_the_exponential_is_within_a_few_units_of_the_true_one() -> None:
    x = -np.concatenate([np.linspace(0, 87, 40_001), np.geomspace(1e-30, 87, 5001)]).astype(np.float32)
    y, wanted = exp_of(x).astype(np.float64), np.exp(x.astype(np.float64))
    assert np.abs(y / wanted - 1).max() < 2e-7
    assert exp_of(np.array([0.0, -0.0], np.float32)).tolist() == [1, 1]
    assert exp_of(np.array([-87.1, -1e30, -np.inf], np.float32)).tolist() == [0, 0, 0]


@pytest.mark.parametrize("channels", [1, 3, 5, 10, 1000])
def test_softmax_of_any_width_is_the_float_one(channels: int) -> None:
    text = network_yaml((channels, 1, 1), ["  - {name: s, op: softmax}", BEFORE])
    step = next(s for g in plan_of(text).pl for s in g.steps)
    operator: Any = REGISTRY["softmax"]
    x = np.random.default_rng(0).normal(0, 10, (50, channels, 1, 1)).astype(np.float32)
    power = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    wanted = power / power.sum(axis=1, keepdims=True)
    assert np.abs(operator.hardware(step, {}, x) - wanted).max() < 1e-6


def test_average_pools_add_in_the_order_of_their_taps() -> None:
    """By hand: 2^24 + 1 is 2^24 in float32, so that the order shows."""
    text = network_yaml((1, 2, 2), ["  - {name: p, op: avg_pool, kernel: 2}", BEFORE])
    step = next(s for g in plan_of(text).pl for s in g.steps)
    operator: Any = REGISTRY["avg_pool"]
    big = 2.0**24
    for values, wanted in (([big, 1, 1, -big], 0.0), ([1, 1, big, -big], 0.5), ([-big, big, 1, 1], 0.5)):
        assert operator.hardware(step, {}, np.array(values, np.float32).reshape(1, 1, 2, 2)).item() == wanted


REFUSED = [
    ("{name: l, op: max_pool, kernel: 9}", "a window of 9x9 does not fit into 4x4"),
    ("{name: l, op: max_pool, kernel: 2, padding: 2}", "is not below the kernel 2x2"),
    ("{name: l, op: avg_pool, kernel: 0}", "greater than 0"),
    ("{name: l, op: clip}", "neither min nor max"),
    ("{name: l, op: clip, min: 1, max: 0}", "min 1 is above max 0"),
    ("{name: l, op: reshape, shape: [2, 3, 3]}", "holds 18 values, the input has 32"),
    ("{name: l, op: pixel_shuffle, upscale: 2}", "2 channels cannot be shuffled"),
    ("{name: l, op: pixel_shuffle, upscale: 1, order: rcd}", "order"),
    ("{name: l, op: pad, padding: [1, 2, 3]}", "padding"),
    ("{name: l, op: dense, out_features: 0}", "greater than 0"),
    ("{name: l, op: leaky_relu, alpha: .inf}", "alpha"),
    ("{name: l, op: concat}", "[inputs] layer 'l' (op concat) has 1 input, it takes 2 to 64"),
    ("{name: l, op: add, inputs: [x, y]}", "[inputs] layer 'l' reads 'y', which is no layer above it"),
    ("{name: l, op: add, inputs: [x, l]}", "layer 'l' reads 'l', which is no layer above it"),
    ("{name: l, op: add, inputs: [x, x, x]}", "layer 'l' (op add) has 3 inputs, it takes 2"),
    ("{name: l, op: relu, inputs: [x, x]}", "layer 'l' (op relu) has 2 inputs, it takes 1"),
    ("{name: l, op: pow, inputs: [x, x]}", "there is no operator 'pow'"),
    ("{name: l, op: transpose, axes: [height, width, width]}", "are not channels, height and width"),
]


@pytest.mark.parametrize(("layer", "words"), REFUSED)
def test_layers_that_make_no_sense_are_refused_with_their_line(layer: str, words: str) -> None:
    message = refusal(network_yaml((2, 4, 4), [f"  - {layer}", BEFORE]))
    assert words in message
    assert "network.yaml:6: " in message


WIDE = "  - {name: wide, op: conv2d, out_channels: 3, kernel: 3}"


@pytest.mark.parametrize(
    ("last", "words"),
    [
        ("{name: l, op: add, inputs: [x, wide]}", "[shape] layer 'l' gets 2x4x4 float32 and 3x2x2 float32"),
        ("{name: l, op: concat, inputs: [x, wide]}", "heights or widths of the inputs differ"),
        ("{name: l, op: relu, inputs: [x]}", "[unused] no layer reads the result of 'wide'"),
        ("{name: wide2, op: relu, inputs: [wides]}", "no layer above it (did you mean 'wide'?)"),
    ],
)
def test_branches_that_do_not_fit_are_refused_with_their_line(last: str, words: str) -> None:
    message = refusal(network_yaml((2, 4, 4), [WIDE, f"  - {last}"]))
    assert words in message
    assert ("network.yaml:6: " if "unused" in words else "network.yaml:7: ") in message


def test_a_name_that_is_a_layer_and_the_input_is_refused() -> None:
    rows = ["  - {name: x, op: conv2d, out_channels: 2, kernel: 1}", "  - {name: l, op: add, inputs: [x, x]}"]
    assert "reads 'x', which is both a layer and the network's input" in refusal(
        network_yaml((2, 4, 4), rows)
    )


def with_pytorchs(texts: Iterable[str]) -> Iterator[tuple[str, Design, Array, Array, float]]:
    """Yield what fits of networks: text, design, inputs, PyTorch's results and their peak (at least 1)."""
    for text in texts:
        design = design_of_yaml(text)
        if design is not None:
            x = design.images(2)
            wanted = torch_reference(design.network, design.parameters, x)
            yield text, design, x, wanted, max(1.0, float(np.abs(wanted).max()))


def test_networks_with_branches_are_pytorchs() -> None:
    """Random graphs without tables, and the analysis of the rounding error holds for them."""
    ops = tuple(op for op in GRAPH_OPS if op not in TABLES)
    checked = 0
    for text, design, x, wanted, peak in with_pytorchs(
        random_graph_yaml(seed, ops, ("add", "sub")) for seed in range(16)
    ):
        found = analyse(design.plan, design.parameters, x)
        assert np.abs(found.hardware - wanted).max() < 2e-5 * peak, text
        assert not found.reached.any()
        assert np.array_equal(found.hardware, hardware_reference(design.plan, design.parameters, x))
        assert found.unreached_error() < 2e-5
        checked += 1
    assert checked > 8


def test_networks_as_a_whole_are_pytorchs() -> None:
    """Random chains without tables, whose steps would amplify: batch norms folded, dense behind images."""
    ops = tuple(op for op in MAKERS if op not in TABLES)
    checked = 0
    for text, design, x, wanted, peak in with_pytorchs(random_yaml(seed, ops) for seed in range(40)):
        y = hardware_reference(design.plan, design.parameters, x)
        assert np.abs(y - wanted).max() < 2e-5 * peak, text
        checked += 1
    assert checked > 25


def test_unknown_operators_name_the_known_ones() -> None:
    with pytest.raises(SpecError, match="use one of: abs, add, affine, argmax"):
        network_of(network_yaml((1, 1, 1), ["  - {name: l, op: gelus}"]))
