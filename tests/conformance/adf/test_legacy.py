"""Programs in the style before 2022.2, file-scope arrays, parameters from kernel to kernel: against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from tests.conformance.adf.project import Ran, run_project, write_numbers, write_project

FILES = {
    "kernels.h": """
#ifndef KERNELS_H
#define KERNELS_H
#include <adf.h>
extern int32 lut[8];
void vectors(input_window_int32* restrict in, output_window_int32* restrict out);
void look_up(input_window_int32* restrict in, output_window_int32* restrict out);
void half_sum(input_stream_int32* in, output_stream_acc48* out);
void whole_sum(input_stream_acc48* in, output_stream_int32* out);
void measure(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out, int32 (&range)[2]);
void normalise(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out, const int32 (&range)[2], int64& calls);
#endif
""",
    "vectors.cc": """
#include <aie_api/aie.hpp>
#include <aie_api/aie_adf.hpp>
#include "kernels.h"
void vectors(input_window_int32* restrict in, output_window_int32* restrict out) {
  const unsigned samples = GET_NUM_SAMPLES(out);
  input_window<int32> behind;
  window_copy(&behind, in);
  for (unsigned i = 0; i < samples / 8; ++i) chess_prepare_for_pipelining chess_loop_range(2, ) {
    aie::vector<int32, 8> a = window_readincr_v<8>(in);
    int32* place = in->ptr;
    window_decr_v8(in, 1);
    window_incr_v8(in, 3);
    in->ptr = place;
    aie::vector<int32, 8> b = window_readincr_v8(&behind);
    window_writeincr(out, aie::add(a, b));
  }
}
void half_sum(input_stream_int32* in, output_stream_acc48* out) {
  for (unsigned i = 0; i < 2; ++i) {
    const aie::vector<int32, 4> low = readincr_v<4>(in);
    const aie::vector<int32, 8> x = aie::concat(low, readincr_v4(in));
    aie::accum<acc48, 8> sum;
    sum.from_vector(x, 1);
    writeincr<acc48, 8>(out, sum);
    put_mcd(x);
  }
}
void whole_sum(input_stream_acc48* in, output_stream_int32* out) {
  for (unsigned i = 0; i < 2; ++i) {
    const aie::vector<int32, 8> doubled = readincr_v<8, acc48>(in).to_vector<int32>(0);
    const aie::vector<int32, 8> x = aie::add(doubled, get_scd_v8int32());
    writeincr(out, x.extract<4>(1));
    writeincr(out, x.extract<4>(0));
  }
}
""",
    "look_up.cc": """
#include "kernels.h"
int32 lut[8] = {0, 1, 4, 9, 16, 25, 36, 49};
void look_up(input_window_int32* restrict in, output_window_int32* restrict out) {
  for (unsigned i = 0; i < window_size(in); ++i) {
    window_writeincr(out, lut[window_readincr(in) & 7]++);
  }
}
void measure(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out, int32 (&range)[2]) {
  range[0] = range[1] = in.data()[0];
  for (unsigned i = 0; i < in.size(); ++i) {
    range[0] = in.data()[i] < range[0] ? in.data()[i] : range[0];
    range[1] = in.data()[i] > range[1] ? in.data()[i] : range[1];
    out.data()[i] = in.data()[i];
  }
}
void normalise(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out, const int32 (&range)[2], int64& calls) {
  ++calls;
  for (unsigned i = 0; i < in.size(); ++i) out.data()[i] = in.data()[i] - range[0] + (range[1] - range[0]);
}
""",
    "graph.cpp": """
#include "kernels.h"
#include <cstdio>

