"""The references against slow, plain definitions; the analysis of table steps against what happens."""

from __future__ import annotations

import math
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom.network.layers import Array, Parameters
from aieloom.network.weights import layer_parameters, match_weights, read_tensors
from aieloom.pl.steps import Lut
from aieloom.plan.types import AieLayerDraft
from aieloom.products.reference import rounding
from aieloom.reference.results import analyse, hardware_reference, table_reference, torch_reference
from tests.designs import ESPCN, ROOT, SMALL, design_of, edited, network_of, plan_of

DATA = Path(os.environ.get("AIELOOM_DATA", ROOT.parent / "shared" / "data"))
TRAINED = DATA / "espcn" / "espcn_x2_bsds300.pth"


def one_conv(  # noqa: PLR0917 - reads as a table
    c: int, size: int, out: int, kernel: int, tile: str, rest: str = ""
) -> str:
    return f"""
name: one
target: vck190
weights: w.pt
input: {{name: x, shape: [{c}, {size}, {size}]}}
layers:
  - {{name: conv, op: conv2d, out_channels: {out}, kernel: {kernel}, padding: 1{rest}}}
mapping:
  conv: {{tile: {tile}, mmul: [4, 2, 4], plio: 32}}
"""


def slow_conv(draft: AieLayerDraft, params: Parameters, image: Array) -> Array:
    """One float32 operation at a time, as a core does: bias, then each product of each pass in order of K."""
    grid, w = draft.grid, draft.window
    y = np.zeros(draft.y.shape, np.float32)
    padded = np.pad(image, ((0, 0), (w.padding[0],) * 2, (w.padding[1],) * 2))
    for m, oy, ox in np.ndindex(y.shape):
        total = params["bias"][m] if draft.has_bias else np.float32(0)
        for k in range(grid.passes * grid.tile_k):
            product = np.float32(0)
            if k < grid.k:
                ch, dy, dx = np.unravel_index(k, (w.channels, *w.kernel))
                value = padded[ch, oy * w.stride[0] + dy, ox * w.stride[1] + dx]
                product = np.float32(params["weight"][m, ch, dy, dx] * value)
            total = np.float32(total + product)
        y[m, oy, ox] = total
    return y


@pytest.mark.parametrize(
    "text",
    [
        one_conv(2, 5, 6, 3, "[8, 18, 8]"),
        one_conv(3, 4, 4, 3, "[4, 14, 4]"),  # K = 27 in two passes, the second one filled up
        one_conv(1, 6, 5, 5, "[4, 26, 4]", ", stride: 2"),
        one_conv(2, 4, 4, 3, "[4, 6, 12]", ", bias: false"),
        one_conv(5, 3, 4, 1, "[4, 2, 8]"),
    ],
)
def test_hardware_conv_is_the_sequence_of_float32_operations(text: str) -> None:
    design = design_of(text)
    images = design.images(3)
    result = hardware_reference(design.plan, design.parameters, images)
    draft = design.plan.aie[0].draft
    slow = np.stack([slow_conv(draft, design.parameters["conv"], image) for image in images])
    assert result.dtype == np.float32
    assert np.array_equal(result.view(np.int32), slow.view(np.int32)), "to the bit"


def test_the_order_matters_so_that_the_test_above_can_fail() -> None:
    design = design_of(one_conv(8, 6, 8, 3, "[8, 72, 12]"))
    images, params = design.images(4), dict(design.parameters["conv"])
    result = hardware_reference(design.plan, design.parameters, images)
    reverse = {"weight": params["weight"][:, ::-1].copy(), "bias": params["bias"]}
    other = hardware_reference(design.plan, {"conv": reverse}, images[:, ::-1].copy())
    assert not np.array_equal(result, other)
    assert np.allclose(result, other, atol=1e-5)


def test_splitting_k_into_passes_keeps_every_bit() -> None:
    images = design_of(one_conv(8, 6, 8, 3, "[8, 72, 12]")).images(2)
    results = []
    for tile in ("[8, 72, 12]", "[8, 36, 12]", "[4, 18, 36]", "[8, 2, 8]"):
        design = design_of(one_conv(8, 6, 8, 3, tile))
        results.append(hardware_reference(design.plan, design.parameters, images).tobytes())
    assert len(set(results)) == 1


def test_the_result_does_not_depend_on_how_images_are_batched() -> None:
    design = design_of()
    images = design.images(40)
    together = hardware_reference(design.plan, design.parameters, images)
    alone = np.concatenate([hardware_reference(design.plan, design.parameters, i[None]) for i in images])
    assert np.array_equal(together, alone)


def test_without_tables_all_references_agree() -> None:
    design = design_of(one_conv(4, 7, 6, 3, "[8, 36, 12]", ", stride: 2"))
    images = design.images(5)
    torch = torch_reference(design.network, design.parameters, images)
    exact = table_reference(design.plan, design.parameters, images)
    hardware = hardware_reference(design.plan, design.parameters, images)
    assert exact.dtype == np.float64
    assert np.abs(torch - exact).max() < 1e-5
    assert np.abs(hardware - exact).max() < 1e-5
    found = analyse(design.plan, design.parameters, images)
    assert not found.reached.any(), "no table, no step"
    assert found.tables == ()
    assert found.flips == 0


