"""Lazy operations, widths of accumulators, operators, 4-bit integers, bfloat16: what the other files leave out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.conformance import native
from tests.conformance.aie_api.cases import attempt, call, compare
from tests.conformance.aie_api.lane_values import Array, bfloat16_to_float, operands, wrap

ARCHITECTURES = ("aie", "aie-ml")
Named = list[tuple[str, Any]]


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_op_add_op_none_op_zero_op_sub_op_abs_op_neg_op_max_op_min(arch: str) -> None:
    rng = np.random.default_rng(40)
    a, b = operands(rng, "int16", 16), operands(rng, "int16", 16)
    x, y = a.astype(np.int64), b.astype(np.int64)
    bits = 48 if arch == "aie" else 32
    magnitude = np.abs(a).astype(np.int64)  # of int16: -32768 stays
    results = [2 * x * y, 2 * x * y, 2 * x * y, 2 * x * y, magnitude * y, x * y, x * y]
    results += [np.maximum(x, y) * y, np.minimum(x, 5) * np.maximum(x, y)]
    names = ["op_add", "op_none", "op_zero false", "msc op_sub", "op_abs", "op_neg twice", "negmul op_neg"]
    names += ["op_max", "op_min and op_max"]
    expected: Named = [(n, wrap(v.astype(object), bits)) for n, v in zip(names, results, strict=True)]
    compare(call("more", arch, "lazy", a, b), expected, np.int64)


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_upd_all_grow_extract_split_equal_vector_cast_and_operators(arch: str) -> None:
    v = operands(np.random.default_rng(41), "int16", 16)
    count = np.arange(16, dtype=np.int16)
    twice = (2 * count - 1).astype(np.int16)
    expected: Named = [
        ("grow_extract of more", v),
        ("grow_extract of less", v[8:]),
        ("split", v[8:]),
        ("equal, not_equal", np.int32(3)),
        ("upd_all", count),
        ("values", np.array([9, 8, 7, 6], dtype=np.int32)),
        ("vector_cast", count.view(np.int32)),
        ("pack, unpack", count),
        ("+=, -=", twice),
        ("<", np.uint32(sum(1 << i for i in range(16) if twice[i] < 5))),
        ("&, |, ^", twice & np.int16(12)),
        ("<<", (twice << np.int16(2)).astype(np.int16)),
        ("~, >>", (~twice >> np.int16(1)).astype(np.int16)),
    ]
    compare(call("more", arch, "vectors", v), expected, np.int16)


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_reduce_mul_reduce_add_of_floats_halves_first(arch: str) -> None:
    x = operands(np.random.default_rng(42), "float", 8)
    product, total = x.copy(), x.copy()
    while product.size > 1:
        half = product.size // 2
        product, total = product[:half] * product[half:], total[:half] + total[half:]
    expected: Named = [("reduce_mul", product), ("reduce_add", total), ("reduce_add_v", total)]
    expected.append(("accfloat ignores the shift", x))
    compare(call("more", arch, "floats", x), expected, np.float32)


@pytest.mark.parametrize(
    ("arch", "bits", "shift"), [("aie", 48, 16), ("aie", 80, 48), ("aie-ml", 32, 0), ("aie-ml", 64, 32)]
)
def test_accumulators_wrap_at_their_own_width(arch: str, bits: int, shift: int) -> None:
    v = np.array([0x7FFFFFFF, -0x80000000, 1, -1, 0x12345678, -5, 0x10000000, -0x10000001], dtype=np.int32)
    out = call("more", arch, f"width {bits}", v, np.array([shift], dtype=np.int32))
    sums = [int.from_bytes(out[i : i + 16], "little", signed=True) for i in range(0, 128, 16)]
    want = wrap(np.array([int(x) << shift + 3 for x in v], dtype=object), bits).tolist()
    assert sums == want
    kept = [(x >> shift) + (1 << 31) & 0xFFFFFFFF for x in want]  # no saturation: the low 32 bits
    assert np.frombuffer(out[128:], dtype=np.int32).tolist() == [x - (1 << 31) for x in kept]


def test_shifts_between_32_bit_accumulators_and_elements_are_refused_on_aie_ml() -> None:
    outcome = attempt(
        "more", "aie-ml", "width 32", np.zeros(8, dtype=np.int32), np.array([3], dtype=np.int32)
    )
    assert outcome.code == native.REFUSED
    assert (
        "[aie-shift] aie::accum::from_vector: shift 3 between a 32-bit accumulator and 32-bit elements"
        in outcome.errors
    )


def test_int4_vectors_are_packed_two_in_a_byte() -> None:
    memory = operands(np.random.default_rng(43), "uint8", 32)
    low, high = (memory & 15).astype(np.int16), (memory >> 4).astype(np.int16)
    unsigned = np.stack([low, high], axis=1).ravel().astype(np.uint8)
    signed = ((unsigned.astype(np.int16) ^ 8) - 8).astype(np.int8)
    changed = memory.copy()
    changed[1] = changed[1] & 0xF0 | 8
    expected: Named = [
        ("unpack", signed),
        ("pack", memory),
        ("extract", signed[32:]),
        ("get", signed[3]),
        ("set", changed),
        ("uint4", unsigned),
    ]
    compare(call("more", "aie-ml", "nibbles", memory), expected, np.int8)


def nearest_even(values: Array) -> Array:
    """Return the bfloat16 bits of float32 values, ties to even."""
    words: Array = values.astype(np.float32).view(np.uint32).astype(np.uint64)
    rounded: Array = (words + 0x7FFF + (words >> 16 & 1)) >> 16
    return rounded.astype(np.uint16)


def test_bfloat16_arithmetic() -> None:
    rng = np.random.default_rng(44)
    a, b = operands(rng, "bfloat16", 16), operands(rng, "bfloat16", 16)
    x, y = bfloat16_to_float(a), bfloat16_to_float(b)
    half = np.float32(0.5)
    fixed = np.floor(x.astype(np.float64) * 16).astype(np.int16)
    expected: Named = [
        ("add", nearest_even(x + y)),
        ("sub", nearest_even(x - y)),
        ("mul", x * y),
        ("mac", nearest_even(x * y + x * y)),
        ("max", np.where(x < y, b, a)),
        ("min", np.where(half < x, nearest_even(np.array([half])), a)),
        ("abs", a & np.uint16(0x7FFF)),
        ("neg", a ^ np.uint16(0x8000)),
        ("lt", np.uint32(sum(1 << i for i in range(16) if x[i] < y[i]))),
        ("to_fixed", fixed),
        ("to_float", nearest_even(fixed.astype(np.float32) / 16)),
        ("constant", np.uint16(0x3EAB)),
    ]
    compare(call("more", "aie-ml", "bfloat16", a, b), expected, np.uint16)
