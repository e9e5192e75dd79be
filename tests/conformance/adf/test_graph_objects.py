"""What AMD's own templates do beyond connections: bypasses, parameters of kernels alone, pointers taken before a buffer is held."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.conformance.adf.project import Ran, run_project, write_numbers, write_project

FILES = {
    "kernels.h": """
#pragma once
#include <adf.h>
void twice(adf::input_buffer<int32, adf::extents<16>, adf::margin<8>>& in, adf::output_buffer<int32, adf::extents<16>>& out);
void swap(adf::input_buffer<int16, adf::extents<32>>& a, adf::input_buffer<int16, adf::extents<32>>& b, int32 add,
          adf::output_buffer<int16, adf::extents<32>>& c, adf::output_buffer<int16, adf::extents<32>>& d);
void make(int32 (&values)[8]);
void take(const int32 (&values)[8], adf::output_buffer<int32, adf::extents<8>>& out);
void two_rounds(adf::input_async_buffer<int32, adf::extents<8>>& in, adf::output_async_buffer<int32, adf::extents<16>>& out);
""",
    "kernels.cc": """
#include "kernels.h"
void twice(adf::input_buffer<int32, adf::extents<16>, adf::margin<8>>& in, adf::output_buffer<int32, adf::extents<16>>& out) {
  for (int i = 0; i < 16; i++) out.data()[i] = in.data()[i] + in.data()[i + 8];
}
void swap(adf::input_buffer<int16, adf::extents<32>>& a, adf::input_buffer<int16, adf::extents<32>>& b, int32 add,
          adf::output_buffer<int16, adf::extents<32>>& c, adf::output_buffer<int16, adf::extents<32>>& d) {
  for (int i = 0; i < 32; i++) c.data()[i] = b.data()[i] + add, d.data()[i] = a.data()[i] - add;
}
static int32 state = 0;
void make(int32 (&values)[8]) {
  for (int i = 0; i < 8; i++) values[i] = 10 * state + i;
  state++;
}
void take(const int32 (&values)[8], adf::output_buffer<int32, adf::extents<8>>& out) {
  for (int i = 0; i < 8; i++) out.data()[i] = values[i];
}
static int half = 0;
void two_rounds(adf::input_async_buffer<int32, adf::extents<8>>& in, adf::output_async_buffer<int32, adf::extents<16>>& out) {
  const int32* from = in.data();
  int32* to = out.data();  // not held yet in the first round, and only pointed at
  in.acquire();
  from = in.data();
  if (half == 0) {
    out.acquire();
    to = out.data();
  } else {
    to += 8;
  }
  for (int i = 0; i < 8; i++) *to++ = from[i] + half;
  in.release();
  if (half == 1) out.release();
  half = 1 - half;
}
""",
    "graph.cpp": """
