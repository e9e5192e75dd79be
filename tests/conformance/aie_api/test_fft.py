"""Stages of FFTs against their definition in exact numbers, whole transforms against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from aieloom.errors import ToolError
from tests.conformance import native
from tests.conformance.aie_api.cases import attempt, call
from tests.conformance.aie_api.lane_values import Array

BOTH = ("aie", "aie-ml")
Numbers = NDArray[np.complex128]


def pairs(values: Numbers, kind: Any) -> Array:
    """Return real and imaginary parts in turn."""
    return np.stack([values.real, values.imag], axis=-1).astype(kind)


def numbers(data: bytes, kind: Any) -> Numbers:
    parts = np.frombuffer(data, dtype=kind).reshape(-1, 2).astype(np.float64)
    return parts[:, 0] + 1j * parts[:, 1]


def samples(seed: int, count: int, top: int) -> Numbers:
    rng = np.random.default_rng(seed)
    return rng.integers(-top, top, count) + 1j * rng.integers(-top, top, count)


def twiddles(n_stage: int, radix: int) -> Numbers:
    """Return the reference's tables: exp(-2 pi i r k / n_stage), row r - 1."""
    rates, turns = np.arange(1, radix)[:, None], np.arange(n_stage // radix)
    tables: Numbers = np.exp(-2j * np.pi * rates * turns / n_stage)
    return tables


def q15(values: Numbers) -> Numbers:
    parts = np.clip(np.floor(pairs(values, np.float64) * 2**15 + 0.5), -(2**15), 2**15 - 1)
    table: Numbers = parts[..., 0] + 1j * parts[..., 1]
    return table


def stage(x: Numbers, tables: Numbers, vectorization: int, *, inverse: bool = False) -> Numbers:
    """Return a stage's sums times 2^15, exact: 16-bit numbers times 16-bit numbers fit a double."""
    radix, v = len(tables) + 1, vectorization
    tables = np.vstack([np.full((1, tables.shape[1]), 2**15), tables])
    unit = -1j
    if inverse:
        tables, unit = tables.conj(), 1j
    grouped = x.reshape(-1, radix, v) * tables.T[:, :, None]
    turn = unit ** (4 // radix)
    rows = [sum(grouped[:, r] * np.round(turn ** (q * r)) for r in range(radix)) for q in range(radix)]
    return np.concatenate(rows).ravel()


def halves(x: Numbers, tables: Numbers, vectorization: int, *, inverse: bool, rounded: Any) -> Numbers:
    """Return what AIE makes of radix 4, times 2^15: radix 2, integers of 32 bits, radix 2 (aie_api, detail/aie1)."""
    unit = -1j
    if inverse:
        tables, unit = tables.conj(), 1j
    x0, x1, x2, x3 = x.reshape(-1, 4, vectorization).transpose(1, 0, 2)
    slow, fast = tables[0][:, None], tables[1][:, None]
    rows: list[Any] = [None] * 4
    for half, sign in enumerate((1, -1)):
        even = rounded((x0 * 2**15 + sign * x2 * fast) / 2**15)
        odd = rounded((x1 * 2**15 + sign * x3 * fast) / 2**15) * slow * unit**half
        rows[half], rows[half + 2] = even * 2**15 + odd, even * 2**15 - odd
    return np.concatenate(rows).ravel()


def by_parts(function: Any, values: Numbers) -> Numbers:
    result: Numbers = function(values.real) + 1j * function(values.imag)
    return result


@pytest.mark.parametrize("arch", BOTH)
@pytest.mark.parametrize(("case", "kind"), [("stage 2", np.int16), ("stage 2 wide", np.int32)])
def test_radix_2(arch: str, case: str, kind: Any) -> None:
    x, tw = samples(1, 32, 20000), q15(twiddles(8, 2))
    want = np.floor(pairs(stage(x, tw, 4), np.float64) / 2**16).astype(
        kind
    )  # the default: floor, no saturation
    out = call("fft", arch, case, pairs(x, np.int16), pairs(tw, np.int16))
    np.testing.assert_array_equal(np.frombuffer(out, dtype=kind).reshape(-1, 2), want)


@pytest.mark.parametrize("arch", BOTH)
def test_radix_4_backwards_rounded_and_saturated(arch: str) -> None:
    x, tw = samples(2, 32, 32767), q15(twiddles(16, 4))
    sums = stage(x, tw, 2, inverse=True)
    if arch == "aie":
        sums = halves(x, tw, 2, inverse=True, rounded=lambda v: by_parts(np.rint, v))
    want = np.clip(np.rint(pairs(sums, np.float64) / 2**16), -32768, 32767)
    out = call("fft", arch, "stage 4", pairs(x, np.int16), pairs(tw, np.int16))
    np.testing.assert_array_equal(np.frombuffer(out, dtype=np.int16).reshape(-1, 2), want)


@pytest.mark.parametrize("arch", BOTH)
@pytest.mark.parametrize("radix", [2, 4])
def test_vector_by_vector(arch: str, radix: int) -> None:
    x, tw = samples(4, 64, 20000), q15(twiddles(64 // 4, radix))
    sums = stage(x, tw, 4)
    if arch == "aie" and radix == 4:
        sums = halves(x, tw, 4, inverse=False, rounded=lambda v: by_parts(np.floor, v))
    want = np.floor(pairs(sums, np.float64) / 2**14)
    out = call("fft", arch, f"vectors {radix}", pairs(x, np.int16), pairs(tw, np.int16))
    np.testing.assert_array_equal(np.frombuffer(out, dtype=np.int32).reshape(-1, 2), want)


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize(("arch", "case"), [("aie", "whole"), ("aie-ml", "whole"), ("aie", "floats")])
def test_whole_transforms(arch: str, case: str, *, inverse: bool) -> None:
    floats = case == "floats"
    x = samples(3, 32, 1 << 20)
    tables = [twiddles(n, radix) for n, radix in ((2, 2), (8, 4), (32, 4))]
    kind, tw_kind = (np.float32, np.float32) if floats else (np.int32, np.int16)
    parts = [pairs(t if floats else q15(t), tw_kind) for t in tables]
    flag = np.array([inverse], dtype=np.int32)
    got = numbers(call("fft", arch, case, pairs(x, kind), *parts, flag), kind)
    want = np.fft.ifft(x) * 32 if inverse else np.fft.fft(x)
    assert np.abs(got - want).max() < np.abs(want).max() * (1e-6 if floats else 2e-4)


def test_what_is_refused() -> None:
    for arch, case, part in (
        ("aie", "odd size", "[aie-fft]"),
        ("aie-ml", "cfloat", "AIE-ML takes cint16 twiddles"),
    ):
        done = attempt("fft", arch, case)
        assert done.code == native.REFUSED
        assert part in done.errors
    program = "#include <aie_api/aie.hpp>\nint main() {{ static {0} x[32]; aie::{1}; }}\n"
    for arch, kind, text, part in (
        ("aie", "cint16", "fft_dit_r3_stage<1>(x, x, x, 24, 15, 0, false, x)", "radix 3 and 5"),
        ("aie", "cint16", "fft_dit_r2_stage<1>(x, x, 32, false, x)", "integers need shift_tw"),
    ):
        with pytest.raises(ToolError, match=part):
            native.build(program.format(kind, text), arch)
