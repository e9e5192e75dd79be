"""Kernels that are class templates as AMD's tutorials and DSPLIB write them: members that are none for these arguments,
lengths of namespaces, arrays that are members, thread_local arrays that the graph names."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from aieloom.emulator.program import emulate

HEADER = """
#pragma once
#include <aie_api/aie.hpp>  // brings adf.h
#include <array>
using namespace adf;
using namespace aie;
namespace sizes {
static constexpr int kRows = 2;
extern "C" {
extern thread_local int16 scratch_16[16];  // the graph says where it lies
}
template <bool Wide> struct Port;
template <> struct Port<false> { input_stream<int16>* in; };
template <> struct Port<true> { input_stream<int16>* in; int more; };

template <int Taps, bool Wide>
class Filter {
 public:
  alignas(32) int16 (&taps_)[kRows * Taps];
  alignas(32) std::array<int16, 48> line_;
  unsigned starts_ = 0;
  Filter(int16 (&taps)[kRows * Taps]);
  void run(input_stream<int16>* in, output_stream<int16>* out);
  void pass(Port<!Wide> other);  // of other arguments alone
  static void registerKernelClass() {
    REGISTER_FUNCTION(Filter::run);
    REGISTER_PARAMETER(taps_);
    REGISTER_PARAMETER(line_);
  }
};
}  // namespace sizes
"""
# A symmetric filter of eight taps: four pairs, one instruction.
KERNEL = """
#include "filter.h"
namespace sizes {
thread_local int16 scratch_16[16];
template <int Taps, bool Wide>
Filter<Taps, Wide>::Filter(int16 (&taps)[kRows * Taps]) : taps_(taps), line_{} { starts_ = 1; }
template <int Taps, bool Wide>
void Filter<Taps, Wide>::run(input_stream<int16>* in, output_stream<int16>* out) {
  const int16* second = byte_incr(taps_, Taps * sizeof(int16));
  aie::vector<int16, 16> coefficients = aie::load_v<16>(taps_);
  if (second != taps_ + Taps) coefficients[3] = aie::zero<int16>();
  for (int block = 0; block < 4; ++block) {
    for (int i = 0; i < 8; ++i) {
      line_[i] = line_[8 + i];
    }
    const aie::vector<int16, 8> fresh = readincr_v<8, aie_stream_resource_in::a>(in);
    for (int i = 0; i < 8; ++i) scratch_16[i] = line_[8 + i] = fresh[i];
    aie::vector<int16, 32> data = aie::zeros<int16, 32>();
    for (int i = 0; i < 16; ++i) data[i] = line_[i];
    const auto sum = aie::sliding_mul_sym<8, 8>(coefficients, 0, data, 1) ;
    writeincr<aie_stream_resource_out::b>(out, (sum.template to_vector<int16>(0)));
  }
}
template <int Taps, bool Wide>
void Filter<Taps, Wide>::pass(Port<!Wide> other) {
  other.more = Taps;  // Port<false> has none
}
}  // namespace sizes
"""
GRAPH = """
#include "filter.h"
template <int Taps>
class Top : public adf::graph {
 public:
  input_plio in;
  output_plio out;
  kernel filter;
  Top() {
    in = input_plio::create("in", plio_32_bits, "in.txt");
    out = output_plio::create("out", plio_32_bits, "out.txt");
    filter = kernel::create_object<sizes::Filter<Taps, true>>(std::vector<int16>{1, -2, 3, 50, 0, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9});
    source(filter) = "filter.cc";
    runtime<ratio>(filter) = 0.5;
    location<kernel>(filter) = tile(3, 1);  // aie::tile and adf::tile are one
    adf::parameter scratch = parameter::array(sizes::scratch_16);
    connect<>(scratch, filter);
    connect<stream>(in.out[0], filter.in[0]);
    connect<stream>(filter.out[0], out.in[0]);
  }
};
typedef Top<8> TT_GRAPH;
TT_GRAPH top;
#if defined(__AIESIM__) || defined(__X86SIM__)
int main() {
  top.init();
  top.run(2);
  top.end();
}
#endif
"""


def test_members_arrays_and_lengths_of_class_templates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = [(37 * i * i + 11 * i) % 401 - 200 for i in range(64)]
    (tmp_path / "in.txt").write_text("".join(f"{a} {b}\n" for a, b in zip(*[iter(values)] * 2, strict=True)))
    for name, text in (("filter.h", HEADER), ("filter.cc", KERNEL), ("graph.cpp", GRAPH)):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    done = emulate(Path("graph.cpp"), out="o")
    assert (done.code, done.stderr) == (0, "")
    taps = [1, -2, 3, 50, 50, 3, -2, 1]
    # The line holds the eight before the block's, the filter starts at its second.
    past = [0] * 8 + values
    expected = [sum(taps[p] * past[i + 1 + p] for p in range(8)) for i in range(64)]
    got = [int(w) for w in (tmp_path / "o" / "out.txt").read_text().split()]
    assert got == expected


SCALARS = """
namespace vision { namespace aie { struct Image {}; } namespace adf { struct Tile {}; } }
#define rnd_floor 0  // DSPLIB's device_defs.h has all modes as macros
using namespace vision;  // as in Vitis Vision: the headers' own names must not be taken for these
#include <aie_api/aie.hpp>
#include <aie_api/aie_adf.hpp>
#include <aie_api/utils.hpp>
using output_stream_cacc64 = output_stream_cacc80;  // DSPLIB, on AIE; the other way round on AIE-ML
void roots(::adf::input_stream<float>* in, ::adf::output_stream<float>* out) {
  namespace aie = ::aie;
  aie::vector<float, 8> v = aie::zeros<float, 8>();
  bool last = false;
  v[1] = readincr<aie_stream_resource_in::a>(in);
  v[2] = readincr<aie_stream_resource_in::b>(in, last);
  writeincr<aie_stream_resource_out::a>(out, inv(v[1]));  // ::inv(float) and aie::inv are both there
  writeincr<aie_stream_resource_out::b>(out, sqrt(v[2]), false);
  aie::vector<float, 8> w = aie::operators::operator+(v, v);  // operators come with aie.hpp
  writeincr(out, aie::invsqrt(w[1]));
  writeincr(out, aie::to_float(aie::vector<int32, 8>(aie::broadcast<int32, 8>(3))[4], 1));
  alignas(64) int16 numbers[64];
  for (int i = 0; i < 64; ++i) numbers[i] = i;
  int vectors = 0;
  for (auto it = aie::begin_vector<16>(numbers); it != numbers + 64; ++it) ++vectors;  // an end that is a pointer
  const aie::vector<int16, 32> whole = aie::load_v(numbers);  // 512 bits where no number of lanes is given
  const aie::vector<int16, 16> weights(2, 3);
  const auto sum = aie::accumulate<16>(weights, aie::load_v<16>(numbers), aie::load_v<16>(numbers + 16));
  const cfloat turn = ::aie::conj(cfloat{1.5F, 2.5F});
  writeincr(out, ::aie::real(turn) + 10 * ::aie::imag(turn));
  writeincr(out, static_cast<float>(vectors));
  writeincr(out, static_cast<float>(whole[31]));
  writeincr(out, static_cast<float>(aie::to_vector<int16>(sum, 0)[1]));
}
"""
SCALAR_GRAPH = """
#include <adf.h>
extern "C" void roots(adf::input_stream<float>* in, adf::output_stream<float>* out);  // the source has it as C++
struct Top : adf::graph {
  adf::input_plio in = adf::input_plio::create("in", adf::plio_32_bits, "in.txt");
  adf::output_plio out = adf::output_plio::create("out", adf::plio_32_bits, "out.txt");
  adf::kernel k = adf::kernel::create(roots);
  Top() {
    adf::source(k) = "roots.cc";
    adf::runtime<ratio>(k) = 0.5;
    adf::connect<>(in.out[0], k.in[0]);
    adf::connect<>(k.out[0], out.in[0]);
  }
} top;
int main() {
  top.init();
  top.run(1);
  top.end();
}
"""


def test_scalars_of_streams_elements_of_vectors_and_the_other_linkage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in.txt").write_text("4.0\n2.25\n")
    (tmp_path / "roots.cc").write_text(SCALARS)
    (tmp_path / "graph.cpp").write_text(SCALAR_GRAPH)
    monkeypatch.chdir(tmp_path)
    done = emulate(Path("graph.cpp"), out="o")
    assert (done.code, done.stderr) == (0, "")
    got = [float(w) for w in (tmp_path / "o" / "out.txt").read_text().split()]
    assert got == pytest.approx([0.25, 1.5, 1 / math.sqrt(8), 1.5, 1.5 - 25, 4, 31, 2 * 1 + 3 * 17], rel=1e-6)
