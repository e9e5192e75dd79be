"""Direct convolution by aie::mmul: lanes, weights and loops make the convolution; how many sums are in flight, and why."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from aieloom.layout.grid import Window
from aieloom.plan.gemm import find_mode
from aieloom.plan.product_cycles import ProductCode, product_code
from aieloom.spec.device import Device, load_device
from aieloom.spec.types import DataType
from aieloom.strategies.lanes.cost import with_held
from aieloom.strategies.lanes.cycles import scheduled_lanes
from aieloom.strategies.lanes.grid import LaneGrid
from tests.designs import plan_of, refusal
from tests.layout.scattered import scattered

Values = NDArray[np.int64]


@st.composite
def grids(draw: st.DrawFn) -> LaneGrid:
    """Return any cut of any small convolution: windows that leave columns over, channels that do not fill blocks."""
    kernel = draw(st.tuples(st.integers(1, 4), st.integers(1, 4)))
    window = Window(
        channels=draw(st.integers(1, 9)),
        height=draw(st.integers(kernel[0], 8)),
        width=draw(st.integers(kernel[1], 11)),
        kernel=kernel,
        stride=draw(st.tuples(st.integers(1, 3), st.integers(1, 3))),
        padding=(draw(st.integers(0, kernel[0] - 1)), draw(st.integers(0, kernel[1] - 1))),
    )
    m, k, n = draw(st.sampled_from([(4, 2, 4), (2, 8, 8), (4, 4, 2), (4, 16, 4), (4, 4, 1)]))
    outputs, rows = draw(st.integers(1, 9)), draw(st.integers(1, window.out_height))
    tile_m = m * draw(st.integers(1, -(-outputs // m)))
    channels = k * draw(st.integers(1, -(-window.channels // k)))
    tiles = -(-window.out_height // rows)
    return LaneGrid(
        m=outputs,
        k=window.taps,
        n=window.pixels,
        tile_m=tile_m,
        tile_k=channels * kernel[0] * kernel[1],
        tile_n=rows * window.out_width,
        mmul=(m, k, n),
        groups=draw(st.integers(1, tiles)),
        window=window,
        held=(1, 1, 1),
    )


def kernel(grid: LaneGrid, memory: Values, weights: Values) -> Values:
    """Return one call's output: the generated kernel's loops in plain Python, its pointers as places in flat memories."""
    m, k, n = grid.mmul
    kh, kw = grid.window.kernel
    sy, sx = grid.window.stride
    out = np.zeros(grid.out_elements, np.int64)
    row_weights = kh * grid.blocks * kw * m * k
    for p, mb, row, x in product(
        range(grid.passes), range(grid.tile_m // m), range(grid.out_rows), range(grid.steps)
    ):
        a = p * grid.tile_m * grid.tile_k + mb * row_weights
        b = p * grid.in_elements + (row * sy * grid.blocks * grid.columns + x * sx) * k * n
        sums = np.zeros((m, n), np.int64)
        for _ in range(kh * grid.blocks):
            for tap in range(kw):
                left = weights[a + tap * m * k :][: m * k].reshape(m, k)
                right = memory[b + tap * k * n :][: k * n].reshape(k, n)
                sums += left @ right
            a, b = a + kw * m * k, b + grid.columns * k * n
        at = ((mb * grid.out_rows + row) * grid.steps + x) * m * n
        out[at : at + m * n] += sums.ravel()
    return out


def convolution(window: Window, x: Values, weight: Values) -> Values:
    """Return the definition: a sum of products for each output pixel, zero outside the image."""
    border = np.pad(x, ((0, 0), *((p, p) for p in window.padding)))
    seen = np.lib.stride_tricks.sliding_window_view(border, window.kernel, axis=(1, 2))
    wanted: Values = np.einsum("mcij,cyxij->myx", weight, seen[:, :: window.stride[0], :: window.stride[1]])
    return wanted


@settings(max_examples=60, deadline=None)
@given(grids(), st.integers(0, 1000))
def test_lanes_and_weights_make_the_convolution(grid: LaneGrid, seed: int) -> None:
    window, random = grid.window, np.random.default_rng(seed)
    x = random.integers(-9, 10, (window.channels, window.height, window.width))
    weight = random.integers(-9, 10, (grid.m, window.channels, *window.kernel))
    held = grid.weights.gather(weight.reshape(grid.m, -1)).reshape(grid.parts, -1)
    found = np.full((grid.m, window.pixels), -1 << 40)
    for group, part in grid.streams():
        lines = grid.inputs(window).at(stream=group).gather(x).reshape(grid.rounds, -1)
        assert lines.shape[1] == grid.passes * grid.in_elements
        made = np.concatenate([kernel(grid, line, held[part]) for line in lines])
        one = scattered(grid.output.at(stream=group * grid.parts + part), made, -1 << 40)
        assert (found[one != -1 << 40] == -1 << 40).all(), "an output comes once"
        found = np.maximum(found, one)
    assert np.array_equal(found.reshape(grid.m, window.out_height, -1), convolution(window, x, weight))


@settings(max_examples=40, deadline=None)
@given(grids())
def test_a_core_adds_every_product_once_blocks_of_channels_innermost(grid: LaneGrid) -> None:
    order = grid.sum_order()
    assert sorted(order) == list(range(grid.k))
    kh, kw = grid.window.kernel
    channel, y, x = order // (kh * kw), order // kw % kh, order % kw
    key = np.stack([channel // grid.channels, y, channel // grid.mmul[1], x, channel])
    assert (np.lexsort(key[::-1]) == np.arange(grid.k)).all()


WIDE = """\
name: wide
target: {target}
weights: w.safetensors
input: {{name: x, shape: [32, 16, 16]}}
layers:
  - {{name: c, op: conv2d, out_channels: 32, kernel: 3, padding: 1, stride: {stride}}}
