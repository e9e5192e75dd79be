"""Timed runs: blocks are counted exactly, results keep their bits, loops take what their operations' latencies say."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aieloom
from aieloom.cli import main
from aieloom.emulator.program import Result
from aieloom.emulator.timed import lower
from aieloom.emulator.timed.operations import qualified
from aieloom.emulator.timed.result import KernelCycles, LoopCycles
from aieloom.errors import ToolError
from aieloom.schedule.lists import bound, straight
from aieloom.schedule.machine import Op, machine_of
from aieloom.spec.architecture import Architecture
from tests.clang_14 import need_clang

ROUNDS, TAPS = 16, 12  # of the kernels below
KERNELS = """
#include <adf.h>
#include "aie_api/aie.hpp"
// A sum of products: each waits for the one before.
void chain(input_window<float>* in, output_window<float>* out) {
  for (int i = 0; i < 16; ++i) {
    aie::vector<float, 8> x = window_readincr_v<8>(in);
    aie::accum<accfloat, 8> sum = aie::zeros<accfloat, 8>();
    for (int j = 0; j < 12; ++j) chess_prepare_for_pipelining chess_loop_range(12, ) { sum = aie::mac(sum, x, x); }
    window_writeincr(out, sum.to_vector<float>());
  }
}
// As many trips as the data say.
void counted(input_window<int32>* in, output_window<int32>* out) {
  for (int i = 0; i < 16; ++i) {
    int left = window_readincr(in);
    int steps = 0;
    while (left != 1) {
      left = (left & 1) ? 3 * left + 1 : left >> 1;
      ++steps;
    }
    window_writeincr(out, steps);
  }
}
// A copy to a stream and a buffer: in order, or apart.
#define COPY(NAME, RESTRICT) \\
  void NAME(input_window<int32>* RESTRICT in, output_stream<int32>* RESTRICT words, output_window<int32>* RESTRICT out) { \\
    for (int i = 0; i < 16; ++i) chess_prepare_for_pipelining { \\
      aie::vector<int32, 4> x = window_readincr_v<4>(in); \\
      writeincr(words, x); \\
      window_writeincr(out, x); \\
    } \\
  }
