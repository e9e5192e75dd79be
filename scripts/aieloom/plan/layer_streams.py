"""The streams of a layer on the array, as the programmable logic sees them, and what carries images to its cores."""

from __future__ import annotations

import numpy as np

from aieloom.layout.grid import TILED, TileGrid, words_of
from aieloom.pl.movers import MoverPlan, mover_of
from aieloom.pl.streams import TiledStreams
from aieloom.plan.shared_buffers import LinkedGrid
from aieloom.plan.types import AieLayerDraft
from aieloom.plan.weights import BITS, StreamedWeights
from aieloom.spec.device import Device
from aieloom.spec.types import DataType


def input_streams(draft: AieLayerDraft) -> TiledStreams:
    """Return the streams that feed a layer: one per group and link, shared by the group's cores."""
    if isinstance(draft.grid, LinkedGrid):
        assert draft.grid.entry is not None
        return draft.grid.entry
    bits = draft.plio_bits
    return _tiled(draft, draft.grid.in_streams, input_words(draft.grid, draft.dtype, bits), bits)


def output_streams(draft: AieLayerDraft) -> TiledStreams:
    """Return the streams that a layer's cores drain into: one per core or chain."""
    if isinstance(draft.grid, LinkedGrid):
        assert draft.grid.exit is not None
        return draft.grid.exit
    bits = draft.out_bits
    return _tiled(draft, draft.grid.chains, output_words(draft.grid, draft.dtype, bits), bits)


def input_words(grid: TileGrid, dtype: DataType, bits: int) -> int:
    """Return the stream words of one image on each input stream of a layer that is cut so."""
    return words_of(grid.rounds * grid.passes * grid.in_elements, dtype, bits)


def output_words(grid: TileGrid, dtype: DataType, bits: int) -> int:
    """Return the stream words of one image on each output stream of a layer that is cut so."""
    return words_of(grid.rounds * grid.out_elements, dtype, bits)


def _tiled(draft: AieLayerDraft, streams: int, words: int, bits: int) -> TiledStreams:
    return TiledStreams(
        layer=draft.name,
        grid=draft.grid,
        window=draft.window,
        bits=bits,
        streams=streams,
        words=words,
    )


def pixel_columns(draft: AieLayerDraft) -> int | None:
    """Return the columns of a block of an image of one pixel, all but the first of which fill up.

    None: the image has more pixels, or a window sees more than its pixel, or streams do not carry whole memory words of
    channels each, one after another.
    """
    grid, window = draft.grid, draft.window
    alone = draft.x.shape[1:] == window.kernel == (1, 1) and window.padding == (0, 0)
    if grid.order != TILED or not alone or draft.x.rows:
        return None
    lanes, columns = draft.plio_bits // (8 * draft.dtype.bytes), grid.mmul[2]
    one_tile = grid.groups == grid.rounds == 1 and grid.tile_n == columns
    whole = grid.cascade == 1 or (grid.passes == 1 and grid.tile_k % lanes == 0)
    return columns if one_tile and whole and columns > 1 and lanes % columns == 0 else None


def in_plain_order(draft: AieLayerDraft) -> bool:
    """Tell whether a layer's one stream carries an image as memory holds it, so that nobody need tile it."""
    streams, count = input_streams(draft), draft.x.elements
    if streams.streams > 1 or streams.words != words_of(count, draft.dtype, streams.bits):
        return False
    order = streams.grid.inputs(streams.window).flat()[:count]
    return len(order) == count and bool((order == np.arange(count)).all())


def weight_mover(device: Device, layer: str, table: StreamedWeights, clock_mhz: float) -> MoverPlan:
    """Return the kernel that sends a layer's weights from memory, once."""
    shape = table.streams, BITS, table.stream_words
    return mover_of(device, f"weights_{layer}", shape, clock_mhz, reads_memory=True)
