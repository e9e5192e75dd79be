"""Vector intrinsics of AIE-ML [UG1583], and AIE's MACs on conjugates, magnitudes and compared numbers [UG1078, UG1079]."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from aieloom.emulator.intrinsic_names import in_words, reason, undeclared
from aieloom.errors import ToolError
from tests.conformance import native
from tests.conformance.aie_api.blocks import nibbles as sixteen
from tests.conformance.aie_api.blocks import symmetric, x_block
from tests.conformance.aie_api.lane_values import Array, bfloat16_to_float, wrap
from tests.conformance.aie_api.native import text

KINDS = ("int8", "uint8", "int16", "uint16", "int32", "uint32")


def lanes_of(word: NDArray[np.bool_]) -> bytes:
    """Return a word with a bit for each lane, of 64 bits."""
    return np.uint64(sum(1 << i for i, on in enumerate(word.tolist()) if on)).tobytes()


def words(kind: str, a: Array, b: Array) -> bytes:
    """Return what the intrinsics on whole registers of one type give."""
    found = b""

    def cut(v: Array) -> bytes:
        return v.astype(np.int64).astype(kind).tobytes()

    zero = np.int64(0)
    for sign in ("u", ""):
        other = f"{sign}int{a.itemsize * 8}"
        x, y = (v.view(other).astype(np.int64) for v in (a, b))
        less = x < y
        for value, word in (
            (x - y, less),
            (x - y, ~less),
            (np.maximum(x - y, zero), less),
            (np.minimum(x, y), ~less),
            (np.maximum(x, y), less),
            (np.abs(x) if sign == "" else x, x > 0),
            (~x, x < 0),
        ):
            found += cut(value) + lanes_of(word)
        found += b"".join(map(lanes_of, (less, x <= y, x > y, ~less, x < 0, x > 0)))
        found += b"".join(map(cut, (np.maximum(x, y), np.minimum(x, y), np.maximum(x - y, zero), abs(x))))
    x, y = a.astype(np.int64), b.astype(np.int64)
    both = np.concatenate([x, y])
    odd = np.arange(x.size) % 2 == 1
    found += cut(np.maximum(x, y)) + lanes_of(x < y)
    found += cut(np.where(x < y, y, x)) + lanes_of(x < y)
    found += cut(np.where(x >= y, y, x)) + lanes_of(x >= y)
    found += b"".join(map(lanes_of, (x == 0, x == y, x != y)))
    replaced = x.copy()
    replaced[5] = 9
    for value in (
        np.where(odd, x - y, x + y),
        x & y,
        x | y,
        x ^ y,
        ~x,
        both[3 : 3 + x.size],
        np.append(x[1:], 7),
        np.append(7, x[:-1]),
        replaced,
    ):
        found += cut(value)
    return found


def test_comparisons_selections_logic_and_sums_of_aie_ml() -> None:
    rng = np.random.default_rng(51)
    given, expected = b"", b""
    for kind in KINDS:
        limits = np.iinfo(kind)
        a, b = rng.integers(limits.min, limits.max, (2, 512 // limits.bits), dtype=kind, endpoint=True)
        a[3], a[4], b[5] = 0, limits.max, a[5]
        b[-1] = limits.min
        given += a.tobytes() + b.tobytes()
        expected += words(kind, a, b)
    given_more, expected_more = floats(rng)
    given_sums, expected_sums = sums(rng)
    output = native.run(text("vectors_ml_words"), "aie-ml", given + given_more + given_sums)
    assert output == expected + expected_more + expected_sums


def floats(rng: np.random.Generator) -> tuple[bytes, bytes]:
    """Return bfloat16 and float registers, and their maxima and minima with words."""
    a, b = (rng.standard_normal((2, 32)).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    x, y = bfloat16_to_float(a), bfloat16_to_float(b)
    p, q = rng.standard_normal((2, 16)).astype(np.float32)
    chosen = np.array([0x0F0F00FF >> i & 1 for i in range(32)], dtype=bool)

    def word(lanes: NDArray[np.bool_]) -> bytes:
        return lanes_of(lanes)[:4]

    mixed = (x < 0) ^ (y > 0) ^ (a == 0)
    results = [np.where(x < y, b, a).tobytes(), word(x < y), np.where(x >= y, b, a).tobytes(), word(x >= y)]
    results += [(a & b).tobytes(), np.where(chosen, b, a).tobytes(), word(mixed)]
    results += [np.maximum(p, q).tobytes(), word(p < q), np.minimum(p, q).tobytes(), word(p >= q)]
    return b"".join(v.tobytes() for v in (a, b, p, q)), b"".join(results)


def sums(rng: np.random.Generator) -> tuple[bytes, bytes]:
    """Return operands of MACs with two accumulators, of chosen signs and configurations; and the results."""
    a, b = rng.integers(-128, 128, (2, 64)).astype(np.int8)
    h, g = rng.integers(-3000, 3000, (2, 32)).astype(np.int16)
    c, d = rng.integers(-(2**20), 2**20, (2, 32)).astype(np.int32)
    e, f = rng.integers(-3000, 3000, (2, 16)).astype(np.int32)
    x, y, ux, uy = (v.astype(np.int64) for v in (a, b, a.view(np.uint8), b.view(np.uint8)))
    r, s, ur = (v.astype(np.int64) for v in (h, g, h.view(np.uint16)))

    def product(p: Array, q: Array) -> Array:
        found: Array = (p[:32].reshape(4, 8) @ q.reshape(8, 8)).ravel()
        return found

    def convolved(p: Array, q: Array, points: int, channels: int = 1) -> Array:
        data, taps = p.reshape(-1, channels), q[: points * channels].reshape(points, channels)
        outputs = (32 if channels > 1 else 16) // channels
        return np.array([(data[i : i + points] * taps).sum(axis=0) for i in range(outputs)]).ravel()

    xy = product(x, y)
    integers = [
        c + d + xy,
        c + d - xy,
        c - d + xy,
        c - d - xy,
        product(ux, y),
        c + (x * uy).reshape(2, 32).sum(axis=0),
        -xy,
        xy,
        -c + product(ux, uy),
        f - (e.astype(np.int64) << 16) - convolved(ur, s, 4),
        e + f - convolved(r, s, 4),
        c + convolved(x, y, 8, 4),
        convolved(x, y, 4, 8),
        c + d,
        c - d,
        -(c + d),
    ]

    def saturated(v: Array, low: int, high: int, kind: str) -> bytes:
        return np.clip(v, low, high).astype(np.int64).astype(kind).tobytes()

    small, even = c >> 4, e
    narrow = [
        saturated(small, -(2**15), 2**15 - 1, "int16"),
        saturated(small, 0, 2**16 - 1, "uint16"),
        saturated(c >> 8, 0, 255, "int8"),
        even.astype(np.int32).tobytes(),
        saturated(small, 0, 2**16 - 1, "int16"),
        (r * 4).astype(np.int32).tobytes(),
        (ur[:16] * 8).astype(np.int32).tobytes(),
        np.full(32, -5, np.int16).tobytes(),
        np.full(64, 200, np.uint8).tobytes(),
        np.tile(np.array([7, 5], np.int32), 8).tobytes(),
        np.ones(16, np.int32).tobytes(),
    ]
    wrapped = [wrap(v, 32).astype(np.int64).astype(np.int32).tobytes() for v in integers]
    return b"".join(v.tobytes() for v in (a, b, h, g, c, d, e, f)), b"".join(wrapped + narrow)


def mac(x: Any, z: Any, lanes: int, columns: int) -> Array:
    """Return lanes of a plain MAC on elements of 32 bits and more: (data, start, offsets, step) twice."""
    (data, xstart, xoffsets, xstep), (factors, zstart, zoffsets, zstep) = x, z
    found = []
    for lane in range(lanes):
        at, zat = xoffsets >> 4 * lane & 15, zoffsets >> 4 * lane & 15
        found.append(
            sum(
                data[(xstart + at + i * xstep) % len(data)]
                * factors[(zstart + zat + i * zstep) % len(factors)]
                for i in range(columns)
            )
        )
    return np.array(found)


def paired(x: Any, y: Any, z: Any, lanes: int, pair: Any) -> Array:
    """Return lanes of a MAC on pairs of 16-bit numbers; y has x's offsets, and a start and a square of its own."""
    (data, start, offsets, square, step), (other, ystart, ysquare), (factors, zstart) = x, y, z
    found = []
    for lane in range(lanes):
        total = 0
        for column in range(32 // lanes):
            near = x_block(data, start + column // 2 * step, offsets, square, (lane, column % 2, 0))
            far = x_block(other, ystart - column // 2 * step, offsets, ysquare, (lane, column % 2, 0))
            total += pair(near, far) * int(factors[(zstart + column) % len(factors)])
        found.append(total)
    return np.array(found, dtype=object)


def parts(values: Array, bits: int) -> Array:
    flat = [n for v in values.tolist() for n in ((v.real, v.imag) if isinstance(v, complex) else (v,))]
    return wrap(np.array([int(n) for n in flat], dtype=object), bits).astype(np.int64)


def test_macs_on_conjugates_magnitudes_and_compared_numbers() -> None:
    rng = np.random.default_rng(52)
    pairs = rng.integers(-3000, 3000, (3, 16, 2)).astype(np.int16)
    pairs[0, 3:6, 1] = -32768  # whose conjugate has no place in 16 bits
    x, y, z = (np.array([complex(re, im) for re, im in p.tolist()]) for p in pairs)
    z = z[:8]
    r = rng.integers(-3000, 3000, 16).astype(np.int16)
    s, t = rng.integers(-3000, 3000, (2, 32)).astype(np.int16)
    s[1] = -32768
    w, u = rng.integers(-9999, 9999, (2, 16)).astype(np.int32)
    f = rng.integers(-9999, 9999, 8).astype(np.int32)
    rs, ws, us, fs = r.tolist(), w.tolist(), u.tolist(), f.tolist()
    cx, cz = x.conj(), z.conj()
    first = mac((cx, 3, 0x3210, 1), (z, 2, 0x1100, 2), 4, 2)
    straight = sixteen(0x03020100, 0x07060504)
    magnitudes = np.array([abs(int(v)) for v in s], dtype=object)
    base = mac((ws, 5, 0xFEDCBA98, 0), (fs, 1, 0x01234567, 0), 8, 1)

    def first_of(*pair: int) -> int:
        return pair[0]

    def larger(p: int, q: int) -> int:
        return max(p, q)

    def smaller(p: int, q: int) -> int:
        return min(p, q)

    def excess(p: int, q: int) -> int:
        return max(p - q, 0)

    sides = (s.astype(object), 4, straight, 0x2110, 0)
    wide = [(ws[(1 + i) % 16], us[(11 + i) % 16], ws[(11 + i) % 16]) for i in range(8)]
    integers = [
        parts(first, 48),
        parts(first + mac((x, 3, 0x3210, 1), (cz, 2, 0x1100, 2), 4, 2), 48),
        parts(first - mac((cx, 1, 0x0246, 2), (cz, 0, 0, 1), 4, 2), 48),
        parts(-mac((cx, 2, 0x76543210, 1), (rs, 3, 0, 1), 8, 2), 48),
        parts(mac((ws, 2, 0x76543210, 0), (cz, 3, 0x01234567, 0), 8, 1), 48),
        parts(symmetric((cx, 3, 0x3210, 1), (y.conj(), 12), (z, 1, 0, 1), (4, 2)), 48),
        parts(first + symmetric((x, 3, 0x3210, 1), (y, 12), (cz, 1, 0, 1), (4, 2), sign=-1), 48),
        parts(paired((magnitudes, 0, straight, 0x2110, 0), (s, 0, 0x3210), (rs, 0), 16, first_of), 48),
        parts(base + mac(([abs(v) for v in ws], 0, 0x11112222, 0), (fs, 0, 0x76543210, 0), 8, 1), 80),
        parts(paired(sides, (t.astype(object), 18, 0x2312), (rs, 3), 16, larger), 48),
        parts(
            paired(
                (s.astype(object), 6, straight, 0x2110, 2),
                (t.astype(object), 20, 0x2312),
                (rs, 1),
                8,
                smaller,
            ),
            48,
        ),
        parts(paired(sides, (s.astype(object), 18, 0x2312), (rs, 3), 16, excess), 48),
        np.array([max(p, q) * fs[2] for p, q, _ in wide]),
        np.array([-min(p, q) * fs[2] for p, _, q in wide]),
    ]
    expected = [v.astype(np.int64).tobytes() for v in integers]
    turned = np.roll(w, -4)
    expected += [np.int32(341).tobytes(), r.tobytes(), np.maximum(s, t).tobytes(), lanes_of(s < t)[:4]]
    expected += [np.minimum(w, turned).tobytes(), lanes_of(w > turned)[:4], np.abs(np.roll(w, -3)).tobytes()]

    p, q, o = rng.standard_normal((3, 8)).astype(np.float32)
    back = p[::-1]
    real = [
        np.abs(p * q),
        -np.abs(np.roll(p, -1) * q[1]),
        o + np.abs(p * q),
        o - np.abs(back * q),
        o + np.abs(p),
        o - np.abs(np.roll(p, -2)),
        np.maximum(o, np.abs(p)),
        np.minimum(o, np.abs(p)),
        -np.abs(p),
    ]
    expected += [v.astype(np.float32).tobytes() for v in real]
    expected += [lanes_of(o < np.abs(p))[:4], lanes_of(o >= np.abs(p))[:4]]
    c, d, e = (v.astype(np.float64).view(np.complex128) for v in (p, q, o))
    approximate = [
        c.conj() * d,
        c * d.conj(),
        e + c.conj() * d.conj(),
        e - np.roll(c, -1).conj() * d[0],
        c.conj() * o[:4],
        e + np.roll(c, -1).conj() * c,
        c * np.roll(c, -2).conj(),
        c.conj() * np.roll(c, -1).conj(),
    ]
    given = b"".join(v.tobytes() for v in (pairs[0], pairs[1], pairs[2, :8], r, s, t, w, u, f, p, q, o))
    output = native.run(text("mac_parts"), "aie", given)
    exact = b"".join(expected)
    assert output[: len(exact)] == exact
    got = np.frombuffer(output[len(exact) :], dtype=np.float32).astype(np.float64).view(np.complex128)
    np.testing.assert_allclose(got, np.concatenate(approximate), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("arch", "line"),
    [
        (
            "aie",
            "v16acc48 f(v32int16 x, v8cint16 z) { return mul4_max(v16cint16(), 0, 0, 1, 0, z, 0, 0, 1); }",
        ),
        ("aie-ml", "v64uint8 f(v64uint8 a, unsigned long long w) { return neg_gtz(a, w); }"),
    ],
)
def test_what_has_no_order_or_no_definition_is_refused(arch: str, line: str) -> None:
    found = native.refusals(f"#include <aie_api/aie.hpp>\n{line}\n", arch)
    said = " ".join(m for messages in found.values() for m in messages)
    assert "complex numbers have no order" in said or "no public document says" in said, said


@pytest.mark.parametrize(
    ("name", "arch", "why"),
    [
        ("mac4_sym_uct", "aie", "an intrinsic that the emulator does not have"),
        ("sel", "aie", "an intrinsic of AIE-ML"),
        ("negmac_4x8_8x8", "aie-ml", "no public document says which signs"),
        ("fpmul", "aie-ml", "an intrinsic of AIE; AIE-ML has other ones"),
    ],
)
def test_an_intrinsic_that_is_not_there_is_named_with_the_reason(name: str, arch: str, why: str) -> None:
    with pytest.raises(ToolError) as raised:
        native.build(f"#include <aie_api/aie.hpp>\nvoid f() {{ {name}(1); }}\nint main() {{ f(); }}\n", arch)
    said = raised.value.first_error
    assert f"{name}: {why}" in said
    assert "[aie-intrinsic]" in said
    assert "program.cpp:2:" in said
    assert "not declared" not in said


def test_names_that_are_no_intrinsics_keep_the_compiler_s_words() -> None:
    line = "k.cc:3:5: error: 'my_filter' was not declared in this scope"
    assert in_words(line, 10) == line
    assert reason("maximum", 20) is None
    assert (
        undeclared("k.cc:3:5: error: there are no arguments to 'mul2d' that depend on a template parameter")
        == "mul2d"
    )
    assert undeclared("k.cc:1:1: error: expected ';'") is None
    # Each name of UG1079's scheme is one of AIE, and none of AIE-ML's products is.
    names = [
        f"{wide}{operation}{lanes}{pre}{pair}{conjugate}"
        for wide in ("", "l")
        for operation in ("mac", "msc", "mul", "negmul")
        for lanes in (2, 4, 8, 16)
        for pre in ("", "_abs", "_max")
        for pair in ("", "_sym", "_antisym_ct", "_sym_uct")
        for conjugate in ("", "_c", "_cn")
    ]
    assert all("AIE-ML has other ones" in str(reason(n, 20)) for n in names)
    assert "an intrinsic of AIE-ML" in str(reason("mul_4x8_8x8", 10))
