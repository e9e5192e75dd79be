"""The order of elements on streams and in memories against plain loops, for any window and any grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom.layout.grid import TileGrid, Window, word_block, words_of
from aieloom.layout.nest import Layout
from aieloom.spec.types import DataType
from tests.layout.scattered import scattered

PAIR = st.tuples(st.integers(1, 3), st.integers(1, 3))


@st.composite
def windows(draw: st.DrawFn) -> Window:
    padding = draw(st.tuples(st.integers(0, 2), st.integers(0, 2)))
    kernel = draw(PAIR)
    height = draw(st.integers(max(1, kernel[0] - 2 * padding[0]), 6))
    width = draw(st.integers(max(1, kernel[1] - 2 * padding[1]), 6))
    channels = draw(st.integers(1, 3))
    stride = draw(PAIR)
    return Window(
        channels=channels, height=height, width=width, kernel=kernel, stride=stride, padding=padding
    )


@st.composite
def grids(draw: st.DrawFn) -> TileGrid:
    mmul = draw(st.sampled_from([(4, 2, 4), (2, 2, 2), (2, 4, 2), (4, 4, 1), (4, 8, 4)]))
    size = tuple(draw(st.integers(1, 20)) for _ in range(3))
    tile = tuple(b * draw(st.integers(1, max(1, -(-s // b)))) for s, b in zip(size, mmul, strict=True))
    groups = draw(st.integers(1, -(-size[2] // tile[2])))
    return TileGrid(
        m=size[0],
        k=size[1],
        n=size[2],
        tile_m=tile[0],
        tile_k=tile[1],
        tile_n=tile[2],
        mmul=mmul,
        groups=groups,
    )


class Exchanged(TileGrid):
    """A grid with another line for the order of its blocks: pixels of one row of K after another."""

    @property
    def input(self) -> Layout:
        return super().input.inside("nt", 2)


def pairs(order: Layout) -> list[tuple[int, int]]:
    """Return the place of each element in a matrix."""
    return list(zip(*(o.tolist() for o in order.places()), strict=True))


def im2col_by_loops(w: Window, image: np.ndarray) -> np.ndarray:
    """The definition: row (channel, dy, dx), column (oy, ox), zero outside."""
    rows = []
    for c in range(w.channels):
        for dy in range(w.kernel[0]):
            for dx in range(w.kernel[1]):
                row = []
                for oy in range(w.out_height):
                    for ox in range(w.out_width):
                        y = oy * w.stride[0] + dy - w.padding[0]
                        x = ox * w.stride[1] + dx - w.padding[1]
                        row.append(image[c, y, x] if 0 <= y < w.height and 0 <= x < w.width else 0)
                rows.append(row)
    return np.array(rows)


@settings(max_examples=80, deadline=None)
@given(windows())
def test_the_window_reads_what_im2col_defines(w: Window) -> None:
    image = np.arange(1, w.channels * w.height * w.width + 1).reshape(w.channels, w.height, w.width)
    matrix = w.layout.gather(image).reshape(w.taps, w.pixels)
    assert np.array_equal(matrix, im2col_by_loops(w, image))


@settings(max_examples=60, deadline=None)
@given(grids())
def test_orders_are_the_documented_loops(g: TileGrid) -> None:
    m, k, n = g.mmul
    weights = [
        (mb * m + i, p * g.tile_k + kb * k + j)
        for p in range(g.passes)
        for mb in range(g.tile_m // m)
        for kb in range(g.tile_k // k)
        for i in range(m)
        for j in range(k)
    ]
    assert pairs(g.weights.at(part=0)) == weights
    for group in range(g.groups):
        stream = [
            (p * g.tile_k + kb * k + i, (r * g.groups + group) * g.tile_n + nb * n + j)
            for r in range(g.rounds)
            for p in range(g.passes)
            for nb in range(g.tile_n // n)
            for kb in range(g.tile_k // k)
            for i in range(k)
            for j in range(n)
        ]
        assert pairs(g.input.at(stream=group)) == stream
        assert len(stream) == g.rounds * g.passes * g.in_elements
        for part in range(g.parts):
            out = [
                (part * g.tile_m + mb * m + i, (r * g.groups + group) * g.tile_n + nb * n + j)
                for r in range(g.rounds)
                for mb in range(g.tile_m // m)
                for nb in range(g.tile_n // n)
                for i in range(m)
                for j in range(n)
            ]
            assert pairs(g.output.at(stream=group * g.parts + part)) == out
            assert len(out) == g.rounds * g.out_elements


@settings(max_examples=80, deadline=None)
@given(grids(), st.sampled_from([1, 2, 4, 8, 16]), st.booleans())
def test_blocks_fill_words_and_are_the_stream_s_order(g: TileGrid, lanes: int, exchanged: bool) -> None:
    """Read block after block, row after row or pixel after pixel, a tile is what its stream carries."""
    g = Exchanged(**vars(g)) if exchanged else g
    _, k, n = g.mmul
    try:
        block = word_block(g, lanes)
    except ValueError:
        assert k * n % lanes and (n > 1 or (k * g.tile_n if exchanged else g.in_elements) % lanes)
        return
    words, rest = divmod(block.rows * block.cols, lanes)
    assert words > 0 and rest == 0
    counts = (g.tile_k // block.rows, g.tile_n // block.cols)[:: 1 if exchanged else -1]
    found = [
        (p * g.tile_k + down * block.rows + row, r * g.groups * g.tile_n + across * block.cols + col)
        for r, p, *blocks, word, lane in np.ndindex(g.rounds, g.passes, *counts, words, lanes)
        for down, across in [blocks if exchanged else blocks[::-1]]
        for element in [word * lanes + lane]
        for row, col in [
            divmod(element, block.rows)[::-1] if block.by_column else divmod(element, block.cols)
        ]
    ]
    assert found == pairs(g.input.at(stream=0))


@dataclass
class Core:
    """What one core has in memory: a flat array of weights, as the kernel reads it."""

    grid: TileGrid
    weights: list[int]

    def run(self, passes: list[list[int]]) -> list[int]:
        """One call of the kernel, block by block: weights [mb][kb][m][k], in [nb][kb][k][n], out [mb][nb][m][n]."""
        g = self.grid
        m, k, n = g.mmul
        row_tiles, col_tiles, depth = g.tile_m // m, g.tile_n // n, g.tile_k // k
        out = [0] * g.out_elements
        for p, data in enumerate(passes):
            for mb, nb, kb in np.ndindex(row_tiles, col_tiles, depth):
                a = p * g.tile_m * g.tile_k + (mb * depth + kb) * m * k
                b = (nb * depth + kb) * k * n
                c = (mb * col_tiles + nb) * m * n
                for i, j, q in np.ndindex(m, n, k):
                    out[c + i * n + j] += self.weights[a + i * k + q] * data[b + q * n + j]
        return out


@settings(max_examples=40, deadline=None)
@given(grids(), st.integers(0, 999))
def test_tile_stream_compute_untile_is_the_matrix_product(g: TileGrid, seed: int) -> None:
    """Weights and inputs through the layouts, a kernel that walks blocks, and back: the whole product, once each."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(-9, 9, (g.m, g.k)), rng.integers(-9, 9, (g.k, g.n))
    weights = g.weights.gather(a).reshape(g.parts, -1)
    result = np.full((g.m, g.n), -(10**6))
    for group, part in g.streams():
        core = Core(g, weights[part].tolist())
        stream = g.input.at(stream=group).gather(b).reshape(g.rounds, g.passes, -1)
        out = [value for r in range(g.rounds) for value in core.run(stream[r].tolist())]
        one = scattered(g.output.at(stream=group * g.parts + part), out, -(10**6))
        assert (result[one != -(10**6)] == -(10**6)).all(), "each place is written once"
        result = np.maximum(result, one)
    assert np.array_equal(result, a @ b)


@given(st.integers(1, 5000), st.sampled_from(list(DataType)), st.sampled_from([32, 64, 128]))
def test_words_hold_all_elements_and_no_more_than_needed(elements: int, dtype: DataType, bits: int) -> None:
    words = words_of(elements, dtype, bits)
    assert words * bits >= elements * dtype.bytes * 8 > (words - 1) * bits


def test_espcn_grids_have_the_published_numbers() -> None:
    conv2 = TileGrid(m=32, k=576, n=256, tile_m=8, tile_k=576, tile_n=8, mmul=(4, 2, 4), groups=32)
    assert (conv2.parts, conv2.passes, conv2.rounds, conv2.cores) == (4, 1, 1, 128)
    conv1 = TileGrid(m=64, k=25, n=256, tile_m=16, tile_k=16, tile_n=64, mmul=(4, 2, 4), groups=4)
    assert (conv1.parts, conv1.passes, conv1.cores) == (4, 2, 16)
    assert list(conv1.streams())[:6] == [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1)]
