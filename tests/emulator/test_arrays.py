"""aieloom.emulate with NumPy arrays in the place of PLIO files."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aieloom
from aieloom.errors import SpecError

JOBS = 4
GRAPH = """
#include <adf.h>
#include "twice.h"
using namespace adf;
class Twice : public graph {
 public:
  input_plio in;
  output_plio out;
  Twice() {
    in = input_plio::create("numbers", plio_64_bits, "data/in.txt");
    out = output_plio::create("doubled", plio_32_bits, "data/out.txt");
    k_ = kernel::create(twice);
    source(k_) = "twice.cc";
    runtime<ratio>(k_) = 0.5;
    connect<>(in.out[0], k_.in[0]);
    connect<>(k_.out[0], out.in[0]);
    dimensions(k_.in[0]) = {16};
    dimensions(k_.out[0]) = {16};
  }

 private:
  kernel k_;
};
Twice g;
int main() {
  g.init();
  g.run(3);
  g.end();
  return 0;
}
"""
HEADER = """
#pragma once
#include <adf.h>
void twice(adf::input_buffer<int16>& in, adf::output_buffer<int32>& out);
"""
KERNEL = """
#include "twice.h"
void twice(adf::input_buffer<int16>& in, adf::output_buffer<int32>& out) {
  for (unsigned i = 0; i < 16; ++i) {
    out.data()[i] = 2 * in.data()[i];
  }
}
"""


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    for name, text in {"graph.cpp": GRAPH, "twice.h": HEADER, "twice.cc": KERNEL}.items():
        (tmp_path / name).write_text(text)
    return tmp_path / "graph.cpp"


def test_numpy_in_and_out(graph: Path, tmp_path: Path) -> None:
    x = np.random.default_rng(1).integers(-(2**15), 2**15, 48).astype(np.int16)
    result = aieloom.emulate(graph, inputs={"numbers": x}, out=tmp_path / "out")
    assert result.code == 0, result.stderr
    assert list(result.arrays) == ["doubled"]
    np.testing.assert_array_equal(result.arrays["doubled"], x.astype(np.int32) * 2)


def test_an_array_longer_than_a_stream_is_deep(graph: Path, tmp_path: Path) -> None:
    graph.write_text(GRAPH.replace("g.run(3);", "g.run();"))
    x = np.arange(1 << 16, dtype=np.int64).astype(np.int16)  # 128 KiB
    result = aieloom.emulate(graph, inputs={"numbers": x}, out=tmp_path / "out")
    assert result.code == 0, result.stderr
    np.testing.assert_array_equal(result.arrays["doubled"], x.astype(np.int32) * 2)


def test_arrays_of_the_wrong_kind_are_refused(graph: Path, tmp_path: Path) -> None:
    wrong = aieloom.emulate(graph, inputs={"numbers": np.zeros(48, np.float32)}, out=tmp_path / "out")
    assert wrong.code == 2
    assert "[plio-array]" in wrong.stderr
    assert "int16" in wrong.stderr
    odd = aieloom.emulate(graph, inputs={"numbers": np.zeros(47, np.int16)}, out=tmp_path / "out")
    assert "94 bytes of int16" in odd.stderr
    with pytest.raises(SpecError, match="complex128"):
        aieloom.emulate(graph, inputs={"numbers": np.zeros(4, np.complex128)}, out=tmp_path / "out")


def test_calls_from_threads_do_not_mix(graph: Path, tmp_path: Path) -> None:
    """Also while the kernel's source is edited: each call has the results of one source, the one that it found."""
    aieloom.emulate(graph, inputs={"numbers": np.zeros(48, np.int16)}, out=tmp_path / "out")
    edited = KERNEL.replace("2 * in", "3 * in")

    def call(seed: int) -> None:
        if seed == 6:
            graph.with_name("twice.cc").write_text(edited)
        x = np.random.default_rng(seed).integers(-99, 99, 48).astype(np.int16)
        result = aieloom.emulate(graph, inputs={"numbers": x}, out=tmp_path / f"out{seed}")
        assert result.code == 0, result.stderr
        doubled = result.arrays["doubled"]
        assert np.array_equal(doubled, 3 * x.astype(np.int32)) or (
            seed < 6 + JOBS and np.array_equal(doubled, 2 * x.astype(np.int32))
        )

    with ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(call, range(12)))


@pytest.mark.parametrize(
    "name", ["program", "program.kernels", "kernel_0_twice.so", "graph.o", "program.stamp"]
)
def test_what_is_damaged_is_built_again(graph: Path, tmp_path: Path, name: str) -> None:
    x = np.arange(48, dtype=np.int16)
    for damage in (None, b"", b"\xff" * 99, "removed"):
        file = tmp_path / "program" / name
        if isinstance(damage, bytes):
            file.write_bytes(damage)
        elif damage:
            file.unlink()
        words: dict[str, Any] = {
            "inputs": {"numbers": x},
            "out": tmp_path / "out",
            "folder": tmp_path / "program",
        }
        result = aieloom.emulate(graph, **words)
        assert result.code == 0, result.stderr
        assert np.array_equal(result.arrays["doubled"], 2 * x)
