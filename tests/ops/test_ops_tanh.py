"""tanh by table: the index against exact fractions, in NumPy and in the C++ that the template prints."""

from __future__ import annotations

import ctypes
import math
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from aieloom.emit.layer_types import layer_type
from aieloom.emit.library import library_file
from aieloom.ops import REGISTRY
from aieloom.ops.lut import LutSpec, index_of
from aieloom.ops.lut import look_up as hardware
from aieloom.pl.steps import Lut
from tests.designs import ESPCN, plan_of

TANH: Any = REGISTRY["tanh"]
STANDARD = TANH.table(LutSpec())
LUTS = [
    STANDARD,
    TANH.table(LutSpec(entries=64)),
    TANH.table(LutSpec(entries=1000)),  # the scale is no power of two: the product rounds
    TANH.table(LutSpec(entries=768, range=(-2.0, 4.0))),
    TANH.table(LutSpec(entries=2, range=(-1.0, 1.0))),
]
FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)
NEAR = st.floats(-5, 5, width=32)


def exact_value(lut: Lut, x: np.float32) -> float:
    """The definition with fractions; only the product is rounded, to float32, as a multiplier does."""
    if x >= lut.high:
        return 1.0
    if x < lut.low:
        return -1.0
    scaled = Fraction(float(np.float32(x * np.float32(lut.scale))))
    away = math.floor(abs(scaled) + Fraction(1, 2)) * (1 if scaled >= 0 else -1)
    return lut.values[min(lut.entries - 1, away + lut.offset)]


def test_the_standard_table_is_the_issues() -> None:
    """1024 entries over [-4, 4), index min(1023, round(x*128)+512)."""
    assert (STANDARD.entries, STANDARD.scale, STANDARD.offset) == (1024, 128.0, 512)
    assert (STANDARD.above, STANDARD.below) == (1.0, -1.0)
    for i in (0, 1, 511, 512, 513, 1023):
        assert STANDARD.values[i] == np.float32(math.tanh((i - 512) / 128))
    x = np.array(
        [0, 0.5 / 128, 0.49 / 128, -0.5 / 128, -0.49 / 128, 3.999, 4, 4.1, -4, -4.01, 1e30, -1e30], np.float32
    )
    index = index_of(STANDARD, x)
    assert index[:8].tolist() == [512, 513, 512, 511, 512, 1023, 1023, 1023]
    values = hardware(STANDARD, x)
    assert values[[5, 6, 7, 8, 9, 10, 11]].tolist() == [
        np.float32(math.tanh(511 / 128)),
        1.0,
        1.0,
        np.float32(math.tanh(-4)),
        -1.0,
        1.0,
        -1.0,
    ]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(LUTS), st.one_of(NEAR, FLOATS), st.integers(-3, 3))
def test_values_are_those_of_exact_fractions(lut: Lut, value: float, ulps: int) -> None:
    x = np.float32(value)
    for _ in range(abs(ulps)):
        x = np.nextafter(x, np.float32(math.copysign(3e38, ulps)))
    assert hardware(lut, np.array([x]))[0] == np.float32(exact_value(lut, x))


@given(st.sampled_from(LUTS), st.integers(-2100, 2100), st.sampled_from([-1, 0, 1]))
def test_halves_go_away_from_zero_in_both_precisions(lut: Lut, halves: int, side: int) -> None:
    """Around every step, one value below it, on it and above it."""
    for dtype in (np.float32, np.float64):
        x = dtype(dtype(halves / 2) / dtype(lut.scale))
        x = np.nextafter(x, dtype(side * np.inf)) if side else x
        scaled = Fraction(float(dtype(x * dtype(lut.scale))))
        away = math.floor(abs(scaled) + Fraction(1, 2)) * (1 if scaled >= 0 else -1)
        assert index_of(lut, np.array([x]))[0] == min(max(away + lut.offset, 0), lut.entries - 1)


