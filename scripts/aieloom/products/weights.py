"""Weights and what stands beside them as the cores read them."""

from __future__ import annotations

import numpy as np

from aieloom.layout.expression import index
from aieloom.layout.nest import Layout, axis
from aieloom.network.bfloat16 import bfloat16_bits
from aieloom.network.groups import weight_matrix
from aieloom.network.layers import Parameters, Requant, Tensor
from aieloom.network.quantisation import NUMPY
from aieloom.plan.requant import row_vectors
from aieloom.plan.types import AieLayerPlan
from aieloom.spec.quantize import Scales
from aieloom.spec.types import DataType

FACTOR_BITS = 30  # a dividing factor 2^(30 - e) fits 32 bits for every exponent e from 0 to 30


def packed_weights(layer: AieLayerPlan, params: Parameters) -> tuple[Tensor, Tensor]:
    """Return each part's weights and rows as its cores read them: `(parts*cascade, passes*M*K)`, `(parts, M*n*vectors)`.

    The cores of a chain have their parts of K one after another.
    Rows and columns beyond the matrix are zero; each value of a row stands once for every column of an mmul block.
    """
    grid, integer = layer.grid, layer.draft.requant is not None
    kind = NUMPY[layer.draft.dtype] if integer else np.float32
    weights = grid.weights.gather(weight_matrix(params["weight"], grid.k).astype(kind))
    weights = weights.reshape(grid.parts * grid.cascade, -1)
    if layer.draft.dtype is DataType.BFLOAT16:
        weights = bfloat16_bits(weights).astype(np.int16)  # stored as their bits
    return weights, _rows(layer, params)


def _rows(layer: AieLayerPlan, params: Parameters) -> Tensor:
    """Return for each row of mmul blocks its vectors one after another: bias, multipliers, ..."""
    grid, requant = layer.grid, layer.draft.requant
    if requant:
        vectors = np.asarray(row_columns(requant, params)).astype(np.int32)
    else:
        bias = params["bias"] if layer.draft.has_bias else np.zeros(grid.m)
        vectors = np.asarray([bias], np.float32)
    m, _, n = grid.mmul
    part, mt, vector = index("part", grid.parts), index("mt", grid.tile_m // m), index("vector", len(vectors))
    i, j = index("row", m), index("col", n)
    output = axis("output", part * grid.tile_m + mt * m + i, grid.m)
    beside = Layout((part, mt, vector, i, j), (axis("of", vector, len(vectors)), output))
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
