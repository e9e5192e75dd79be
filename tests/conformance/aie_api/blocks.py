"""Definitions of intrinsics' blocks of operands."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.conformance.aie_api.lane_values import Array


def nibbles(low: int, high: int = 0) -> list[int]:
    return [low >> 4 * i & 15 for i in range(8)] + [high >> 4 * i & 15 for i in range(8)]


def x_block(x: Array, start: int, offsets: list[int], square: int, at: tuple[int, int, int]) -> int:
    """Return the 16-bit datum of a lane and column: pairs chosen by 32 bits, then permuted in squares of 2 x 2."""
    lane, column, step = at
    even, odd = offsets[lane & ~1], offsets[lane | 1]
    base = start + (column // 2) * step
    square_of_four = [2 * even, 2 * even + 1, 2 * (even + odd + 1), 2 * (even + odd + 1) + 1]
    return int(x[(base + square_of_four[square >> 4 * (2 * (lane % 2) + column % 2) & 15]) % x.size])


def symmetric(
    x: tuple[Array, int, int, int],
    y: tuple[Array, int],
    z: tuple[Array, int, int, int],
    shape: tuple[int, int],
    **how: Any,
) -> Array:
    """Return the lanes of a MAC with pre-adder [UG1078]: sums over columns of (x +- y) * z; y goes down where x goes up.

    x, z: buffer, start, offsets, step; y: buffer, start. `center`: where the last column's only number is, from the lane's first.
    """
    lanes, columns = shape
    (data, start, offsets, step), (factors, zstart, zoffsets, zstep) = x, z
    other, ys = y
    sums = []
    for lane in range(lanes):
        at, zat, total = offsets >> 4 * lane & 15, zoffsets >> 4 * lane & 15, 0
        for c in range(columns):
            far = other[(ys + at - c * step) % len(other)]
            pair = data[(start + at + c * step) % len(data)] + how.get("sign", 1) * far
            if "center" in how and c == columns - 1:
                pair = data[(start + how["center"] + at) % len(data)]
            total = total + pair * factors[(zstart + zat + c * zstep) % len(factors)]
        sums.append(total)
    return np.array(sums)
