"""Timed runs: what data wait for. Rates of ports, buffers, cores that are shared, and FIFOs that are too short."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import aieloom
from aieloom.cli import main
from aieloom.emulator.program import Result
from aieloom.emulator.timed.times import CoreTimes, Times
from tests.clang_14 import need_clang

WORDS = 256
KERNELS = """
#include <adf.h>
void copy(input_stream<int32>* in, output_stream<int32>* out) {
  for (int i = 0; i < 256; ++i) writeincr(out, readincr(in));
}
// Takes long over a buffer.
void work(input_window<int32>* in, output_window<int32>* out) {
  for (int i = 0; i < 64; ++i) {
    int x = window_readincr(in);
    for (int j = 0; j < 20; ++j) x = x * 3 + j;
    window_writeincr(out, x);
  }
}
// All of one, then all of the other: as many at once as the first word says.
void burst(input_stream<int32>* in, output_stream<int32>* a, output_stream<int32>* b) {
  int n = readincr(in);
  for (int done = 0; done < 128; done += n) {
    for (int i = 0; i < n; ++i) writeincr(a, i);
    for (int i = 0; i < n; ++i) writeincr(b, 2 * i);
  }
}
void join(input_stream<int32>* a, input_stream<int32>* b, output_stream<int32>* out) {
  for (int i = 0; i < 128; ++i) { int x = readincr(a); writeincr(out, x + readincr(b)); }
}
void talk(input_stream<int32>* in, output_stream<int32>* out) {
  for (int i = 0; i < 128; ++i) writeincr(out, i);
  for (int i = 0; i < 128; ++i) readincr(in);
}
void meet(input_window<int32>* a, input_stream<int32>* b, output_stream<int32>* out) {
  for (int i = 0; i < 64; ++i) writeincr(out, window_readincr(a) + readincr(b));
}
"""
GRAPH = """
#include <adf.h>
#include <unistd.h>
using namespace adf;
void copy(input_stream<int32>* in, output_stream<int32>* out);
void work(input_window<int32>* in, output_window<int32>* out);
void burst(input_stream<int32>* in, output_stream<int32>* a, output_stream<int32>* b);
void join(input_stream<int32>* a, input_stream<int32>* b, output_stream<int32>* out);
void talk(input_stream<int32>* in, output_stream<int32>* out);
void meet(input_window<int32>* a, input_stream<int32>* b, output_stream<int32>* out);
class Design : public graph {
 public:
  input_plio in[7];
  output_plio out[7];
  template <typename F> kernel make(F f) {
    kernel k = kernel::create(f);
    source(k) = "kernels.cc";
    runtime<ratio>(k) = 0.4;
    return k;
  }
  input_plio from(const std::string& name, plio_type width, double mhz) { return input_plio::create(name, width, name + ".txt", mhz); }
  output_plio to(const std::string& name, plio_type width, double mhz) { return output_plio::create(name, width, name + ".txt", mhz); }
  kernel slow, fast, ends[2], one[2], two[2], tile[2], fork, meets, peers[2];
  Design() {
#if EXAMPLE == 0
    slow = make(copy);
    fast = make(copy);
    in[0] = from("slow", plio_32_bits, 125);
    out[0] = to("slow_out", plio_32_bits, 625);
    connect<stream>(in[0].out[0], slow.in[0]);
    connect<stream>(slow.out[0], out[0].in[0]);
    in[1] = from("fast", plio_64_bits, 625);
    out[1] = to("fast_out", plio_32_bits, 62.5);
    connect<stream>(in[1].out[0], fast.in[0]);
    connect<stream>(fast.out[0], out[1].in[0]);
    const char* names[] = {"two", "one", "tile"};
    kernel* pairs[] = {two, one, tile};
    for (int i = 0; i < 3; ++i) {
      kernel* k = pairs[i];
      for (int j = 0; j < 2; ++j) {
        k[j] = make(work);
        location<kernel>(k[j]) = adf::tile(10 + 3 * i, i == 2 ? 1 : 1 + j);
      }
      in[2 + i] = from(names[i], plio_32_bits, 625);
      out[2 + i] = to(std::string(names[i]) + "_out", plio_32_bits, 625);
      connect<window<256>>(in[2 + i].out[0], k[0].in[0]);
      connect<window<256>>(k[0].out[0], k[1].in[0]);
      connect<window<256>>(k[1].out[0], out[2 + i].in[0]);
    }
    for (int i = 0; i < 2; ++i) {  // in the first row and in the last, above their ports
      ends[i] = make(copy);
      location<kernel>(ends[i]) = adf::tile(30 + i, 7 * i);
      in[5 + i] = from(i == 0 ? "near" : "far", plio_32_bits, 625);
      out[5 + i] = to(i == 0 ? "near_out" : "far_out", plio_32_bits, 625);
      location<PLIO>(in[5 + i]) = shim(30 + i);
      location<PLIO>(out[5 + i]) = shim(30 + i);
      connect<stream>(in[5 + i].out[0], ends[i].in[0]);
      connect<stream>(ends[i].out[0], out[5 + i].in[0]);
    }
    single_buffer(one[0].out[0]);
    single_buffer(one[1].in[0]);
#elif EXAMPLE == 1
    fork = make(burst);
    meets = make(join);
    in[0] = from("n", plio_32_bits, 625);
    out[0] = to("joined", plio_32_bits, 625);
    connect<stream>(in[0].out[0], fork.in[0]);
    connect<stream> a(fork.out[0], meets.in[0]);
    connect<stream> b(fork.out[1], meets.in[1]);
    connect<stream>(meets.out[0], out[0].in[0]);
#ifdef DEPTH
    fifo_depth(a) = DEPTH;
#endif
#elif EXAMPLE == 2
    fork = make(work);
    meets = make(meet);
    in[0] = from("n", plio_32_bits, 625);
    out[0] = to("joined", plio_32_bits, 625);
    connect<window<256>>(in[0].out[0], fork.in[0]);
    connect<window<256>>(fork.out[0], meets.in[0]);
    connect<stream> b(in[0].out[0], meets.in[1]);
    connect<stream>(meets.out[0], out[0].in[0]);
#ifdef DEPTH
    fifo_depth(b) = DEPTH;
#endif
#else
    for (kernel& k : peers) k = make(talk);
    connect<stream> a(peers[0].out[0], peers[1].in[0]);
    connect<stream> b(peers[1].out[0], peers[0].in[0]);
#ifdef DEPTH
    fifo_depth(a) = DEPTH;
    fifo_depth(b) = DEPTH;
#endif
#endif
  }
};
Design g;
int main() {
  g.init();
  g.run(RUNS);
  g.end();
#ifdef LEAVES
  _exit(0);  // past what std::atexit was given
#endif
}
"""
RUNS = 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources."""
    need_clang()
    made = tmp_path_factory.mktemp("data")
    (made / "kernels.cc").write_text(KERNELS)
    (made / "graph.cpp").write_text(GRAPH)
    return made


