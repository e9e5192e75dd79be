"""Weights for the array: tiles of output channels, columns of chains, parts of K, passes; each a core's tile, mmul by mmul."""

from __future__ import annotations

import numpy as np

from aieloom.arrays import Values
from aieloom.layout.channel_words import LANES, words_of
from aieloom.network.bfloat16 import bfloat16_bits
from aieloom.network.groups import weight_matrix
from aieloom.network.layers import Parameters
from aieloom.sequential.array import TILE_N, ArrayEngine, group_words, k_words, passes_of, tap_words
from aieloom.sequential.steps import ConvStep, Mode
from aieloom.sequential.weights import TYPE, channels_of
from aieloom.spec.types import DataType


def matrix_of(step: ConvStep, trained: Parameters) -> Values:
    """Return weights as `(groups, K, outputs of a group)`: K by taps, then input channels filled up to whole words."""
    m, (ky, kx), groups = step.y.shape[0], step.window.kernel, step.engine_groups
    weight = folded(step, np.asarray(trained["weight"]))
    if step.mode is Mode.FILLED:
        weight = weight_matrix(weight, step.window.taps)
    weight = weight.reshape(groups, m // groups, -1, ky, kx)
    seen = weight.shape[2]
    whole = np.zeros(
        (groups, ky, kx, tap_words(step) * LANES, m // groups), np.int8 if step.requant else np.float32
    )
    whole[:, :, :, :seen] = weight.transpose(0, 3, 4, 2, 1)
    return whole.reshape(groups, k_words(step) * LANES, m // groups)


def folded(step: ConvStep, weight: Values) -> Values:
    """Return weights for a folded input: taps of a pixel's rows and columns become channels, zeros where there are none."""
    if step.origin is None:
        return weight
    (rows, columns), (ky, kx) = step.fold, step.window.kernel
    m, c, height, width = weight.shape
    top, left = (
        p * s - before
        for p, s, before in zip(step.window.padding, step.fold, step.origin.window.padding, strict=True)
    )
    whole = np.zeros((m, c, ky * rows, kx * columns), weight.dtype)
    whole[:, :, top : top + height, left : left + width] = weight
    cut = whole.reshape(m, c, ky, rows, kx, columns).transpose(0, 3, 5, 1, 2, 4)
    return np.ascontiguousarray(cut).reshape(m, rows * columns * c, ky, kx)


def packed_weights(step: ConvStep, engine: ArrayEngine, trained: Parameters) -> Values:
    """Return weights as `(groups, tiles, columns, parts, passes, column blocks, K blocks, k, n)`."""
    matrix = matrix_of(step, trained)
    groups, k, n = matrix.shape
    passes = passes_of(step, engine.parts, engine.depth)
    tiles = -(-group_words(step) * LANES // engine.tile_channels)
    wide = tiles * engine.tile_channels
    whole = np.zeros((groups, passes * engine.parts * engine.depth, wide), TYPE[engine.element])
    whole[:, :k, :n] = bfloat16_bits(matrix) if engine.element == "bfloat16" else matrix
    _, bk, bn = engine.mmul
    cut = whole.reshape(
        groups, passes, engine.parts, engine.depth // bk, bk, tiles, engine.columns, TILE_N // bn, bn
    )
    return np.ascontiguousarray(cut.transpose(0, 5, 6, 2, 1, 7, 3, 4, 8))


def packed_depthwise(step: ConvStep, trained: Parameters) -> bytes:
    """Return what the vector unit reads of a depthwise layer: channels `(words * 16, 4)`, then weights `(taps, words * 16)`.

    Of floats a channel has a bias alone.
    """
    m, taps = step.y.shape[0], step.window.kernel[0] * step.window.kernel[1]
    wide = words_of(m) * LANES
    if step.requant is None:
        biases, values = np.zeros(wide, "<f4"), np.zeros((taps, wide), np.float32)
        biases[:m] = np.asarray(trained.get("bias", 0.0))
        values[:, :m] = np.asarray(trained["weight"]).reshape(m, -1).T
        bits = (
            bfloat16_bits(values).astype("<u2") if step.x.dtype is DataType.BFLOAT16 else values.astype("<f4")
        )
        return biases.tobytes() + bits.tobytes()
    channels = np.zeros((wide, 4), "<i4")
    for i, name in enumerate(("bias", "multiplier", "shift")):
        channels[:m, i] = np.asarray(trained[name])
    weights = np.zeros((taps, wide), np.int8)
    weights[:, :m] = np.asarray(trained["weight"]).reshape(m, -1).T
    return channels.tobytes() + weights.tobytes()


def packed_channels(step: ConvStep, engine: ArrayEngine, trained: Parameters) -> Values:
    """Return what each output channel needs beside its weights, `(tiles * channels, 4)`: bias, multiplier, shift, fills up."""
    tiles = -(-group_words(step) * LANES // engine.tile_channels)
    return channels_of(step, step.engine_groups, tiles * engine.tile_channels, trained)
