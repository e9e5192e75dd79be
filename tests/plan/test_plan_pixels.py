"""Images of one pixel: the mover that spreads them is taken where, and only where, it sends what the cores take."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aieloom.layout.grid import TileGrid, Window
from aieloom.layout.nest import PADDING
from aieloom.network.tensor import TensorType
from aieloom.plan.layer_streams import input_streams, pixel_columns
from aieloom.plan.types import AieLayerDraft
from aieloom.spec.types import DataType
from tests.designs import SMALL, plan_of

DRAFT = plan_of(SMALL).aie[0].draft


def spread(draft: AieLayerDraft) -> list[list[int]]:
    """Return the channels that the mover sends on each stream: each the first of a row of columns (movers_of_pixels.h)."""
    streams, columns = input_streams(draft), draft.grid.mmul[2]
    lanes = streams.bits // (8 * draft.dtype.bytes)
    words, found = -(-streams.words // columns), []
    for number in range(streams.streams):
        channels = range(number * words * lanes, (number + 1) * words * lanes)
        sent = [at for c in channels for at in (c, *[PADDING] * (columns - 1))]
        if streams.streams == 1:
            del sent[streams.words * lanes :]  # its loop stops there
        found.append([at if at < draft.x.elements else PADDING for at in sent])
    return found


def taken(draft: AieLayerDraft) -> list[list[int]]:
    """Return the places of the image that the cores take from each stream, in whole words."""
    streams = input_streams(draft)
    lanes = streams.bits // (8 * draft.dtype.bytes)
    flat = streams.grid.inputs(streams.window).flat().reshape(streams.streams, -1).tolist()
    return [[*one, *[PADDING] * (streams.words * lanes - len(one))] for one in flat]


@st.composite
def drafts(draw: st.DrawFn) -> AieLayerDraft:
    """Return a layer over an image of one pixel, cut in any way, with a border and larger windows too."""
    dtype = draw(st.sampled_from((DataType.FLOAT32, DataType.INT16, DataType.INT8)))
    kernel, padding = draw(st.sampled_from((((1, 1), (0, 0)),) * 6 + (((3, 3), (1, 1)), ((1, 3), (0, 1)), ((1, 1), (1, 1)))))  # fmt: skip
    window = Window(channels=draw(st.integers(1, 24)), height=1, width=1, kernel=kernel, stride=(3, 3), padding=padding)  # fmt: skip
    mmul = (4, draw(st.sampled_from((2, 4, 8))), draw(st.sampled_from((1, 2, 4))))
    grid = TileGrid(
        m=8, k=window.taps, n=window.pixels, tile_m=8, tile_k=mmul[1] * draw(st.integers(1, 3)),
        tile_n=mmul[2] * draw(st.sampled_from((1, 1, 1, 2))), mmul=mmul, groups=draw(st.sampled_from((1, 1, 1, 2))),
        cascade=draw(st.sampled_from((1, 1, 2, 3))),
    )  # fmt: skip
    x = TensorType((window.channels, 1, 1), dtype)
    return replace(DRAFT, x=x, dtype=dtype, window=window, grid=grid, plio_bits=draw(st.sampled_from((32, 64, 128))))  # fmt: skip


@given(drafts())
def test_a_mover_spreads_what_the_cores_take_or_is_not_taken(draft: AieLayerDraft) -> None:
    grid, columns = draft.grid, pixel_columns(draft)
    lanes = draft.plio_bits // (8 * draft.dtype.bytes)
    fits = grid.mmul[2] > 1 and lanes % grid.mmul[2] == 0 and spread(draft) == taken(draft)
    assert columns in (None, grid.mmul[2])
    assert columns is None or fits
    some_each = grid.k > grid.tile_k * (grid.cascade - 1) and grid.groups == 1 and grid.tile_n == grid.mmul[2]
    if some_each:  # else there are tiles of nothing, which it leaves
        assert columns is not None or not fits


@pytest.mark.parametrize(
    ("layer", "spreads"),
    [
        ("dense, out_features: 8", True),
        ("conv2d, out_channels: 8, kernel: 1", True),
        ("conv2d, out_channels: 8, kernel: 3, padding: 1", False),
        ("conv2d, out_channels: 8, kernel: 1, padding: 1, stride: 3", False),
    ],
)
def test_a_border_around_one_pixel_is_tiled(layer: str, spreads: bool) -> None:
    """The 3 x 3 of a window sees the pixel in its middle alone: its channels are not the first rows."""
    (subgraph,) = plan_of(f"""\
name: one
target: vck190
weights: w.safetensors
input: {{name: x, shape: [16, 1, 1]}}
layers:
  - {{name: first, op: {layer}}}
mapping:
  first: {{plio: 128}}
""").subgraphs
    assert (subgraph.mm2s.spread is not None) == spreads
    if spreads:
        assert subgraph.mm2s.image_bytes == 16 * 4
