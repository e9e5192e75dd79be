"""What graphs of other people do: ask for their tile, place what a mapper would not, count asynchronous rounds, be their own host."""

from __future__ import annotations

from pathlib import Path

import pytest

import aieloom
from aieloom.emulator.program import Program, build, run
from aieloom.emulator.project.find import find_project

KERNELS = """
#include <adf.h>
#include <aie_api/aie.hpp>
void who(output_stream<int32>* out) {
  const auto at = aie::tile::current().id(), whole = aie::tile::current().global_id();
  const int id = get_coreid();
  for (const int32 n : {id >> 16 & 0x7f, id & 0x1f, int(at.col), int(at.row), int(whole.col), int(whole.row)}) writeincr(out, n);
}
void twice(adf::input_async_buffer<int32>& in, adf::output_async_buffer<int32>& out) {
  out.acquire();
  for (int half = 0; half < 2; ++half) {
    in.acquire();
    for (unsigned n = 0; n < 8; ++n) out.data()[8 * half + n] = 2 * in.data()[n];
    in.release();
  }
  out.release();
}
"""
GRAPH = """
#include <adf.h>
#if !defined(__AIESIM__) && !defined(__X86SIM__) && !defined(__ADF_FRONTEND__)
#include "experimental/xrt_kernel.h"
#endif
using namespace adf;
void who(output_stream<int32>* out);
void twice(adf::input_async_buffer<int32>& in, adf::output_async_buffer<int32>& out);
class Graph : public graph {
 public:
  kernel k[4];
  input_plio in;
  output_plio out[4];
  Graph() {
    const int places[3][2] = {{5, 0}, {7, 3}, {0, 0}};
    for (int i = 0; i < 4; ++i) {
      k[i] = i < 3 ? kernel::create(who) : kernel::create(twice);
      source(k[i]) = "k.cc";
      runtime<ratio>(k[i]) = 0.5;
      out[i] = output_plio::create(plio_32_bits, "out" + std::to_string(i) + ".txt");
      if (i < 3) connect<stream>(k[i].out[0], out[i].in[0]);
      if (i < 2) location<kernel>(k[i]) = tile(places[i][0], places[i][1]);
    }
    in = input_plio::create(plio_32_bits, "INPUT");
    connect(in.out[0], k[3].in[0]);
    connect(k[3].out[0], out[3].in[0]);
    dimensions(k[3].in[0]) = {8};
    dimensions(k[3].out[0]) = {16};
    async_repetition(k[3].in[0]) = 2;
    async_repetition(k[3].out[0]) = 1;
    async_repetition(k[3]) = 1;
    location<kernel>(k[3]) = tile(3, 6);
    location<buffer>(k[3].out[0]) = {bank(4, 6, 2), bank(4, 6, 3)};  // an even row reaches west
  }
};
Graph g;
int main() { g.init(); g.run(1); g.end(); return 0; }
"""


def write(folder: Path, data: str = "in.txt") -> Path:
    (folder / "k.cc").write_text(KERNELS)
    (folder / "graph.cpp").write_text(GRAPH.replace("INPUT", data))
    (folder / "in.txt").write_text("".join(f"{n}\n" for n in range(16)))
    return folder / "graph.cpp"


@pytest.mark.parametrize(
    ("arch", "below"), [("aie", 1), pytest.param("aie-ml", 3, marks=pytest.mark.integration)]
)
def test_tiles_places_and_asynchronous_rounds(arch: str, below: int, tmp_path: Path) -> None:
    done = aieloom.emulate(write(tmp_path), arch=arch, data=tmp_path, out=tmp_path)
    assert done.code == 0, done.stderr
    for i, (col, row) in enumerate([(5, 0), (7, 3), (0, 0)]):
        words = [int(w) for w in (tmp_path / f"out{i}.txt").read_text().split()]
        assert words == [col, row, col, row, col, row + below]
    # global_id() counts the rows of the interface and of memory tiles, which AMD's header takes off for id()
    assert [int(w) for w in (tmp_path / "out3.txt").read_text().split()] == [2 * n for n in range(16)]
    told = done.stderr.splitlines()
    assert sum("warning: [location] twice[0].out[0] lies in tile(4, 6)" in line for line in told) == 1
    assert sum("warning: [core-id] who[2] asks for its tile" in line for line in told) == 1
    assert len(told) == 2


def test_a_design_s_own_run_refuses_the_placement(tmp_path: Path) -> None:
    program = build(Program(graph=write(tmp_path)), tmp_path / "build")
    done = run(program, data=tmp_path, out=tmp_path)
    assert done.code == 2
    assert (
        "error: [location] twice[0].out[0] lies in tile(4, 6), which the core on tile(3, 6) does not reach"
        in done.stderr
    )


def test_a_graph_that_is_its_own_host_is_found_by_its_folder(tmp_path: Path) -> None:
    graph = write(tmp_path)
    assert find_project(tmp_path).graph == graph


def test_an_absolute_file_has_a_remedy_that_helps(tmp_path: Path) -> None:
    done = aieloom.emulate(write(tmp_path, "/nowhere/in.txt"), data=tmp_path, out=tmp_path)
    assert done.code == 2
    assert "reads the file '/nowhere/in.txt', which cannot be read" in done.stderr
    assert "name it in input_plio::create from the data's folder on, which --data FOLDER gives" in done.stderr
    assert aieloom.emulate(write(tmp_path, "in.txt"), data=tmp_path, out=tmp_path).code == 0  # what it says