#include "kernels.h"
using namespace adf;
class Top : public graph {
 public:
  kernel twice_k, swap_k, make_k, take_k, rounds_k;
  bypass past_twice, past_swap;
  input_plio in[4];
  output_plio out[5];
  port<input> skip, skip_swap, add;
  Top() {
    twice_k = kernel::create(twice);
    swap_k = kernel::create(swap);
    make_k = kernel::create(make);
    take_k = kernel::create(take);
    rounds_k = kernel::create(two_rounds);
    for (kernel* k : {&twice_k, &swap_k, &make_k, &take_k, &rounds_k}) {
      source(*k) = "kernels.cc";
      runtime<ratio>(*k) = 0.2;
    }
    for (int i = 0; i < 4; i++)
      in[i] = input_plio::create("i" + std::to_string(i), plio_32_bits, "i" + std::to_string(i) + ".txt");
    for (int i = 0; i < 5; i++)
      out[i] = output_plio::create("o" + std::to_string(i), plio_32_bits, "o" + std::to_string(i) + ".txt");
    past_twice = bypass::create(twice_k);
    past_swap = bypass::create(swap_k);
    connect<parameter>(skip, past_twice.bp);
    connect<parameter>(skip_swap, async(past_swap.bp));
    connect<parameter>(add, async(swap_k.in[2]));
    connect(in[0].out[0], past_twice.in[0]);
    connect(past_twice.out[0], out[0].in[0]);
    connect(in[1].out[0], past_swap.in[0]);
    connect(in[2].out[0], past_swap.in[1]);
    connect(past_swap.out[0], out[1].in[0]);
    connect(past_swap.out[1], out[2].in[0]);
    connect(take_k.out[0], out[3].in[0]);
    sync(make_k.inout[0]);
    sync(take_k.in[0]);
    connect(in[3].out[0], rounds_k.in[0]);
    connect(rounds_k.out[0], out[4].in[0]);
    repetition_count(rounds_k) = 1;
  }
};
Top top;
int main() {
  top.init();
  top.update(top.add, 100);
  volatile int past = 1;
  top.update(top.skip_swap, past);
  top.run(4);
  for (int i = 0; i < 4; i++) {
    top.update(top.skip, i == 1 || i == 2 ? 1 : 0);
    int values[8];
    top.read(top.make_k.inout[0], values, 8);
    top.update(top.take_k.in[0], values, 8);
  }
  top.wait();
  top.update(top.skip_swap, 0);
  top.run(1);
  top.update(top.skip, 0);
  int values[8] = {};
  top.update(top.take_k.in[0], values, 8);
  top.end();
}
""",
}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    folder = tmp_path_factory.mktemp("objects")
    write_project(folder, FILES)
    write_numbers(folder / "i0.txt", np.arange(80))
    write_numbers(folder / "i1.txt", np.arange(160), 2)
    write_numbers(folder / "i2.txt", 1000 + np.arange(160), 2)
    write_numbers(folder / "i3.txt", np.arange(40))
    return run_project(folder)


def test_a_bypass_is_new_for_every_call(ran: Ran) -> None:
    assert ran.result.code == 0, ran.result.stderr
    x = np.arange(80)
    delayed = np.concatenate([np.zeros(8, dtype=np.int64), x[:-8]])
    skipped = np.repeat([False, True, True, False, False], 16)
    assert (ran.ints("o0.txt") == np.where(skipped, x, x + delayed)).all()


def test_an_asynchronous_bypass_keeps_its_value_and_joins_ports_by_number(ran: Ran) -> None:
    a, b = np.arange(160), 1000 + np.arange(160)
    assert (ran.ints("o1.txt") == np.concatenate([a[:128], b[128:] + 100])).all()
    assert (ran.ints("o2.txt") == np.concatenate([b[:128], a[128:] - 100])).all()


def test_the_host_reaches_parameters_that_no_graph_port_stands_for(ran: Ran) -> None:
    want = [[10 * n + i for i in range(8)] for n in range(4)] + [[0] * 8]
    assert (ran.ints("o3.txt") == np.ravel(want)).all()


def test_a_pointer_into_a_buffer_that_is_not_held_yet_is_no_access(ran: Ran) -> None:
    x = np.arange(32)
    assert (ran.ints("o4.txt") == x + np.repeat([0, 1, 0, 1], 8)).all()


def test_a_bypass_of_streams_is_refused(tmp_path: Path) -> None:
    kernel = FILES["kernels.h"] + "void words(input_stream<int32>* in, output_stream<int32>* out);\n"
    graph = '#include "kernels.h"\nusing namespace adf;\nstruct G : graph { kernel k; bypass b; G() { k = kernel::create(words); b = bypass::create(k); } } g;\nint main() { g.init(); }\n'
    write_project(tmp_path, {"kernels.h": kernel, "graph.cpp": graph})
    result = run_project(tmp_path).result
    assert result.code == 2
    assert "[bypass] words[0] has streams or cascades" in result.stderr


AREA = """
#include "kernels.h"
using namespace adf;
struct Named {
  virtual ~Named() = default;
  int number = 0;
};
class Sub : public Named, public graph {
 public:
  kernel k;
  port<input> in;
  port<output> out;
  Sub(int col, int row) {
    k = kernel::create(twice);
    source(k) = "kernels.cc";
    runtime<ratio>(k) = 0.5;
    location<kernel>(k) = tile(col, row);
    connect(in, k.in[0]);
    connect(k.out[0], out);
  }
};
struct Top : graph {
  Sub inside{INSIDE};
  kernel own;
  Sub* later;
  input_plio in[3];
  output_plio out[3];
  Top() {
    own = kernel::create(twice);
    source(own) = "kernels.cc";
    runtime<ratio>(own) = 0.5;
    location<kernel>(own) = tile(30, 5);
    later = new Sub(31, 5);
    for (int i = 0; i < 3; i++) {
      in[i] = input_plio::create("i" + std::to_string(i), plio_32_bits, "i0.txt");
      out[i] = output_plio::create("o" + std::to_string(i), plio_32_bits, "o" + std::to_string(i) + ".txt");
    }
    connect(in[0].out[0], inside.in);
    connect(inside.out, out[0].in[0]);
    connect(in[1].out[0], own.in[0]);
    connect(own.out[0], out[1].in[0]);
    connect(in[2].out[0], later->in);
    connect(later->out, out[2].in[0]);
    location<graph>(inside) = bounding_box(4, 0, 6, 3);  // when everything else has been made
  }
} top;
int main() { top.init(); top.run(1); top.end(); }
"""


@pytest.mark.parametrize(("inside", "is_told"), [("5, 2", False), ("7, 2", True)])
def test_the_area_of_a_graph_is_for_its_own_kernels_alone(tmp_path: Path, inside: str, is_told: bool) -> None:
    write_project(tmp_path, {**FILES, "graph.cpp": AREA.replace("INSIDE", inside)})
    write_numbers(tmp_path / "i0.txt", np.arange(16))
    result = run_project(tmp_path).result
    assert result.code == 0, result.stderr  # a functional run goes on where only a mapper refuses
    told = [line for line in result.stderr.splitlines() if "[area]" in line]
    placed = "warning: [area] twice[0] is placed on tile(7, 2), outside of the area of its graph"
    assert len(told) == is_told and all(placed in line for line in told)


def test_a_clock_that_no_plio_has_is_told(tmp_path: Path) -> None:
    """AMD's tools run such projects: some give the number of bytes in its place."""
    fast = AREA.replace("INSIDE", "5, 2").replace('"i0.txt")', '"i0.txt", i == 0 ? 10240 : 625)')
    write_project(tmp_path, {**FILES, "graph.cpp": fast})
    write_numbers(tmp_path / "i0.txt", np.arange(16))
    result = run_project(tmp_path).result
    assert result.code == 0, result.stderr
    told = [line for line in result.stderr.splitlines() if "[plio-clock]" in line]
    assert (
        len(told) == 1
        and "PLIO 'i0' has a clock of 10240 MHz: the array takes 625 at most, half of its own" in told[0]
    )