COPY(ordered, )
COPY(apart, __restrict)
"""
GRAPH = """
#include <adf.h>
void chain(input_window<float>* in, output_window<float>* out);
void counted(input_window<int32>* in, output_window<int32>* out);
void ordered(input_window<int32>* in, output_stream<int32>* words, output_window<int32>* out);
void apart(input_window<int32>* in, output_stream<int32>* words, output_window<int32>* out);
class Two : public adf::graph {
 public:
  adf::input_plio in[4];
  adf::output_plio out[4], words[2];
  adf::kernel k[4];
  Two() {
    k[0] = adf::kernel::create(chain);
    k[1] = adf::kernel::create(counted);
    for (int i = 0; i < 2; ++i) {
      adf::source(k[i]) = "kernels.cc";
      adf::runtime<adf::ratio>(k[i]) = 0.9;
      in[i] = adf::input_plio::create(i == 0 ? "x" : "n", adf::plio_32_bits, i == 0 ? "x.txt" : "n.txt");
      out[i] = adf::output_plio::create(i == 0 ? "y" : "steps", adf::plio_32_bits, i == 0 ? "y.txt" : "steps.txt");
    }
    for (int i = 2; i < 4; ++i) {
      std::string n = std::to_string(i);
      k[i] = i == 2 ? adf::kernel::create(ordered) : adf::kernel::create(apart);
      adf::source(k[i]) = "kernels.cc";
      adf::runtime<adf::ratio>(k[i]) = 0.9;
      in[i] = adf::input_plio::create("c" + n, adf::plio_32_bits, "c.txt");
      words[i - 2] = adf::output_plio::create("w" + n, adf::plio_32_bits, "w" + n + ".txt");
      out[i] = adf::output_plio::create("o" + n, adf::plio_32_bits, "o" + n + ".txt");
      adf::connect<adf::window<256>>(in[i].out[0], k[i].in[0]);
      adf::connect<adf::stream>(k[i].out[0], words[i - 2].in[0]);
      adf::connect<adf::window<256>>(k[i].out[1], out[i].in[0]);
    }
    adf::connect<adf::window<512>>(in[0].out[0], k[0].in[0]);
    adf::connect<adf::window<512>>(k[0].out[0], out[0].in[0]);
    adf::connect<adf::window<64>>(in[1].out[0], k[1].in[0]);
    adf::connect<adf::window<64>>(k[1].out[0], out[1].in[0]);
  }
};
Two g;
int main() { g.init(); g.run(2); g.end(); }
"""
COPIED = np.arange(128, dtype=np.int32)
NUMBERS = np.arange(1, 2 * ROUNDS + 1, dtype=np.int32)


def collatz(n: int) -> int:
    """Steps of 3n + 1 until 1."""
    steps = 0
    while n != 1:
        n = 3 * n + 1 if n % 2 else n // 2
        steps += 1
    return steps


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Result]:
    """The same graph run untimed and timed, on the same arrays."""
    need_clang()
    folder = tmp_path_factory.mktemp("timed")
    (folder / "kernels.cc").write_text(KERNELS)
    (folder / "graph.cpp").write_text(GRAPH)
    x = np.random.default_rng(3).normal(size=2 * 8 * ROUNDS).astype(np.float32)
    inputs = {"x": x, "n": NUMBERS, "c2": COPIED, "c3": COPIED}
    done = [
        aieloom.emulate(
            folder / "graph.cpp", inputs=inputs, out=folder / "out", folder=folder / str(t), timed=t
        )
        for t in (False, True)
    ]
    assert [d.code for d in done] == [0, 0], done[1].stderr
    return done[0], done[1]


def kernel(runs: tuple[Result, Result], name: str) -> KernelCycles:
    """A kernel of the timed run."""
    assert runs[1].cycles is not None
    return next(k for k in runs[1].cycles.kernels if k.function == name)


def test_a_timed_run_gives_the_same_bits(runs: tuple[Result, Result]) -> None:
    plain, timed = runs
    assert plain.cycles is None
    assert plain.arrays["y"].tobytes() == timed.arrays["y"].tobytes()
    assert timed.arrays["steps"].tolist() == [collatz(int(n)) for n in NUMBERS]


def inner(k: KernelCycles) -> LoopCycles:
    """The loop of a kernel that runs most often."""
    return max(k.loops, key=lambda loop: loop.iterations)


def test_a_chain_of_float_products_goes_on_every_second_cycle(runs: tuple[Result, Result]) -> None:
    chain = kernel(runs, "chain")
    loop = inner(chain)
    assert (chain.calls, loop.iterations) == (2, 2 * ROUNDS * TAPS)
    # The accumulator is free again after two cycles [UG1079 Floating-Point Operations], a product takes six.
    assert (loop.interval, loop.length) == (2, 6)
    assert "mac" in loop.bound_by
    assert loop.is_marked
    line = next(n for n, text in enumerate(KERNELS.splitlines(), 1) if "aie::mac" in text)
    assert line in loop.lines
    least = ROUNDS * (6 + 2 * (TAPS - 1))  # the products of a call and nothing else
    assert least < chain.cycles < 2.5 * least
    assert chain.least <= chain.cycles <= chain.most
    assert chain.most >= ROUNDS * TAPS * 6


def test_windows_that_are_not_restrict_stay_in_order_with_streams(runs: tuple[Result, Result]) -> None:
    ordered, apart = (inner(kernel(runs, name)) for name in ("ordered", "apart"))
    assert ordered.iterations == apart.iterations == 32
    assert apart.interval == 4  # four words of a stream, a word a cycle
    # A load takes 8 cycles, then the words leave: AMD's performance analysis tutorial has 102 cycles for 8 such iterations.
    assert 102 / 8 / 1.2 < ordered.interval < 102 / 8 * 1.2
    assert "__restrict" in ordered.why


def test_trips_that_the_data_decide_are_counted(runs: tuple[Result, Result]) -> None:
    counted = kernel(runs, "counted")
    steps = sum(collatz(int(n)) for n in NUMBERS)
    # The trips of 1 may be tested before the loop or in it.
    assert any(steps - 2 <= loop.iterations <= steps + 2 * ROUNDS for loop in counted.loops)
    assert counted.cycles > steps / 2


def test_calls_differ_by_what_their_data_make_them_do(runs: tuple[Result, Result]) -> None:
    assert runs[1].cycles is not None
    cores = {c.name: c for c in runs[1].cycles.times.cores}
    counted, chain = (cores[kernel(runs, name).name] for name in ("counted", "chain"))
    one, other = (sum(collatz(int(n)) for n in half) for half in np.split(NUMBERS, 2))
    loop = max(kernel(runs, "counted").loops, key=lambda found: found.iterations)
    assert counted.longest - counted.shortest == pytest.approx(abs(other - one) * loop.interval, rel=0.2)
    assert counted.longest + counted.shortest == counted.busy  # two calls
    assert chain.longest == chain.shortest == chain.busy / 2


def test_the_command_prints_a_table_and_answers_in_json(
    runs: tuple[Result, Result],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert runs[1].cycles is not None
    (tmp_path / "kernels.cc").write_text(KERNELS)
    (tmp_path / "graph.cpp").write_text(GRAPH)
    (tmp_path / "x.txt").write_text("\n".join(str(i % 7) for i in range(2 * 8 * ROUNDS)))
    (tmp_path / "c.txt").write_text("\n".join(map(str, COPIED.tolist())))
    (tmp_path / "n.txt").write_text("\n".join(map(str, NUMBERS.tolist())))
    monkeypatch.chdir(tmp_path)
    assert main(["emulate", "graph.cpp", "--timed"]) == 0
    said = capfd.readouterr().out.splitlines()
    row = next(line for line in said if line.startswith("chain[0]"))
    assert "every 2 cycles" in row
    assert main(["emulate", "graph.cpp", "--timed", "--json"]) == 0
    written = json.loads(capfd.readouterr().out)["result"]["cycles"]["kernels"]
    assert {k["function"]: k["calls"] for k in written} == {
        "chain": 2,
        "counted": 2,
        "ordered": 2,
        "apart": 2,
    }
    assert written[0]["cycles"] == kernel(runs, "chain").cycles


def test_without_clang_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    lower.find_clang.cache_clear()
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    try:
        with pytest.raises(ToolError, match=r"no clang 14(.|\n)*apt-get install clang-14"):
            lower.find_clang()
    finally:
        lower.find_clang.cache_clear()


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        (
            "aie::vector<float, 8u> adf::window_readincr_v<8u, float>(adf::io_window<float>*)",
            "adf::window_readincr_v",
        ),
        (
            "auto aie::mac<aie::accum<accfloat, 8u>, float>(aie::accum<accfloat, 8u> const&, float const&)",
            "aie::mac",
        ),
        ("Conv<1, 2>::filter(adf::io_window<float, (aieloom::Direction)0>*)", "Conv::filter"),
        ("aie::vector_iterator<float, 8u>::operator*() const", "aie::vector_iterator::operator*"),
        ("fir(int)", "fir"),
    ],
)
def test_qualified_names(spelling: str, name: str) -> None:
    assert qualified(spelling) == name


UNITS = ("load", "store", "vector", "move", "scalar", "none")


@st.composite
def operations(draw: st.DrawFn) -> list[Op]:
    """Operations that wait for earlier ones."""
    ops: list[Op] = []
    for i in range(draw(st.integers(1, 14))):
        unit = draw(st.sampled_from(UNITS))
        op = Op(f"op{i}", unit, draw(st.integers(1, 3)) if unit != "none" else 1, draw(st.integers(1, 8)), "")
        for p in draw(st.sets(st.integers(0, i - 1), max_size=3)) if i else ():
            op.inputs[p] = ops[p].latency + ops[p].slots - 1
        ops.append(op)
    return ops


@given(operations())
def test_a_schedule_keeps_every_dependence_and_no_unit_issues_twice(ops: list[Op]) -> None:
    machine = machine_of(Architecture.AIE)
    done = straight(ops, machine)
    for j, op in enumerate(ops):
        assert all(done.issues[j] >= done.issues[p] + cycles for p, cycles in op.inputs.items())
    for unit in UNITS[:-1]:
        own = sorted((done.issues[i], op.slots) for i, op in enumerate(ops) if op.unit == unit)
        many = machine.units[unit]
        if many == 1:
            assert all(a + slots <= b for (a, slots), (b, _) in pairwise(own))
        span = max((t + -(-s // many) for t, s in own), default=0) - min((t for t, _ in own), default=0)
        assert sum(s for _, s in own) <= many * span
    longest = [0] * len(ops)
    for j, op in enumerate(ops):
        longest[j] = max((longest[p] + cycles for p, cycles in op.inputs.items()), default=0)
    real = [j for j, op in enumerate(ops) if op.unit != "none"]
    assert done.cycles >= max((longest[j] + ops[j].latency + ops[j].slots - 1 for j in real), default=0)


@given(operations(), st.data())
def test_the_bound_of_a_loop_is_its_slowest_circle_or_its_busiest_unit(
    ops: list[Op], data: st.DataObject
) -> None:
    machine = machine_of(Architecture.AIE)
    last = data.draw(st.integers(0, len(ops) - 1))
    first = data.draw(st.integers(0, last))
    ops[first].carried[last] = ops[last].latency + ops[last].slots - 1
    # One edge back: the circle is the longest way from `first` to `last`, and the edge.
    far = [-(10**9)] * len(ops)
    far[first] = 0
    for j in range(first + 1, len(ops)):
        far[j] = max((far[p] + c for p, c in ops[j].inputs.items()), default=-(10**9))
    circle = far[last] + ops[first].carried[last] if far[last] >= 0 else 0
    units = {u: sum(op.slots for op in ops if op.unit == u) for u in UNITS[:-1]}
    busiest = max(-(-n // machine.units[u]) for u, n in units.items())
    assert bound(ops, machine).interval == max(1, circle, busiest)


WALKS = """
#include <adf.h>
#include "aie_api/aie.hpp"
#include "walk.h"
// From one array to another, which are known by references alone.
#define WALK(NAME, BEGIN) \\
  void NAME::run(input_stream<int32>* in, output_stream<int32>* out) { \\
    auto x = aie::BEGIN<8>(a); \\
    auto y = aie::BEGIN<8>(b); \\
    a[0] = readincr(in); \\
    for (int i = 0; i < 32; ++i) chess_prepare_for_pipelining { *y++ = aie::add(*x++, aie::broadcast<int32, 8>(1)); } \\
    writeincr(out, b[0]); \\
  }
