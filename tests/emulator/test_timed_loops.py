"""Intervals of small loops in timed runs beside those that the public pipeline models give by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import aieloom
from aieloom.emulator.timed.ir import parse_function
from aieloom.emulator.timed.loops import find_loops
from aieloom.emulator.timed.module import Definition
from aieloom.emulator.timed.policy import trips_of
from aieloom.emulator.timed.result import LoopCycles
from tests.clang_14 import need_clang

HEAD = """
#include <adf.h>
#include "aie_api/aie.hpp"
#define FROM(T) input_window<T>* __restrict in, output_window<T>* __restrict out
"""
# A function that stands where it is called: what its restricted parameters point to is apart, also in one array.
RAISED = """
alignas(32) static int32 table[256];
static void raised{n}(const int32* {r} a, int32* {r} b) {{
  for (int i = 0; i < 16; ++i) chess_prepare_for_pipelining chess_loop_range(16, )
    {{ aie::store_v(b + 8 * i, aie::add(aie::load_v<8>(a + 8 * i), 1)); }}
}}
"""
HEAD += RAISED.format(n="_apart", r="__restrict") + RAISED.format(n="_open", r="").replace("alignas", "//")
LOOP = "for (int i = 0; i < 16; ++i) chess_prepare_for_pipelining chess_loop_range(16, )"
KERNELS = {
    "inlined": ("int32", 64, "raised_apart(table, table + 128); window_writeincr(out, table[128]);"),
    "open": ("int32", 64, "raised_open(table, table + 128); window_writeincr(out, table[128]);"),
    # A byte is stored by reading its word, changing it and writing it back: 7 cycles [TD II_STS_HB, TD2 II_STHB].
    "bytes": ("int8", 64, f"{LOOP} {{ window_writeincr(out, (int8)(window_readincr(in) + 1)); }}"),
    "words": ("int32", 64, f"{LOOP} {{ window_writeincr(out, window_readincr(in) + 1); }}"),
    # The window's own pointer leads into its buffer, which no store to the other window changes.
    "pointer": (
        "int32",
        512,
        f"v8int32* p = (v8int32*)in->ptr; {LOOP} {{ window_writeincr(out, aie::add(aie::vector<int32, 8>(*p++), 1)); }}",
    ),
    # Sums of floats into one accumulator: 2 cycles apart on AIE [UG1079], 4 on AIE-ML [TD2 II_VACCf: 6 - 3 + 1].
    "sum": (
        "float",
        512,
        "aie::accum<accfloat, 8> s = aie::zeros<accfloat, 8>();"
        f"{LOOP} {{ s = aie::add(s, window_readincr_v<8>(in)); }}"
        "for (int i = 0; i < 16; ++i) window_writeincr(out, s.to_vector<float>());",
    ),
    # Each conversion has a rounding of its own: the second setting waits for the first conversion, and the next iteration's first
    # setting for the second conversion.
    "modes": (
        "int32",
        512,
        f"{LOOP} {{ aie::vector<int32, 8> x = window_readincr_v<8>(in);"
        "aie::set_rounding(aie::rounding_mode::positive_inf);"
        "x = aie::mul(x, x).to_vector<int32>(3);"
        "aie::set_rounding(aie::rounding_mode::symmetric_inf);"
        "window_writeincr(out, aie::mul(x, x).to_vector<int32>(3)); }",
    ),
    "one_mode": (
        "int32",
        512,
        "aie::set_rounding(aie::rounding_mode::positive_inf);"
        f"{LOOP} {{ aie::vector<int32, 8> x = window_readincr_v<8>(in);"
        "x = aie::mul(x, x).to_vector<int32>(3);"
        "window_writeincr(out, aie::mul(x, x).to_vector<int32>(3)); }",
    ),
    # The source flattens what is inside: the loop around it is the pipeline that it asks for, however few its trips are.
    "around": (
        "int32",
        512,
        "for (int y = 0; y < 4; ++y) {"
        "for (int x = 0; x < 4; ++x) chess_prepare_for_pipelining chess_loop_range(4, 4) {"
        "aie::vector<int32, 8> v = window_readincr_v<8>(in);"
        "for (int k = 0; k < 2; ++k) chess_flatten_loop { v = aie::mul(v, v).to_vector<int32>(3); }"
        "window_writeincr(out, v); } }",
    ),
    # Where the inner loop ends moves with the outer one; it runs four times eight all the same.
    "moving": (
        "int32",
        512,
        "static int32 w[128]; int at = 0; for (int j = 0; j < 4; ++j) { int s = 0;"
        "for (int k = 0; k < 32; ++k) { s += window_readincr(in) * w[at]; ++at; } window_writeincr(out, s); }",
    ),
}


def test_a_test_that_holds_once_means_two_trips() -> None:
    text = [
        "  br label %loop",
        "loop:                                             ; preds = %loop, %0",
        "  %again = phi i1 [ true, %0 ], [ false, %loop ]",
        "  br i1 %again, label %loop, label %out",
        "out:                                              ; preds = %loop",
        "  ret void",
    ]
    function = parse_function(Definition("f", "define void @f() {", tuple(text)))
    (loop,) = find_loops(function)
    assert trips_of(function, loop, {}) == 2


def graph() -> str:
    """A graph of the kernels, each between two windows."""
    made = "".join(
        f'    add({i}, kernel::create({name}), "{name}");\n'
        f"    connect<window<{size}>>(in[{i}].out[0], k[{i}].in[0]);\n"
        f"    connect<window<{size}>>(k[{i}].out[0], out[{i}].in[0]);\n"
        for i, (name, (_, size, _)) in enumerate(KERNELS.items())
    )
    declared = "".join(
        f"void {name}(input_window<{of}>* in, output_window<{of}>* out);\n"
        for name, (of, _, _) in KERNELS.items()
    )
    many = len(KERNELS)
    return f"""
