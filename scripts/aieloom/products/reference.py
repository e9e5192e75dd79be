"""What cores compute of a layer of sums of products, in the hardware's own order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from aieloom.arrays import Values
from aieloom.layout.grid import Window
from aieloom.layout.nest import PADDING
from aieloom.network.elements import to_bfloat16
from aieloom.network.layers import Parameters, Requant, weight_matrix
from aieloom.network.quantisation import requantise
from aieloom.plan.types import AieLayerDraft
from aieloom.spec.types import DataType


def im2col(draft: AieLayerDraft, x: Values) -> Values:
    """Return the im2col matrices `(batch, taps, pixels)` of `x` `(batch, channels, height, width)`."""
    return gathered(draft.window, x, draft.x.zero)


def gathered(window: Window, x: Values, outside: int = 0) -> Values:
    """Return what `window` sees of `x`, taps by pixels; `outside` the image lies that value."""
    assert PADDING == -1
    flat = np.pad(x.reshape(len(x), -1), ((0, 0), (0, 1)), constant_values=outside)
    return np.take(flat, _sources(window), axis=1)


@lru_cache(maxsize=32)
def _sources(window: Window) -> Values:
    """Return the flat input index of each element of the im2col matrix."""
    return window.layout.flat().reshape(window.taps, window.pixels)


def hardware(draft: AieLayerDraft, params: Parameters, x: Values) -> Values:
    """Return what the cores compute, in the precision of `x`.

    float32: bias first, then one product after another in order of K, each product and each sum rounded
    (separate multiplier and adder, AM009 Floating-Point Vector Unit; passes continue the same sum).
    float64: the same table network without that rounding; the order does not matter then.
    Integers: their exact sums, scaled back as the layer's `requant` says.
    """
    return _in_bands(_hardware, draft, params, x)


def _hardware(draft: AieLayerDraft, params: Parameters, x: Values) -> Values:
    if draft.requant:
        return np.concatenate([_integers(draft, draft.requant, params, part) for part in portions(draft, x)])
    if x.dtype == np.float64:
        weight, bias = matrices(draft, params, x.dtype)
        return _product(draft, weight, x) + bias[:, None, None]
    if (
        draft.dtype is DataType.BFLOAT16
    ):  # exact products of 16 bits, float32 sums in order of K, rounded at the end
        x, params = to_bfloat16(x), {**params, "weight": to_bfloat16(params["weight"])}
        return to_bfloat16(np.concatenate([_sums(draft, params, part)[0] for part in portions(draft, x)]))
    return np.concatenate([_sums(draft, params, part)[0] for part in portions(draft, x)])


def _integers(draft: AieLayerDraft, requant: Requant, params: Parameters, x: Values) -> Values:
    """Return the elements of an integer layer; float64 products are exact, the sums stay below 2^47."""
    weight = weight_matrix(params["weight"], draft.grid.k).astype(np.float64)
    sums = (weight @ im2col(draft, x).astype(np.float64)).astype(np.int64)
    bias, multiplier, shift = (params[n].astype(np.int64)[:, None] for n in ("bias", "multiplier", "shift"))
    elements = requantise(sums + (bias << requant.bias_shift), requant, multiplier, shift, draft.y.dtype)
    return elements.reshape(len(x), *draft.y.shape)


def rounding(draft: AieLayerDraft, params: Parameters, x: Values) -> Values:
    """Return how far rounding may move each sum of `hardware(draft, params, x)` with float32 `x`.

    Every product and every partial sum errs by at most half a unit in its last place, u = 2^-24 of its size,
    and independently of the others: a random walk. CONFIDENCE standard deviations of it are returned.
    """
    return _in_bands(_rounding, draft, params, x)


def _rounding(draft: AieLayerDraft, params: Parameters, x: Values) -> Values:
    return np.concatenate([_sums(draft, params, part, walk=True)[1] for part in portions(draft, x)])


def spread(draft: AieLayerDraft, params: Parameters, deviation: Values) -> Values:
    """Return how far the sums move at most when each input moves by at most `deviation`."""
    return _in_bands(_spread, draft, params, deviation, outside=0)


def _spread(draft: AieLayerDraft, params: Parameters, deviation: Values) -> Values:
    weight, _ = matrices(draft, params, deviation.dtype)
    return _product(draft, np.abs(weight), deviation)


def _in_bands(
    function: Callable[[AieLayerDraft, Parameters, Values], Values],
    draft: AieLayerDraft,
    params: Parameters,
    x: Values,
    outside: int | None = None,
) -> Values:
    """Apply `function` to a large image a few rows of the output at a time: its im2col matrix would fill the memory."""
    w = draft.window
    rows = max(1, BAND_ELEMENTS // (w.taps * w.out_width))
    if rows >= w.out_height:
        return function(draft, params, x)
    border = ((0, 0), (0, 0), (w.padding[0],) * 2, (w.padding[1],) * 2)
    padded = np.pad(x, border, constant_values=draft.x.zero if outside is None else outside)
    bands = []
    for top in range(0, w.out_height, rows):
        count = min(rows, w.out_height - top)
        first, lines = top * w.stride[0], (count - 1) * w.stride[0] + w.kernel[0]
        window = replace(w, height=lines, width=padded.shape[3], padding=(0, 0))
        y = replace(draft.y, shape=(draft.y.shape[0], count, w.out_width))
        bands.append(
            function(replace(draft, window=window, y=y), params, padded[:, :, first : first + lines])
        )
    return np.concatenate(bands, axis=2)


BAND_ELEMENTS = 1 << 22  # of an im2col matrix at a time
UNIT = 2.0**-24  # half a unit in the last place of a float32 between 1 and 2
CONFIDENCE = 6.0  # a value beyond six standard deviations is not expected in a billion
CACHE_BYTES = 1 << 18  # sums and products of this size stay in a core's second-level cache


def matrices(draft: AieLayerDraft, params: Parameters, dtype: np.dtype[Any]) -> tuple[Values, Values]:
    """Return the weights as the product's matrix, and the biases."""
    weight = weight_matrix(params["weight"], draft.grid.k).astype(dtype)
    bias = params["bias"].astype(dtype) if draft.has_bias else np.zeros(draft.grid.m, dtype)
    return weight, bias