def run(folder: Path, example: int, inputs: dict[str, np.ndarray], *more: str, timed: bool = True) -> Result:
    """Run one of the designs."""
    return aieloom.emulate(
        folder / "graph.cpp",
        defines=[f"EXAMPLE={example}", f"RUNS={1 if example else RUNS}", *more],
        inputs=inputs,
        timed=timed,
    )


STREAMED = ("slow", "fast", "near", "far")


@pytest.fixture(scope="module")
def times(folder: Path) -> Times:
    """Streams at the rates of their ports, and pairs of kernels with two buffers, with one, and on one tile."""
    words = np.arange(RUNS * WORDS, dtype=np.int32)
    inputs = {n: words if n in STREAMED else words[: RUNS * 64] for n in (*STREAMED, "two", "one", "tile")}
    done = run(folder, 0, inputs)
    assert done.code == 0, done.stderr
    assert done.cycles is not None
    assert done.arrays["slow_out"].tolist() == words.tolist()
    return done.cycles.times


@pytest.mark.slow
def test_a_placed_stream_takes_the_shortest_way(times: Times) -> None:
    # To row 0 of the cores there are 2 switches, to row 7 another 7, of 4 cycles each; a word of 32 bits takes 2 at 625 MHz.
    ports = {p.name: p for p in times.ports}
    near, far = (ports[f"{n}_out"].first - ports[n].first for n in ("near", "far"))
    first = next(s for s in times.slices if s.what == "waits for stream from PLIO 'far'")
    assert first.end == 2 + 9 * 4
    assert far - near == 7 * 4 + (first.end - first.begin)  # near its word is there before the kernel