#include <adf.h>
using namespace adf;
{declared}
class Loops : public graph {{
 public:
  input_plio in[{many}];
  output_plio out[{many}];
  kernel k[{many}];
  void add(int i, kernel made, std::string n) {{
    k[i] = made;
    source(k[i]) = "loops.cc";
    runtime<ratio>(k[i]) = 0.9;
    in[i] = input_plio::create("x_" + n, plio_32_bits, "x.txt");
    out[i] = output_plio::create("y_" + n, plio_32_bits, n + ".txt");
  }}
  Loops() {{
{made}  }}
}};
Loops g;
int main() {{ g.init(); g.run(1); g.end(); }}
"""


@pytest.fixture(scope="module", params=["aie", "aie-ml"])
def loops(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, LoopCycles]:
    """The busiest loop of each kernel; under "arch" the architecture's."""
    need_clang()
    folder = tmp_path_factory.mktemp("loops")
    body = "".join(f"void {name}(FROM({of})) {{ {code} }}\n" for name, (of, _, code) in KERNELS.items())
    (folder / "loops.cc").write_text(HEAD + body)
    (folder / "graph.cpp").write_text(graph())
    types = {"int8": np.int8, "int32": np.int32, "float": np.float32}
    inputs = {
        f"x_{name}": np.ones(size // np.dtype(types[of]).itemsize, types[of])
        for name, (of, size, _) in KERNELS.items()
    }
    done = aieloom.emulate(
        folder / "graph.cpp", arch=request.param, inputs=inputs, out=folder / "out", timed=True
    )
    assert done.cycles is not None and done.code == 0, done.stderr
    return {k.function: max(k.loops, key=lambda loop: loop.iterations) for k in done.cycles.kernels} | {
        "is_ml": request.param == "aie-ml"
    }


def test_a_byte_is_stored_in_seven_cycles_and_a_word_in_one(loops: dict[str, LoopCycles]) -> None:
    assert (loops["bytes"].interval, loops["words"].interval) == (7, 1)
    assert loops["bytes"].bound_by == "the store unit"


def test_a_windows_own_pointer_leads_into_its_buffer(loops: dict[str, LoopCycles]) -> None:
    assert loops["pointer"].interval == 1
    assert loops["pointer"].length > 7  # a load, which moves on with the pointer, a sum and a store


def test_restricted_parameters_of_what_is_inlined_are_apart(loops: dict[str, LoopCycles]) -> None:
    assert loops["inlined"].interval <= 2
    assert loops["open"].interval > 8  # a load, a sum, a store, and the next load
    assert (loops["inlined"].luck, loops["open"].luck) == ((), ("aliasing",))


def test_sums_follow_each_other_as_the_accumulator_is_read(loops: dict[str, LoopCycles]) -> None:
    assert loops["sum"].interval == (4 if loops["is_ml"] else 2)
    assert "add" in loops["sum"].bound_by


def test_a_rounding_of_each_conversion_keeps_iterations_apart(loops: dict[str, LoopCycles]) -> None:
    # At the least a conversion (3 cycles on AIE, 4 on AIE-ML), a product (6, 5) and the settings around them.
    least = 1 + (4 + 5 if loops["is_ml"] else 3 + 6) + 1
    assert least <= loops["modes"].interval <= least + 4
    assert loops["one_mode"].interval < least / 2
    assert "set_rounding" in loops["modes"].bound_by


def test_a_loop_whose_end_another_loop_moves_has_known_trips(loops: dict[str, LoopCycles]) -> None:
    assert "nothing says how often" not in loops["moving"].why


def test_a_marked_loop_around_a_flattened_one_stays_a_loop(loops: dict[str, LoopCycles]) -> None:
    assert (loops["around"].iterations, loops["around"].is_marked) == (4 * 4, True)


PORTS = """
#include <adf.h>
void sum(input_stream<int32>* a, input_stream<int32>* b, output_window<int32>* __restrict out) {
  for (int i = 0; i < 16; ++i) chess_prepare_for_pipelining chess_loop_range(16, )
    { window_writeincr(out, get_ss(0) + get_ss(1)); }
}
"""
PORTS_GRAPH = """
#include <adf.h>
using namespace adf;
void sum(input_stream<int32>* a, input_stream<int32>* b, output_window<int32>* out);
class Ports : public graph {
 public:
  input_plio in[2];
  output_plio out;
  kernel k;
  Ports() {
    k = kernel::create(sum);
    source(k) = "ports.cc";
    runtime<ratio>(k) = 0.9;
    for (int i = 0; i < 2; ++i) {
      in[i] = input_plio::create("x" + std::to_string(i), plio_32_bits, "x.txt");
      connect<stream>(in[i].out[0], k.in[i]);
    }
    out = output_plio::create("y", plio_32_bits, "y.txt");
    connect<window<64>>(k.out[0], out.in[0]);
  }
};
Ports g;
int main() { g.init(); g.run(1); g.end(); }
"""


def test_a_cores_two_stream_ports_work_side_by_side(tmp_path: Path) -> None:
    need_clang()
    (tmp_path / "ports.cc").write_text(PORTS)
    (tmp_path / "graph.cpp").write_text(PORTS_GRAPH)
    x = {f"x{i}": np.arange(16, dtype=np.int32) for i in range(2)}
    done = aieloom.emulate(tmp_path / "graph.cpp", inputs=x, out=tmp_path / "out", timed=True)
    assert done.cycles is not None and done.code == 0, done.stderr
    assert done.arrays["y"].tolist() == list(range(0, 32, 2))
    ((loop,),) = (k.loops for k in done.cycles.kernels)
    assert loop.interval == 1  # a word of each port a cycle [AM009 Stream Interfaces]


WORDS = 64
STRAIGHT = f"""
#include <adf.h>
#define NEXT sum = 3 * sum + get_ss(0);
#define EIGHT NEXT NEXT NEXT NEXT NEXT NEXT NEXT NEXT
// Straight code: each word is added to what the ones before it gave.
void sum(input_stream<int32>* a, output_window<int32>* __restrict out) {{
  int sum = 0;
  {"EIGHT " * (WORDS // 8)}
  window_writeincr(out, sum);
}}
"""


def test_words_come_while_straight_code_works(tmp_path: Path) -> None:
    """A port of 32 bits at 312.5 MHz gives a word each 4 cycles of 1250 MHz; a product and a sum take about as long: not twice that."""
    need_clang()
    (tmp_path / "ports.cc").write_text(STRAIGHT)
    graph = PORTS_GRAPH.replace("input_stream<int32>* a, input_stream<int32>* b", "input_stream<int32>* a")
    graph = graph.replace("in[2]", "in[1]").replace("i < 2", "i < 1").replace("window<64>", "window<4>")
    (tmp_path / "graph.cpp").write_text(graph)
    done = aieloom.emulate(
        tmp_path / "graph.cpp",
        inputs={"x0": np.arange(WORDS, dtype=np.int32)},
        out=tmp_path / "out",
        timed=True,
    )
    assert done.cycles is not None and done.code == 0, done.stderr
    total = 0
    for word in range(WORDS):
        total = (3 * total + word) % 2**32
    assert done.arrays["y"].tolist() == [int(np.uint32(total).astype(np.int32))]
    (kernel,), (core,) = done.cycles.kernels, done.cycles.times.cores
    assert kernel.cycles > 3 * WORDS
    assert core.last - core.first < max(kernel.cycles, 4 * WORDS) + 100
