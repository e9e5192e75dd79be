"""Operands with extremes, and the arithmetic of the AI Engine as plain definitions on Python integers and NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

TYPES: dict[str, Any] = {
    "int8": np.int8,
    "uint8": np.uint8,
    "int16": np.int16,
    "uint16": np.uint16,
    "int32": np.int32,
    "uint32": np.uint32,
    "float": np.float32,
}


def operands(rng: np.random.Generator, kind: str, count: int) -> Array:
    """Return numbers of an element type, a quarter of the integers at the ends of the range; bfloat16 as its bits."""
    if kind == "float":
        return (rng.standard_normal(count) * 10.0 ** rng.integers(-3, 4, count)).astype(np.float32)
    if kind == "bfloat16":
        bits: Array = rng.standard_normal(count).astype(np.float32).view(np.uint32) >> 16
        return bits.astype(np.uint16)
    if kind in {"int4", "uint4"}:
        low, high = (-8, 7) if kind == "int4" else (0, 15)
        return rng.integers(low, high, count, endpoint=True, dtype=np.int8)
    info = np.iinfo(TYPES[kind])
    some: Array = rng.integers(info.min, info.max, count, endpoint=True, dtype=TYPES[kind])
    ends = rng.choice(np.array([info.min, info.max, 0, 1], dtype=TYPES[kind]), count)
    mixed: Array = np.where(rng.random(count) < 0.25, ends, some)
    return mixed.astype(TYPES[kind])


def wrap(values: Array, bits: int) -> Array:
    """Cut integers to two's complement of `bits`."""
    half = 1 << (bits - 1)
    cut: Array = np.vectorize(lambda x: ((int(x) + half) % (2 * half)) - half, otypes=[object])(values)
    return cut


def pack_nibbles(values: Array) -> bytes:
    """Return two values in a byte, the first in the low half."""
    nibbles: Array = values.astype(np.int64) & 15
    pairs: Array = nibbles[0::2] | nibbles[1::2] << 4
    return bytes(pairs.astype(np.uint8))


def bfloat16_to_float(bits: Array) -> Array:
    """Return the float32 values of bfloat16 bits."""
    wide: Array = bits.astype(np.uint32) << 16
    return wide.view(np.float32)


def shift_round(x: int, s: int, mode: str) -> int:
    """Return x / 2^s rounded to an integer, from the definition of each mode (UG1079), in exact integers."""
    if s <= 0:
        return x << -s
    one = 1 << s
    low = x // one  # floor
    twice = 2 * (x - low * one)  # distance to the floor, in halves of the unit
    sign = 1 if x >= 0 else -1
    if mode in {"floor", "ceil"}:
        return low if mode == "floor" or twice == 0 else low + 1
    if mode in {"symmetric_floor", "symmetric_ceil"}:
        towards_zero = sign * (abs(x) // one)
        exact = twice == 0
        return towards_zero if mode == "symmetric_floor" or exact else towards_zero + sign
    if twice != one:
        return low if twice < one else low + 1
    up = {
        "positive_inf": True,
        "negative_inf": False,
        "symmetric_inf": sign > 0,
        "symmetric_zero": sign < 0,
        "conv_even": low % 2 == 1,
        "conv_odd": low % 2 == 0,
    }[mode]
    return low + 1 if up else low


def saturate(x: int, bits: int, signed: bool, mode: str) -> int:
    """Return x in `bits` by the saturation mode."""
    high = (1 << (bits - 1)) - 1 if signed else (1 << bits) - 1
    low = -high - 1 if signed else 0
    if mode == "none":
        return (x - low) % (1 << bits) + low
    if mode == "symmetric" and signed:
        low = -high
    return min(max(x, low), high)
