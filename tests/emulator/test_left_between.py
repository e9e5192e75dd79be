"""Words that one run leaves on a stream for the next are told, streams that stall change nothing, who never returns is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from aieloom.emulator.build import write_xclbin
from aieloom.emulator.program import Program, Result, build, run

REFUSED = 2
FILES = {
    "graph.h": """
#pragma once
#include <adf.h>
void increment(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out);
class Graph : public adf::graph {
 public:
  adf::kernel k = adf::kernel::create(increment);
  adf::input_plio in = adf::input_plio::create("in", adf::plio_32_bits, "in.txt");
  adf::output_plio out = adf::output_plio::create("out", adf::plio_32_bits, "out.txt");
  Graph() {
    adf::source(k) = "increment.cc";
    adf::runtime<adf::ratio>(k) = 0.5;
    adf::connect(in.out[0], k.in[0]);
    adf::connect(k.out[0], out.in[0]);
    adf::dimensions(k.in[0]) = {16};
    adf::dimensions(k.out[0]) = {16};
  }
};
""",
    "graph.cpp": '#include "graph.h"\nGraph graph;\n',
    "increment.cc": """
#include "graph.h"
void increment(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out) {
  for (int i = 0; i < 16; ++i) out.data()[i] = in.data()[i] + 1;
}
""",
    "movers.cpp": """
#include <ap_int.h>
#include <hls_stream.h>
extern "C" void feed(const int* mem, hls::stream<ap_uint<32>>& s, int n) {
#pragma HLS interface m_axi port=mem offset=slave
#pragma HLS interface s_axilite port=return
  volatile int spins = n;
  while (spins < 0) {
  }
  for (int i = 0; i < n; ++i) s.write(mem[i]);
}
extern "C" void drain(int* mem, hls::stream<ap_uint<32>>& s, int n) {
#pragma HLS interface m_axi port=mem offset=slave
#pragma HLS interface s_axilite port=return
  for (int i = 0; i < n; ++i) mem[i] = s.read();
}
""",
    "host.cpp": """
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#include "xrt/xrt_bo.h"
#include "xrt/xrt_device.h"
#include "xrt/xrt_graph.h"
#include "xrt/xrt_kernel.h"
// feeder drainer, then of each turn: words to feed, iterations of the graph, words to drain. "early": all feeds before the graph.
int main(int argc, char** argv) {
  const std::string feeder = argv[2], drainer = argv[3], order = argv[4];
  xrt::device device(0);
  const xrt::uuid uuid = device.load_xclbin(argv[1]);
  xrt::kernel feed(device, uuid, "feed:{" + feeder + "}"), drain(device, uuid, "drain:{" + drainer + "}");
  xrt::graph graph(device, uuid, "graph");
  volatile int spins = order == "host" ? -1 : 0;
  while (spins < 0) {
  }
  xrt::bo from(device, 4096, feed.group_id(0)), to(device, 4096, drain.group_id(0));
  int* words = from.map<int*>();
  for (int i = 0; i < 1024; ++i) words[i] = i;
  from.sync(XCL_BO_SYNC_BO_TO_DEVICE);
  for (int turn = 5; turn + 2 < argc; turn += 3) {
    const int fed = std::atoi(argv[turn]), rounds = std::atoi(argv[turn + 1]), drained = std::atoi(argv[turn + 2]);
    feed(from, nullptr, fed).wait();
    if (order == "early") feed(from, nullptr, fed).wait();
    if (rounds > 0) graph.run(rounds);
    auto taken = drain(to, nullptr, drained);
    taken.wait();
  }
  to.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += to.map<int*>()[i];
  std::printf("%d\\n", sum);
}
""",
    "system.cfg": """[connectivity]
nk=feed:2:feed_1,feed_2
nk=drain:2:drain_1,drain_2
sc=feed_1.s:ai_engine_0.in
sc=ai_engine_0.out:drain_1.s
sc=feed_2.s:drain_2.s
""",
}
FIRST = sum(range(16))  # what the first 16 words are


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("between")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    config = folder / "system.cfg"
    design = Program(
        graph=folder / "graph.cpp",
        pl=(folder / "movers.cpp",),
        host=(folder / "host.cpp",),
        config=config,
        includes=(folder,),
    )
    target = build(design, folder / "build")
    write_xclbin(config, folder / "build" / "design.xclbin")
    return target


def done(program: Path, words: str, *, stalls: int | None = None, seconds: float | None = None) -> Result:
    arguments = (str(program.parent / "design.xclbin"), *words.split())
    out = program.parent / "out"
    return run(program, out=out, arguments=arguments, timeout=60, stalls=stalls, kernel_timeout=seconds)


@pytest.mark.parametrize("stalls", [None, 1, 2, 3])
@pytest.mark.parametrize(
    "words",
    [
        "feed_1 drain_1 in-turn 32 2 32 32 2 32",
        "feed_1 drain_1 in-turn 16 1 16 48 3 48 16 1 16",
        "feed_1 drain_1 early 16 2 32 16 2 32",  # two runs before the graph takes what they sent
        "feed_2 drain_2 in-turn 64 0 64 32 0 32",
        "feed_2 drain_2 early 16 0 32 16 0 32",
    ],
)
def test_what_the_next_run_takes_is_not_told(program: Path, words: str, stalls: int | None) -> None:
    result = done(program, words, stalls=stalls)
    more = 16 if "feed_1" in words else 0
    assert (result.code, result.stdout, result.stderr) == (0, f"{FIRST + more}\n", "")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            "feed_1 drain_1 in-turn 48 2 32",
            "16 words of 48 words that feed_1.s gave are left: ai_engine_0.in did not take them",
        ),
        (
            "feed_1 drain_1 in-turn 40 2 32 32 2 32",
            "8 words of 72 words that feed_1.s gave are left: ai_engine_0.in did not take them; 8 words lay there when run 2 "
            "of feed_1 was started, and came before what it sent",
        ),
        (
            "feed_1 drain_1 in-turn 32 2 31 32 2 32",
            "1 word of 64 words that ai_engine_0.out gave are left: drain_1.s did not take them",
        ),
        (
            "feed_2 drain_2 in-turn 20 0 16 16 0 16",
            "4 words of 36 words that feed_2.s gave are left: drain_2.s did not take them; 4 words lay there when run 2 "
            "of feed_2 was started, and came before what it sent",
        ),
    ],
)
def test_what_nobody_takes_is_told(program: Path, words: str, told: str) -> None:
    result = done(program, words)
    assert result.code == 0, result.stderr
    assert result.stderr == f"aieloom: warning: [left-over] {told}\n"


def test_pl_kernels_and_hosts_that_never_return_are_named(program: Path) -> None:
    result = done(program, "feed_1 drain_1 in-turn -1 0 0", seconds=0.4)
    assert result.code == REFUSED
    assert "[endless-kernel] feed_1 has computed for 0.4 s of processor time without" in result.stderr
    assert "movers.cpp:8\n" in result.stderr or "movers.cpp:7\n" in result.stderr
    result = done(program, "feed_1 drain_1 host 0 0 0", seconds=0.4)
    assert result.code == REFUSED
    assert "[endless-kernel] the host has computed" in result.stderr
    assert "host.cpp:1" in result.stderr
