"""What the matrix engine computes, to the bit: NumPy in its order of accumulation."""

from __future__ import annotations

import numpy as np

from aieloom.arrays import Values
from aieloom.matrix_engine.arithmetic import Element

STORED: dict[Element, type[np.number]] = {
    "float32": np.float32,
    "float16": np.float32,
    "int8": np.int8,
}  # A and B in memory
RESULT: dict[Element, type[np.number]] = {
    "float32": np.float32,
    "float16": np.float32,
    "int8": np.int32,
}  # C and R
SUMS: dict[Element, type[np.number]] = {"float32": np.float32, "float16": np.float16, "int8": np.int32}


def product(
    a: Values,
    b: Values,
    element: Element,
    block_k: int,
    *,
    alpha: float = 1,
    beta: float = 0,
    c: Values | None = None,
) -> Values:
    """Return alpha A B + beta C as the engine gives it: A `(m, k)`, B `(k, n)`, C `(m, n)` in the types of STORED and RESULT.

    Sums begin at 0; product after product in order of K is rounded and added, rounded again, in the engine's type; zeros fill
    K up to whole blocks. Then alpha times the sum, beta times C and their sum are rounded to C's type each. Integers are
    exact modulo 2^32. Where beta is 0, C is not read.
    """
    if element == "int8":
        wide = a.astype(np.int64) @ b.astype(np.int64) * int(alpha)
        if beta:
            assert c is not None
            wide = wide + int(beta) * c.astype(np.int64)
        return wide.astype(np.uint32).view(np.int32)
    with np.errstate(all="ignore"):
        sums = _sums(a.astype(SUMS[element]), b.astype(SUMS[element]), block_k).astype(np.float32)
        scaled: Values = np.float32(alpha) * sums
        if beta:
            assert c is not None
            scaled = scaled + np.float32(beta) * c.astype(np.float32)
    return scaled


def _sums(a: Values, b: Values, block_k: int) -> Values:
    total = np.zeros((len(a), b.shape[1]), a.dtype)
    for k in range(a.shape[1]):
        total += a[:, k, None] * b[k]
    if a.shape[1] % block_k:
        total += a.dtype.type(0)  # zeros that fill up K turn -0 into 0
    return total