def test_a_stream_is_full_where_its_reader_is_slow(times: Times) -> None:
    fills = {f.stream: f for f in times.fills}
    slow, full = fills["stream from PLIO 'slow'"], fills["stream from PLIO 'fast'"]
    assert slow.words == full.words == 16
    span = round(min(p.last for p in times.ports if p.name in {"slow", "fast"}) / slow.cycles) - 2
    assert max(slow.shares[:span]) < 0.2  # a word each 10 cycles, 16 of them on the way
    assert min(full.shares[1:span]) > 0.9


@pytest.mark.parametrize(("port", "cycles"), [("slow_out", 10), ("fast_out", 20)])
def test_a_stream_goes_at_the_rate_of_its_slowest_port(times: Times, port: str, cycles: int) -> None:
    # 32 bits at 125 MHz come every 10th cycle of 1250 MHz; 32 bits at 62.5 MHz leave every 20th.
    found = next(p for p in times.ports if p.name == port)
    assert found.bytes == 4 * RUNS * WORDS
    assert found.last - found.first == pytest.approx(cycles * (RUNS * WORDS - 1), rel=0.01)
    assert found.rate == pytest.approx(4 * 1250 / cycles, rel=0.01)


def test_the_port_behind_holds_back_the_one_in_front(times: Times) -> None:
    came = next(p for p in times.ports if p.name == "fast")
    assert (
        came.last - came.first > 0.8 * 20 * RUNS * WORDS
    )  # at its own rate 64 bits would come every second cycle
    core = core_of(times, "copy[1]")
    assert core.waited("stream") > 0.5 * (core.last - core.first)


def core_of(times: Times, name: str) -> CoreTimes:
    """A kernel's times."""
    return next(c for c in times.cores if c.name == name)


def ends(times: Times, name: str) -> list[int]:
    """When a kernel's calls end."""
    return [s.end for s in times.slices if s.core == name and s.what.startswith("call")]


def test_two_buffers_let_neighbours_work_at_once_and_one_buffer_does_not(times: Times) -> None:
    two, one, tile = ([f"work[{2 * i}]", f"work[{2 * i + 1}]"] for i in range(3))
    busy = core_of(times, two[0]).busy / RUNS  # of a call; all are the same kernel
    every = {k[1]: np.diff(ends(times, k[1])) for k in (two, one, tile)}
    assert every[two[1]] == pytest.approx(busy, rel=0.02)
    assert every[one[1]] == pytest.approx(2 * busy, rel=0.02)
    assert core_of(times, one[1]).waited("lock") > 0.4 * (
        core_of(times, one[1]).last - core_of(times, one[1]).first
    )
    assert every[tile[1]][1:] == pytest.approx(2 * busy, rel=0.02)  # they take turns on their core


BURSTS = {"n": np.array([8], dtype=np.int32)}
EXAMPLES = {
    1: {"n": np.array([128], dtype=np.int32)},
    2: {"n": np.arange(64, dtype=np.int32)},
    3: {},
}
# Words that a FIFO must hold besides the 16 of the way: 128 before the other stream's first, 64 while a buffer of as many is
# filled and worked on, and one of two streams of 128.
NEEDED = {1: {"burst[0].out[0]": 128 - 16}, 2: {"PLIO 'n'": 64 - 16}, 3: {"talk[0].out[0]": 128 - 16}}


