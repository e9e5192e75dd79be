"""Timed runs of kernels in the logic."""

from __future__ import annotations

from pathlib import Path

import aieloom
from aieloom.emulator.program import Result
from tests.clang_14 import need_clang

LOGIC = """
#include <ap_int.h>
#include <hls_stream.h>
#include <ap_axi_sdata.h>
extern "C" {
// All of the loops that cost something, one after another.
void loops(int* out, int n) {
#pragma HLS interface m_axi port=out bundle=out
  int sum = 0;
  volatile int table[64];
  for (int i = 0; i < n; ++i) {
#pragma HLS pipeline II=3
    for (int j = 0; j < 4; ++j) sum += j;
  }
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 16; ++j) {
      sum += i * j;
    }
  }
  for (int i = 0; i < 8; ++i) {
    sum += i;
    for (int j = 0; j < 16; ++j) sum += i * j;
  }
  for (int i = 0; i < 64; ++i) {
#pragma HLS unroll factor=4
    table[i] = i;
  }
  for (int i = 0; i < 10; ++i) {
#pragma HLS pipeline off
    sum += table[i];
  }
  for (int i = 0; i < 64; ++i) {
#pragma HLS unroll
    sum += table[i];
  }
  out[0] = sum;
}
// Words by a port that carries one a cycle: a copy in a burst.
void copies(const ap_uint<512>* in, ap_uint<512>* out, int n) {
#pragma HLS interface m_axi port=in bundle=a
#pragma HLS interface m_axi port=out bundle=b
  for (int i = 0; i < n; ++i) {
#pragma HLS pipeline II=1
    out[i] = in[i];
  }
}
static void produce(hls::stream<int>& to, int n) {
  for (int i = 0; i < n; ++i) {
#pragma HLS pipeline II=2
    to.write(i);
  }
}
static void consume(hls::stream<int>& from, int n, int& sum) {
  for (int i = 0; i < n; ++i) {
#pragma HLS pipeline II=1
    sum += from.read();
  }
}
// Two processes side by side: as long as the slower one.
void flows(int* out, int n) {
#pragma HLS interface m_axi port=out bundle=out
  int sum = 0;
  {
  }
  both(out, n);
}
}
"""
LOGIC = LOGIC.replace(
    "// Two processes",
    """static void both(int n, int& sum) {
#pragma HLS dataflow
  hls::stream<int> between("between");
  produce(between, n);
  consume(between, n, sum);
}
// Two processes""",
).replace("  {\n  }\n  both(out, n);", "  both(n, sum);\n  out[0] = sum;")
FEED = """
#include <hls_stream.h>
#include <ap_axi_sdata.h>
extern "C" void feed(hls::stream<ap_axis<32, 0, 0, 0>>& to, int n) {
  for (int i = 0; i < n; ++i) {
#pragma HLS pipeline II=1
    ap_axis<32, 0, 0, 0> word;
    word.data = i;
    word.last = i == n - 1;
    to.write(word);
  }
}
"""
DRAIN = """
#include <hls_stream.h>
#include <ap_axi_sdata.h>
extern "C" void drain(hls::stream<ap_axis<32, 0, 0, 0>>& from, int* out, int n) {
#pragma HLS interface m_axi port=out
  for (int i = 0; i < n; ++i) {
#pragma HLS pipeline II=1
    out[i] = from.read().data;
  }
}
"""
KERNEL = """
#include <adf.h>
void pass(input_stream<int32>* in, output_stream<int32>* out) {
  for (int i = 0; i < 256; ++i) chess_prepare_for_pipelining writeincr(out, readincr(in) + 1);
}
"""
GRAPH = """
#include <adf.h>
void pass(input_stream<int32>* in, output_stream<int32>* out);
class Design : public adf::graph {
 public:
  adf::input_plio in;
  adf::output_plio out;
  adf::kernel k;
  Design() {
    k = adf::kernel::create(pass);
    adf::source(k) = "kernel.cc";
    adf::runtime<adf::ratio>(k) = 0.9;
    in = adf::input_plio::create("x", adf::plio_32_bits, "x.txt", 312.5);
    out = adf::output_plio::create("y", adf::plio_32_bits, "y.txt", 312.5);
    adf::connect<adf::stream>(in.out[0], k.in[0]);
    adf::connect<adf::stream>(k.out[0], out.in[0]);
  }
};
Design g;
"""
HOST = """
#include <cstdio>
#include "xrt/xrt_bo.h"
#include "xrt/xrt_device.h"
#include "xrt/xrt_graph.h"
#include "xrt/xrt_kernel.h"
int main(int, char** argv) {
  xrt::device device(0);
  auto id = device.load_xclbin(argv[1]);
  constexpr int n = 512;
  xrt::kernel loops(device, id, "loops"), copies(device, id, "copies"), flows(device, id, "flows"), feed(device, id, "feed"), drain(device, id, "drain");
  xrt::bo a(device, 64 * n, copies.group_id(0)), b(device, 64 * n, copies.group_id(1)), c(device, 4096, loops.group_id(0)), d(device, 4096, drain.group_id(1));
  a.sync(XCL_BO_SYNC_BO_TO_DEVICE);
  loops(c, 100).wait();
  copies(a, b, n).wait();
  flows(c, 50).wait();
  xrt::graph g(device, id, "g");
  g.run(1);
  auto last = drain(nullptr, d, 256);
  feed(nullptr, 256);
  last.wait();
  d.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
  std::printf("%d\\n", d.map<int*>()[255]);
}
"""
CONFIG = """
[connectivity]
nk=loops:1:loops_1
nk=copies:1:copies_1
nk=flows:1:flows_1
nk=feed:1:feed_1
nk=drain:1:drain_1
stream_connect=feed_1.to:ai_engine_0.x
stream_connect=ai_engine_0.y:drain_1.from
[clock]
defaultFreqHz=312500000
freqHz=250000000:loops_1.ap_clk
"""


def run_system(folder: Path) -> Result:
    """Run a system with all of them."""
    need_clang()
    files = {
        "logic.cpp": LOGIC,
        "feed.cpp": FEED,
        "drain.cpp": DRAIN,
        "kernel.cc": KERNEL,
        "graph.cpp": GRAPH,
    }
    for name, text in {**files, "host.cpp": HOST, "system.cfg": CONFIG}.items():
        (folder / name).write_text(text)
    made = aieloom.emulate(
        folder / "graph.cpp",
        pl=[folder / n for n in ("logic.cpp", "feed.cpp", "drain.cpp")],
        host=[folder / "host.cpp"],
        config=folder / "system.cfg",
        folder=folder / "build",
        out=folder / "out",
        timed=True,
    )
    assert made.code == 0, made.stderr
    assert made.stdout.split()[-1] == "256"
    return made


def cycles(done: Result, unit: str) -> float:
    """A unit's call in cycles of its own clock."""
    assert done.cycles is not None
    found = next(u for u in done.cycles.times.units if u.name == unit)
    assert found.calls == 1
    return found.longest * found.mhz / done.cycles.times.mhz
