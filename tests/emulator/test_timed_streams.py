"""Timed runs of PL kernels: streams of one iteration work side by side, and who looks for a word sees none that is still to come.

The cycles follow from the sources: a word each II cycles, whatever the order in which the emulator runs the tasks.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import aieloom
from aieloom.emulator.program import Result
from tests.clang_14 import need_clang
from tests.emulator.timed_systems import DRAIN, FEED, GRAPH, KERNEL, cycles

WORDS, PORTS, SLOW, BURST = 256, 4, 8, 64
LATENCY = 64  # cycles to a memory [UG1399 latency]
WORD = """
#include <hls_stream.h>
#include <hls_task.h>
#include <ap_axi_sdata.h>
using Word = ap_axis<128, 0, 0, 0>;  // four words of the array
static Word word_of(int i) {
  Word word;
  word.data = i;
  word.keep = -1;
  word.last = 0;
  return word;
}
extern "C" void drains(hls::stream<Word>& from, int* out, int n) {
#pragma HLS interface m_axi port=out
  int last = 0;
  for (int i = 0; i < n; ++i) {
#pragma HLS pipeline II=1
    last = from.read().data.to_int();
  }
  out[0] = last;
}
"""
LOGIC = f"""{WORD}
extern "C" {{
// A word to each of {PORTS} streams in every iteration, read from a queue of its own.
void deals(int n, hls::stream<Word> out[{PORTS}]) {{
#pragma HLS interface axis port=out
  for (int i = 0; i < n; ++i) {{
#pragma HLS pipeline II=1
    for (int s = 0; s < {PORTS}; ++s) {{
#pragma HLS unroll
      out[s].write(word_of(i + s));
    }}
  }}
}}
void takes(hls::stream<Word> in[{PORTS}], int* out, int n) {{
#pragma HLS interface m_axi port=out
  int sum = 0;
  for (int i = 0; i < n; ++i) {{
#pragma HLS pipeline II=1
    for (int s = 0; s < {PORTS}; ++s) {{
#pragma HLS unroll
      sum += in[s].read().data.to_int();
    }}
  }}
  out[0] = sum;
}}
static void pace(hls::stream<int>& to) {{
  int i = 0;
  for (;;) {{
#pragma HLS pipeline II={SLOW}
    if (i < 4 * {WORDS}) {{
      to.write(i++);
    }} else {{
      static hls::stream<int> never;
      to.write(never.read());
    }}
  }}
}}
static void mixes(hls::stream<int>& from, hls::stream<Word>& to) {{
  int seen = 0;
  for (;;) {{
#pragma HLS pipeline II=1
    if (!from.empty()) {{
      from.read();
      ++seen;
    }}
    to.write(word_of(seen));
  }}
}}
// Sends a word a cycle, and takes one of a slower task's meanwhile, where there is one.
void looks(hls::stream<Word>& to) {{
#pragma HLS interface ap_ctrl_none port=return
  hls_thread_local hls::stream<int> between;
#pragma HLS stream variable=between depth=4
  hls_thread_local hls::task first(pace, between);
  hls_thread_local hls::task second(mixes, between, to);
}}
}}
"""
HOST = f"""
#include <cstdio>
#include "xrt/xrt_bo.h"
#include "xrt/xrt_device.h"
#include "xrt/xrt_kernel.h"
int main(int, char** argv) {{
  xrt::device device(0);
  auto id = device.load_xclbin(argv[1]);
  xrt::kernel deals(device, id, "deals"), takes(device, id, "takes"), drains(device, id, "drains");
  xrt::bo a(device, 4096, takes.group_id(1)), b(device, 4096, drains.group_id(1));
  auto taken = takes(nullptr, a, {WORDS});
  deals({WORDS});
  taken.wait();
  drains(nullptr, b, {WORDS}).wait();
  a.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
  b.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
  std::printf("%d %d\\n", a.map<int*>()[0], b.map<int*>()[0]);
}}
"""


POLLED = f"""{WORD}
extern "C" {{
void paces(int n, hls::stream<Word>& to) {{
#pragma HLS interface axis port=to
  for (int i = 0; i < n; ++i) {{
#pragma HLS pipeline II={SLOW}
    to.write(word_of(i));
  }}
}}
// Sends a word a cycle, and takes one of another kernel's meanwhile, where there is one.
void polls(hls::stream<Word>& from, hls::stream<Word>& to, int n) {{
#pragma HLS interface axis port=from
#pragma HLS interface axis port=to
  int seen = 0;
  for (int i = 0; i < n; ++i) {{
#pragma HLS pipeline II=1
    Word word;
    if (from.read_nb(word)) {{
      ++seen;
    }}
    to.write(word_of(seen));
  }}
  while (seen < n / {SLOW} + {BURST}) {{
    from.read();
    ++seen;
  }}
}}
// All of a stream's words, then all of another's.
void bursts(hls::stream<Word>& one, hls::stream<Word>& other) {{
#pragma HLS interface axis port=one
#pragma HLS interface axis port=other
  for (int i = 0; i < {BURST}; ++i) {{
#pragma HLS pipeline II=1
    one.write(word_of(i));
  }}
  for (int i = 0; i < {BURST}; ++i) {{
#pragma HLS pipeline II=1
    other.write(word_of(i));
  }}
}}
void pairs(hls::stream<Word>& one, hls::stream<Word>& other, int* out) {{
#pragma HLS interface m_axi port=out
  int sum = 0;
  for (int i = 0; i < {BURST}; ++i) {{
#pragma HLS pipeline II=1
    sum += one.read().data.to_int() - other.read().data.to_int();
  }}
  out[0] = sum;
}}
}}
"""
POLLED_HOST = f"""
#include <cstdio>
#include "xrt/xrt_bo.h"
#include "xrt/xrt_device.h"
#include "xrt/xrt_kernel.h"
int main(int, char** argv) {{
  xrt::device device(0);
  auto id = device.load_xclbin(argv[1]);
  xrt::kernel paces(device, id, "paces"), polls(device, id, "polls"), drains(device, id, "drains");
  xrt::kernel bursts(device, id, "bursts"), pairs(device, id, "pairs");
  xrt::bo a(device, 4096, drains.group_id(1)), b(device, 4096, pairs.group_id(2));
  auto polled = polls(nullptr, nullptr, {WORDS});
  paces({WORDS // SLOW + BURST});
  drains(nullptr, a, {WORDS}).wait();
  polled.wait();
  auto paired = pairs(nullptr, nullptr, b);
  xrt::run(bursts).start();
  paired.wait();
  a.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
  b.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
  std::printf("%d\\n", b.map<int*>()[0]);
}}
"""


def emulated(folder: Path, logic: str, host: str, config: str) -> Result:
    """Run PL kernels beside an array that does nothing, with times."""
    units = {"logic.cpp": logic, "feed.cpp": FEED, "drain.cpp": DRAIN}
    array = {"graph.cpp": GRAPH, "kernel.cc": KERNEL}
    for name, text in {**units, **array, "host.cpp": host, "system.cfg": config}.items():
        (folder / name).write_text(text)
    done = aieloom.emulate(
        folder / "graph.cpp",
        pl=[folder / name for name in units],
        host=[folder / "host.cpp"],
        config=folder / "system.cfg",
        folder=folder / "build",
        out=folder / "out",
        timed=True,
    )
    assert done.code == 0, done.stderr
    return done


@pytest.mark.slow
def test_streams_of_an_iteration_and_words_to_come(tmp_path: Path) -> None:
    need_clang()
    units = (
        "deals",
        "takes",
        "looks",
        "drains",
        "feed",
        "drain",
    )  # the last two are the array's, which does nothing
    config = "[connectivity]\n" + "".join(f"nk={u}:1:{u}_1\n" for u in units)
    config += "".join(f"stream_connect=deals_1.out_{i}:takes_1.in_{i}\n" for i in range(PORTS))
    config += "stream_connect=looks_1.to:drains_1.from\nstream_connect=feed_1.to:ai_engine_0.x\n"
    config += "stream_connect=ai_engine_0.y:drain_1.from\n[clock]\ndefaultFreqHz=312500000\n"
    done = emulated(tmp_path, LOGIC, HOST, config)
    total, seen = map(int, done.stdout.split()[-2:])
    assert total == sum(i + s for i in range(WORDS) for s in range(PORTS))
    assert cycles(done, "deals_1") == pytest.approx(WORDS, abs=16), "not a stream after another"
    assert cycles(done, "drains_1") == pytest.approx(WORDS, rel=0.4), (
        "a slower task's words do not hold it up"
    )
    assert seen <= 2 * WORDS // SLOW + 8


@pytest.mark.slow
def test_who_polls_a_stream_between_kernels_goes_on_and_a_fifo_holds_what_it_says(tmp_path: Path) -> None:
    """A slower kernel's words do not hold up who looks for them; a stream holds a burst where system.cfg gives it the depth."""
    need_clang()
    units = ("paces", "polls", "drains", "bursts", "pairs", "feed", "drain")
    config = "[connectivity]\n" + "".join(f"nk={u}:1:{u}_1\n" for u in units)
    config += "stream_connect=paces_1.to:polls_1.from\nstream_connect=polls_1.to:drains_1.from\n"
    config += (
        f"stream_connect=bursts_1.one:pairs_1.one:{BURST}\nstream_connect=bursts_1.other:pairs_1.other\n"
    )
    config += "stream_connect=feed_1.to:ai_engine_0.x\nstream_connect=ai_engine_0.y:drain_1.from\n"
    config += "[clock]\ndefaultFreqHz=312500000\n"
    done = emulated(tmp_path, POLLED, POLLED_HOST, config)
    assert done.stdout.split()[-1] == "0"
    assert cycles(done, "drains_1") == pytest.approx(WORDS + LATENCY, abs=16)
    assert cycles(done, "bursts_1") == pytest.approx(2 * BURST, abs=16), "one holds all of the first burst"


FRAMES, FRAME = 16, 64
FRAMED = f"""
#include <hls_stream.h>
#include <ap_axi_sdata.h>
using Word = ap_axis<32, 0, 0, 0>;
static void fill(hls::stream<Word>& from, int map[{FRAME}]) {{
  for (int i = 0; i < {FRAME}; ++i) {{
#pragma HLS pipeline II=1
    map[i] = from.read().data;
  }}
}}
static void twice(int map[{FRAME}], hls::stream<Word>& to) {{
  for (int i = 0; i < {2 * FRAME}; ++i) {{
#pragma HLS pipeline II=1
    Word word;
    word.data = map[i / 2];
    word.keep = -1;
    word.last = 0;
    to.write(word);
  }}
}}
// A frame is filled while the one before leaves, two words for each of its own.
extern "C" void frames(hls::stream<Word>& from, hls::stream<Word>& to) {{
#pragma HLS interface axis port=from
#pragma HLS interface axis port=to
#pragma HLS interface ap_ctrl_none port=return
#pragma HLS dataflow
  int map[{FRAME}];
  fill(from, map);
  twice(map, to);
}}
"""
FRAMES_HOST = f"""
#include <cstdio>
#include "xrt/xrt_bo.h"
#include "xrt/xrt_device.h"
#include "xrt/xrt_kernel.h"
int main(int, char** argv) {{
  xrt::device device(0);
  auto id = device.load_xclbin(argv[1]);
  xrt::kernel feed(device, id, "feed:{{feed_1}}"), drain(device, id, "drain:{{drain_1}}");
  xrt::bo out(device, {8 * FRAMES * FRAME}, drain.group_id(1));
  auto drained = drain(nullptr, out, {2 * FRAMES * FRAME});
  feed(nullptr, {FRAMES * FRAME});
  drained.wait();
  out.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
  std::printf("%d\\n", out.map<int*>()[{2 * FRAMES * FRAME - 1}]);
}}
"""


@pytest.mark.slow
def test_a_free_running_kernel_fills_a_frame_while_the_one_before_leaves(tmp_path: Path) -> None:
    """A frame of 64 words comes in 64 cycles and leaves in 128: one each 128 cycles, not 192; a copy more is not there."""
    need_clang()
    config = "[connectivity]\nnk=feed:2:feed_1,feed_2\nnk=frames:1:frames_1\nnk=drain:2:drain_1,drain_2\n"
    config += "stream_connect=feed_1.to:frames_1.from\nstream_connect=frames_1.to:drain_1.from\n"
    config += "stream_connect=feed_2.to:ai_engine_0.x\nstream_connect=ai_engine_0.y:drain_2.from\n"  # the array does nothing
    config += "[clock]\ndefaultFreqHz=312500000\n"
    done = emulated(tmp_path, FRAMED, FRAMES_HOST, config)
    assert done.stdout.split()[-1] == str(FRAMES * FRAME - 1)
    frames = FRAMES * 2 * FRAME
    assert done.cycles is not None
    units = {u.name: u for u in done.cycles.times.units}
    passed = (units["drain_1"].last - units["feed_1"].first) * units["drain_1"].mhz / done.cycles.times.mhz
    assert passed == pytest.approx(frames + FRAME, rel=0.1)
    assert cycles(done, "feed_1") > frames - 4 * FRAME, "what fills waits for a copy of two"


PAIRS = """
#include <hls_stream.h>
#include <ap_axi_sdata.h>
using Word = ap_axis<32, 0, 0, 0>;
static void send(hls::stream<Word>& to, int n, int first) {
  for (int i = 0; i < n; ++i) {
#pragma HLS pipeline II=1
    Word word;
    word.data = first + i;
    word.keep = -1;
    word.last = 0;
    to.write(word);
  }
}
static void take(hls::stream<Word>& from, int n, int& sum) {
  for (int i = 0; i < n; ++i) {
#pragma HLS pipeline II=1
    sum += from.read().data;
  }
}
extern "C" {
// Three processes, none of which comes to its end before the others begin.
int moves(hls::stream<Word>& a, hls::stream<Word>& b, hls::stream<Word>& c, int n) {
#pragma HLS interface s_axilite port=return
#pragma HLS dataflow
  int sum = 0;
  send(a, n, 0);
  send(b, n, 1000);
  take(c, n, sum);
  return sum;
}
void joins(hls::stream<Word>& a, hls::stream<Word>& b, hls::stream<Word>& c, int* out, int n) {
#pragma HLS interface m_axi port=out
  int last = 0;
  for (int i = 0; i < n; ++i) {
#pragma HLS pipeline II=1
    Word word = a.read();
    word.data += b.read().data;
    last = word.data;
    c.write(word);
  }
  out[0] = last;
}
}
"""
PAIRS_HOST = f"""
#include <cstdio>
#include "xrt/xrt_bo.h"
#include "xrt/xrt_device.h"
#include "xrt/xrt_kernel.h"
int main(int, char** argv) {{
  xrt::device device(0);
  auto id = device.load_xclbin(argv[1]);
  xrt::kernel moves(device, id, "moves"), joins(device, id, "joins");
  xrt::bo out(device, 4096, joins.group_id(3));
  auto joined = joins(nullptr, nullptr, nullptr, out, {WORDS});
  auto moved = moves(nullptr, nullptr, nullptr, {WORDS});
  moved.wait();
  joined.wait();
  out.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
  std::printf("%d\\n", out.map<int*>()[0]);
}}
"""


@pytest.mark.slow
def test_processes_of_a_kernel_go_on_while_one_waits_outside(tmp_path: Path) -> None:
    """Streams between kernels hold two words, so that the first process ends after the others have begun [UG1399 pragma HLS dataflow]."""
    need_clang()
    config = "[connectivity]\n" + "".join(f"nk={u}:1:{u}_1\n" for u in ("moves", "joins", "feed", "drain"))
    config += "".join(f"stream_connect=moves_1.{s}:joins_1.{s}\n" for s in "ab")
    config += "stream_connect=joins_1.c:moves_1.c\nstream_connect=feed_1.to:ai_engine_0.x\n"
    config += "stream_connect=ai_engine_0.y:drain_1.from\n[clock]\ndefaultFreqHz=312500000\n"
    done = emulated(tmp_path, PAIRS, PAIRS_HOST, config)
    assert done.stdout.split()[-1] == str(1000 + 2 * (WORDS - 1))
    assert cycles(done, "moves_1") == pytest.approx(WORDS, abs=24), "all three side by side"
