"""What published projects rely on beyond the guides: names, places of files, macros; and what a run tells at its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from aieloom.emulator.program import emulate
from aieloom.errors import SpecError

KERNELS = """
#pragma once
#include <adf/window/types.h>
#include <adf/stream/types.h>
void scale(input_window<int32>* in, output_stream<int32>* out);
#ifdef WINDOW
void gather(input_window<int32>* in, output_window<int32>* out);
#else
void gather(input_stream<int32>* in, output_window<int32>* out);
#endif
"""
SCALE = """
#include "aie/kernels.h"
static int32 chess_storage(%chess_alignof(v8int32)) factors[8] = {3, 3, 3, 3, 3, 3, 3, 3};
void scale(input_window<int32>* in, output_stream<int32>* out) {
  chess_separator_scheduler_local();
  if ((reinterpret_cast<unsigned long>(factors) & 31) != 0) writeincr(out, -1);
  for (int i = 0; i < 64; i++) chess_prepare_for_pipelining writeincr(out, window_readincr(in) * factors[i % 8]);
}
"""
GATHER = """
#include "aie/kernels.h"
#ifndef WINDOW
void gather(input_stream<int32>* in, output_window<int32>* out) {
  for (int i = 0; i < READS; i++)
    window_writeincr(out, readincr(in));
}
#else
void gather(input_window<int32>* in, output_window<int32>* out) {
  for (int i = 0; i < READS; i++) window_writeincr(out, window_readincr(in));
}
#endif
"""
# port<input>, runtime<ratio> and dma_fifo without adf::, place and source from the working directory, main() for
# aiesimulator alone, std::cout through adf, macros of one letter.
GRAPH = """
#define K 2
#ifdef WINDOW
#define CONNECT adf::connect<adf::window<256>>
#else
#define CONNECT adf::connect<adf::stream>
#endif
#include <adf.h>
#include "aie/kernels.h"
#include <adf/new_frontend/adf.h>
class Inner : public adf::graph {
 public:
  adf::port<input> in;
  adf::port<output> out;
  adf::kernel a, b;
  Inner() {
    a = adf::kernel::create(scale);
    b = adf::kernel::create(gather);
    adf::source(a) = "aie/scale.cc";
    adf::source(b) = "aie/gather.cc";
    adf::runtime<ratio>(a) = 0.4;
    adf::runtime(b) = 0.4;
    adf::connect<adf::window<256>>(in, a.in[0]);
    CONNECT net(a.out[0], b.in[0]);
    adf::connect<adf::window<256>>(b.out[0], out);
    adf::samples_per_iteration(a.out[0]) = 64;
    adf::fifo_depth(net) = 64;
    adf::location<adf::fifo>(net) = dma_fifo(adf::aie_tile, 20, 1, 0x0, 64);
    adf::location<adf::kernel>(a) = adf::tile(20, 1);
    adf::location_constraint place = adf::location<adf::kernel>(a);
    adf::relative_coordinate next = {.col_offset = 1, .row_offset = 0};
    adf::location<adf::kernel>(b) = place + adf::relative_offset(next);
  }
};
using namespace adf;
class Top : public adf::graph {
 public:
  Inner inner;
  input_plio in;
  output_plio out;
  Top() {
    in = input_plio::create("in", plio_32_bits, "in.txt");
    out = output_plio::create("out", plio_32_bits, "out.txt");
    connect<>(in.out[0], inner.in);
    connect<>(inner.out, out.in[0]);
  }
};
Top top;
std::uint64_t watch(adf::IoAttr& io) { return event::start_profiling(io, event::io_stream_running_event_count); }
#ifdef __AIESIM__
int main() {
  adf::return_code first = top.init();
  if (first != adf::ok) return first;
  auto h = watch(top.out);
  top.run(1);
  top.end();
  std::ostringstream said;  // <sstream> and <fstream> come with adf.h
  said << "words " << event::read_profiling(h);
  int first_number = -1;
  std::ifstream numbers("in.txt");
  if (!(numbers >> first_number) || first_number != 0) return 3;
  cout << said.str() << endl;
  return K - 2;
}
#endif
"""


def project(folder: Path) -> Path:
    """Write the project below a folder; return its graph."""
    (folder / "aie").mkdir(parents=True)
    for name, text in (("kernels.h", KERNELS), ("scale.cc", SCALE), ("gather.cc", GATHER)):
        (folder / "aie" / name).write_text(text)
    graph = folder / "aie" / "graph.cpp"
    graph.write_text(GRAPH)
    (folder / "in.txt").write_text("\n".join(map(str, range(64))))
    return graph


def test_names_files_and_macros_of_published_projects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = emulate(project(tmp_path), defines=["READS=64", "N=9"], out="o")
    assert (done.code, done.stderr) == (0, "")
    assert "words 64" in done.stdout
    assert (tmp_path / "o" / "out.txt").read_text().split() == [str(3 * i) for i in range(64)]


@pytest.mark.integration
def test_a_window_from_a_stream_to_a_buffer_is_the_buffers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = emulate(project(tmp_path), defines=["READS=64", "WINDOW"], out="o")
    assert (done.code, done.stderr) == (0, "")
    assert (tmp_path / "o" / "out.txt").read_text().split() == [str(3 * i) for i in range(64)]


@pytest.mark.slow
def test_words_that_a_kernel_leaves_and_does_not_write_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = emulate(project(tmp_path), defines=["READS=60"], out="o")
    assert done.code == 0
    stream = "[left-over] 4 words of 64 words are left of what scale[0].out[0] wrote in 1 call; gather[0].in[0] read 60 words in 1 call ("
    assert stream in done.stderr
    assert "aie/gather.cc:4" in done.stderr
    assert "gather[0].out[0]" not in done.stderr  # what is not written, --sanitize knows
    done = emulate(project(tmp_path / "checked"), defines=["READS=60"], out="o", sanitize=True)
    assert "wrote 240 of 256 B in 1 of 1 call" in done.stderr


UNTAKEN = """
#include <adf.h>
#ifdef KERNELS
void fill(input_stream<int32>* in, adf::output_buffer<int32>& out) {
  for (int i = 0; i < 16; ++i) out.data()[i] = readincr(in);
}
void skip(adf::input_async_buffer<int32>& in, output_stream<int32>* out) {
  static int calls = 0;
  if (++calls == TAKES) { in.acquire(); in.release(); }
  writeincr(out, calls);
}
#else
void fill(input_stream<int32>* in, adf::output_buffer<int32>& out);
void skip(adf::input_async_buffer<int32>& in, output_stream<int32>* out);
struct Top : adf::graph {
  adf::kernel a = adf::kernel::create(fill), b = adf::kernel::create(skip);
  adf::input_plio in = adf::input_plio::create("in", adf::plio_32_bits, "in.txt");
  adf::output_plio out = adf::output_plio::create("out", adf::plio_32_bits, "out.txt");
  Top() {
    adf::source(a) = "kernels.cc";
    adf::source(b) = "kernels.cc";
    adf::runtime<ratio>(a) = 0.5;
    adf::runtime<ratio>(b) = 0.5;
    adf::connect<adf::stream>(in.out[0], a.in[0]);
    adf::connect<>(a.out[0], b.in[0]);
    adf::connect<adf::stream>(b.out[0], out.in[0]);
    adf::dimensions(a.out[0]) = {16};
    adf::dimensions(b.in[0]) = {16};
  }
} top;
int main() { top.init(); top.run(2); top.end(); }
#endif
"""


@pytest.mark.parametrize("takes", [1, 9])
def test_buffers_that_a_kernel_never_takes_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, takes: int
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "graph.cpp").write_text(UNTAKEN)
    (tmp_path / "kernels.cc").write_text("#define KERNELS\n" + UNTAKEN)
    (tmp_path / "in.txt").write_text("\n".join(map(str, range(32))))
    done = emulate(tmp_path / "graph.cpp", defines=[f"TAKES={takes}"], out="o")
    assert (done.code, (tmp_path / "o" / "out.txt").read_text().split()) == (0, ["1", "2"])
    left = "1 buffer" if takes == 1 else "2 buffers"
    assert f"[left-over] {left} of 64 B that fill[0].out[0] (" in done.stderr
    assert "kernels.cc:5) filled in 2 calls, never taken by skip[0]\n" in done.stderr


def refused(folder: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, str]) -> str:
    """Return what is said of UNTAKEN, changed so; it must not run."""
    monkeypatch.chdir(folder)
    text = UNTAKEN
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    (folder / "graph.cpp").write_text(text)
    (folder / "kernels.cc").write_text("#define KERNELS\n" + text)
    (folder / "in.txt").write_text("1")
    try:
        done = emulate(folder / "graph.cpp", defines=["TAKES=1"], out="o")
    except SpecError as e:
        return str(e)
    assert done.code == 2
    return done.stderr


def test_a_function_that_no_source_defines_is_named_where_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = {"writeincr(out, calls)": "extern int nowhere(int);\n  writeincr(out, nowhere(calls))"}
    said = refused(tmp_path, monkeypatch, nowhere)
    call = 1 + next(
        i
        for i, line in enumerate((tmp_path / "kernels.cc").read_text().splitlines())
        if "writeincr(out, nowhere" in line
    )
    assert f"kernels.cc:{call}: [kernel-source] fill[0] calls nowhere(int), which its source" in said


def test_a_kernel_with_other_parameters_than_its_declaration_is_named_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared = "void skip(adf::input_async_buffer<int32>& in, output_stream<int32>* out)"
    assert f"{declared};" in UNTAKEN
    other = {f"{declared} {{": f"{declared[:-1]}, int32 more) {{\n  (void)more;"}
    said = refused(tmp_path, monkeypatch, other)
    line = (tmp_path / "kernels.cc").read_text().splitlines().index(other[f"{declared} {{"].splitlines()[0])
    assert f"kernels.cc:{line + 1}: [kernel-source] skip[0]: kernels.cc does not define skip as the" in said
    assert f"the one in line {line + 1} has other parameters" in said


def test_a_file_that_ends_too_early_for_buffers_of_two_sizes_says_the_calls_of_an_iteration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {
        "input_async_buffer": "input_buffer",
        "in.acquire(); in.release();": "(void)in;",
        "b.in[0]) = {16}": "b.in[0]) = {12}",  # 3 x 16 = 4 x 12: 48 words, the file has one
    }
    said = refused(tmp_path, monkeypatch, sizes)
    assert "by the sizes of its buffers: 3 calls of fill[0], 4 calls of skip[0]" in said
    assert "fix: give the file that has ended what all runs take, or run fewer iterations" in said


def test_a_call_of_main_that_only_a_kernel_could_answer_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = {"int main() {": "namespace tools { int check(int); }\nint main() { tools::check(3);"}
    said = refused(tmp_path, monkeypatch, call)
    assert "[kernel-source] the graph's program calls tools::check(int), which no source of the graph" in said


DERIVED = {
    "k.h": """
