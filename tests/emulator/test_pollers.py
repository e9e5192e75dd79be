"""Kernels that poll: one whose words have come gets its turn, however long another polls in vain."""

from __future__ import annotations

from pathlib import Path

import pytest

import aieloom
from tests.emulator.timed_systems import DRAIN, FEED, GRAPH, KERNEL

LOGIC = """
#include <hls_stream.h>
#include <ap_axi_sdata.h>
using Word = ap_axis<32, 0, 0, 0>;
extern "C" {
// Answers each word with one more; it polls, since it might do something else meanwhile.
void looks(hls::stream<Word>& in, hls::stream<Word>& out, int n) {
#pragma HLS interface axis port=in
#pragma HLS interface axis port=out
  for (int taken = 0; taken < n;) {
#pragma HLS pipeline II=1
    Word word;
    if (in.read_nb(word)) {
      word.data = word.data + 1;
      out.write(word);
      ++taken;
    }
  }
}
// Asks the second of them first.
void asks(hls::stream<Word> to[2], hls::stream<Word> from[2], int* answers) {
#pragma HLS interface m_axi port=answers
#pragma HLS interface axis port=to
#pragma HLS interface axis port=from
  for (int i = 0; i < 2; ++i) {
    Word word;
    word.data = 10 * i;
    word.keep = -1;
    word.last = 0;
    to[1 - i].write(word);
    answers[i] = from[1 - i].read().data;
  }
}
}
"""
HOST = """
#include <cstdio>
#include "xrt/xrt_bo.h"
#include "xrt/xrt_device.h"
#include "xrt/xrt_kernel.h"
int main(int, char** argv) {
  xrt::device device(0);
  auto id = device.load_xclbin(argv[1]);
  xrt::kernel first(device, id, "looks:{looks_1}"), second(device, id, "looks:{looks_2}"), asks(device, id, "asks");
  xrt::bo answers(device, 4096, asks.group_id(2));
  auto one = first(nullptr, nullptr, 1);
  auto two = second(nullptr, nullptr, 1);
  one.wait(std::chrono::milliseconds(1));  // both have polled for long
  asks(nullptr, nullptr, answers).wait();
  one.wait();
  two.wait();
  answers.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
  std::printf("%d %d\\n", answers.map<int*>()[0], answers.map<int*>()[1]);
}
"""
CONFIG = """\
[connectivity]
nk=looks:2
nk=asks:1:asks_1
nk=feed:1:feed_1
nk=drain:1:drain_1
stream_connect=asks_1.to_0:looks_1.in
stream_connect=asks_1.to_1:looks_2.in
stream_connect=looks_1.out:asks_1.from_0
stream_connect=looks_2.out:asks_1.from_1
stream_connect=feed_1.to:ai_engine_0.x
stream_connect=ai_engine_0.y:drain_1.from
[clock]
defaultFreqHz=312500000
"""


@pytest.mark.slow
def test_a_poller_in_vain_keeps_no_other_asleep(tmp_path: Path) -> None:
    for name, text in {
        "logic.cpp": LOGIC,
        "host.cpp": HOST,
        "system.cfg": CONFIG,
        "graph.cpp": GRAPH,
        "kernel.cc": KERNEL,
        "feed.cpp": FEED,
        "drain.cpp": DRAIN,
    }.items():
        (tmp_path / name).write_text(text)
    done = aieloom.emulate(
        tmp_path / "graph.cpp",
        pl=[tmp_path / name for name in ("logic.cpp", "feed.cpp", "drain.cpp")],
        host=[tmp_path / "host.cpp"],
        config=tmp_path / "system.cfg",
        folder=tmp_path / "build",
        out=tmp_path / "out",
    )
    assert (done.code, done.stdout.split()) == (0, ["1", "11"]), done.stderr
