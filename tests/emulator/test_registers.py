"""Registers in timed runs: live ranges of software pipelines beside the core's files, counted again by running iterations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import aieloom
from aieloom.schedule.lists import bound, straight
from aieloom.schedule.machine import Machine, Op, machine_of
from aieloom.schedule.modulo import edges_of, modulo_schedule
from aieloom.schedule.registers import need_of, with_registers
from aieloom.spec.architecture import Architecture
from tests.clang_14 import need_clang

AIE = machine_of(Architecture.AIE)
UNITS = ("load", "store", "vector", "move", "none")


@st.composite
def loops(draw: st.DrawFn) -> list[Op]:
    """Operations of a loop that wait for earlier ones, with results in registers, and one circle."""
    ops: list[Op] = []
    for i in range(draw(st.integers(1, 10))):
        unit = draw(st.sampled_from(UNITS))
        latency = draw(st.integers(1, 8)) if unit != "none" else 0
        op = Op(f"op{i}", unit, 1 if unit == "none" else draw(st.integers(1, 2)), latency, "")
        op.is_store = unit == "store"
        op.results = () if op.is_store else (("vector", draw(st.sampled_from((128, 256, 512)))),)
        for p in draw(st.sets(st.integers(0, i - 1), max_size=2)) if i else ():
            if not ops[p].is_store:
                op.inputs[p] = ops[p].latency + ops[p].slots - 1
        ops.append(op)
    last = draw(st.integers(0, len(ops) - 1))
    if not ops[last].is_store:
        ops[draw(st.integers(0, last))].carried[last] = ops[last].latency + ops[last].slots - 1
    return ops


@given(loops(), st.integers(0, 6))
def test_a_pipeline_keeps_every_dependence_and_no_unit_issues_too_often(ops: list[Op], more: int) -> None:
    interval = bound(ops, AIE).interval + more
    edges = edges_of(ops)
    issues = modulo_schedule(ops, edges, interval, AIE)
    assume(issues is not None)
    assert issues is not None
    assert min(issues) == 0
    for p, j, cycles, distance in edges:
        assert issues[j] + interval * distance >= issues[p] + cycles
    for unit in UNITS[:-1]:
        many, taken = AIE.units[unit], [0] * interval
        for op, at in zip(ops, issues, strict=True):
            for k in range(op.slots if op.unit == unit else 0):
                taken[(at + k // many) % interval] += 1
        assert max(taken) <= many


@given(loops())
def test_most_loops_are_scheduled_at_their_bound_and_all_soon_after(ops: list[Op]) -> None:
    interval = bound(ops, AIE).interval
    assert any(modulo_schedule(ops, edges_of(ops), interval + k, AIE) for k in range(12))


def alive(ops: list[Op], issues: tuple[int, ...], interval: int) -> int:
    """Bits of vector registers in the busiest cycle, by running many iterations and writing down who is alive when."""
    rounds, at = 40, dict[int, int]()
    for r in range(rounds):
        for i, op in enumerate(ops):
            written = r * interval + issues[i] + op.latency + op.slots - 1
            reads = {
                ((r + d) * interval + issues[j], user.unit != "none" or not user.results)
                for j, user in enumerate(ops)
                for d, waits in ((0, user.inputs), (1, user.carried))
                if i in waits
            }
            last = max((cycle for cycle, _ in reads), default=written)
            # A part of a wider register is that register from where it becomes a part of it.
            is_part = (
                last >= written and bool(reads) and not any(own for cycle, own in reads if cycle == last)
            )
            for cycle in range(written, last + (not is_part)):
                at[cycle] = at.get(cycle, 0) + sum(bits for _, bits in op.results)
    begin = 20 * interval  # far from both ends: no iteration is longer
    return max(at.get(c, 0) for c in range(begin, begin + interval))


@given(loops(), st.integers(0, 4))
def test_live_ranges_are_those_of_iterations_that_run(ops: list[Op], more: int) -> None:
    interval = bound(ops, AIE).interval + more
    edges = edges_of(ops)
    issues = modulo_schedule(ops, edges, interval, AIE)
    assume(issues is not None and max(issues, default=0) < 12 * interval)
    assert issues is not None
    assert need_of(ops, edges, issues, interval).bits.get("vector", 0) == alive(ops, issues, interval)


@given(loops())
def test_registers_never_make_a_loop_faster_nor_slower_than_its_iteration(ops: list[Op]) -> None:
    found, once = bound(ops, AIE), straight(ops, AIE).cycles
    with_them = with_registers(ops, found, AIE, once)
    assert found.interval <= with_them.interval <= max(found.interval, once)


def small(machine: Machine, vectors: int) -> Machine:
    """The same core with fewer registers."""
    return replace(machine, registers={**machine.registers, "vector": 256 * vectors})


def test_a_value_that_lives_long_takes_a_register_for_each_iteration_under_way() -> None:
    # A load (8 cycles) feeds the first of three products (6 each) and the last one, and five stores keep the store unit busy.
    ops = [Op("load", "load", 1, 8, "", results=(("vector", 256),), is_load=True)]
    for i in range(3):
        ops.append(Op("mul", "vector", 1, 6, "", results=(("vector", 256),)))
        ops[-1].inputs[i] = 8 if i == 0 else 6
    ops[3].inputs[0] = 8
    for _ in range(5):
        ops.append(Op("store", "store", 1, 1, "", is_store=True))
        ops[-1].inputs[3] = 6
    found = bound(ops, AIE)
    assert (found.interval, found.unit) == (5, "store")
    # It lives from its arrival to the third product: 12 cycles later at the soonest, 13 cycles, so ceil(13 / 5) = 3 at a time.
    issues = modulo_schedule(ops, edges_of(ops), 5, AIE)
    assert issues is not None
    assert issues[3] - issues[0] - 8 == 12
    fits = with_registers(ops, found, AIE, 40)
    assert fits.interval == 5  # eight registers are enough
    # In the busiest cycle five live: three copies, the first product as it arrives, and the last one, which the stores read one
    # after the other. Of three registers two are missing, and two more stores to the stack make seven.
    short = with_registers(ops, found, small(AIE, 3), 40)
    assert (short.interval, short.file) == (7, "vector")
    assert short.by_registers > short.by_units == 5


SUMS = """
#include <adf.h>
#include "aie_api/aie.hpp"
void few(input_window<float>* __restrict in, output_window<float>* __restrict out) { %s }
void many(input_window<float>* __restrict in, output_window<float>* __restrict out) { %s }
"""
BODY = """
  aie::accum<accfloat, 8> s[{n}];
  for (int k = 0; k < {n}; ++k) chess_flatten_loop s[k] = aie::zeros<accfloat, 8>();
  for (int j = 0; j < 16; ++j) chess_prepare_for_pipelining chess_loop_range(16, ) {{
    aie::vector<float, 8> x = window_readincr_v<8>(in);
    for (int k = 0; k < {n}; ++k) chess_flatten_loop {{
      s[k] = aie::mac(s[k], x, x);
      window_writeincr(out, s[k].to_vector<float>());
    }}
  }}