@pytest.mark.slow
def test_bursts_that_the_fifo_holds_go_through(folder: Path) -> None:
    done = run(folder, 1, BURSTS)
    assert done.code == 0, done.stderr
    assert done.arrays["joined"].tolist() == [3 * (i % 8) for i in range(128)]


@pytest.mark.slow
@pytest.mark.parametrize("example", sorted(EXAMPLES))
def test_a_fifo_that_is_too_short_is_a_deadlock_in_time_alone(folder: Path, example: int) -> None:
    inputs = EXAMPLES[example]
    plain = run(folder, example, inputs, timed=False)
    assert plain.code == 0, plain.stderr
    stuck = run(folder, example, inputs)
    assert stuck.code == 2
    assert "[deadlock]" in stuck.stderr
    assert re.search(r"waits to write|to write \d*: ?stream", stuck.stderr)
    told = re.findall(r"fifo_depth = (\d+) for the connection of the stream from (.+?) to", stuck.stderr)
    words = {name: int(n) for n, name in told}
    assert words.keys() == NEEDED[example].keys(), stuck.stderr
    for name, least in NEEDED[
        example
    ].items():  # as much as is written before anybody reads, what lies on the way taken off
        assert least <= words[name] <= 1.2 * least
    followed = run(folder, example, inputs, f"DEPTH={max(words.values())}")
    assert followed.code == 0, followed.stderr
    assert {n: a.tolist() for n, a in followed.arrays.items()} == {
        n: a.tolist() for n, a in plain.arrays.items()
    }


@pytest.mark.integration
def test_a_main_that_leaves_at_once_has_counted_too(folder: Path) -> None:
    inputs = {"n": np.full(1, 16, np.int32)}
    usual, at_once = run(folder, 1, inputs), run(folder, 1, inputs, "LEAVES")
    assert usual.cycles and at_once.cycles
    assert at_once.cycles.times == usual.cycles.times and at_once.code == 0


def test_output_files_carry_times_as_aiesimulators_do(
    folder: Path, times: Times, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (*STREAMED, "two", "one", "tile"):
        size = RUNS * (WORDS if name in STREAMED else 64)
        a_line = 2 if name == "fast" else 1
        rows = np.arange(size).reshape(-1, a_line)
        (tmp_path / f"{name}.txt").write_text("\n".join(" ".join(map(str, r)) for r in rows))
    monkeypatch.chdir(tmp_path)
    words = ["emulate", str(folder / "graph.cpp"), "-D", "EXAMPLE=0", "-D", f"RUNS={RUNS}", "--timed"]
    assert main([*words, "--timestamps", "--trace", "trace.json", "--report", "out.html"]) == 0
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    threads = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M"}
    calls = [e for e in events if e["ph"] == "X" and threads[e["tid"]] == "copy[0]" and e["cat"] == "call"]
    assert [e["name"] for e in calls] == [f"call {i + 1}" for i in range(RUNS)]
    assert calls[-1]["ts"] + calls[-1]["dur"] == pytest.approx(
        core_of(times, "copy[0]").last / 1250, abs=1e-3
    )
    page = (tmp_path / "out.html").read_text()
    assert all(name in page for name in threads.values())
    lines = (tmp_path / "x86simulator_output" / "slow_out.txt").read_text().splitlines()
    assert lines[1::2] == [f"{i} " for i in range(RUNS * WORDS)]  # with the blank behind each number
    unit = {"ps": 1, "ns": 1000, "us": 1_000_000}
    stamps = [re.fullmatch(r"T (\d+) (ps|ns|us)", line) for line in lines[::2]]
    at = np.array([int(s[1]) * unit[s[2]] for s in stamps if s])
    port = next(p for p in times.ports if p.name == "slow_out")
    assert (at[0], at[-1]) == (800 * port.first, 800 * port.last)  # a cycle is 0.8 ns
    assert (np.diff(at) > 0).all()


def test_options_of_timed_runs_ask_for_one(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["emulate", "graph.cpp", "--timestamps"]) == 2
    assert "--timed" in capfd.readouterr().err
