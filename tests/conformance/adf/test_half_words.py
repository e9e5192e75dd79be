"""Single bfloat16 numbers on a stream and in a buffer of its own, as AMD's kernels for AIE-ML pass them on."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.conformance.adf.project import run_project, write_numbers, write_project

COUNT = 4
KERNELS = """
#pragma once
#include <adf.h>
#include <aie_api/aie.hpp>
void peak(adf::input_buffer<float>& in, output_stream<bfloat16>* on_stream, adf::output_buffer<bfloat16>& alone);
void scaled(input_stream<bfloat16>* on_stream, adf::input_buffer<bfloat16>& alone, adf::output_buffer<float>& out);
"""
SOURCE = """
#include "kernels.h"
void peak(adf::input_buffer<float>& in, output_stream<bfloat16>* on_stream, adf::output_buffer<bfloat16>& alone) {
  const float* x = in.data();
  writeincr(on_stream, (bfloat16)x[0]);
  writeincr(on_stream, (bfloat16)x[1], true);
  alone.data()[0] = (bfloat16)x[2];
}
void scaled(input_stream<bfloat16>* on_stream, adf::input_buffer<bfloat16>& alone, adf::output_buffer<float>& out) {
  bool last = false;
  float* y = out.data();
  y[0] = (float)readincr(on_stream);
  y[1] = (float)readincr(on_stream, last);
  y[2] = (float)alone.data()[0];
  y[3] = last ? 1.0F : 0.0F;
}
"""
GRAPH = """
#include "kernels.h"
struct Halves : adf::graph {
  adf::input_plio in = adf::input_plio::create("in", adf::plio_32_bits, "data/in.txt");
  adf::output_plio out = adf::output_plio::create("out", adf::plio_32_bits, "out.txt");
  adf::kernel first = adf::kernel::create(peak), second = adf::kernel::create(scaled);
  Halves() {
    adf::source(first) = "kernels.cc";
    adf::source(second) = "kernels.cc";
    adf::runtime<ratio>(first) = adf::runtime<ratio>(second) = 0.5;
    adf::connect(in.out[0], first.in[0]);
    adf::connect<adf::stream>(first.out[0], second.in[0]);
    adf::connect(first.out[1], second.in[1]);
    adf::connect(second.out[0], out.in[0]);
    adf::dimensions(first.in[0]) = {4};
    adf::dimensions(first.out[1]) = {1};
    adf::dimensions(second.in[1]) = {1};
    adf::dimensions(second.out[0]) = {4};
  }
} halves;
int main() { halves.init(); halves.run(4); halves.end(); }
"""


def test_single_bfloat16_numbers_have_words_and_buffers_of_their_own(tmp_path: Path) -> None:
    x = np.arange(4.0 * COUNT) / 4 - 2  # exact in bfloat16
    write_project(tmp_path, {"kernels.h": KERNELS, "kernels.cc": SOURCE, "graph.cpp": GRAPH})
    write_numbers(tmp_path / "data" / "in.txt", x)
    made = run_project(tmp_path, arch="aie-ml").floats("out.txt").reshape(COUNT, 4)
    wanted = x.reshape(COUNT, 4).copy()
    wanted[:, 3] = 1.0
    assert np.array_equal(made, wanted)
