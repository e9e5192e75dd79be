"""A whole system: graph, kernels in the logic, host program, configuration."""

from __future__ import annotations

FILES = {
    "aie/kernels.h": """
#ifndef KERNELS_H
#define KERNELS_H
#include <adf.h>
#include <aie_api/aie.hpp>
constexpr unsigned kWords = 64;
void scale(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out, int32 factor);
#endif
""",
    "aie/scale.cc": """
#include "kernels.h"
void scale(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out, int32 factor) {
  for (unsigned i = 0; i < kWords; i += 8) {
    const auto product = aie::mul(aie::load_v<8>(in.data() + i), factor);
    aie::store_v(out.data() + i, product.to_vector<int32>(0));
  }
#ifdef OVERRUN
  out.data()[kWords + 1] = 1;
#endif
}
""",
    "aie/graph.cpp": """
#include "kernels.h"
int kFactor[1] = {7};  // as a header of values gives them to two programs: the array's and the host's
class Scaler : public adf::graph {
 public:
  adf::input_plio in;
  adf::output_plio out;
  adf::input_port factor;
  adf::kernel k;
  Scaler() {
    in = adf::input_plio::create("in", adf::plio_32_bits, "in.txt");
    out = adf::output_plio::create("out", adf::plio_32_bits, "out.txt");
    k = adf::kernel::create(scale);
    adf::source(k) = "scale.cc";
    adf::runtime<adf::ratio>(k) = 0.9;
    adf::connect<>(in.out[0], k.in[0]);
    adf::connect<>(k.out[0], out.in[0]);
    adf::connect<adf::parameter>(factor, async(k.in[1]));
    adf::dimensions(k.in[0]) = {kWords};
    adf::dimensions(k.out[0]) = {kWords};
  }
};
Scaler g;
#if defined(__AIESIM__) || defined(__X86SIM__)
int main() {
  g.init();
  g.update(g.factor, 3);
  g.run(2);
  g.end();
}
#endif
""",
    "pl/bring.cpp": """
#include <ap_axi_sdata.h>
#include <ap_int.h>
#include <hls_stream.h>
extern "C" void bring(const int* mem, hls::stream<ap_axiu<32, 0, 0, 0>>& s, int count) {
#pragma HLS interface m_axi port = mem offset = slave bundle = gmem
#pragma HLS interface axis port = s
  for (int i = 0; i < count; ++i) {
    ap_axiu<32, 0, 0, 0> x;
    x.data = mem[i];
    x.keep = -1;
    x.last = i == count - 1;
    s.write(x);
  }
}
""",
    "pl/take.cpp": """
#include <ap_axi_sdata.h>
#include <ap_int.h>
#include <hls_stream.h>
extern "C" void take(int* mem, hls::stream<ap_axiu<32, 0, 0, 0>>& s, int count) {
#pragma HLS interface m_axi port = mem offset = slave bundle = gmem
#pragma HLS interface axis port = s
  for (int i = 0; i < count; ++i) mem[i] = s.read().data;
}
""",
    "system.cfg": "[connectivity]\nnk=bring:1:bring\nnk=take:1:take\n"
    "stream_connect=bring.s:ai_engine_0.in\nstream_connect=ai_engine_0.out:take.s\n",
    "host.cpp": """
#include <cstdio>
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_graph.h>
#include <xrt/xrt_kernel.h>
int kFactor[1] = {7};
int main(int, char** argv) {
  const int n = 128;
  xrt::device device(0);
  const auto uuid = device.load_xclbin(argv[1]);
  xrt::kernel from(device, uuid, "bring"), to(device, uuid, "take");
  xrt::bo x(device, n * 4, from.group_id(0)), y(device, n * 4, to.group_id(0));
  auto* values = x.map<int*>();
  for (int i = 0; i < n; ++i) values[i] = i - 50;
  x.sync(XCL_BO_SYNC_BO_TO_DEVICE);
  xrt::graph graph(device, uuid, "g");
  graph.update("g.k.in[1]", kFactor[0]);
  graph.run(2);
  auto out = to(y, nullptr, n);
  auto in = from(x, nullptr, n);
  in.wait();
  out.wait();
  y.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
  for (int i = 0; i < n; ++i) std::printf("%d ", y.map<int*>()[i]);
  return 5;
}
""",
}