#pragma once
#include <adf.h>
#include <aie_api/aie.hpp>
struct Config { static constexpr int kGain = 7; };
template <typename C> class Base { public: Base(); protected: int32 gain_; };
template <typename C> class Left : public Base<C> {
 public:
  void run(adf::input_buffer<int32>& in, adf::output_cascade<int32>* out);
  static void registerKernelClass() { REGISTER_FUNCTION(Left::run); }
};
void right(adf::input_cascade<int32>* in, output_stream<int32>* out);
""",
    "left.cc": """
#include "k.h"
template <typename C> Base<C>::Base() { gain_ = C::kGain; }
template <typename C> void Left<C>::run(adf::input_buffer<int32>& in, adf::output_cascade<int32>*) {
  aie::vector<int32, 16> v = aie::load_v<16>(in.data());
  for (int i = 0; i < 16; ++i) v[i] = v[i] * this->gain_;
  put_mcd(v);
}
""",
    "right.cc": """
#include "k.h"
void right(adf::input_cascade<int32>*, output_stream<int32>*) {
  v16int32 v = get_scd_v16int32();
  for (int i = 0; i < 16; ++i) put_ms(0, v[i] + 1);
}
""",
    "graph.cpp": """
#include "k.h"
struct Top : adf::graph {
  adf::kernel a = adf::kernel::create_object<Left<Config>>(), b = adf::kernel::create(right);
  adf::input_plio in = adf::input_plio::create("in", adf::plio_32_bits, "in.txt");
  adf::output_plio out = adf::output_plio::create("out", adf::plio_32_bits, "out.txt");
  Top() {
    adf::source(a) = "left.cc";
    adf::source(b) = "right.cc";
    adf::runtime<ratio>(a) = 0.5;
    adf::runtime<ratio>(b) = 0.5;
    adf::connect<>(in.out[0], a.in[0]);
    adf::connect<adf::cascade>(a.out[0], b.in[0]);
    adf::connect<adf::stream>(b.out[0], out.in[0]);
    adf::dimensions(a.in[0]) = {16};
  }
} top;
int main() { top.init(); top.run(1); top.end(); }
""",
}


@pytest.mark.integration
def test_base_templates_of_kernels_and_cascades_by_intrinsics_on_aie_ml(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The classes that aie4ml prints derive from a template whose constructor stands in the kernel's source."""
    monkeypatch.chdir(tmp_path)
    for name, text in DERIVED.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "in.txt").write_text("\n".join(map(str, range(16))))
    done = emulate(tmp_path / "graph.cpp", arch="aie-ml", out="o")
    assert (done.code, done.stderr) == (0, "")
    assert (tmp_path / "o" / "out.txt").read_text().split() == [str(7 * i + 1) for i in range(16)]


