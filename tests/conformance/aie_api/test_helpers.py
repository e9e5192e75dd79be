"""Floats in accumulators, masks of words, sines of integers, loops as functions, printing."""

from __future__ import annotations

import numpy as np
import pytest

from aieloom.errors import ToolError
from tests.conformance import native
from tests.conformance.aie_api.cases import attempt, call, compare
from tests.conformance.aie_api.lane_values import Array, operands

BOTH = ("aie", "aie-ml")


@pytest.mark.parametrize("arch", BOTH)
def test_masks_from_words(arch: str) -> None:
    whole = 0x0123456789ABCDEF
    want = np.array([whole, whole, 0xFFFF, 0, 0x4567, 9], dtype=np.uint64)
    compare(call("helpers", arch, "words"), [("mask", want)], np.uint64)


@pytest.mark.parametrize("arch", BOTH)
def test_floats_go_between_accumulators_and_vectors(arch: str) -> None:
    x = operands(np.random.default_rng(2), "float", 8)
    pushed = np.concatenate([x[7:], x[:7]])
    expected = [
        ("implicit", x + x),
        ("from_vector, to_vector", x),
        ("grow_replicate", x),
        ("push returns the vector", pushed),
        ("fix2float of 16 bits", np.full(8, -1.5, dtype=np.float32)),
        ("+, -, to_vector without a type", x + x - x),
        ("max and min of numbers", np.full(8, max(x[0], min(x[1], np.float32(3))))),
        ("split and concat of a pair", np.roll(x, 4)),
    ]
    compare(call("helpers", arch, "floats", x), expected, np.float32)


@pytest.mark.parametrize("arch", BOTH)
def test_real_and_imaginary_parts(arch: str) -> None:
    rng = np.random.default_rng(3)
    c, a = operands(rng, "int16", 16), rng.integers(-1000, 1000, 16).astype(np.int16)
    squares = (c[0::2].astype(np.complex128) + 1j * c[1::2]) ** 2
    parts = [part.clip(-(2**31), 2**31 - 1).astype(np.int32) for part in (squares.real, squares.imag)]
    expected = [("real", c[0::2]), ("imag", c[1::2]), ("unzip_complex", np.concatenate(parts))]
    expected += [("combine_into_complex", np.stack([parts[1], parts[0]], axis=1))]
    expected += [("from_vector with a shift", a >> 1)]
    compare(call("helpers", arch, "parts", c, a), expected, np.int16)


@pytest.mark.parametrize("arch", BOTH)
def test_loops_as_functions_and_the_tile(arch: str) -> None:
    total = 0
    for y in (0, 2):
        for x in (3, 2, 1):
            total = total * 3 + y * x
    expected: list[tuple[str, Array]] = [
        ("unroll_for", np.arange(8, dtype=np.int32) * 2),
        ("loops", np.array(total + 3 + 10 + 500, dtype=np.int32)),
        ("tile", np.array(1, dtype=np.int32)),
    ]
    compare(call("helpers", arch, "loops"), expected, np.int32)
    done = attempt("helpers", arch, "too few")
    assert done.code == native.REFUSED
    assert "[aie-loop]" in done.errors


def test_sines_of_integers_are_q15_of_the_upper_20_bits() -> None:
    x = np.array([0, 1 << 30, -(1 << 30), -(1 << 31), 0x12345FFF, 0x12345000, 1 << 29, -1], dtype=np.int32)
    radians = (x & ~0xFFF) * 2.0**-31 * np.pi
    sine, cosine = (np.minimum(np.rint(f(radians) * 2**15), 32767).astype(np.int32) for f in (np.sin, np.cos))
    out = call("helpers", "aie", "angles", x)
    scalars = np.stack([sine, cosine, np.ones(8, dtype=np.int32)], axis=1)
    np.testing.assert_array_equal(np.frombuffer(out[:96], dtype=np.int32).reshape(8, 3), scalars)
    compare(out[96:], [("complex", sine.astype(np.int16)), ("vector", sine)], np.int32)


@pytest.mark.parametrize("arch", BOTH)
def test_bits_are_taken_as_another_type(arch: str) -> None:
    x = np.array([-1.5, 0, 1e-30, np.pi], dtype=np.float32)
    parts = x.view(np.int16).reshape(4, 2)
    want = [*x.view(np.int32), *x.view(np.int32), *x.view(np.int32), *parts.astype(np.int32).ravel()]
    if arch == "aie-ml":  # the upper half of a float is a bfloat16
        want += [*(x.view(np.int32) & -65536), *x.astype(np.float64).view(np.int64) >> 32]
    out = call("helpers", arch, "bits", x)
    np.testing.assert_array_equal(np.frombuffer(out, dtype=np.int32), want)


def test_functions_of_the_scalar_unit() -> None:
    def leading(value: int, bits: int) -> int:
        return bits - (~value if value < 0 else value).bit_length()

    rows = []
    for v in (0, 12345, -8, 1 << 30):
        bits = (v | 8) & 0xFFFFFFFF
        rows += [leading(v, 32), leading(v & 0xFFFFFFFF, 32), leading(v << 16, 64), abs(v), v >> 3 & 1]
        rows += [bits - (1 << 32) if bits >> 31 else bits, v if v > 0 else 7, 1]
    rows += [512, 512, 128, 1, 2500]
    out = call("helpers", "aie", "scalars", np.array([0, 12345, -8, 1 << 30], dtype=np.int32))
    np.testing.assert_array_equal(np.frombuffer(out, dtype=np.int32), rows)


def test_print_matrix_and_print_fixed() -> None:
    out = call("helpers", "aie", "prints", np.arange(8, dtype=np.int32)).decode()
    assert out == "m 0 1 2 3 \nm 4 5 6 7 \nf 0 0.5 1 1.5 2 2.5 3 3.5 \n"


@pytest.mark.parametrize(
    ("arch", "text", "part"),
    [
        ("aie", "auto x = aie::sliding_mul_sym_uct<16, 5>(v, 0, v, 0, 3)", "an even number of points"),
        ("aie-ml", "auto x = aie::sliding_mul_sym_uct<16, 4>(v, 0, v, 0, 3)", "no pre-adder"),
    ],
)
def test_filters_that_are_refused(arch: str, text: str, part: str) -> None:
    program = (
        f"#include <aie_api/aie.hpp>\nint main() {{ const aie::vector<int16, 16> v; {text}; (void)x; }}\n"
    )
    with pytest.raises(ToolError, match=part):
        native.build(program, arch)