class Old : public adf::graph {
 public:
  adf::port<adf::direction::in> in[4];
  adf::port<adf::direction::out> out[4];
  adf::port<adf::direction::out> calls;
  adf::kernel v, l, h, w, m, n;
  Old() {
    v = adf::kernel::create(vectors);
    l = adf::kernel::create(look_up);
    h = adf::kernel::create(half_sum);
    w = adf::kernel::create(whole_sum);
    m = adf::kernel::create(measure);
    n = adf::kernel::create(normalise);
    for (auto* k : {&v, &h, &w}) adf::source(*k) = "vectors.cc";
    for (auto* k : {&l, &m, &n}) adf::source(*k) = "look_up.cc";
    for (auto* k : {&v, &l, &h, &w, &m, &n}) adf::runtime<adf::ratio>(*k) = 0.25;
    adf::connect<adf::window<64>> net0(in[0], v.in[0]);
    adf::connect<adf::window<64>> net1(v.out[0], out[0]);
    adf::connect<adf::window<64>> net2(in[1], l.in[0]);
    adf::connect<adf::window<64>> net3(l.out[0], out[1]);
    adf::connect<adf::stream> net4(in[2], h.in[0]);
    adf::connect<adf::cascade> net5(h.out[0], w.in[0]);
    adf::connect<adf::stream> net6(w.out[0], out[2]);
    adf::parameter table = adf::parameter::array(lut);
    adf::connect<>(table, l);
    adf::connect<>(in[3], m.in[0]);
    adf::connect<>(m.out[0], n.in[0]);
    adf::connect<>(n.out[0], out[3]);
    for (auto* k : {&m, &n}) {
      adf::dimensions(k->in[0]) = {16};
      adf::dimensions(k->out[0]) = {16};
    }
    adf::connect<adf::parameter>(m.inout[0], n.in[1]);
    adf::connect<adf::parameter>(n.inout[0], calls);
    adf::location<adf::kernel>(l) = adf::tile(20, 1);
    adf::location<adf::parameter>(table) = adf::bank(20, 1, 3);
    adf::location<adf::stack>(l) = adf::bank(20, 1, 0);
  }
};

adf::PLIO* in0 = new adf::PLIO("in0", adf::plio_32_bits, "data/in0.txt", 250);
adf::PLIO* in1 = new adf::PLIO("in1", adf::plio_32_bits, "data/in1.txt");
adf::PLIO* in2 = new adf::PLIO("in2", adf::plio_32_bits, "data/in2.txt");
adf::FileIO* in3 = new adf::FileIO("data/in3.txt");
adf::PLIO* out0 = new adf::PLIO("out0", adf::plio_32_bits, "out0.txt");
adf::PLIO* out1 = new adf::PLIO("out1", adf::plio_32_bits, "out1.txt");
adf::PLIO* out2 = new adf::PLIO("out2", adf::plio_32_bits, "out2.txt");
adf::FileIO* out3 = new adf::FileIO("out3.txt");
adf::simulation::platform<4, 4> platform(in0, in1, in2, in3, out0, out1, out2, out3);
Old old;
adf::connect<> c0(platform.src[0], old.in[0]), c1(platform.src[1], old.in[1]), c2(platform.src[2], old.in[2]),
    c3(platform.src[3], old.in[3]), d0(old.out[0], platform.sink[0]), d1(old.out[1], platform.sink[1]),
    d2(old.out[2], platform.sink[2]), d3(old.out[3], platform.sink[3]);

int main() {
  old.init();
  old.run(2);
  old.wait();
  long long calls = 0;
  old.read(old.calls, calls);
  std::printf("%lld\\n", calls);
  old.resume();
  old.end(1000);
}
""",
}


def data(i: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    return np.random.default_rng(40 + i).integers(-1000, 1000, (2, 16))


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    folder = tmp_path_factory.mktemp("legacy")
    write_project(folder, FILES)
    for i in range(4):
        write_numbers(folder / f"data/in{i}.txt", data(i))
    done = run_project(folder)
    assert (done.result.code, done.result.stderr, done.result.stdout) == (0, "", "2\n")
    return done


def test_vector_windows(ran: Ran) -> None:
    np.testing.assert_array_equal(ran.ints("out0.txt"), 2 * data(0).ravel())


def test_file_scope_array_keeps_what_the_kernel_writes(ran: Ran) -> None:
    table = np.arange(8) ** 2
    want = []
    for index in data(1).ravel() & 7:
        want.append(table[index])
        table[index] += 1
    np.testing.assert_array_equal(ran.ints("out1.txt"), want)


def test_streams_of_accumulators_are_cascades(ran: Ran) -> None:
    want = 3 * data(2).reshape(-1, 2, 4)[:, ::-1]  # doubled in accumulators, once more as a vector
    np.testing.assert_array_equal(ran.ints("out2.txt"), want.ravel())


def test_parameters_from_kernel_to_kernel(ran: Ran) -> None:
    x = data(3)
    low, high = x.min(axis=1, keepdims=True), x.max(axis=1, keepdims=True)
    np.testing.assert_array_equal(ran.ints("out3.txt"), (x - low + high - low).ravel())
