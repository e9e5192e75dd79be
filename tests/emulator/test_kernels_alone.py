"""Sources of kernels are compiled without what builds graphs, and with it where they name it: the result is the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import aieloom
from aieloom.emulator import compiler
from aieloom.emulator.build import Design, design_steps
from aieloom.emulator.compiler import KERNELS_ALONE, Unit, compile_unit
from aieloom.errors import ToolError
from aieloom.paths import package_folder
from aieloom.spec.architecture import Architecture

GRAPH = """\
#include "k.h"
class Doubled : public adf::graph {
 public:
  adf::input_plio in = adf::input_plio::create("in", adf::plio_32_bits, "in.txt");
  adf::output_plio out = adf::output_plio::create("out", adf::plio_32_bits, "out.txt");
  adf::kernel k = adf::kernel::create_object<Doubler>(2);
  Doubled() {
    adf::source(k) = "k.cc";
    adf::runtime<adf::ratio>(k) = 0.9;
    adf::connect(in.out[0], k.in[0]);
    adf::connect(k.out[0], out.in[0]);
    adf::dimensions(k.in[0]) = {8};
    adf::dimensions(k.out[0]) = {8};
  }
};
Doubled g;
int main() {
  g.init();
  g.run(1);
  g.end();
}
"""
HEADER = """\
#pragma once
#include <adf.h>
class Doubler {
 public:
  explicit Doubler(int by) : by_(by) {}
  void run(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out);
  static void registerKernelClass() { REGISTER_FUNCTION(Doubler::run); }
 private:
  int by_;
};
"""
LIGHT = """\
#include "k.h"
void Doubler::run(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out) {
  for (int i = 0; i < 8; ++i) out.data()[i] = by_ * in.data()[i];
}
"""
# What adf.h brings along in a graph's source, and a kernel of somebody's may use all the same.
WHOLE = LIGHT + "std::vector<int> table;\nclass Part : public adf::graph { adf::kernel k; };\n"


@pytest.mark.integration
@pytest.mark.parametrize("source", [LIGHT, pytest.param(WHOLE, marks=pytest.mark.slow)])
def test_kernels_give_the_same_with_and_without_graphs(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIELOOM_CACHE", str(tmp_path / "cache"))
    (tmp_path / "k.h").write_text(HEADER)
    (tmp_path / "k.cc").write_text(source)
    (tmp_path / "graph.cpp").write_text(GRAPH)
    (tmp_path / "in.txt").write_text("\n".join(map(str, range(8))))
    result = aieloom.emulate(tmp_path / "graph.cpp", data=tmp_path, out=tmp_path / "out")
    assert result.code == 0, result.stderr
    assert (tmp_path / "out" / "out.txt").read_text().split() == [str(2 * i) for i in range(8)]


def kernel(folder: Path, text: str) -> Unit:
    (folder / "k.cc").write_text(text)
    return Unit(
        source=folder / "k.cc",
        includes=(package_folder() / "include",),
        defines=("__AIE_ARCH__=10",),
        kernels_alone=True,
    )


@pytest.mark.slow
def test_how_often_a_source_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once without graphs; twice when it names one, or types that the vendor's compiler has built in ahead of every header;
    once when a rule of the AIE API refuses it; not at all again."""
    monkeypatch.setenv("AIELOOM_CACHE", str(tmp_path / "cache"))
    ran: list[bool] = []
    real = compiler.run_tool

    def counted(command: list[str], log: Path, *, remedy: str, makes: Sequence[Path]) -> None:
        if "c++-header" not in command:  # what both begin with is kept from the second on
            ran.append(f"-D{KERNELS_ALONE}" in command)
        real(command, log, remedy=remedy, makes=makes)

    monkeypatch.setattr(compiler, "run_tool", counted)
    cases = {
        "#include <adf.h>\nvoid k(input_stream<int32>*) {}\n": [True],
        "#include <adf.h>\nvoid k() { std::vector<int> v; }\n": [True, False],
        "constexpr int size = sizeof(cint16);\n#include <adf.h>\n": [True, False],
    }
    for text, wanted in cases.items():
        ran.clear()
        assert compile_unit(kernel(tmp_path, text), tmp_path / "k.o")
        assert ran == wanted
        assert not compile_unit(kernel(tmp_path, text), tmp_path / "again.o")
        assert ran == wanted
    for text, wanted in {
        "#include <adf.h>\n#include <aie_api/aie.hpp>\naie::vector<int32, 7> v;\n": [True],
        "#include <adf.h>\nvoid k() { no_such_name(); }\n": [True, False],
    }.items():
        ran.clear()
        with pytest.raises(ToolError):
            compile_unit(kernel(tmp_path, text), tmp_path / "k.o")
        assert ran == wanted


def test_a_graph_s_headers_may_name_vectors_without_an_include_too(tmp_path: Path) -> None:
    (tmp_path / "kernels.h").write_text("#include <adf.h>\nv8int32 twice(v8int32);\n")
    graph = tmp_path / "graph.cpp"
    graph.write_text('#include "kernels.h"\n')
    design = Design(name="x", architecture=Architecture.AIE, graph=graph, kernels=())
    assert design_steps(design, tmp_path)[0].unit.options == ("-O1", "-include", "aie_api/aie.hpp")
    (tmp_path / "kernels.h").write_text("#include <adf.h>\nint32 twice(int32);\n")
    assert design_steps(design, tmp_path)[0].unit.options == ("-O1",)
