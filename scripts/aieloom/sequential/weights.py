"""The weights as the engine reads them: tiles of output channels, row after row of taps and input channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from aieloom.arrays import Values
from aieloom.layout.channel_words import LANES
from aieloom.network.groups import weight_matrix
from aieloom.network.layers import Parameters
from aieloom.sequential.engine import ConvEngine, Element
from aieloom.sequential.steps import ConvStep, Mode

TYPE: dict[Element, np.dtype[Any]] = {
    "int8": np.dtype("<i1"),
    "float32": np.dtype("<f4"),
    "bfloat16": np.dtype("<u2"),  # its bits
}


def filled(count: int, block: int) -> int:
    """Return a count filled up to whole blocks."""
    return -(-count // block) * block


def tiles_of(step: ConvStep, engine: ConvEngine) -> int:
    """Return the tiles of output channels of all groups."""
    outputs = step.y.shape[0] // step.engine_groups
    return step.engine_groups * -(-outputs // engine.out)


def rows_of(step: ConvStep) -> int:
    """Return the rows of weights of a tile."""
    area = step.window.kernel[0] * step.window.kernel[1]
    seen = 1 if step.mode is Mode.DEPTHWISE else filled(step.window.channels // step.engine_groups, LANES)
    return area * seen


def weight_bytes(step: ConvStep, engine: ConvEngine) -> int:
    """Return the bytes of a layer's weights in device memory."""
    return tiles_of(step, engine) * rows_of(step) * engine.out * engine.bytes


def packed_weights(step: ConvStep, engine: ConvEngine, trained: Parameters) -> Values:
    """Return weights as `(tiles, rows, out)`."""
    m, (ky, kx), groups = step.y.shape[0], step.window.kernel, step.engine_groups
    weight = np.asarray(trained["weight"])
    if step.mode is Mode.FILLED:
        weight = weight_matrix(weight, step.window.taps)
    weight = weight.reshape(m, -1, ky, kx)
    outputs = m // groups
    seen = weight.shape[1]
    wide = seen if step.mode is Mode.DEPTHWISE else filled(seen, LANES)
    tiles = -(-outputs // engine.out)
    whole = np.zeros((groups, ky, kx, wide, tiles * engine.out), TYPE[engine.element])
    by_group = weight.reshape(groups, outputs, seen, ky, kx).transpose(0, 3, 4, 2, 1)
    whole[:, :, :, :seen, :outputs] = by_group
    rows = whole.reshape(groups, ky * kx * wide, tiles, engine.out).transpose(0, 2, 1, 3)
    return np.ascontiguousarray(rows).reshape(groups * tiles, ky * kx * wide, engine.out)


def packed_channels(step: ConvStep, engine: ConvEngine, trained: Parameters) -> Values:
    """Return what each output channel needs beside its weights, `(tiles * out, 4)`: bias, multiplier, shift, fills up."""
    groups = step.engine_groups
    tiles = -(-step.y.shape[0] // groups // engine.out)
    return channels_of(step, groups, tiles * engine.out, trained)


def channels_of(step: ConvStep, groups: int, wide: int, trained: Parameters) -> Values:
    """Return bias, multiplier and shift of each output channel, of a group's filled up to `wide`.

    Of floats the fourth number is 1 of those that only fill up: what they make of an infinity, NaN, is not kept.
    """
    outputs = step.y.shape[0] // groups
    kind = np.dtype("<f4") if step.requant is None else np.dtype("<i4")
    whole = np.zeros((groups, wide, 4), kind)
    names = ("bias",) if step.requant is None else ("bias", "multiplier", "shift")
    for i, name in enumerate(names):
        if name in trained:
            whole[:, :outputs, i] = np.asarray(trained[name]).reshape(groups, outputs)
    if step.requant is None:
        whole[:, outputs:, 3] = 1
    return whole.reshape(-1, 4)