def test_the_whole_chain_is_the_layers_one_after_another() -> None:
    design = design_of()
    image = design.images(1)[0]
    first, second = (layer.draft for layer in design.plan.aie)
    step = next(s for g in design.plan.pl for s in g.steps).read(Lut)
    sums = slow_conv(first, design.parameters["first"], image)
    act = np.vectorize(lambda v: slow_tanh(float(v), step.entries, 4))(sums).astype(np.float32)
    y = slow_conv(second, design.parameters["second"], act)
    shuffled = np.zeros((1, 12, 12), np.float32)
    for c, i, j in np.ndindex(y.shape):
        shuffled[0, i * 2 + c // 2, j * 2 + c % 2] = y[c, i, j]
    assert np.array_equal(hardware_reference(design.plan, design.parameters, image[None])[0], shuffled)


def slow_tanh(x: float, entries: int, limit: int) -> float:
    """The issue's definition with exact fractions."""
    if x >= limit:
        return 1.0
    if x < -limit:
        return -1.0
    scaled = Fraction(x) * entries / (2 * limit)
    nearest = math.floor(abs(scaled) + Fraction(1, 2)) * (1 if scaled >= 0 else -1)
    index = min(entries - 1, nearest + entries // 2)
    return math.tanh(-limit + index * 2 * limit / entries)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_rounding_stays_within_its_bound(seed: int) -> None:
    text = one_conv(8, 6, 8, 3, "[8, 72, 12]")
    plan, network = plan_of(text), network_of(text)
    rng = np.random.default_rng(seed)
    scale = 10.0 ** rng.uniform(-3, 3)
    params = {
        p.name: (rng.normal(0, scale, p.shape)).astype(np.float32) for p in network.layers[0].parameters
    }
    x = rng.normal(0, 1, (2, 8, 6, 6)).astype(np.float32)
    hardware = hardware_reference(plan, {"conv": params}, x)
    exact = table_reference(plan, {"conv": params}, x)
    bound = rounding(plan.aie[0].draft, params, x)
    assert (np.abs(hardware - exact) <= bound).all()
    assert bound.max() < 1e-4 * np.abs(exact).max(), "and the bound says something"


def test_flips_are_found_and_explain_every_difference() -> None:
    """A sum that lies on a step to the last bit: hardware and exact arithmetic take different entries."""
    text = edited(
        edited(SMALL, "entries: 64", "entries: 1024"),
        "out_channels: 8, kernel: 3",
        "out_channels: 8, kernel: 3",
    )
    design = design_of(text)
    images = design.images(300)
    found = analyse(design.plan, design.parameters, images)
    table = found.tables[0]
    assert (table.layer, table.values) == ("act", 300 * 8 * 36)
    assert table.flips <= table.near
    assert found.unreached_error() < 2e-6
    assert found.reached.any(), "some sums of this many lie near a step"
    assert not found.reached.all()
    wrong = np.abs(found.hardware - found.exact) > 2e-6
    assert not (wrong & ~found.reached).any()
    assert np.array_equal(found.hardware, hardware_reference(design.plan, design.parameters, images))
    assert np.array_equal(found.exact, table_reference(design.plan, design.parameters, images))


def test_a_planted_flip_is_counted_and_reached() -> None:
    """One weight and input so that the float32 sum rounds onto a step from below."""
    text = """
name: one
target: vck190
weights: w.pt
input: {name: x, shape: [2, 1, 4]}
layers:
  - {name: conv, op: conv2d, out_channels: 4, kernel: 1}
  - {name: act, op: tanh}
mapping:
  act: {lut: {entries: 1024, range: [-4, 4]}}
"""
    plan = plan_of(text)
    params = {"weight": np.ones((4, 2, 1, 1), np.float32), "bias": np.zeros(4, np.float32)}
    x = np.zeros((1, 2, 1, 4), np.float32)
    x[0, 0] = 0.5 / 128  # exactly on a step: half-way between two entries
    x[0, 1, 0, 1] = -(2.0**-40)  # float32 loses it, float64 does not
    x[0, 0, 0, 2] = 0.25 / 128  # far from a step
    found = analyse(plan, {"conv": params}, x)
    assert found.tables[0].flips == 4, "the four channels of pixel 1"
    assert found.reached[0, :, 0, 1].all()
    assert not found.reached[0, :, 0, 2].any()
    assert found.hardware[0, 0, 0, 1] != found.exact[0, 0, 0, 1]
    assert found.share_within(1e-6) == 0.75


def test_inputs_of_another_shape_are_refused() -> None:
    design = design_of()
    for shape in ((0, 2, 6, 6), (2, 6, 6), (1, 2, 6, 7), (1, 3, 6, 6)):
        with pytest.raises(ValueError, match=r"inputs are \(images, 2, 6, 6\), not"):
            hardware_reference(design.plan, design.parameters, np.zeros(shape, np.float32))


@pytest.mark.skipif(not TRAINED.is_file(), reason="no weights trained elsewhere beside this checkout")
def test_weights_trained_elsewhere_meet_the_issues_limits() -> None:
    network, plan = network_of(ESPCN), plan_of(ESPCN)
    tensors = read_tensors(TRAINED, shown_as=TRAINED.name)
    match = match_weights(network, {k: v.shape for k, v in tensors.items()}, file=TRAINED.name)
    params = layer_parameters(tensors, match)
    rng = np.random.default_rng(7)
    smooth = np.cumsum(np.cumsum(rng.normal(0, 1, (8, 1, 16, 16)), axis=2), axis=3)
    low, high = smooth.min((2, 3), keepdims=True), smooth.max((2, 3), keepdims=True)
    images = ((smooth - low) / (high - low)).astype(np.float32)
    found = analyse(plan, params, images)
    assert match.by == "order and shape"
    assert found.unreached_error() <= 2e-5
    assert found.share_within(1e-4) >= 0.9
    assert found.reached.mean() < 0.9
    torch = torch_reference(network, params, images)
    assert np.abs(torch - found.hardware).mean() < 0.01