WALK(Open, begin_vector)
WALK(Restricted, begin_restrict_vector)
"""
WALK = """
#pragma once
#include <adf.h>
#define WALKER(NAME) \\
  class NAME { \\
    int32 (&a)[256]; \\
    int32 (&b)[256]; \\
   public: \\
    NAME(int32 (&x)[256], int32 (&y)[256]) : a(x), b(y) {} \\
    void run(input_stream<int32>* in, output_stream<int32>* out); \\
    static void registerKernelClass() { \\
      REGISTER_FUNCTION(NAME::run); \\
      REGISTER_PARAMETER(a); \\
      REGISTER_PARAMETER(b); \\
    } \\
  };
WALKER(Open)
WALKER(Restricted)
"""
WALK_GRAPH = """
#include "walk.h"
using namespace adf;
class Both : public graph {
  template <typename K>
  void add(int i) {
    k[i] = kernel::create_object<K>(std::vector<int32>(256), std::vector<int32>(256));
    source(k[i]) = "walk.cc";
    runtime<ratio>(k[i]) = 0.5;
    std::string n = std::to_string(i);
    in[i] = input_plio::create("x" + n, plio_32_bits, "x" + n + ".txt");
    out[i] = output_plio::create("y" + n, plio_32_bits, "y" + n + ".txt");
    connect(in[i].out[0], k[i].in[0]);
    connect(k[i].out[0], out[i].in[0]);
  }
  kernel k[2];
 public:
  input_plio in[2];
  output_plio out[2];
  Both() { add<Open>(0); add<Restricted>(1); }
};
Both g;
int main() { g.init(); g.run(1); g.end(); }
"""


def test_iterators_that_are_restrict_walk_over_memory_of_their_own(tmp_path: Path) -> None:
    need_clang()
    for name, text in {"walk.cc": WALKS, "walk.h": WALK, "graph.cpp": WALK_GRAPH}.items():
        (tmp_path / name).write_text(text)
    numbers = {f"x{i}": np.array([5], np.int32) for i in range(2)}
    done = aieloom.emulate(tmp_path / "graph.cpp", inputs=numbers, out=tmp_path / "out", timed=True)
    assert done.code == 0 and done.cycles is not None, done.stderr
    assert [done.arrays[f"y{i}"].tolist() for i in range(2)] == [[6], [6]]
    opened, restricted = (max(k.loops, key=lambda loop: loop.iterations) for k in done.cycles.kernels)
    assert restricted.interval == 1  # a load and a store of a vector each cycle [AM009 Memory]
    assert (
        opened.interval > 7 and "store" in opened.bound_by
    )  # the load waits for the store before it, and takes 8 cycles