def _product(draft: AieLayerDraft, weight: Values, x: Values) -> Values:
    """Return `weight` times the im2col matrices, as images."""
    matrices = [weight @ im2col(draft, part) for part in portions(draft, x)]
    return np.concatenate(matrices).reshape(len(x), *draft.y.shape)


def portions(draft: AieLayerDraft, x: Values) -> list[Values]:
    """Return `x` in portions of as many images as fit into the cache while they are summed."""
    images = max(1, CACHE_BYTES // (draft.grid.m * draft.window.pixels * x.dtype.itemsize))
    return [x[i : i + images] for i in range(0, len(x), images)]


def _sums(
    draft: AieLayerDraft, params: Parameters, x: Values, *, walk: bool = False
) -> tuple[Values, Values]:
    """Return the sums in the cores' order and, for `walk`, the width of the rounding errors' random walk."""
    weight, bias = matrices(draft, params, x.dtype)
    by_tap = np.ascontiguousarray(im2col(draft, x).transpose(1, 0, 2)).reshape(draft.grid.k, -1)
    total = np.repeat(bias[:, None], by_tap.shape[1], axis=1)
    product = np.empty_like(total)
    squares = np.zeros_like(total)
    for k in draft.grid.sum_order():
        np.multiply(weight[:, k, None], by_tap[k], out=product)
        np.add(total, product, out=total)
        if walk:
            squares += np.square(product, out=product)
            squares += np.square(total, out=product)
    if draft.grid.passes * draft.grid.tile_k > draft.grid.k:
        total += x.dtype.type(0)  # the zeros that fill up K: they turn -0 into 0
    return _images(draft, total, len(x)), _images(draft, CONFIDENCE * UNIT * np.sqrt(squares), len(x))


def _images(draft: AieLayerDraft, matrix: Values, images: int) -> Values:
    """Return `(channels, images * pixels)` as `(images, channels, height, width)`."""
    return matrix.reshape(draft.grid.m, images, -1).transpose(1, 0, 2).reshape(images, *draft.y.shape)
