"""Where tiles lie and what is kept of them: PyTorch on tiles, put together, is PyTorch on the whole image."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom.errors import SpecError
from aieloom.network.layers import Network, ShapeError
from aieloom.ops import REGISTRY
from aieloom.plan.frame import Axis
from aieloom.plan.frames.choice import sizes
from aieloom.plan.frames.cutting import axes, resized
from aieloom.reference.results import torch_reference
from aieloom.simulation.of_plan import simulate_plan
from aieloom.vitis.simdata import streams
from tests.designs import design_of, network_of, plan_of
from tests.ops.system import CLASSIFIER
from tests.tiles.networks import ESPCN, POOLED, RESIDUAL

HEAD = "name: n\ntarget: vck190\nweights: w.pt\ninput: {name: x, shape: [1, 9, %d]}\nlayers:\n"
LAYERS: dict[str, Any] = {
    "conv2d": {"kernel": (1, 5), "stride": (1, 3), "padding": (0, 3)},
    "max_pool": {"kernel": (1, 4), "stride": (1, 3), "padding": (0, 0)},
    "pad": {"padding": (0, 2)},
    "upsample": {"scale": (1, 3)},
    "relu": {},
}


@st.composite
def layers(draw: st.DrawFn) -> list[str]:
    """Lines of a few layers of one channel, with a branch at times."""
    made = []
    for i in range(draw(st.integers(1, 5))):
        op = draw(st.sampled_from(sorted(LAYERS)))
        keys = {k: [1, draw(st.integers(*v))] for k, v in LAYERS[op].items()}
        if "padding" in keys:
            keys["padding"][0] = 0
            keys["padding"][1] = min(keys["padding"][1], keys.get("kernel", [0, 99])[1] - 1)
        if op == "conv2d":
            keys["out_channels"] = [1]
        text = ", ".join(f"{k}: {v if len(v) > 1 else v[0]}" for k, v in keys.items())
        made.append(f"  - {{name: l{i}, op: {op}{', ' * bool(text)}{text}}}")
    if draw(st.booleans()):
        kernel = draw(st.sampled_from([3, 5]))
        last = f"l{len(made) - 1}"
        made.append(
            f"  - {{name: side, op: conv2d, out_channels: 1, kernel: [1, {kernel}], padding: [0, {kernel // 2}]}}"
        )
        made.append(f"  - {{name: sum, op: add, inputs: [{last}, side]}}")
    return made


def tiled(network: Network, tile: Network, both: tuple[Axis, Axis], x: Any, parameters: Any) -> Any:
    """Return PyTorch's results of the tiles, put together by a definition of this test's own."""
    rows, cols = both
    y = np.full((1, *network.y.shape), np.nan, np.float32)
    for top, out_top, first_row, end_row in rows.places():
        for left, out_left, first, end in cols.places():
            part = x[:, :, top : top + rows.tile, left : left + cols.tile]
            made = torch_reference(tile, parameters, part)
            target = y[:, :, out_top + first_row : out_top + end_row, out_left + first : out_left + end]
            assert np.isnan(target).all()  # nobody else writes it
            target[...] = made[:, :, first_row:end_row, first:end]
    return y


@settings(max_examples=60)
@given(layers(), st.integers(8, 60), st.integers(3, 40), st.integers(0, 1000))
def test_tiles_put_together_are_the_whole_image(made: list[str], width: int, part: int, seed: int) -> None:
    try:
        network = network_of(HEAD % width + "\n".join(made))
        tile = resized(network, (9, part), REGISTRY)
        rows, cols = axes(network, tile, REGISTRY, lanes=4)
    except (SpecError, ShapeError):
        return  # refused: test_good_tiles_are_not_refused asks whether rightly
    rng = np.random.default_rng(seed)
    parameters = {
        la.name: {p.name: rng.integers(-4, 5, p.shape).astype(np.float32) for p in la.parameters}
        for la in network.layers
    }
    x = rng.integers(-9, 10, (1, 1, 9, width)).astype(np.float32)
    y = tiled(network, tile, (rows, cols), x, parameters)
    assert np.array_equal(y, torch_reference(network, parameters, x))
    assert cols.count == 1 + -(-(width - part) // max(1, cols.step))


@pytest.mark.parametrize("text", [ESPCN, POOLED, RESIDUAL], ids=["enlarger", "pooled", "residual"])
def test_good_tiles_are_not_refused(text: str) -> None:
    frame = plan_of(text).frame
    assert frame is not None
    for axis in (frame.rows, frame.cols):
        assert axis.count > 1
        places = list(axis.places())
        assert places[0][:3] == (0, 0, 0)
        assert places[-1][0] + axis.tile == axis.size
        kept = [(at + first, at + end) for _, at, first, end in places]
        assert [end for _, end in kept[:-1]] == [begin for begin, _ in kept[1:]]
        assert kept[-1][1] == axis.out_size


def test_the_halo_of_espcn_is_four_pixels() -> None:
    """Kernels of 5, 3 and 3 see 2 + 1 + 1 pixels to each side, 8 of the output."""
    frame = plan_of(ESPCN).frame
    assert frame is not None
    assert (frame.cols.before, frame.cols.after, frame.cols.step, frame.cols.out_step) == (8, 8, 16, 32)
    assert (frame.rows.count, frame.cols.count) == (2, 3)


@pytest.mark.parametrize(
    ("edit", "rule", "says"),
    [
        (("[24, 24]", "[24, 64]"), "tiles-2", "larger than the image"),
        (("[24, 24]", "[24, 8]"), "tiles-2", "use at least"),
        (("[24, 24]", "[2, 24]"), "tiles-2", "use at least"),
    ],
)
def test_sizes_that_cannot_be_are_refused(edit: tuple[str, str], rule: str, says: str) -> None:
    with pytest.raises(SpecError, match=says) as e:
        plan_of(re.sub(r"mapping:(.|\n)*", "", ESPCN).replace(*edit))
    assert {p.rule for p in e.value.problems} == {rule}


def test_tiles_that_do_not_end_with_the_image_are_refused_with_sizes_that_do() -> None:
    with pytest.raises(SpecError, match=r"tiles 26 pixels high (.|\n)*use 25 or 29") as e:
        plan_of(POOLED.replace("[25, 31]", "[26, 31]"))
    assert {p.rule for p in e.value.problems} == {"tiles-3"}


def test_a_layer_that_sees_the_whole_image_is_named() -> None:
    with pytest.raises(SpecError, match=r"layer 'flat' \(flatten\) sees the whole image") as e:
        plan_of(
            CLASSIFIER.replace("layers:", "tiles: {size: [6, 6]}\nlayers:").replace(
                "  - {name: norm, op: batch_norm}\n", ""
            )
        )
    assert {p.rule for p in e.value.problems} == {"tiles-1"}
    with pytest.raises(SpecError, match="joins branches of 1/2 and 1 pixels"):
        plan_of(
            HEAD.replace("layers:", "tiles: {size: [9, 8]}\nlayers:") % 9
            + "  - {name: a, op: conv2d, out_channels: 1, kernel: 1, stride: [1, 2]}\n"
            + "  - {name: b, op: conv2d, inputs: [x], out_channels: 1, kernel: [1, 5]}\n"
            + "  - {name: c, op: add, inputs: [a, b]}\n"
        )


@pytest.mark.integration
def test_automatic_tiles_are_the_largest_that_fit() -> None:
    text = re.sub(r"mapping:(.|\n)*", "", ESPCN).replace("{size: [24, 24]}", "auto")
    assert plan_of(text).frame is None  # the whole image fits
    large = plan_of(text.replace("[1, 40, 56]", "[1, 300, 500]")).frame
    assert large is not None
    tried = list(sizes(network_of(text.replace("[1, 40, 56]", "[1, 300, 500]")), REGISTRY))
    assert large.tile_x.shape[1:] in tried
    assert tried[0] == (300, 500)


def test_tiles_that_are_tried_cover_an_image_in_1_2_4_parts_with_little_over() -> None:
    """Windows of 5, 3 and 3 see 2 + 1 + 1 rows beyond each side; a part has 292 / 2, 292 / 4 ... rows and these 8.

    Widths are the same of 492, filled up to 16.
    """
    text = re.sub(r"mapping:(.|\n)*", "", ESPCN).replace("{size: [24, 24]}", "auto")
    tried = list(sizes(network_of(text.replace("[1, 40, 56]", "[1, 300, 500]")), REGISTRY))
    assert {h for h, _ in tried} == {300, 146 + 8, 73 + 8, 37 + 8, 19 + 8, 10 + 8, 5 + 8}
    assert {w for _, w in tried} == {500, 256, 144, 80, 48, 32, 16}


def test_half_of_the_work_says_so() -> None:
    frame = plan_of(ESPCN).frame
    assert frame is not None
    assert frame.halo_share == pytest.approx(1 - 40 * 56 / (6 * 24 * 24))
    assert "35.2% of the work is halo" in frame.why[0]


def test_simulations_of_the_array_alone_get_tiles() -> None:
    large = design_of(ESPCN)
    small = design_of(ESPCN.replace("[1, 40, 56]", "[1, 24, 24]").replace("tiles: {size: [24, 24]}\n", ""))
    images = large.images(2)
    assert large.plan.frame is not None
    tiles = large.plan.frame.cut(images)
    assert np.array_equal(tiles[4], images[0, :, 16:40, 16:40])
    for ours, plain in zip(
        streams(large.plan, large.parameters, images),
        streams(small.plan, large.parameters, tiles[:2]),
        strict=True,
    ):
        assert ours.plio.name == plain.plio.name
        assert np.array_equal(ours.values, plain.values)


def test_an_image_takes_the_time_of_its_tiles() -> None:
    cut = plan_of(ESPCN)
    run = simulate_plan(cut)
    tile_interval = max(s.interval_us for s in cut.cost.stages)
    assert cut.cost.interval_us == pytest.approx(6 * tile_interval)
    assert run.interval_us >= 0.99 * cut.cost.interval_us
    assert cut.cost.latency_us == pytest.approx(
        5 * tile_interval + sum(s.latency_us for s in cut.cost.stages)
    )
