"""Single bfloat16 numbers on a stream and in a buffer of its own, as AMD's kernels for AIE-ML pass them on; the smallest are 0."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.conformance.adf.project import refusal, run_project, write_numbers, write_project

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


ONE_KERNEL = """
#include "kernels.h"
struct Alone : adf::graph {
  adf::input_plio in = adf::input_plio::create("in", adf::plio_32_bits, "data/in.txt");
  adf::output_plio out = adf::output_plio::create("out", adf::plio_32_bits, "out.txt");
  adf::kernel k = adf::kernel::create(alone);
  Alone() {
    adf::source(k) = "kernels.cc";
    adf::runtime<ratio>(k) = 0.5;
    adf::connect(in.out[0], k.in[0]);
    adf::connect(k.out[0], out.in[0]);
    adf::dimensions(k.in[0]) = {4};
    adf::dimensions(k.out[0]) = {COUNT};
  }
} graph;
int main() { graph.init(); graph.run(1); graph.end(); }
"""


def write_alone(folder: Path, type_: str, body: str, count: int) -> None:
    """Write a project of one kernel, which makes `count` numbers of four."""
    signature = f"void alone(adf::input_buffer<float>& in, adf::output_buffer<{type_}>& out)"
    header = f"#pragma once\n#include <adf.h>\n{signature};\n"
    source = f'#include "kernels.h"\n{signature} {{ {body} }}\n'
    files = {"kernels.h": header, "kernels.cc": source, "graph.cpp": ONE_KERNEL.replace("COUNT", str(count))}
    write_project(folder, files)


def test_a_result_below_the_smallest_normal_number_is_zero(tmp_path: Path) -> None:
    """AMD's golden data of a softmax have 0 where the quotient is less than 2^-126 (Vitis-Tutorials, AIE-ML softmax)."""
    body = (
        "for (int i = 0; i < 4; ++i) out.data()[i] = (float)(bfloat16)(in.data()[i] * 0x1p-126F) * 0x1p126F;"
    )
    write_alone(tmp_path, "float", body, 4)
    write_numbers(tmp_path / "data" / "in.txt", np.array([1.0, 0.5, -0.75, -2.0]))
    assert np.array_equal(run_project(tmp_path, arch="aie-ml").floats("out.txt"), [1.0, 0.0, 0.0, -2.0])


def test_what_dma_moves_is_whole_words_all_the_same(tmp_path: Path) -> None:
    write_alone(tmp_path, "bfloat16", "out.data()[0] = (bfloat16)in.data()[0];", 1)
    write_numbers(tmp_path / "data" / "in.txt", np.ones(4))
    assert "[buffer-size]" in refusal(tmp_path, arch="aie-ml")