def test_the_half_that_a_plain_addition_would_round_up() -> None:
    below = np.array([0.49999999999999994]) / STANDARD.scale
    assert index_of(STANDARD, below)[0] == 512


def test_the_error_is_at_most_half_an_entry() -> None:
    x = np.linspace(-6, 6, 100_001).astype(np.float32)
    assert np.abs(hardware(STANDARD, x) - np.tanh(x.astype(np.float64))).max() <= 0.5 / 128 + 1e-6


@pytest.mark.parametrize(
    ("entries", "low", "high", "words"),
    [
        (1024, 0.0, 4.0, "from below 0 to above 0"),
        (1024, 1.0, 4.0, "from below 0 to above 0"),
        (1023, -4.0, 4.0, "0 falls between two entries"),
        (1024, -4.0, 3.0, "0 falls between two entries"),
        (0, -4.0, 4.0, "greater than 0"),
        (1 << 17, -4.0, 4.0, "less than or equal to"),
    ],
)
def test_tables_that_make_no_sense_are_refused(entries: int, low: float, high: float, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        LutSpec(entries=entries, range=(low, high))


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """Compile the type of the library with the traits that are printed for two tables."""
    compiler = shutil.which("g++")
    if not compiler:
        pytest.skip("there is no g++ here")
    text = ""
    for name, entries in (("std", 1024), ("odd", 1000)):
        source = ESPCN.replace("tanh1", name).replace("entries: 1024", f"entries: {entries}")
        step = next(g for g in plan_of(source).pl if g.steps).steps[0]
        made = layer_type(step, step.template, step.function)
        text += "\n".join([f'#include "{library_file(f"aieloom/pl/{made.header}.h")}"', *made.lines, ""])
        text += f'extern "C" void run_{name}(const float* x, float* y, int n) {{\n'
        text += f"  for (int i = 0; i < n; ++i) y[i] = aieloom::pl::{made.name}::of(x[i]);\n}}\n"
    folder: Path = tmp_path_factory.mktemp("tanh")
    (folder / "tanh.cpp").write_text(text)
    library = folder / "tanh.so"
    command = [
        compiler,
        "-std=c++20",
        "-O2",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-fsanitize=float-cast-overflow,bounds",  # garbage as an index ends the program
        "-fsanitize-undefined-trap-on-error",
        "-shared",
        "-fPIC",
        "-o",
        str(library),
    ]
    subprocess.run([*command, "-o", str(library), str(folder / "tanh.cpp")], check=True)
    return ctypes.CDLL(str(library))


@pytest.mark.parametrize(("name", "lut"), [("std", STANDARD), ("odd", LUTS[2])])
def test_the_printed_function_computes_the_same_bits(compiled: ctypes.CDLL, name: str, lut: Lut) -> None:
    steps = ((np.arange(-1100, 1100) * 0.5) / lut.scale).astype(np.float32)
    inf = np.float32(np.inf)
    special = np.array([0.0, -0.0, 4, -4, 1e-45, -1e-45, 3.4e38, -3.4e38, inf, -inf], np.float32)
    random = np.random.default_rng(3).uniform(-5, 5, 50_000).astype(np.float32)
    x: NDArray[np.float32] = np.concatenate(
        [
            steps,
            np.nextafter(steps, inf),
            np.nextafter(steps, -inf),
            np.nextafter(special, inf),
            special,
            random,
        ]
    )
    x = np.append(x, np.float32(np.nan))
    y = np.empty_like(x)
    pointer = ctypes.POINTER(ctypes.c_float)
    getattr(compiled, f"run_{name}")(x.ctypes.data_as(pointer), y.ctypes.data_as(pointer), len(x))
    wanted = hardware(lut, x)
    assert np.isnan(y[-1]) and np.isnan(wanted[-1])
    assert np.array_equal(y[:-1].view(np.int32), wanted[:-1].view(np.int32))
