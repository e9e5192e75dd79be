"""What the array computes, exactly: the order of its sums and the rounding of its results."""

from __future__ import annotations

import numpy as np

from aieloom.arrays import Values
from aieloom.network.elements import bfloat16_bits, to_bfloat16
from aieloom.network.quantisation import limits
from aieloom.spec.types import DataType
from aieloom.strategies.array_gemm.types import PlacedProduct

STORED = {
    DataType.FLOAT32: np.float32,
    DataType.BFLOAT16: np.uint16,  # its bits
    DataType.INT8: np.int8,
    DataType.INT16: np.int16,
    DataType.INT32: np.int32,
}


def operands(plan: PlacedProduct, seed: int = 1) -> tuple[Values, Values]:
    """Return seeded matrices A and B: float32 values for float types, elements for integers."""
    r = plan.request
    random = np.random.default_rng(seed)
    shapes = ((r.m, r.k), (r.k, r.n))
    if r.dtype is DataType.INT8:
        integers = [random.integers(-128, 128, s).astype(np.int8) for s in shapes]
        return integers[0], integers[1]
    floats = [random.normal(0, 1, s).astype(np.float32) for s in shapes]
    if r.dtype is DataType.BFLOAT16:
        floats = [to_bfloat16(v) for v in floats]
    return floats[0], floats[1]


def reference(plan: PlacedProduct, a: Values, b: Values) -> Values:
    """Return C as the array gives it.

    Integers: exact sums, shifted right with halves up, saturated. Floats: within a pass one product after another in the
    order of the chain's parts of K, from 0; the sums of the passes are added in their order; each step is rounded to float32.
    """
    r = plan.request
    if r.dtype is DataType.INT8:
        sums = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.int64)  # exact below 2^53
        half = (1 << r.shift) >> 1
        low, high = limits(r.out) if r.out is not DataType.INT32 else (-(1 << 31), (1 << 31) - 1)
        elements: Values = np.clip((sums + half) >> r.shift, low, high).astype(STORED[r.out])
        return elements
    sums = _float_sums(plan, a.astype(np.float32), b.astype(np.float32))
    return to_bfloat16(sums) if r.out is DataType.BFLOAT16 else sums


def _float_sums(plan: PlacedProduct, a: Values, b: Values) -> Values:
    r, tm, result = plan.request, plan.cut.tile[0], np.empty((plan.request.m, plan.request.n), np.float32)
    x_all = plan.cut.grid[0]
    orders: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for x in range(x_all):
        for z in range(plan.cut.grid[2]):
            chain = [c for c in plan.cores if (c.x, c.z) == (x, z)]
            orders.setdefault(tuple(c.part for c in chain), []).append((x, z))
    rows, cols = np.arange(r.m) // tm % x_all, np.arange(r.n) // plan.cut.tile[2] % plan.cut.grid[2]
    for parts, chains in orders.items():
        sums = _ordered(plan, a, b, parts)
        for x, z in chains:
            here = np.ix_(rows == x, cols == z)
            result[here] = sums[here]
    return result


def _ordered(plan: PlacedProduct, a: Values, b: Values, parts: tuple[int, ...]) -> Values:
    """Return all sums as chains with their parts of K in this order add them."""
    (_, ki, _), tk, y = plan.cut.times, plan.cut.tile[1], plan.cut.grid[1]
    total = np.zeros((len(a), b.shape[1]), np.float32)
    product = np.empty_like(total)
    for p in range(ki):
        sums = np.zeros_like(total)
        for part in parts:
            begin = (p * y + part) * tk
            for k in range(begin, min(begin + tk, a.shape[1])):
                np.multiply(a[:, k, None], b[k], out=product)
                np.add(sums, product, out=sums)
        total = sums if p == 0 else total + sums
    return total + np.float32(0)  # zeros that fill up K turn -0 into 0


def stored(values: Values, dtype: DataType) -> bytes:
    """Return a matrix as files have it: row after row, bfloat16 as its bits."""
    data = bfloat16_bits(values) if dtype is DataType.BFLOAT16 else values.astype(STORED[dtype])
    return data.tobytes()
