"""What the cores of a layer in a chain compute: sums in their order, then what is fused into the layer."""

from __future__ import annotations

import numpy as np

from aieloom.arrays import Values
from aieloom.layout.nest import PADDING
from aieloom.network.elements import to_bfloat16
from aieloom.network.layers import Parameters, weight_matrix
from aieloom.network.quantisation import requantise
from aieloom.plan.types import AieLayerDraft
from aieloom.products.reference import im2col, matrices, portions
from aieloom.strategies.chained.grid import POOL, BlockGrid, ChainGrid


def chained(draft: AieLayerDraft, grid: ChainGrid, params: Parameters, x: Values) -> Values:
    """Return what the cores of a layer in a chain compute: sums in their order, then what is fused into the layer."""
    x = x.reshape(len(x), *draft.x.shape)
    parts = [_chained(draft, grid, params, part) for part in portions(draft, x)]
    return np.concatenate(parts).reshape(len(x), *draft.y.shape)


def _chained(draft: AieLayerDraft, grid: ChainGrid, params: Parameters, x: Values) -> Values:
    window = grid.window
    if draft.requant:
        sums = weight_matrix(params["weight"], grid.k).astype(np.float64) @ im2col(draft, x).astype(
            np.float64
        )
        bias, multiplier, shift = (
            params[n].astype(np.int64)[:, None] for n in ("bias", "multiplier", "shift")
        )
        y = requantise(sums.astype(np.int64) + bias, draft.requant, multiplier, shift, draft.y.dtype)
    else:
        y = to_bfloat16(_ordered_sums(draft, grid, params, x))
    y = y.reshape(len(x), grid.m, window.out_height, window.out_width)
    y = within(grid, y)
    if grid.pooled:
        rows, cols = (POOL * s for s in grid.out_size)
        pairs = y[:, :, :rows, :cols].reshape(len(x), grid.m, rows // POOL, POOL, cols // POOL, POOL)
        y = pairs.max(axis=(3, 5))
    result: Values = y
    return result


def within(grid: BlockGrid, y: Values) -> Values:
    """Return results within the bounds of what is fused into a layer."""
    y = y if grid.low is None else np.where(y < grid.low, y.dtype.type(grid.low), y)
    return y if grid.high is None else np.where(y > grid.high, y.dtype.type(grid.high), y)


def _ordered_sums(draft: AieLayerDraft, grid: ChainGrid, params: Parameters, x: Values) -> Values:
    """Return float32 sums of bfloat16 products, the bias first, then in the order in which the cores add."""
    weight, bias = matrices(draft, {**params, "weight": to_bfloat16(params["weight"])}, x.dtype)
    columns = im2col(draft, to_bfloat16(x))
    orders = [order for _, order in grid.tap_order()]
    sums: Values = np.stack([_summed(weight, bias, columns, order) for order in orders])
    if len(orders) == 1:
        first: Values = sums[0]
        return first
    sums = sums.reshape(len(orders), len(x), grid.m, grid.window.out_height, grid.window.out_width)
    y, x_ = (np.arange(s) % POOL for s in sums.shape[3:])
    chosen: Values = np.take_along_axis(sums, (y[:, None] * POOL + x_)[None, None, None], axis=0)[0]
    return chosen


def _summed(weight: Values, bias: Values, columns: Values, order: Values) -> Values:
    total = np.broadcast_to(bias[None, :, None], (len(columns), len(bias), columns.shape[2])).copy()
    for k in order[order != PADDING]:
        total += weight[None, :, k, None] * columns[:, None, k]
    if (order == PADDING).any():
        total += total.dtype.type(0)  # the zeros that fill up blocks: they turn -0 into 0
    return total
