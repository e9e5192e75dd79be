"""The order in which values arrive at streaming kernels, by plain Python."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aieloom.layout.nest import PADDING
from aieloom.pl.line_store import LinePart, LineStage, LineTasks
from aieloom.pl.streams import TiledStreams
from tests.designs import ESPCN

Index = NDArray[np.int64]
FAST = (
    ESPCN.split("mapping:")[0]
    + """mapping:
  conv1: {tile: [16, 26, 16], mmul: [4, 2, 4], groups: 4, plio: 128}
  conv2: {tile: [8, 144, 8], mmul: [4, 2, 4], groups: 16, plio: 128}
  conv3: {tile: [4, 288, 8], mmul: [4, 2, 4], groups: 8, plio: 128}
  tanh1: {strategy: streaming, readers: 4}
  tanh2: {strategy: streaming}
"""
)


def way_of(plan: LineTasks, channel: Index) -> tuple[Index, Index]:
    """Return on which way channels come, and their numbers there."""
    reader, channel = np.divmod(channel, plan.channels * plan.together)
    return reader * plan.together + channel % plan.together, channel // plan.together


def channels_of(plan: LineTasks, way: int) -> Index:
    """Return the channels that come on a way, in their order there."""
    reader, row = divmod(way, plan.together)
    return (reader * plan.channels + np.arange(plan.channels)) * plan.together + row


def arrivals(whole: LinePart, way: int) -> Index:
    """Return the flat index of each value of each beat on a way, PADDING outside: from the grid's own order."""
    plan, x, source = whole.tasks, whole.inlet.x, whole.inlet.streams
    channels, height, width = x.shape
    if not isinstance(source, TiledStreams):
        flat = np.full(sum(plan.read_bands) * plan.read_beat, PADDING)
        flat[: x.elements] = np.arange(x.elements)
        return flat.reshape(-1, plan.read_beat)
    grid = source.grid
    share, found = grid.parts // plan.readers, []
    reader, row = divmod(way, plan.together)
    for number in range(grid.rounds):
        for group in range(grid.groups):
            for part in range(reader * share, (reader + 1) * share):
                order = grid.output.at(stream=group * grid.parts + part, round=number)
                channel, pixel = order.places()
                inside = (channel < channels) & (pixel < height * width)
                found.append(np.where(inside, channel * height * width + pixel, PADDING))
    columns = grid.mmul[2] if plan.together > 1 else plan.stride
    passed = np.concatenate(found).reshape(-1, plan.together, columns)[:, row].reshape(-1, plan.stride)
    assert (passed[:, plan.read_beat :] == PADDING).all(), "a reader passes over a value"
    return passed[:, : plan.read_beat]


def sent(stage: LineStage, plan: LineTasks, way: int) -> Index:
    """Return the flat index of each value of each beat that a stage sends: row after row, of each all channels of a way."""
    channels, height, width = stage.step.y.shape
    y, c, x = np.ix_(np.arange(height), channels_of(plan, way), np.arange(width))
    return np.where(c < channels, (c * height + y) * width + x, PADDING).reshape(-1, stage.out_beat)


IMAGES = 3
