"""Stalls at memory banks in timed runs: two accesses of one cycle that the graph's places put into one bank."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aieloom
from aieloom.emulator.timed.banks import Placed, stalls
from tests.clang_14 import need_clang

A, B = (frozenset({(0, 0, k)}) for k in range(2))


def test_a_bank_serves_one_access_a_cycle() -> None:
    accesses = [(0, "%0"), (0, "%1"), (1, "%0"), (2, "%0"), (2, "%1"), (2, "%2")]
    assert stalls(accesses, {"%0": [A], "%1": [A], "%2": [A]}) == 1 + 0 + 2
    assert stalls(accesses, {"%0": [A], "%1": [A], "%2": [B]}) == 1 + 0 + 1
    assert stalls(accesses, {"%0": [A], "%1": [B], "%2": [B]}) == 0 + 0 + 1
    assert stalls(accesses, {}) == 0
    # The second copy of a ping-pong pair lies elsewhere: every other call has no stall.
    assert stalls(accesses[:2], {"%0": [A, B], "%1": [A]}) == 0.5


def test_a_buffer_at_an_address_lies_in_the_banks_that_it_reaches() -> None:
    placed = Placed(column=3, row=1, bank=-1, address=8000, bytes=400)
    assert placed.banks(8192) == {(3, 1, 0), (3, 1, 1)}
    assert Placed(column=3, row=1, bank=2, address=0, bytes=9000).banks(8192) == {(3, 1, 2)}
    # It meets one that lies in the second of them half of the time.
    assert stalls([(0, "%0"), (0, "%1")], {"%0": [placed.banks(8192)], "%1": [frozenset({(3, 1, 1)})]}) == 0.5


@given(
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abcd")), max_size=12),
    st.dictionaries(st.sampled_from("abcd"), st.sampled_from((A, B))),
)
def test_stalls_are_what_one_port_a_bank_costs(
    accesses: list[tuple[int, str]], banks: dict[str, frozenset[tuple[int, int, int]]]
) -> None:
    # At most two accesses of a cycle go to each of two banks here: then one port each costs what the fuller bank has over one.
    lost = 0
    for cycle in range(4):
        known = [banks[base] for at, base in accesses if at == cycle and base in banks]
        for bank in (A, B):
            if known.count(bank) > 2:
                return
        lost += sum(max(0, known.count(bank) - 1) for bank in (A, B))
    assert stalls(accesses, {base: [of] for base, of in banks.items()}) == lost


KERNELS = """
#include <adf.h>
#include "aie_api/aie.hpp"
void sum(input_window<int32>* __restrict a, input_window<int32>* __restrict b, output_window<int32>* __restrict out) {
  for (int i = 0; i < 32; ++i) chess_prepare_for_pipelining chess_loop_range(32, ) {
    window_writeincr(out, aie::add(window_readincr_v<8>(a), window_readincr_v<8>(b)));
  }
}
"""
GRAPH = """
#include <adf.h>
using namespace adf;
void sum(input_window<int32>* a, input_window<int32>* b, output_window<int32>* out);
class Sums : public graph {
 public:
  input_plio in[2];
  output_plio out;
  kernel k;
  Sums() {
    k = kernel::create(sum);
    source(k) = "sum.cc";
    runtime<ratio>(k) = 0.9;
    location<kernel>(k) = tile(6, 0);
    for (int i = 0; i < 2; ++i) {
      in[i] = input_plio::create("x" + std::to_string(i), plio_32_bits, "x.txt");
      connect<window<1024>>(in[i].out[0], k.in[i]);
    }
    out = output_plio::create("y", plio_32_bits, "y.txt");
    connect<window<1024>>(k.out[0], out.in[0]);
    location<buffer>(k.in[0]) = {bank(6, 0, 0), bank(6, 0, 1)};
    location<buffer>(k.in[1]) = {SECOND};
  }
};
Sums g;
int main() { g.init(); g.run(2); g.end(); }
"""


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ("bank(6, 0, 2), bank(6, 0, 3)", 0),
        ("bank(6, 0, 0), bank(6, 0, 1)", 32),
        ("address(6, 0, 4096), bank(6, 0, 3)", 16),
    ],
)
def test_two_loads_of_a_cycle_that_lie_in_one_bank_stall(tmp_path: Path, second: str, expected: int) -> None:
    need_clang()
    (tmp_path / "sum.cc").write_text(KERNELS)
    (tmp_path / "graph.cpp").write_text(GRAPH.replace("SECOND", second))
    x = {f"x{i}": np.arange(512, dtype=np.int32) for i in range(2)}
    done = aieloom.emulate(tmp_path / "graph.cpp", inputs=x, out=tmp_path / "out", timed=True)
    assert done.cycles is not None and done.code == 0, done.stderr
    assert done.arrays["y"].tolist() == (2 * np.arange(512)).tolist()
    (kernel,) = done.cycles.kernels
    loop = max(kernel.loops, key=lambda found: found.iterations)
    assert (
        loop.interval == 1
    )  # two loads, a sum and a store each cycle [AM009]: the loads of every iteration may meet
    assert kernel.bank_stalls == expected


SHARED = GRAPH.replace(
    "class Sums : public graph {",
    """void copy(input_window<int32>* x, output_window<int32>* out);
class Copy : public graph {
 public:
  output_port out;
  input_port in;
  kernel k;
  Copy() {
    k = kernel::create(copy);
    source(k) = "sum.cc";
    runtime<ratio>(k) = 0.9;
    location<kernel>(k) = tile(6, 1);
    connect<window<1024>>(in, k.in[0]);
    connect<window<1024>>(k.out[0], out);
    location<buffer>(k.out[0]) = {SECOND};
  }
};
class Sums : public graph {""",
).replace("  kernel k;\n  Sums()", "  kernel k;\n  Copy before;\n  Sums()")


def test_a_buffer_that_a_neighbour_in_another_graph_places_is_known(tmp_path: Path) -> None:
    """Its place stands at the port of the kernel that writes it, behind the ports of two graphs."""
    need_clang()
    text = SHARED.replace(
        "connect<window<1024>>(in[i].out[0], k.in[i]);",
        "if (i == 0) connect<window<1024>>(in[i].out[0], k.in[i]);\n"
        "      else connect<window<1024>>(in[i].out[0], before.in);",
    ).replace("    location<buffer>(k.in[1]) = {SECOND};\n", "    connect<>(before.out, k.in[1]);\n")
    copying = """
void copy(input_window<int32>* __restrict x, output_window<int32>* __restrict out) {
  for (int i = 0; i < 32; ++i) window_writeincr(out, window_readincr_v<8>(x));
}
"""
    (tmp_path / "sum.cc").write_text(KERNELS + copying)
    (tmp_path / "graph.cpp").write_text(text.replace("SECOND", "bank(6, 0, 0), bank(6, 0, 1)"))
    x = {f"x{i}": np.arange(512, dtype=np.int32) for i in range(2)}
    done = aieloom.emulate(tmp_path / "graph.cpp", inputs=x, out=tmp_path / "out", timed=True)
    assert done.cycles is not None and done.code == 0, done.stderr
    stalled = {k.name.partition("[")[0]: k.bank_stalls for k in done.cycles.kernels}
    assert stalled["sum"] == 32
