"""Elementwise functions, comparisons, reductions and reshaping against their definitions in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.conformance.aie_api.cases import call, compare
from tests.conformance.aie_api.lane_values import TYPES, Array, operands, saturate, wrap

LANES = {"int8": 32, "uint8": 32, "int16": 16, "uint16": 16, "int32": 8, "uint32": 8, "float": 8}
COMMON = ("int8", "uint8", "int16", "int32", "float")
BOTH = [("aie", t) for t in COMMON] + [("aie-ml", t) for t in (*COMMON, "uint16", "uint32")]
INTEGERS = [(arch, t) for arch, t in BOTH if t != "float"]
Named = list[tuple[str, Any]]


def pair(kind: str, seed: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    return operands(rng, kind, LANES[kind]), operands(rng, kind, LANES[kind])


def narrow(values: Array, kind: str) -> Array:
    """Return exact numbers cut to an element type: modulo 2^n for integers."""
    if kind == "float":
        return values.astype(np.float32)
    bits = np.dtype(TYPES[kind]).itemsize * 8
    return np.array([int(v) & ((1 << bits) - 1) for v in values.ravel()], dtype=f"u{bits // 8}").view(
        TYPES[kind]
    )


def exact(values: Array, kind: str) -> Array:
    return values if kind == "float" else values.astype(object)


@pytest.mark.parametrize(("arch", "kind"), BOTH)
def test_add_sub_neg_min_max_maxdiff_abs_reduce(arch: str, kind: str) -> None:
    a, b = pair(kind, 1)
    s = b[3:4]
    x, y, z = exact(a, kind), exact(b, kind), exact(s, kind)[0]
    zero = np.zeros_like(x)
    expected: Named = [
        ("add", narrow(x + y, kind)),
        ("add scalar", narrow(x + z, kind)),
        ("sub", narrow(x - y, kind)),
        ("scalar sub", narrow(z - y, kind)),
        ("neg", narrow(-x, kind)),
        ("min", np.minimum(a, b)),
        ("max", np.maximum(a, b)),
        ("max scalar", np.maximum(a, s)),
        ("maxdiff", narrow(np.where(x > y, x - y, zero), kind)),
        ("abs", narrow(abs(x), kind)),
        ("reduce_min", a.min()),
        ("reduce_max", a.max()),
        ("operator+", narrow(x + y, kind)),
        ("operator-", narrow(x - y, kind)),
        ("unary operator-", narrow(-x, kind)),
    ]
    compare(call("surface", arch, f"sums {kind}", a, b, s), expected, a.dtype)


@pytest.mark.parametrize(("arch", "kind"), INTEGERS)
def test_saturating_sums_bits_shifts_clamp_reduce_add(arch: str, kind: str) -> None:
    a, b = pair(kind, 2)
    x, y = exact(a, kind), exact(b, kind)
    bits, signed = a.dtype.itemsize * 8, kind.startswith("int")
    held = np.vectorize(lambda v: saturate(int(v), bits, signed, "saturate"), otypes=[object])
    expected: Named = [
        ("saturating_add", held(x + y).astype(a.dtype)),
        ("saturating_sub", held(x - y).astype(a.dtype)),
        ("clamp", np.clip(a, 3, 100).astype(a.dtype)),
        ("bit_and", a & b),
        ("bit_or", a | b),
        ("bit_xor", a ^ b),
        ("bit_not", ~a),
        ("downshift", a >> a.dtype.type(3)),
        ("upshift", narrow(x * 8, kind)),
        ("logical_downshift", (a.view(f"u{bits // 8}") >> 3).view(a.dtype)),
        ("reduce_add", narrow(np.array([x.sum()], dtype=object), kind)),
        ("reduce_add_v", narrow(np.array([y.sum()], dtype=object), kind)),
    ]
    compare(call("surface", arch, f"bits {kind}", a, b), expected, a.dtype)


def sum_bits(arch: str, kind: str) -> int:
    """Width of the default accumulator of kind x kind."""
    wide = kind in {"int32", "uint32"}
    if arch == "aie":
        return 80 if wide else 48
    return 64 if wide else 32


@pytest.mark.parametrize(("arch", "kind"), BOTH)
def test_mul_mac_msc_negmul_square_accumulate_lazy_operations(arch: str, kind: str) -> None:
    a, b = pair(kind, 3)
    if kind in {"int32", "uint32"}:
        a, b = a // 8, b // 8  # sums of three products stay within 64 bits
    x, y, s = exact(a, kind), exact(b, kind), exact(b, kind)[1]
    ab = x * y
    zero = np.zeros_like(ab)
    results: Named = [
        ("mul", ab),
        ("mul scalar", x * s),
        ("negmul", -ab),
        ("mac", ab + x * s),
        ("msc", ab - y * y),
        ("mul_square", x * x),
        ("mac_square", ab + x * x),
        ("op_zero", zero + ab),
        ("op_sub", ab - ab),
        ("op_neg", -x * y),
        ("add of accumulators", ab + ab),
        ("accumulate", x * y[2] + y * y[3] + x * y[4]),
        ("mac with an element", ab + x * y[3]),
    ]
    width = sum_bits(arch, kind)
    if kind != "float":
        store = np.int32 if width == 32 else np.int64
        results = [(name, wrap(v, min(width, 64)).astype(store)) for name, v in results]
    compare(call("surface", arch, f"products {kind}", a, b), results, a.dtype)


@pytest.mark.parametrize(("arch", "kind"), BOTH)
def test_compare_max_cmp_min_cmp_select(arch: str, kind: str) -> None:
    a, b = pair(kind, 4)
    b[::3] = a[::3]
    expected: Named = [
        ("lt", (a < b).astype(np.uint8)),
        ("le", (a <= b).astype(np.uint8)),
        ("gt", (a > b).astype(np.uint8)),
        ("ge", (a >= b).astype(np.uint8)),
        ("eq", (a == b).astype(np.uint8)),
        ("neq", (a != b).astype(np.uint8)),
        ("max_cmp", np.maximum(a, b)),
        ("select by max_cmp", np.maximum(a, b)),
        ("min_cmp", np.minimum(a, b)),
        ("select by min_cmp", np.minimum(a, b)),
        ("select with a number", np.where(a < b, b[0], a)),
    ]
    compare(call("surface", arch, f"compares {kind}", a, b), expected, a.dtype)


def moves(a: Array, b: Array) -> Named:
    n = a.size
    both = np.concatenate([a, b])
    expected: Named = [
        ("shuffle_up_fill", np.concatenate([b[n - 3 :], a[: n - 3]])),
        ("shuffle_down_fill", np.concatenate([a[3:], b[:3]])),
        ("shuffle_up_rotate", np.roll(a, 3)),
        ("shuffle_down_rotate", np.roll(a, -3)),
        ("shuffle_up_replicate", np.concatenate([a[[0, 0, 0]], a[: n - 3]])),
        ("shuffle_down_replicate", np.concatenate([a[3:], a[[-1, -1, -1]]])),
        ("shuffle_up", a[2]),
        ("shuffle_down", a[5]),
    ]
    step = 1
    while step <= n // 2:
        zipped = np.stack([a.reshape(-1, step), b.reshape(-1, step)], axis=1).ravel()
        chunks = both.reshape(-1, 2, step)
        expected += [
            (f"interleave_zip {step}", zipped),
            (f"interleave_unzip {step}", np.concatenate([chunks[:, 0].ravel(), chunks[:, 1].ravel()])),
            (f"filter_even {step}", chunks[:, 0].ravel()),
            (f"filter_odd {step}", chunks[:, 1].ravel()),
        ]
        step *= 2
    pushed = np.concatenate([a[1:2], both[:-1]])
    inserted = pushed.copy()
    inserted[n:] = a
    changed = inserted.copy()
    changed[2], changed[3] = b[5], b[6]
    expected += [
        ("transpose", a.reshape(2, n // 2).T.ravel()),
        ("reverse", a[::-1]),
        ("concat", both),
        ("broadcast", np.full(n, b[2])),
        ("zeros", np.zeros(n, dtype=a.dtype)),
        ("push", pushed),
        ("insert", inserted),
        ("set and element references", changed),
        ("extract", changed[n:]),
        ("grow_replicate", np.concatenate([a, a])),
        ("grow", a),
        ("cast_to", a.view(np.int8)),
    ]
    return expected


@pytest.mark.parametrize(("arch", "kind"), BOTH)
def test_shuffle_interleave_filter_transpose_reverse_concat_push_insert_grow(arch: str, kind: str) -> None:
    a, b = pair(kind, 5)
    compare(call("surface", arch, f"moves {kind}", a, b), moves(a, b), a.dtype)


@pytest.mark.parametrize(
    ("arch", "kind", "small"),
    [
        ("aie", "int16", "int8"),
        ("aie", "int16", "uint8"),
        ("aie-ml", "int16", "int8"),
        ("aie-ml", "int16", "uint8"),
        ("aie-ml", "int32", "int16"),
        ("aie-ml", "uint32", "uint16"),
    ],
)
def test_pack_unpack_and_their_signs(arch: str, kind: str, small: str) -> None:
    a = operands(np.random.default_rng(6), kind, 16)
    bits, signed = np.dtype(TYPES[small]).itemsize * 8, small.startswith("int")
    expected: Named = []
    for mode in ("none", "saturate", "symmetric"):
        packed = [saturate(int(v), bits, signed, mode) for v in a]
        expected.append((f"pack {mode}", np.array(packed, dtype=TYPES[small])))
    low = [int(v) % (1 << bits) for v in a]
    expected.append(
        ("unpack_sign true", np.array(wrap(np.array(low, dtype=object), bits).tolist()).astype(TYPES[kind]))
    )
    expected.append(("unpack_sign false", np.array(low).astype(TYPES[kind])))
    compare(call("surface", arch, f"packs {kind} {small}", a), expected, a.dtype)


@pytest.mark.parametrize("arch", ["aie", "aie-ml"])
def test_mask_operations(arch: str) -> None:
    m, n = 0x00A5F00F, 0x12345678
    all_ones = 0xFFFFFFFF
    want = [
        m & n,
        m | n,
        ~m & all_ones,
        m << 3 & all_ones,
        m >> 5,
        m.bit_count(),
        32 - m.bit_length(),
        2,
    ]
    want += [(m | 8) & ~16, 0x12345678]
    out = call("surface", arch, "masks", np.array([m, n], dtype=np.uint32))
    assert np.frombuffer(out, dtype=np.uint32).tolist() == want


@pytest.mark.parametrize("arch", ["aie", "aie-ml"])
@pytest.mark.parametrize("kind", ["cint16", "cfloat"])
def test_complex_arithmetic(arch: str, kind: str) -> None:
    rng = np.random.default_rng(7)
    part = np.int16 if kind == "cint16" else np.float32
    lanes = 8 if kind == "cint16" else 4
    a, b = ((rng.integers(-300, 300, (lanes, 2))).astype(part) for _ in range(2))
    x, y = (v[:, 0].astype(object) + 1j * v[:, 1].astype(object) for v in (a, b))

    def parts(z: Any, kind_out: Any) -> Array:
        return np.array([[int(v.real), int(v.imag)] for v in z]).astype(kind_out)

    magnitude = np.array([int((v * v.conjugate()).real) for v in x])
    square = magnitude.astype(np.float32) if kind == "cfloat" else wrap(magnitude, 32).astype(np.int32)
    wide = "complex lanes"
    expected: Named = [
        ("add", parts(x + y, part)),
        ("sub", parts(x - y, part)),
        ("conj", parts([v.conjugate() for v in x], part)),
        ("neg", parts(-x, part)),
    ]
    store = np.float32 if kind == "cfloat" else np.int64
    expected += [
        (f"mul {wide}", parts(x * y, store)),
        (f"mul op_conj {wide}", parts([v.conjugate() * w for v, w in zip(x, y, strict=True)], store)),
        ("abs_square", square),
    ]
    compare(call("surface", arch, f"complex {kind}", a, b), expected, part)


@pytest.mark.parametrize(("arch", "kind"), BOTH)
def test_unaligned_floor_loads_and_every_iterator(arch: str, kind: str) -> None:
    n = LANES[kind]
    p = operands(np.random.default_rng(8), kind, 8 * n)
    q = operands(np.random.default_rng(9), kind, 8 * n)
    vectors = p.reshape(8, n).copy()
    expected: Named = [
        ("load_unaligned_v", p[3 : n + 3]),
        ("load_floor_v", vectors[1]),
        ("store_unaligned_v", p[[0, n - 1]]),
        ("begin_vector +=, *it++", vectors[2].copy()),
        ("it[-1]", vectors[2].copy()),
        ("--it", vectors[2].copy()),
    ]
    vectors[2] = vectors[0]
    expected.append(("cbegin_restrict_vector", vectors[2]))
    expected += [(f"begin_vector_circular {i}", vectors[i % 4]) for i in range(6)]
    expected += [("begin_vector_random_circular -= 1", vectors[3]), ("[2]", vectors[1])]
    expected += [(f"begin_circular {i}", vectors.ravel()[i % 3]) for i in range(5)]
    expected += [
        ("begin_unaligned_vector", vectors.ravel()[5 : n + 5]),
        ("its assignment", vectors.ravel()[5]),
    ]
    compare(call("surface", arch, f"loads {kind}", p, q), expected, p.dtype)
