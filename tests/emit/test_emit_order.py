"""In which order memory holds an image that the host program tiles, against the words of the layer's streams."""

from __future__ import annotations

import numpy as np
import pytest

from aieloom.emit.host import memory_order
from aieloom.pl.streams import TiledStreams
from tests.designs import plan_of

HEAD = "name: order\ntarget: {target}\nweights: w.safetensors\ninput: {{name: x, shape: [{shape}]}}\nlayers:\n  - {layer}\n"
CONV = "{{name: c, op: conv2d, out_channels: 6, kernel: {kernel}, padding: {padding}{more}}}"
DESIGNS = {
    "tiles": ("vck190", "3, 9, 7", CONV.format(kernel=3, padding=1, more=", stride: 2"), "tile: [4, 16, 8], mmul: [4, 2, 4]"),
    "chains": ("vck190", "5, 6, 6", CONV.format(kernel=3, padding=1, more=""), "tile: [4, 16, 12], mmul: [4, 2, 4], cascade: 3"),
    "rows": ("vck190", "3, 8, 16", CONV.format(kernel=5, padding=2, more=""), "strategy: direct, tile: [2, 75, 32], groups: 2"),
    "lanes": ("vek280", "3, 9, 12", CONV.format(kernel=3, padding=1, more=", stride: 2"), "strategy: direct"),
    "dense": ("vck190", "21, 1, 1", "{name: c, op: dense, out_features: 9}", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", DESIGNS)
def test_memory_holds_word_i_of_all_streams_together(name: str) -> None:
    target, shape, layer, mapping = DESIGNS[name]
    yaml = HEAD.format(target=target, shape=shape, layer=layer)
    plan = plan_of(yaml + (f"mapping:\n  c: {{{mapping}}}\n" if mapping else ""))
    streams, dtype = plan.subgraphs[0].fed or plan.pl[0].sink, plan.x.dtype
    assert isinstance(streams, TiledStreams)
    order, lanes = streams.grid.inputs(streams.window), streams.bits // (8 * dtype.bytes)
    words = np.stack([order.at(stream=s).flat().reshape(-1, lanes) for s in range(streams.streams)], axis=1)
    assert words.shape[0] == streams.words
    assert memory_order(streams, dtype).flat().tolist() == words.ravel().tolist()
