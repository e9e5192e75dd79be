"""aieloom.kernel: one function of a source, from and to NumPy arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aieloom
from aieloom.errors import RunFailed, SpecError

SOURCE = """
#include <adf.h>
#include "taps.h"
// void scale(a comment);
void scale(adf::input_buffer<int16>& x, const int32 factor, const int32 (&offsets)[LENGTH], adf::output_buffer<int32>& y) {
  for (unsigned i = 0; i < x.size(); ++i) {
    y.data()[i] = factor * x.data()[i] + offsets[i % LENGTH];
  }
}

namespace streams {
void split(input_stream<int32>* in, output_stream<int32>* even, output_stream<int32>* odd) {
  writeincr(even, readincr(in));
  writeincr(odd, readincr(in));
}
}

void halves(input_window<float>* x, output_window<float>* low, output_window<float>* high) {
  for (unsigned i = 0; i < 8; ++i) { window_writeincr(low, window_readincr(x)); }
  for (unsigned i = 0; i < 8; ++i) { window_writeincr(high, window_readincr(x)); }
}

void changes(adf::input_buffer<int16>& x, int32& count) { ++count; }

template <int N>
void add(adf::input_buffer<int32, adf::extents<16>>& x, adf::output_buffer<int32, adf::extents<16>>& y) {
  for (unsigned i = 0; i < 16; ++i) { y.data()[i] = x.data()[i] + N; }
}
"""
HEADER = """
#pragma once
#include <adf.h>
#define LENGTH 3
template <int N>
void add(adf::input_buffer<int32, adf::extents<16>>& x, adf::output_buffer<int32, adf::extents<16>>& y);
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "taps.h").write_text(HEADER)
    (tmp_path / "kernels.cc").write_text(SOURCE)
    return tmp_path / "kernels.cc"


def test_buffers_and_parameters(source: Path) -> None:
    """Several calls, then other numbers, which compile nothing; the source is found from everywhere."""
    scale = aieloom.kernel(source, "scale")
    x = np.random.default_rng(1).integers(-(2**15), 2**15, (3, 16)).astype(np.int16)
    for factor, offsets in ((7, [1, 2, 3]), (-9, [0, -5, 2**30])):
        y = scale.emulate(x, factor, offsets=offsets)
        assert isinstance(y, np.ndarray)
        assert y.dtype == np.int32
        added = np.resize(np.array(offsets), 16)
        np.testing.assert_array_equal(y, factor * x.astype(np.int64) + added)
    np.testing.assert_array_equal(scale.emulate(x[0], 1, [0, 0, 0]), x[:1])
    assert repr(scale) == (
        "<aieloom kernel scale(x: buffer, factor: value, offsets: value, y: output buffer) of kernels.cc>"
    )


def test_streams_windows_and_templates(source: Path) -> None:
    x = np.arange(12, dtype=np.int32)
    found = aieloom.kernel(source, "streams::split").emulate(x, calls=6)
    assert isinstance(found, dict)
    np.testing.assert_array_equal(found["even"], x[::2])
    np.testing.assert_array_equal(found["odd"], x[1::2])
    z = np.random.default_rng(2).normal(size=(2, 16)).astype(np.float32)
    found = aieloom.kernel(source, "halves").emulate(z, sizes={"low": 8, "high": 8})
    assert isinstance(found, dict)
    np.testing.assert_array_equal(np.hstack([found["low"], found["high"]]), z)
    add = aieloom.kernel(source, "add<5>", headers=["taps.h"])
    np.testing.assert_array_equal(add.emulate(x=np.tile(x[:8], (1, 2))), np.tile(x[:8], (1, 2)) + 5)


@pytest.mark.parametrize(
    ("name", "inputs", "words", "said"),
    [
        ("scael", (), {}, r"there is no function 'void scael\(...\)'"),
        ("add<5>", (), {}, r"'add<5>' is a template, .*\n  fix: name the header"),
        ("changes", (1,), {}, r"parameter 'int32& count' of kernel 'changes' may change"),
        ("scale", (1,), {}, r"kernel 'scale' takes x, factor, offsets; missing: factor, offsets"),
        ("scale", (1, 2, 3, 4), {}, r"takes x, factor, offsets; 4 were given"),
        ("scale", (1, 2), {"x": 3}, r"twice: x; missing: offsets"),
        ("scale", ("x", 2, 3), {}, r"no PLIO carries elements of type <U1"),
        (
            "halves",
            (np.zeros((2, 16), np.float32),),
            {"calls": 3},
            r"calls of the kernel: 'x' is for 2, calls=3",
        ),
        ("halves", (np.zeros(16, np.float32),), {"sizes": {"lo": 8}}, r"sizes of lo: no output buffer"),
        ("scale", (np.zeros((1, 2, 3), np.int16), 2, 3), {}, r"'x' has the shape \(1, 2, 3\)"),
    ],
)
def test_what_cannot_be_called_is_refused(
    source: Path, name: str, inputs: tuple[Any, ...], words: dict[str, Any], said: str
) -> None:
    with pytest.raises(SpecError, match=said) as error:
        aieloom.kernel(source, name).emulate(*inputs, **words)
    assert error.value.problems[0].rule in ("kernel-alone", "plio-array")


def test_a_type_that_is_not_the_ports_is_refused(source: Path) -> None:
    with pytest.raises(RunFailed, match="carries words of 4 bytes of int16"):
        aieloom.kernel(source, "scale").emulate(np.zeros(16, np.int32), 1, [0, 0, 0])
    with pytest.raises(SpecError, match="there is no such file"):
        aieloom.kernel(source.with_name("other.cc"), "scale")
