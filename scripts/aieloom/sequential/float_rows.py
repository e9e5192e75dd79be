"""Layers of whole rows in floats as the row unit computes them: layer_norm, affine, softmax, functions of a value.

Each operation rounds to float32 once, and sums have one order: of a word's values neighbours are added, then neighbouring sums;
of a row's words TURNS sums take turns, the oldest first, and are added in pairs at last. So NumPy, the emulator and the
logic have the same bits. A row is gone over three times:

    layer_norm   sum / n;  c = x - mean, sum of c c;  (c (1 / sqrt(sum / n + eps))) factor + offset
    softmax      largest;  e = exp((x - largest) factor), sum of e;  e (1 / sum), 0 where the sum is 0
    affine       x factor + offset
    a function   of one exponential of what is not above 0, and one quotient

The error function is Abramowitz and Stegun's 7.1.26 (Handbook of Mathematical Functions, 1964), within 1.5e-7; where a gelu's
value is below 0 the tail is taken as it is, so that nothing cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from aieloom.arrays import Values
from aieloom.layout.channel_words import LANES, words_of
from aieloom.network.layers import Layer, Parameters
from aieloom.ops.affine import AffineSpec
from aieloom.ops.exact import SQRT_HALF
from aieloom.ops.exponential import exp_of
from aieloom.ops.gates import sigmoid, tanh
from aieloom.ops.layer_norm import LayerNormSpec
from aieloom.ops.pointwise import SQRT_TWO_OVER_PI

TURNS = 4
TAIL_STEP = np.float32(0.3275911)  # t = 1 / (1 + TAIL_STEP z)
TAIL = tuple(map(np.float32, (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)))
CUBIC = np.float32(0.044715)
TWICE = np.float32(2 * SQRT_TWO_OVER_PI)
HALF_ROOT = np.float32(SQRT_HALF)
ONE, TWO, HALF = map(np.float32, (1.0, 2.0, 0.5))


@dataclass(frozen=True, slots=True, kw_only=True)
class FloatRow:
    """What is known of a layer before it is trained."""

    op: str
    channels: int  # of a row
    each: bool = False  # every pixel has factors of its own
    eps: float = 0.0  # beside a variance
    factor: float = 1.0  # of what a softmax raises
    heads: int = 1  # rows of a pixel, each filled up to whole words where there are several


def float_row(layer: Layer) -> FloatRow | None:
    """Return a layer as rows of floats; None of one that is none."""
    spec, channels = layer.spec, layer.x.shape[0]
    if isinstance(spec, LayerNormSpec):
        alone = spec.over == "channels" or (spec.over == "all" and layer.x.pixels == 1)
        return FloatRow(op=layer.op, channels=channels, eps=float(np.float32(spec.eps))) if alone else None
    if isinstance(spec, AffineSpec):
        return FloatRow(op=layer.op, channels=channels, each=spec.over == "all" and layer.x.pixels > 1)
    return FloatRow(op=layer.op, channels=channels) if layer.op in (*FUNCTIONS, "softmax") else None


def computed(row: FloatRow, trained: Parameters, x: Values, mask: Values | None = None) -> Values:
    """Return what the unit makes of float32 values `(n, channels, height, width)`; of keys whose mask is 0 no shares."""
    function = FUNCTIONS.get(row.op)
    if function:
        return function(x)
    if row.op == "softmax":
        return _shares(row, x, mask)
    factor, offset = (found.reshape(1, row.channels, -1, 1) for found in factors(row, trained))
    values = x.reshape(len(x), row.channels, -1, 1)
    if row.op == "affine":
        y: Values = values * factor + offset
    else:
        count = np.float32(row.channels)
        left = values - summed(values) / count
        root = ONE / np.sqrt(summed(left * left) / count + np.float32(row.eps))
        y = left * root * factor + offset
    return y.reshape(x.shape)


def _shares(row: FloatRow, x: Values, mask: Values | None) -> Values:
    """Return the softmax of each row; `mask` `(n, channels, 1, 1)`. What fills rows up is 0."""
    n, pixels = len(x), x[0, 0].size
    scores = x.reshape(n, row.heads, -1, pixels)
    rows = scores[:, :, : row.channels].swapaxes(1, 2).reshape(n, row.channels, -1, 1)
    there = np.ones((n, row.channels, 1, 1), np.bool_) if mask is None else mask.reshape(n, -1, 1, 1) != 0
    most = np.where(there, rows, np.float32(-np.inf)).max(axis=1, keepdims=True)
    power = np.where(
        there, exp_of(np.where(there, rows - most, np.float32(0)) * np.float32(row.factor)), np.float32(0)
    )
    total = summed(power)
    shares = power * np.where(total == 0, np.float32(0), ONE / total)
    y = np.zeros_like(scores)
    y[:, :, : row.channels] = shares.reshape(n, row.channels, row.heads, pixels).swapaxes(1, 2)
    return y.reshape(x.shape)


def factors(row: FloatRow, trained: Parameters) -> tuple[Values, Values]:
    """Return the factor and the offset of each channel, `(channels,)`, or value, `(channels, pixels)`; 1 and 0 without."""
    shape = (row.channels, -1) if row.each else (row.channels,)
    there = {
        name: np.asarray(trained[name], np.float32).reshape(shape)
        for name in ("weight", "bias")
        if name in trained
    }
    like = next(iter(there.values()), np.zeros(row.channels, np.float32))
    return there.get("weight", np.ones_like(like)), there.get("bias", np.zeros_like(like))


def summed(values: Values) -> Values:
    """Return the sum of the channels of each pixel of `(n, channels, pixels, 1)`, in the unit's order."""
    n, channels, pixels, _ = values.shape
    words = words_of(channels)
    filled = np.zeros((n, words * LANES, pixels), np.float32)
    filled[:, :channels] = values[..., 0]
    part = filled.reshape(n, words, LANES, pixels)
    while part.shape[2] > 1:
        part = part[:, :, 0::2] + part[:, :, 1::2]
    sums = [np.zeros((n, pixels), np.float32) for _ in range(TURNS)]  # the latest first
    for word in range(words):
        sums = [sums[-1] + part[:, word, 0], *sums[:-1]]
    total: Values = (sums[0] + sums[1]) + (sums[2] + sums[3])
    return total.reshape(n, 1, pixels, 1)


def _gelu(x: Values) -> Values:
    z = np.abs(x) * HALF_ROOT
    t = ONE / (ONE + TAIL_STEP * z)
    tail = np.full_like(t, TAIL[0])
    for coefficient in TAIL[1:]:
        tail = tail * t + coefficient
    tail = tail * t * exp_of(-(z * z))
    y: Values = HALF * x * np.where(x < 0, tail, TWO - tail)
    return y


FUNCTIONS: Mapping[str, Callable[[Values], Values]] = {
    "gelu": _gelu,
    "gelu_tanh": lambda x: x * sigmoid(TWICE * (x + CUBIC * x * x * x)),
    "silu": lambda x: x * sigmoid(x),
    "sigmoid": sigmoid,
    "tanh": tanh,
}
