"""PLIO text: a program of the emulator that reads a file of integers, of floats, or a packet stream, and copies it."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from hypothesis import strategies as st

from aieloom.emulator.program import Program, build, run
from tests.conformance.adf.project import write_project
from tests.fuzz import mutations
from tests.fuzz.targets import Target
from tests.fuzz.watchdog import LIMIT_S, Broken, judge

SOURCES = {
    "kernels.h": """
#ifndef KERNELS_H
#define KERNELS_H
#include <adf.h>
void copy_int(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out);
void copy_float(adf::input_buffer<float>& in, adf::output_buffer<float>& out);
void copy_packet(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out);
#endif
""",
    "kernels.cc": """
#include "kernels.h"
void copy_int(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out) {
  for (unsigned i = 0; i < 8; ++i) out.data()[i] = in.data()[i];
}
void copy_float(adf::input_buffer<float>& in, adf::output_buffer<float>& out) {
  for (unsigned i = 0; i < 8; ++i) out.data()[i] = in.data()[i];
}
void copy_packet(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out) {
  for (unsigned i = 0; i < 8; ++i) out.data()[i] = in.data()[i];
}
""",
    "graph.cpp": """
#include "kernels.h"
using namespace adf;
class Copies : public graph {
 public:
  input_plio in[3];
  output_plio out[3];
  kernel k[3];
  pktsplit<1> split;
  Copies() {
    k[0] = kernel::create(copy_int);
    k[1] = kernel::create(copy_float);
    k[2] = kernel::create(copy_packet);
    in[0] = input_plio::create("a", plio_32_bits, "a.txt");
    in[1] = input_plio::create("b", plio_64_bits, "b.txt");
    in[2] = input_plio::create("c", plio_32_bits, "c.txt");
    split = pktsplit<1>::create();
    for (int i = 0; i < 3; ++i) {
      source(k[i]) = "kernels.cc";
      runtime<ratio>(k[i]) = 0.9;
      dimensions(k[i].in[0]) = {8};
      dimensions(k[i].out[0]) = {8};
      out[i] = output_plio::create(i == 0 ? "x" : i == 1 ? "y" : "z", plio_32_bits, i == 0 ? "x.txt" : i == 1 ? "y.txt" : "z.txt");
      connect<>(k[i].out[0], out[i].in[0]);
    }
    connect<>(in[0].out[0], k[0].in[0]);
    connect<>(in[1].out[0], k[1].in[0]);
    connect<pktstream>(in[2].out[0], split.in[0]);
    connect<pktstream>(split.out[0], k[2].in[0]);
  }
};
Copies g;
int main() {
  g.init();
  g.run(1);
  g.end();
}
""",
}
GOOD = {
    "a.txt": "\n".join(map(str, range(8))) + "\n",
    "b.txt": "1.5 2\n-3e2 0.25\nnan inf\n-0 7\n",
    "c.txt": "-2147483648\n1\n2\n3\n4\n5\n6\n7\nTLAST\n8\n",
}
WORDS = (
    "TLAST",
    "T 10 ns",
    "nan",
    "-inf",
    "1e999",
    "0x1F",
    "1,2",
    ";",
    "99999999999",
    "-",
    "+3",
    "\x00",
    "é",
    "1 2 3 4",
    "#",
    "\ufeff",
)


@cache
def program() -> Path:
    """Return the built program."""
    folder = Path(tempfile.mkdtemp(prefix="aieloom-fuzz-plio-"))
    write_project(folder, SOURCES)
    return build(Program(graph=folder / "graph.cpp"), folder / "build")


@st.composite
def _files(draw: st.DrawFn) -> tuple[str, bytes]:
    name = draw(st.sampled_from(sorted(GOOD)))
    lines = GOOD[name].split("\n")
    for _ in range(draw(st.integers(0, 3))):
        i = draw(st.integers(0, max(0, len(lines) - 1)))
        new = draw(
            st.one_of(
                st.sampled_from(WORDS), st.text(max_size=6), st.integers().map(str), st.floats().map(str)
            )
        )
        lines[i : i + draw(st.integers(0, 1))] = [new]
    data = "\n".join(lines).encode("utf-8", errors="surrogatepass")
    return name, draw(mutations.spoilt((data,))) if draw(st.booleans()) else data


def _run(sandbox: Path, value: object) -> int:
    assert isinstance(value, tuple)
    for name, text in GOOD.items():
        (sandbox / name).write_text(text, encoding="utf-8")
    (sandbox / value[0]).write_bytes(value[1])
    done = run(program(), data=sandbox, out=sandbox / "out", timeout=LIMIT_S)
    if done.code not in {0, 2}:
        raise Broken(f"exit code {done.code}: {done.stderr[-500:]}")
    return judge(lambda: done.code, lambda: done.stderr)


def plio_target(share: float) -> Target:
    """Return the target."""
    return Target(share, _files, _run, prepare=program, programs=True)
