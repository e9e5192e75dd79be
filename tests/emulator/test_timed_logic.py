"""Timed runs of whole systems: PL kernels by their loops, memory ports, dataflow regions, and the host's calls.

The cycles are computed by hand from the rules of docs/evidence/timed.md: a loop takes a cycle to enter and one to leave
[UG1399 loop_flatten], a pipelined one II x (trips - 1) and its depth, taken as 3; the first data of a port come 64
cycles after they are asked for [UG1399 latency].
"""

from __future__ import annotations

from pathlib import Path

import pytest

from aieloom.emulator.program import Result
from aieloom.emulator.timed.logic import timed_source, write_timed
from aieloom.spec.device import load_device
from tests.emulator.timed_systems import cycles, run_system

WORDS = 512
DEPTH, ENTER, LEAVE, LATENCY = 3, 1, 1, 64


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """A run of a system of loops, copies and processes."""
    return run_system(tmp_path_factory.mktemp("logic"))


@pytest.mark.slow
def test_loops_take_what_their_pragmas_say(done: Result) -> None:
    around = ENTER + LEAVE
    marked = around + 99 * 3 + DEPTH
    flat = around + 8 * 16 - 1 + DEPTH
    inner = around + 15 + DEPTH
    nested = around + 8 * inner + 1  # each iteration's own work runs beside the way into the inner loop
    four = around + 15 + DEPTH
    off = around + 9 * DEPTH + DEPTH
    one_word = LATENCY
    assert cycles(done, "loops_1") == pytest.approx(marked + flat + nested + four + off + one_word, abs=12)


@pytest.mark.slow
def test_a_port_gives_what_the_boards_file_says(done: Result) -> None:
    memory = load_device("vck190").memory
    a_word = 64 / memory.write_mb_s * 312.5  # cycles: writing is slower than a word of 64 bytes a cycle
    assert a_word > 1
    expected = ENTER + 2 * LATENCY + WORDS * a_word + DEPTH + LEAVE
    assert cycles(done, "copies_1") == pytest.approx(expected, rel=0.01)


@pytest.mark.slow
def test_processes_of_a_dataflow_region_run_side_by_side(done: Result) -> None:
    slower = ENTER + 49 * 2 + DEPTH + LEAVE
    assert cycles(done, "flows_1") == pytest.approx(slower + LATENCY, abs=6)


@pytest.mark.slow
def test_the_host_waits_as_long_as_the_board_file_says(done: Result) -> None:
    assert done.cycles is not None
    times, host = done.cycles.times, load_device("vck190").processor
    calls = 2 * host.sync_us + 5 * host.kernel_start_us + host.graph_start_us
    units = {u.name: u for u in times.units}
    assert units["loops_1"].first == pytest.approx((host.sync_us + host.kernel_start_us) * times.mhz)
    waited = sum(cycles(done, u) * 4 for u in ("copies_1", "flows_1")) + cycles(done, "loops_1") * 5
    streamed = units["drain_1"].last - units["feed_1"].first
    assert times.host == pytest.approx(calls * times.mhz + waited + streamed, rel=1e-3)
    # 256 words at one each cycle of 312.5 MHz, both ways
    assert streamed == pytest.approx(256 * 4, rel=0.6)


def test_text_keeps_its_lines_and_what_has_no_time() -> None:
    source = """
constexpr int sum(int n) { int s = 0; for (int i = 0; i < n; ++i) s += i; return s; }
void f(const int* x, int (&local)[4], int n) {
  for (int v : local) { use(v); }
  if (n) for (int i = 0; ; ++i) { if (i == n) break; local[i] = x[x[i]]; } else g();
  // for (;;)
  do x_[0] = 1; while (0);
}
"""
    made = timed_source(source)
    assert made.count("\n") == source.count("\n")
    assert made.splitlines()[1] == source.splitlines()[1]
    assert "at(x, ::aieloom::logic::at(x, i, false), false)" in made
    assert "local[i] =" in made
    assert made.count("once()") == 2
    assert made.count("once_first()") == 1
    assert "do x_[0] = 1; while ((0) && aieloom_loop_2.next());" in made


def test_a_region_waits_for_what_is_used_of_its_processes() -> None:
    source = "int f(S& a, S& b, int n) {\n#pragma HLS dataflow\n int t[4]; int m = 2 * n; fill(a, t);\n L: send(t, b); return m; }"
    made = timed_source(source)
    assert made.count("\n") == source.count("\n")
    assert ".process(0, 0, ::aieloom::fills<decltype(t)>(1), [&] { fill(a, t); });" in made
    assert (
        "L: aieloom_function_0.process(1, ::aieloom::fills<decltype(t)>(0), 0, [&] { send(t, b); });" in made
    )
    assert "aieloom_function_0.join(~0ull); return m;" in made, "what it names goes out of scope"
    assert made.endswith("aieloom_function_0.join();}")


def test_an_interval_may_be_a_constants_name() -> None:
    source = "constexpr int kEvery = 3;\nvoid f(int n) {\n  for (int i = 0; i < n; ++i) {\n#pragma HLS PIPELINE II=kEvery\n  }\n}\n"
    assert "Kind::kPipelined, kEvery, 1" in timed_source(source)
    template = source.replace("kEvery", "Together<T>::kBeats style=flp")
    assert "Kind::kPipelined, Together<T>::kBeats, 1" in timed_source(template)


def test_headers_with_loops_are_timed_too(tmp_path: Path) -> None:
    (tmp_path / "loops.h").write_text("#pragma once\ninline int f(int n) { while (n > 3) --n; return n; }\n")
    (tmp_path / "plain.h").write_text("#pragma once\n")
    source = tmp_path / "top.cpp"
    source.write_text('#include "loops.h"\n#include "plain.h"\nvoid top(int& n) { n = f(n); }\n')
    made = write_timed(source, [tmp_path / "own"], tmp_path / "build").read_text()
    assert f'#include "{tmp_path / "plain.h"}"' in made, "beside the source, not beside what is written"
    header = Path(made.split('#include "')[1].split('"')[0])
    assert header.parent == tmp_path / "build"
    assert ".next()" in header.read_text()
