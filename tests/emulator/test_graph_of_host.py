"""A host program that has the graph's object too, while graph.cpp connects it: simulation::platform and connect<> beside the graph.

On the device the host's object is a handle of the graph that aiecompiler has compiled from graph.cpp.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import aieloom
from aieloom.emulator.program import connects_outside

HEADER = """
#pragma once
#include <adf.h>
void doubled(input_stream_int32* in, output_stream_int32* out);
class Doubles : public adf::graph {
  adf::kernel k;
 public:
  adf::port<input> in;
  adf::port<output> out;
  Doubles() {
    k = adf::kernel::create(doubled);
    adf::source(k) = "doubled.cc";
    adf::runtime<adf::ratio>(k) = 0.5;
    adf::connect<adf::stream>(in, k.in[0]);
    adf::connect<adf::stream>(k.out[0], out);
  }
};
"""
GRAPH = """
#include "graph.h"
using namespace adf;
PLIO* given = new PLIO("x", plio_32_bits, "x.txt");
PLIO* made = new PLIO("y", plio_32_bits, "y.txt");
simulation::platform<1, 1> platform(given, made);
Doubles g;
connect<> first(platform.src[0], g.in);
connect<> last(g.out, platform.sink[0]);
"""
KERNEL = """
#include <adf.h>
void doubled(input_stream_int32* in, output_stream_int32* out) {
  for (int i = 0; i < 16; ++i) writeincr(out, 2 * readincr(in));
}
"""
LOGIC = """
#include <hls_stream.h>
#include <ap_axi_sdata.h>
extern "C" void feed(hls::stream<ap_axis<32, 0, 0, 0>>& to, int n) {
#pragma HLS interface axis port=to
  for (int i = 0; i < n; ++i) {
    ap_axis<32, 0, 0, 0> word;
    word.data = i;
    word.keep = -1;
    to.write(word);
  }
}
extern "C" void drain(hls::stream<ap_axis<32, 0, 0, 0>>& from, int* out, int n) {
#pragma HLS interface m_axi port=out
  for (int i = 0; i < n; ++i) out[i] = from.read().data;
}
"""
HOST = """
#include "graph.h"
#include <cstdio>
#include "xrt/xrt_bo.h"
#include "xrt/xrt_device.h"
#include "xrt/xrt_kernel.h"
Doubles g;
int main(int, char** argv) {
  xrt::device device(0);
  auto id = device.load_xclbin(argv[1]);
  xrt::kernel feed(device, id, "feed"), drain(device, id, "drain");
  xrt::bo out(device, 64, drain.group_id(1));
  g.init();
  g.run(1);
  auto last = drain(nullptr, out, 16);
  feed(nullptr, 16);
  last.wait();
  g.end();
  out.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
  for (int i = 0; i < 16; ++i) std::printf("%d ", out.map<int*>()[i]);
}
"""
CONFIG = """
[connectivity]
nk=feed:1:feed_1
nk=drain:1:drain_1
stream_connect=feed_1.to:ai_engine_0.x
stream_connect=ai_engine_0.y:drain_1.from
"""


@pytest.mark.slow
def test_the_graph_is_that_which_graph_cpp_connects(tmp_path: Path) -> None:
    files = {
        "graph.h": HEADER,
        "graph.cpp": GRAPH,
        "doubled.cc": KERNEL,
        "logic.cpp": LOGIC,
        "host.cpp": HOST,
    }
    for name, text in {**files, "system.cfg": CONFIG}.items():
        (tmp_path / name).write_text(text)
    done = aieloom.emulate(
        tmp_path / "graph.cpp",
        pl=[tmp_path / "logic.cpp"],
        host=[tmp_path / "host.cpp"],
        config=tmp_path / "system.cfg",
        folder=tmp_path / "build",
        out=tmp_path / "out",
    )
    assert done.code == 0, done.stderr
    assert [int(word) for word in done.stdout.split()[-16:]] == [2 * i for i in range(16)]


@pytest.mark.parametrize(
    ("text", "outside"),
    [
        (GRAPH, True),
        ("#include <adf.h>\nadf::connect<> net0(platform.src[0], g.in);\n", True),
        (HEADER, False),
        ("// connect<> net0(platform.src[0], g.in);\nDoubles g;\n", False),
        ("Doubles g;\nint main() {\n  connect<> net0(a, b);\n}\n", False),
    ],
)
def test_what_connects_beside_the_graph(text: str, outside: bool, tmp_path: Path) -> None:
    file = tmp_path / "graph.cpp"
    file.write_text(text)
    assert connects_outside(file) is outside
