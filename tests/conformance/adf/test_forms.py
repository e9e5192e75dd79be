"""Forms that graphs come in: arrays, local and owned graphs, conditional members, constraints that hold, endless runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from aieloom.emulator.program import Program, build, run
from tests.conformance.adf.project import write_numbers, write_project

FILES = {
    "lib/kernels.h": """
#ifndef KERNELS_H
#define KERNELS_H
#include <adf.h>
namespace dsp {
void plus(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out);
extern "C" void plain_c(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out);
inline void in_header(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out) {
  for (unsigned i = 0; i < in.size(); ++i) out.data()[i] = in.data()[i] * 2;
}
void set_up();
}  // namespace dsp
#endif
""",
    "lib/src/plus.cc": """
#include "kernels.h"
namespace dsp {
static int amount = 1;
void set_up() { amount = AMOUNT; }
void plus(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out) {
  for (unsigned i = 0; i < in.size(); ++i) out.data()[i] = in.data()[i] + amount;
}
void plain_c(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out) {
  for (unsigned i = 0; i < in.size(); ++i) out.data()[i] = -in.data()[i];
}
}  // namespace dsp
""",
    "graph.cpp": """
#include "kernels.h"
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
using namespace adf;

int made = 0;

/// One kernel, or two in a row; kernels are in std::optional and std::unique_ptr.
template <bool Twice>
class Chain : public graph {
 public:
  port<input> in;
  port<output> out;
  std::optional<kernel> first;
  std::conditional_t<Twice, std::unique_ptr<kernel>, std::tuple<>> second;
  Chain() {
    first.emplace(kernel::create(dsp::plus));
    prepare(*first);
    initialization_function(*first) = "dsp::set_up";
    connect<> net(in, first->in[0]);
    fifo_depth(net) = 64;
    location<fifo>(net) = dma_fifo(aie_tile, 20, 3, 0x2000, 256);
    if constexpr (Twice) {
      second = std::make_unique<kernel>(kernel::create(dsp::plain_c));
      prepare(*second);
      connect<>(first->out[0], second->in[0]);
      connect<>(second->out[0], out);
    } else {
      connect<>(first->out[0], out);
    }
  }
  static void prepare(kernel& k) {
    source(k) = "src/plus.cc";
    runtime<ratio>(k) = 0.4;
    dimensions(k.in[0]) = {2, 2};
    dimensions(k.out[0]) = {4};
    stack_size(k) = 2048;
    heap_size(k) = 512;
  }
};

class Top : public graph {
 public:
  input_plio in = input_plio::create("in" + std::to_string(made), plio_32_bits, "in.txt", 312.5);
  output_plio out = output_plio::create("out" + std::to_string(made), plio_32_bits, "out" + std::to_string(made) + ".txt");
  Chain<false> once;
  std::unique_ptr<Chain<true>> twice = std::make_unique<Chain<true>>();
  kernel middle = kernel::create(dsp::in_header);
  Top() {
    const int column = 11 + 2 * made++;
    Chain<true>::prepare(middle);
    connect<>(in.out[0], once.in);
    connect<>(once.out, middle.in[0]);
    connect<>(middle.out[0], twice->in);
    connect<>(twice->out, out.in[0]);
    location<kernel>(middle) = tile(column, 4);
    location<kernel>(*once.first) = location<kernel>(middle);
    location<kernel>(*twice->first) = location<kernel>(*once.first) + relative_offset({.col_offset = 0, .row_offset = -1});
    location<stack>(middle) = address(column, 4, 0x0);
    location<buffer>(middle.in[0]) = {bank(column, 4, 1), bank(column, 3, 1)};
    location<buffer>(middle.out[0]) = {bank(column, 4, 2), bank(column, 4, 3)};
    not_equal(location<buffer>(middle.in[0]), location<buffer>(middle.out[0]));
    location<graph>(*this) = area_group({{aie_tile, 10, 0, 14, 7}, {shim_tile, 10, 0, 14, 0}});
    location<PLIO>(in) = shim(column, 2);
  }
};

int main(int, char** argv) {
  static Top first;
  auto second = std::make_unique<Top>();
  if (first.init() != return_code::ok || second->init() != return_code::ok) return 1;
  first.run(2);
  first.wait();
  if (std::string(argv[0]).empty()) return 2;
  second->run();
  first.run(1);
  first.end();
  second->end();
}
""",
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("forms")
    write_project(folder, FILES)
    write_numbers(folder / "in.txt", np.arange(24))
    return build(
        Program(graph=folder / "graph.cpp", includes=(folder / "lib",), defines=("AMOUNT=5",)),
        folder / "build",
    )


@pytest.mark.parametrize("iterations", [None, 4])
def test_graphs_of_all_forms(program: Path, iterations: int | None) -> None:
    folder = program.parent.parent
    done = run(program, data=folder, out=folder / "out", iterations=iterations)
    assert (done.code, done.stderr) == (0, "")
    want = -((np.arange(24) + 5) * 2 + 5)
    for name, count in (("out0.txt", 12), ("out1.txt", 4 * iterations if iterations else 24)):
        got = np.array((done.out / name).read_text().split(), dtype=np.int64)
        np.testing.assert_array_equal(got, want[:count])