mapping:
  c: {{strategy: direct, tile: [16, 288, {pixels}]{more}}}
"""


def code_of(device: Device, dtype: DataType, mmul: tuple[int, int, int]) -> ProductCode:
    """Return what the kernel's code is made for; floats are rounded, of integers sums of 32 bits are."""
    return product_code(device.architecture, find_mode(device, dtype, mmul), dtype, None)


def device_grid(target: str, dtype: DataType, mmul: tuple[int, int, int], stride: int = 1) -> LaneGrid:
    """Return a cut of a layer of 32 channels whose sums in flight are chosen."""
    device = load_device(target)
    window = Window(channels=32, height=16, width=16, kernel=(3, 3), stride=(stride, stride), padding=(1, 1))
    grid = LaneGrid(
        m=32, k=288, n=window.pixels, tile_m=16, tile_k=288, tile_n=4 * window.out_width,
        mmul=mmul, groups=1, window=window, held=(1, 1, 1),
    )  # fmt: skip
    return with_held(grid, code_of(device, dtype, mmul), device)


@pytest.mark.parametrize(
    ("target", "dtype", "mmul", "most"),
    [
        ("vck190", DataType.INT8, (4, 8, 4), 64),  # 8 accumulators of 384 bits, 48 a lane
        ("vck190", DataType.INT8, (2, 8, 8), 64),
        ("vek280", DataType.INT8, (4, 8, 8), 256),  # 8 of 1024 bits, 32 a lane
        ("vek280", DataType.BFLOAT16, (4, 8, 4), 256),
        ("vek280", DataType.INT16, (4, 4, 4), 128),  # 64 a lane
    ],
)
def test_no_choice_of_sums_in_flight_is_faster(
    target: str, dtype: DataType, mmul: tuple[int, int, int], most: int
) -> None:
    """Of all that divide the tile and fit the accumulators [AM009, AM020]."""
    grid, device = device_grid(target, dtype, mmul), load_device(target)
    code = code_of(device, dtype, mmul)
    lanes = mmul[0] * mmul[2]

    def cycles(held: tuple[int, int, int]) -> float:
        return scheduled_lanes(replace(grid, held=held), code)

    tried = [
        (r, y, x)
        for r, y, x in product((1, 2, 3, 4), repeat=3)
        if 16 // mmul[0] % r == 0 and 4 % y == 0 and grid.steps % x == 0 and r * y * x * lanes <= most
    ]
    assert grid.held in tried
    assert cycles(grid.held) == min(map(cycles, tried)) < cycles((1, 1, 1))


def test_the_plan_says_why_and_what_a_tile_reads() -> None:
    text = WIDE.format(target="vck190", stride=2, pixels=16, more=", mmul: [4, 2, 4]")
    why = plan_of(text).aie[0].draft.why
    assert any(
        "a tile reads 1 x 5 lines x 16 blocks of 2 channels x 4 lanes of 5 values = 3200" in w for w in why
    )
    assert any("sums in flight:" in w and "a load unit each" in w for w in why)


def test_a_tile_that_is_too_large_is_refused_with_the_nearest() -> None:
    text = WIDE.format(target="vck190", stride=1, pixels=256, more=", mmul: [4, 2, 4]")
    said = refusal(text)
    assert "[mem-1]" in said
    nearest = re.findall(r"\[\d+, \d+, \d+\]", said.split("nearest legal tiles:")[1])
    assert len(nearest) == 3
    for tile in nearest:
        assert plan_of(text.replace("[16, 288, 256]", tile)).aie


@pytest.mark.parametrize("pixels", [20, 24])
def test_tiles_are_whole_rows(pixels: int) -> None:
    said = refusal(WIDE.format(target="vck190", stride=1, pixels=pixels, more=", mmul: [4, 2, 4]"))
    assert "[gemm-2]" in said
    assert "use [16, 288, 16] or [16, 288, 32]" in said
