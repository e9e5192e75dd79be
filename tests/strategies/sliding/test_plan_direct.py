"""Direct convolution: which lines a core reads, where its weights lie, what it costs, and what is refused."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from aieloom.plan.types import AieLayerPlan
from aieloom.products.weights import packed_weights
from aieloom.strategies.lanes.grid import LaneGrid
from aieloom.strategies.sliding.grid import LineGrid
from tests.designs import design_of, plan_of, refusal

TEXT = """\
name: direct
target: vck190
weights: w.safetensors
input: {name: x, shape: [3, 8, 16]}
layers:
  - {name: first, op: conv2d, out_channels: 6, kernel: 5, padding: 2}
  - {name: act, op: tanh}
  - {name: second, op: conv2d, out_channels: 5, kernel: 3, padding: 1}
  - {name: rel, op: relu}
  - {name: third, op: conv2d, out_channels: 4, kernel: [3, 1], padding: [1, 0], stride: [2, 1]}
mapping:
  first: {strategy: direct, tile: [2, 75, 32], groups: 2, plio: 128}
  act: {strategy: streaming}
  second: {strategy: direct, tile: [5, 18, 16], groups: 3, plio: 128}
  third: {strategy: direct, tile: [4, 15, 32]}
"""
DESIGN = design_of(TEXT)


def grid_of(layer: AieLayerPlan) -> LineGrid:
    assert isinstance(layer.grid, LineGrid)
    return layer.grid


@pytest.mark.parametrize("layer", DESIGN.plan.aie, ids=lambda la: la.name)
def test_lines_and_weights_make_the_convolution(layer: AieLayerPlan) -> None:
    """The kernel's loops in plain Python, on its stream and its packed weights, give each output's sum."""
    grid, window = grid_of(layer), layer.draft.window
    params = DESIGN.parameters[layer.name]
    x = np.random.default_rng(3).integers(-4, 5, layer.draft.x.shape).astype(np.float64)
    weights, bias = packed_weights(layer, params)
    kh, kw = window.kernel
    space = grid.weight_vectors * 8
    packed = weights.reshape(grid.parts, grid.passes, -1, grid.channels, kh, space)
    found = np.full((grid.m, window.out_height, window.out_width), np.nan)
    for group in range(grid.groups):
        lines = grid.inputs(window).at(stream=group).gather(x)
        tiles = lines.reshape(grid.rounds, grid.passes, grid.channels, grid.in_rows, grid.in_width)
        for number, row in product(range(grid.rounds), range(grid.out_rows)):
            y = (number * grid.groups + group) * grid.out_rows + row
            if y >= window.out_height:
                continue
            for part, m in product(range(grid.parts), range(grid.tile_m)):
                if part * grid.tile_m + m >= grid.m:
                    continue
                pair, j = divmod(m, grid.together)
                start = j * (8 if grid.weight_vectors > 1 else kw)
                sums = np.full(window.out_width, float(bias[part, m * 8]))
                for p, c, dy, dx in product(range(grid.passes), range(grid.channels), range(kh), range(kw)):
                    line = tiles[number, p, c, row * window.stride[0] + dy]
                    sums += packed[part, p, pair, c, dy, start + dx] * line[dx : dx + window.out_width]
                found[part * grid.tile_m + m, y] = sums
    weight = params["weight"].astype(np.float64)
    border = np.pad(x, ((0, 0), *((p, p) for p in window.padding)))
    seen = np.lib.stride_tricks.sliding_window_view(border, (kh, kw), axis=(1, 2))[:, :: window.stride[0]]
    wanted = np.einsum("mcij,cyxij->myx", weight, seen) + params["bias"][:, None, None]
    np.testing.assert_allclose(found, wanted, atol=1e-6)


def test_a_tile_reads_its_rows_and_their_border_once() -> None:
    second = grid_of(DESIGN.plan.aie[1])
    assert (second.channels, second.in_rows, second.in_width) == (
        2,
        3,
        20,
    )  # 16 + 2 pixels, whole 128-bit words
    assert second.in_elements == 2 * 3 * 20
    assert (second.parts, second.passes, second.rounds) == (1, 3, 3)
    first = DESIGN.plan.aie[0]
    assert grid_of(first).in_rows == 2 + 5 - 1
    assert any("times less than its im2col matrix" in line for line in first.draft.why)


def test_taps_of_two_outputs_share_a_vector_where_they_fit() -> None:
    first, second, third = (grid_of(la) for la in DESIGN.plan.aie)
    assert (first.together, first.weight_vectors) == (2, 2)  # 2 x 5 taps
    assert (second.together, second.weight_vectors) == (1, 1)  # 5 outputs have no pairs
    assert (third.together, third.weight_vectors) == (2, 1)


def test_the_multiplier_bounds_the_kernel_and_memory_holds_it() -> None:
    text = (
        TEXT.replace("[3, 8, 16]", "[64, 16, 16]")
        .split("mapping:")[0]
        .replace("out_channels: 6, kernel: 5, padding: 2", "out_channels: 32, kernel: 3, padding: 1")
    )
    plan = plan_of(text + "mapping:\n  first: {strategy: direct, tile: [4, 144, 16]}\n")
    layer = plan.aie[0]
    macs = 4 * 576 * 16 / 8
    # 16 blocks of sums an output tile and pass, of 288 cycles of MACs each: between two of them a pipeline drains and the next
    # one fills, some 40 cycles. A timed run of this kernel (`aieloom emulate --timed`) takes 5,308 cycles.
    assert macs < layer.draft.kernel_cycles < macs + 16 * 60
    assert layer.draft.kernel_cycles == pytest.approx(5308, rel=0.05)
    assert layer.draft.memory.memories == 1


def test_a_tile_that_is_left_out_is_chosen() -> None:
    text = TEXT.split("mapping:", maxsplit=1)[0] + "mapping:\n  second: {strategy: direct}\n"
    layer = plan_of(text).aie[1]
    grid = grid_of(layer)
    assert layer.draft.strategy == "direct"
    assert grid.tile_n % 16 == 0
    assert grid.tile_k % 9 == 0


@pytest.mark.parametrize(
    ("old", "new", "rule", "words"),
    [
        ("tile: [5, 18, 16]", "cascade: 2", "conv-1", "leave cascade out, or use strategy: im2col_gemm"),
        ("tile: [5, 18, 16]", "mmul: [4, 2, 4], cascade: 2", "conv-1", "each takes all of K"),
        (
            "tile: [5, 18, 16]",
            "tile: [4, 18, 16], mmul: [4, 3, 4]",
            "gemm-1",
            "no aie::mmul of shape [4, 3, 4]",
        ),
        (
            "tile: [5, 18, 16]",
            "tile: [5, 18, 16], mmul: [4, 2, 4]",
            "gemm-2",
            "use [4, 18, 16] or [8, 18, 16]",
        ),
        (
            "tile: [5, 18, 16]",
            "tile: [5, 20, 16]",
            "gemm-2",
            "K = 20 is no multiple of 9 (whole rows, whole blocks of channels)",
        ),
        ("tile: [5, 18, 16]", "tile: [5, 20, 16]", "gemm-2", "use [5, 18, 16] or [5, 27, 16]"),
        ("tile: [5, 18, 16]", "tile: [5, 18, 24]", "gemm-2", "use [5, 18, 16] or [5, 18, 32]"),
        ("[3, 8, 16]", "[3, 8, 12]", "gemm-2", "K = 75 is no multiple of 100"),
    ],
)
def test_what_is_no_direct_convolution_is_refused(old: str, new: str, rule: str, words: str) -> None:
    assert TEXT.count(old) == 1
    said = refusal(TEXT.replace(old, new))
    assert f"[{rule}]" in said
    assert words in said


@pytest.mark.parametrize(
    ("old", "new", "layer", "kind"),
    [
        ("name: direct", "name: direct", "second", LineGrid),
        ("tile: [5, 18, 16]", "mmul: [4, 2, 4]", "second", LaneGrid),
        ("tile: [4, 15, 32]}", "groups: 1}", "third", LineGrid),
        ("stride: [2, 1]}", "stride: [2, 2]}", "third", LaneGrid),
        ("kernel: 5, padding: 2}", "kernel: [5, 9], padding: [2, 4]}", "first", LaneGrid),
        ("[3, 8, 16]", "[3, 8, 12]", "first", LaneGrid),
        ("target: vck190", "target: vek280", "first", LaneGrid),
    ],
)
def test_what_cannot_slide_goes_by_mmul(old: str, new: str, layer: str, kind: type) -> None:
    text = TEXT.replace(old, new)
    if kind is LaneGrid:
        text = text.split("mapping:", maxsplit=1)[0] + f"mapping:\n  {layer}: {{strategy: direct"
        text += f", {new}}}\n" if new.startswith("mmul") else "}\n"
    grid = next(la.grid for la in plan_of(text).aie if la.name == layer)
    assert type(grid) is kind