"""
GRAPH = """
#include <adf.h>
using namespace adf;
void few(input_window<float>* in, output_window<float>* out);
void many(input_window<float>* in, output_window<float>* out);
class Sums : public graph {
 public:
  input_plio in[2];
  output_plio out[2];
  kernel k[2];
  Sums() {
    k[0] = kernel::create(few);
    k[1] = kernel::create(many);
    for (int i = 0; i < 2; ++i) {
      std::string n = std::to_string(i);
      source(k[i]) = "sums.cc";
      runtime<ratio>(k[i]) = 0.9;
      in[i] = input_plio::create("x" + n, plio_32_bits, "x" + n + ".txt");
      out[i] = output_plio::create("y" + n, plio_32_bits, "y" + n + ".txt");
      connect<window<512>>(in[i].out[0], k[i].in[0]);
      single_buffer(k[i].out[0]);
      connect<window<6144>>(k[i].out[0], out[i].in[0]);
    }
  }
};
Sums g;
int main() { g.init(); g.run(1); g.end(); }
"""


def test_a_loop_with_more_sums_than_registers_is_bound_by_them_and_says_so(tmp_path: Path) -> None:
    need_clang()
    (tmp_path / "sums.cc").write_text(SUMS % (BODY.format(n=4), BODY.format(n=12)))
    (tmp_path / "graph.cpp").write_text(GRAPH)
    x = {f"x{i}": np.ones(128, np.float32) for i in range(2)}
    done = aieloom.emulate(tmp_path / "graph.cpp", inputs=x, out=tmp_path / "out", timed=True)
    assert done.cycles is not None, done.stderr
    few, many = (max(k.loops, key=lambda loop: loop.iterations) for k in done.cycles.kernels)
    # Sums of floats are in the eight vector registers of 256 bits: four have room, twelve have not.
    assert few.luck == () and "registers" not in few.bound_by
    assert many.luck == ("registers",) and many.bound_by == "the vector registers"
    assert many.interval > 12  # what the products, or the stores, alone would take
    assert many.least <= many.cycles <= many.most
