"""Multiply-accumulate intrinsics: 8-bit MACs of AIE by UG1079, matrix, channel and convolution MACs of AIE-ML by UG1583."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.conformance import native
from tests.conformance.aie_api.cases import compare
from tests.conformance.aie_api.lane_values import Array, bfloat16_to_float, operands, wrap
from tests.conformance.aie_api.native import text

Named = list[tuple[str, Any]]


def nibbles(value: int) -> list[int]:
    return [value >> 4 * i & 15 for i in range(8)]


def blocks_of_x(x: Array, selection: tuple[int, int, int, int], lanes: int) -> Array:
    """Return the data of each lane and column: per pair of offsets a block of 4 lanes x 2 columns.

    Before the square, the first offset's four bytes fill the upper two lanes column by column, the second's the lower
    two; the square permutes the pairs of bytes [UG1079 MAC on 8x8 bits: 0x24 picks 16..19 and 28..31].
    """
    start, offsets, step, square = selection
    out = np.zeros((lanes, 128 // lanes), dtype=np.int64)
    for group in range(lanes // 4):
        even, odd = nibbles(offsets)[2 * group : 2 * group + 2]
        for part in range(64 // lanes):
            upper = [start + 4 * even + i + part * step for i in range(4)]
            lower = [start + 4 * (even + odd + 1) + i + part * step for i in range(4)]
            pairs = [upper[:2], upper[2:], lower[:2], lower[2:]]
            permuted = [pairs[n] for n in nibbles(square)[:4]]
            for half in range(2):
                for column in range(2):
                    for lane in range(2):
                        index = permuted[2 * half + column][lane] % x.size
                        out[4 * group + 2 * half + lane, 2 * part + column] = x[index]
    return out


def blocks_of_z(z: Array, selection: tuple[int, int, int, int], lanes: int) -> Array:
    """Return the coefficients: per pair of offsets a block of 2 x 2, permuted and repeated for 4 lanes."""
    start, offsets, step, square = selection
    out = np.zeros((lanes, 128 // lanes), dtype=np.int64)
    for group in range(lanes // 4):
        even, odd = nibbles(offsets)[2 * group : 2 * group + 2]
        for part in range(64 // lanes):
            four = [start + 2 * o + i + part * step for o in (even, odd) for i in range(2)]
            block = np.array([four[n] % z.size for n in nibbles(square)[:4]]).reshape(2, 2)
            out[4 * group : 4 * group + 4, 2 * part : 2 * part + 2] = z[np.vstack([block, block])]
    return out


def sums(
    x: Array, z: Array, xs: tuple[int, int, int, int], zs: tuple[int, int, int, int], lanes: int
) -> Array:
    total: Array = (blocks_of_x(x, xs, lanes) * blocks_of_z(z, zs, lanes)).sum(axis=1)
    return total


def test_what_ug1079_says_of_the_offsets() -> None:
    x = np.arange(128)
    for offsets, picked in ((0x00, range(8)), (0x24, (16, 17, 18, 19, 28, 29, 30, 31))):
        block = blocks_of_x(x, (0, offsets, 0, 0x3210), 16)[:4, :2]
        assert sorted(block.ravel()) == sorted(picked)


def test_8_bit_macs() -> None:
    rng = np.random.default_rng(40)
    data, expected = b"", []
    kinds = [(a, b) for b in ("int8", "uint8") for a in ("int8", "uint8")]
    for kind_x, kind_z in kinds:
        x, z = operands(rng, kind_x, 128), operands(rng, kind_z, 32)
        xs = (int(rng.integers(0, 32)) * 4, int(rng.integers(0, 2**31)), int(rng.integers(0, 16)) * 4, 0x2103)
        zs = (int(rng.integers(0, 16)) * 2, int(rng.integers(0, 2**31)), int(rng.integers(0, 8)) * 2, 0x1302)
        data += x.tobytes() + z.tobytes() + np.array([*xs, *zs], dtype=np.int32).tobytes()
        wide, coeff = x.astype(np.int64), z.astype(np.int64)
        one, two = sums(wide, coeff, xs, zs, 16), sums(wide[:64], coeff, xs, zs, 16)
        half = sums(wide, coeff, xs, zs, 8)
        expected += [
            ("Z 2x8 times X 8x8", coeff[:16].reshape(2, 8) @ wide[:64].reshape(8, 8)),
            ("Z 4x8 times X 8x4", coeff.reshape(4, 8) @ wide[:32].reshape(8, 4)),
            ("mul16", one),
            ("mac16", one + two),
            ("msc16", two),
            ("mul8", half),
            ("mac8", 2 * half),
            ("negmul8", -sums(wide[:64], coeff, xs, zs, 8)),
        ]
    output = native.run(text("byte_macs"), "aie", data)
    compare(output, [(n, v.astype(np.int32)) for n, v in expected], np.int32)


STEPS = """
#include <aie_api/aie.hpp>
int main(int argc, char**) {
  const auto x = aie::zeros<int8, 64>();
  const auto z = aie::zeros<int8, 32>();
  static_cast<void>(mul16(x, argc == 2 ? 2 : 0, 0, argc == 3 ? 6 : 4, 0x3210, z, argc == 4 ? 1 : 0, 0, 2, 0x3210));
}
"""


@pytest.mark.parametrize("arguments", [("x",), ("x", "y"), ("x", "y", "z")])
def test_8_bit_macs_move_by_whole_units(arguments: tuple[str, ...]) -> None:
    assert native.execute(STEPS, "aie", b"", ()).code == 0
    done = native.execute(STEPS, "aie", b"", arguments)
    assert done.code == native.REFUSED
    assert "xstart and xstep must be multiples of 4, zstart and zstep of 2" in done.errors


def test_macs_that_no_document_explains_are_refused() -> None:
    line = "void f(v32int16 x, v32int8 z) { mul16(x, 0, 0, 0, 0, 0x3210, z, 0, 0, 0, 2, 0x3210); }"
    found = native.refusals(f"#include <aie_api/aie.hpp>\n{line}\n", "aie")
    said = " ".join(m for messages in found.values() for m in messages)
    assert "no public document says" in said, said


# What each case of matrix_macs.cpp multiplies: operation, element types, elements of the registers, accumulator's bits.
CASES = (
    ("4x8_8x8", "int8", 64, "int8", 64, 32),
    ("4x8_8x8", "uint8", 64, "int8", 64, 32),
    ("4x4_4x8", "int16", 32, "int8", 64, 32),
    ("2x8_8x8", "int16", 32, "uint8", 64, 64),
    ("4x8_8x4", "int16", 32, "int8", 64, 64),
    ("4x2_2x8", "int16", 32, "int16", 32, 32),
    ("2x4_4x8", "uint16", 32, "int16", 32, 64),
    ("4x4_4x4", "int16", 32, "int16", 32, 64),
    ("4x2_2x4", "int32", 16, "int16", 32, 64),
    ("elem_32_2", "int8", 64, "uint8", 64, 32),
    ("elem_32", "int16", 32, "int16", 32, 32),
    ("elem_16_2", "int16", 32, "int16", 32, 64),
    ("conv_32x8", "int8", 64, "int8", 64, 32),
    ("conv_16x4", "int16", 32, "int16", 32, 64),
    ("4x8_8x4", "bfloat16", 32, "bfloat16", 32, 0),
    ("elem_16_2", "bfloat16", 32, "bfloat16", 32, 0),
)


def product(name: str, a: Array, b: Array) -> Array:
    """Return what mul_<name> gives, as UG1583 Multiply Accumulate defines the three families."""
    if name.startswith("elem"):
        channels, _, columns = name.removeprefix("elem_").partition("_")
        shape = (int(columns or 1), int(channels))
        found: Array = (
            a[: shape[0] * shape[1]].reshape(shape) * b[: shape[0] * shape[1]].reshape(shape)
        ).sum(axis=0)
        return found
    if name.startswith("conv"):
        m, n = map(int, name.removeprefix("conv_").split("x"))
        return np.array([sum(b[u] * a[x + u] for u in range(n)) for x in range(m)])
    (m, k), (_, n) = (map(int, part.split("x")) for part in name.split("_"))
    whole: Array = a[: m * k].reshape(m, k) @ b[: k * n].reshape(k, n)
    return whole.ravel()


def test_matrix_channel_and_convolution_macs() -> None:
    rng = np.random.default_rng(41)
    data, expected = b"", []
    for name, kind_a, count_a, kind_b, count_b, bits in CASES:
        a, b = operands(rng, kind_a, count_a), operands(rng, kind_b, count_b)
        if bits == 0:
            wide = [bfloat16_to_float(v).astype(np.float64) for v in (a, b)]
        else:
            if bits == 64:  # the results are read as 32 bits
                a = (a // (1 << 18) if kind_a == "int32" else a // 4).astype(a.dtype)
            wide = [v.astype(np.int64) for v in (a, b)]
        p = product(name, *wide)
        acc = operands(rng, "float" if bits == 0 else "int16", p.size).astype(
            np.float32 if bits == 0 else np.int32
        )
        data += a.tobytes() + b.tobytes() + acc.tobytes()
        results = [("mul", p), ("negmul", -p), ("mac", acc + p), ("msc", acc - p)]
        expected += [(f"{op}_{name} of {kind_a}", v, bits) for op, v in results]
    output = native.run(text("matrix_macs"), "aie-ml", data)
    at = 0
    for name, values, bits in expected:
        kind = np.dtype(np.float32 if bits == 0 else np.int32)
        got = np.frombuffer(output[at : at + values.size * kind.itemsize], dtype=kind)
        at += values.size * kind.itemsize
        if bits == 0:
            np.testing.assert_allclose(got, values, rtol=1e-5, atol=1e-4, err_msg=name)
        else:
            np.testing.assert_array_equal(got, wrap(values, 32).astype(np.int64), err_msg=name)
    assert at == len(output)


def test_vector_intrinsics_of_aie_ml() -> None:
    rng = np.random.default_rng(43)
    a, b = (rng.integers(-4096, 4096, 32).astype(np.int16) for _ in range(2))
    c, d = (rng.integers(-128, 128, 64).astype(np.int8) for _ in range(2))
    words, octets = np.concatenate([a, b]), np.concatenate([c, d])

    # Small whole numbers: every product and sum is a bfloat16 too.
    x, y = (rng.integers(-4, 5, 8) + 1j * rng.integers(-4, 5, 8) for _ in range(2))

    def brain(z: NDArray[Any]) -> Array:
        """Return the upper halves of float32, cut as the cores do by default."""
        parts = np.stack([z.real, z.imag], axis=-1).astype(np.float32)
        return (parts.view(np.uint32) >> 16).astype(np.uint16)

    def transposed(v: Array, rows: int, columns: int) -> Array:
        return v.reshape(rows, columns).T.ravel()

    expected = [
        a[16:],
        a[:16],
        np.concatenate([b[16:], a[16:]]),
        np.full(32, a[5]),
        np.full(32, b[9]),
        np.zeros(16, np.int32),
        a * 4,
        words[5:37],
        transposed(a, 8, 4),
        transposed(a, 2, 16),
        transposed(c, 4, 16),
        transposed(words, 32, 2)[:32],
        transposed(words, 32, 2)[32:],
        transposed(words, 2, 32)[32:],
        transposed(octets, 64, 2)[:64],
        transposed(octets, 2, 64)[64:],
        b,
        a,
        b,
        transposed(a[:16], 4, 4),
        transposed(a[16:], 8, 2),
        transposed(c[32:], 4, 8),
        transposed(a, 8, 4),
        a.reshape(16, 2)[:, ::-1].ravel(),
        words[1::2],
        transposed(octets, 2, 64)[:64],
        np.concatenate([b[:16], a[15:31]]),
        brain(x * y),
        brain(x * (2 - 1j) + x.conj() * y),
        brain(-x - (y + (2 - 1j))),
        brain((a[:16:2] + 1j * a[1:16:2]) / 256),
        (np.abs(x) ** 2).astype(np.float32),
        brain(x + (1 + 1j)),
    ]
    given = [v.tobytes() for v in (a, b, c, d, brain(x), brain(y))]
    output = native.run(text("vectors_ml"), "aie-ml", b"".join(given))
    assert output == b"".join(v.tobytes() for v in expected)