SPLIT = """
#include <adf.h>
#ifdef KERNELS
void twice(input_stream<int32>* in, output_stream<int32>* out) {
  for (int i = 0; i < 3; ++i) writeincr(out, 2 * readincr(in));
}
#else
void twice(input_stream<int32>* in, output_stream<int32>* out);
struct Top : adf::graph {
  adf::kernel k[2];
  adf::pktsplit<2> split = adf::pktsplit<2>::create();
  adf::input_plio in = adf::input_plio::create("in", adf::plio_32_bits, "in.txt");
  adf::output_plio out[2];
  Top() {
    adf::connect<adf::pktstream>(in.out[0], split.in[0]);
    for (int i = 0; i < 2; ++i) {
      k[i] = adf::kernel::create(twice);
      adf::source(k[i]) = "kernels.cc";
      adf::runtime<ratio>(k[i]) = 0.5;
      out[i] = adf::output_plio::create(adf::plio_32_bits, "out" + std::to_string(i) + ".txt");
      adf::connect<adf::pktstream, adf::stream>(split.out[i], k[i].in[0]);
      adf::connect<adf::stream>(k[i].out[0], out[i].in[0]);
    }
  }
} top;
int main() { top.init(); top.run(2); top.end(); }
#endif
"""


def test_streams_behind_a_splitter_carry_packets_without_their_headers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "graph.cpp").write_text(SPLIT)
    (tmp_path / "kernels.cc").write_text("#define KERNELS\n" + SPLIT)
    packets = [(0, (1, 2, 3)), (1, (4, 5, 6)), (1, (7, 8, 9)), (0, (10, 11, 12))]
    rows = [f"{0x8FFF0000 ^ i << 31 | i}\n{a}\n{b}\nTLAST\n{c}\n" for i, (a, b, c) in packets]
    (tmp_path / "in.txt").write_text("".join(rows))
    done = emulate(tmp_path / "graph.cpp", out="o")
    assert (done.code, done.stderr) == (0, "")
    for i in range(2):
        want = [str(2 * v) for n, values in packets if n == i for v in values]
        assert (tmp_path / "o" / f"out{i}.txt").read_text().split() == want


def test_a_deadlock_compares_what_the_two_kernels_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = emulate(project(tmp_path), defines=["READS=65"], out="o")
    assert done.code == 2
    assert (
        "scale[0] writes 64 words a call, gather[0] has read 64 words in call 1 and waits for more"
        in done.stderr
    )
    assert "aie/gather.cc:6" in done.stderr
    assert "circle of waits:" not in done.stderr


def test_a_graph_without_main_is_refused_in_words(tmp_path: Path) -> None:
    graph = tmp_path / "graph.cpp"
    graph.write_text("#include <adf.h>\nstruct Empty : adf::graph {} empty;\n")
    with pytest.raises(SpecError, match=r"defines no main\(\)"):
        emulate(graph)
