"""Weights and what stands beside them as the cores read them."""

from __future__ import annotations

import numpy as np

from aieloom.layout.expression import Index, index
from aieloom.layout.nest import Layout, axis
from aieloom.network.elements import stored
from aieloom.network.layers import Parameters, Requant, Tensor, weight_matrix
from aieloom.plan.scaling_code import row_vectors
from aieloom.plan.types import AieLayerPlan
from aieloom.spec.quantize import Scales

FACTOR_BITS = 30  # a dividing factor 2^(30 - e) fits 32 bits for every exponent e from 0 to 30


def packed_weights(layer: AieLayerPlan, params: Parameters) -> tuple[Tensor, Tensor]:
    """Return each part's weights and rows as its cores read them: `(parts*cascade, passes*M*K)`, `(parts, M*n*vectors)`.

    The cores of a chain have their parts of K one after another.
    Rows and columns beyond the matrix are zero; each value of a row stands once for every column of an mmul block.
    """
    grid = layer.grid
    weights = grid.weights.gather(stored(weight_matrix(params["weight"], grid.k), layer.draft.dtype))
    i, j = index("row", grid.mmul[0]), index("col", grid.mmul[2])
    return weights.reshape(grid.parts * grid.cascade, -1), packed_rows(layer, params, i, (i, j))


def packed_rows(
    layer: AieLayerPlan, params: Parameters, channel: Index, block: tuple[Index, Index]
) -> Tensor:
    """Return `(parts, ...)`: of each block of channels its vectors, bias, multipliers, in the block's order."""
    grid, requant = layer.grid, layer.draft.requant
    bias = params["bias"] if layer.draft.has_bias else np.zeros(grid.m)
    columns = row_columns(requant, params) if requant else [bias]
    vectors = np.asarray(columns).astype(np.int32 if requant else np.float32)
    each = channel.count.number
    part, step = index("part", grid.parts), index("block", grid.tile_m // each)
    vector = index("vector", len(vectors))
    output = axis("output", part * grid.tile_m + step * each + channel, grid.m)
    beside = Layout((part, step, vector, *block), (axis("of", vector, len(vectors)), output))
    return beside.gather(vectors).reshape(grid.parts, -1)


def row_columns(requant: Requant, params: Parameters) -> list[Tensor]:
    """Return the vectors of all channels, in the order in which a core finds them."""
    multiplier, shift = params["multiplier"].astype(np.int64), params["shift"].astype(np.int64)
    vectors = [params["bias"]]
    if requant.scaling is Scales.MULTIPLIER16:
        vectors.append(multiplier << (requant.shift - (15 - shift)))
    elif requant.scaling is Scales.MULTIPLIER:
        exponent = np.maximum(-shift, 0)
        factor = np.where(exponent > FACTOR_BITS, 0, np.int64(1) << np.maximum(FACTOR_BITS - exponent, 0))
        vectors += [multiplier, factor]
    elif requant.scaling is Scales.ONNX:
        vectors.append(multiplier)
    if requant.left:
        vectors.append(np.int64(1) << np.maximum(shift, 0))
    assert len(vectors) == row_vectors(requant)
    return vectors


def rows_note(layer: AieLayerPlan) -> str:
    """Return a comment on the rows."""
    grid, requant = layer.grid, layer.draft.requant
    n = grid.mmul[2]
    if requant is None:
        return f"{grid.tile_m} rows, each {n} times: the columns of an mmul block"
    names = {
        Scales.POWER_OF_TWO: "bias",
        Scales.MULTIPLIER16: "bias, multiplier",
        Scales.MULTIPLIER: "bias, multiplier, 2^(30 - shift to the right)",
        Scales.ONNX: "bias, multiplier",
    }[requant.scaling] + ", 2^shift to the left" * requant.left
    return f"for each of {grid.tile_m // grid.mmul[0]} rows of mmul blocks: {names}, each value {n} times"
