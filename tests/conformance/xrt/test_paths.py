"""Run-time parameters by the path of members, as hosts name them: every way in which a graph can hold a kernel or a port."""

from __future__ import annotations

from pathlib import Path

import pytest

from aieloom.emulator.program import Program, build, run
from tests.conformance.adf.project import write_project

PATHS = {
    "top.gain": 11,  # a port of the graph
    "top.gains[1]": 12,
    "top.table[1][2]": 13,  # of two dimensions
    "top.direct.in[0]": 14,  # a kernel's own port
    "top.row[1].in[0]": 15,
    "top.standard[1].in[0]": 16,  # in std::array
    "top.many[2].in[0]": 17,  # in std::vector
    "top.sub.inner.in[0]": 18,
    "top.subs[1].inner.in[0]": 19,
    "top.pointed.inner.in[0]": 20,  # made with new
    "top.owned.inner.in[0]": 21,  # in std::unique_ptr
    "top.inherited.in[0]": 22,  # of a base class
    "top.ports[1]": 23,  # ports in std::vector
}
GRAPH = """
#ifndef GRAPH_H
#define GRAPH_H
#include <adf.h>
#include <array>
#include <memory>
#include <vector>
using namespace adf;
void echo(int32 given, int32& seen);
inline kernel made() {
  kernel k = kernel::create(echo);
  source(k) = "echo.cc";
  runtime<ratio>(k) = 0.1;
  return k;
}
inline kernel made(const port<input>& from) {
  kernel k = made();
  connect<parameter>(from, async(k.in[0]));
  return k;
}
class Sub : public graph {
 public:
  port<input> any;
  kernel inner;
  Sub() { inner = made(any); }
};
template <int N>
class Base : public graph {
 public:
  port<input> beneath;
  kernel inherited;
  Base() { inherited = made(beneath); }
};
class Top : public Base<3> {
 public:
  int unused[3] = {};
  port<input> gain;
  input_port gains[2], table[2][3], any[8];
  std::vector<port<input>> ports;
  kernel direct, row[2], behind[7];
  std::array<kernel, 2> standard;
  std::vector<kernel> many;
  Sub sub, subs[2];
  Sub* pointed = nullptr;
  std::unique_ptr<Sub> owned;
  Top() : ports(2) {
    direct = made(any[0]);
    pointed = new Sub;
    owned = std::make_unique<Sub>();
    for (int i = 0; i < 2; i++) row[i] = made(any[1 + i]), standard[i] = made(any[3 + i]);
    for (int i = 0; i < 3; i++) many.push_back(made(any[5 + i]));
    for (auto& k : behind) k = made();
    connect<parameter>(gain, async(behind[0].in[0]));
    connect<parameter>(gains[0], async(behind[1].in[0]));
    connect<parameter>(gains[1], async(behind[2].in[0]));
    connect<parameter>(table[1][2], async(behind[3].in[0]));
    connect<parameter>(table[0][1], async(behind[4].in[0]));
    connect<parameter>(ports[0], async(behind[5].in[0]));
    connect<parameter>(ports[1], async(behind[6].in[0]));
  }
};
#endif
"""
SEEN = {
    "top.gain": "top.behind[0]",
    "top.gains[1]": "top.behind[2]",
    "top.table[1][2]": "top.behind[3]",
    "top.ports[1]": "top.behind[6]",
}
FILES = {
    "graph.h": GRAPH,
    "graph.cpp": '#include "graph.h"\nTop top;\n',
    "echo.cc": "#include <adf.h>\nvoid echo(int32 given, int32& seen) { seen = given; }\n",
    "mover.cpp": """
extern "C" void mover(int* memory, int value) {
#pragma HLS INTERFACE m_axi port=memory offset=slave bundle=gmem
#pragma HLS INTERFACE s_axilite port=memory
#pragma HLS INTERFACE s_axilite port=value
#pragma HLS INTERFACE s_axilite port=return
  memory[0] = value;
}
""",
    "system.cfg": "[connectivity]\nnk=mover:1:mover_1\n",
    "host.cpp": """
#include <cstdlib>
#include <iostream>
#include <string>
#include <xrt/xrt_device.h>
#include <xrt/xrt_graph.h>
int main(int argc, char* argv[]) {
  xrt::device device(0);
  auto id = device.load_xclbin(argv[1]);
  xrt::graph top(device, id, "top");
  for (int i = 2; i + 2 < argc; i += 3) {
    const int value = std::atoi(argv[i + 1]);
    top.update(argv[i], value);
  }
  top.run(1);
  for (int i = 2; i + 2 < argc; i += 3) {
    int seen = 0;
    top.read(argv[i + 2], seen);
    std::cout << argv[i] << ' ' << seen << '\\n';
  }
  if (argc == 3) top.update(argv[2], 1);
}
""",
}


@pytest.fixture(scope="module", params=["declared", "included"])
def system(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a program and its folder: the graph in its own source, or in the host's too, which then stands for it."""
    folder = tmp_path_factory.mktemp("paths")
    extra = '#include "graph.cpp"\n' if request.param == "included" else ""
    write_project(folder, {**FILES, "host.cpp": extra + FILES["host.cpp"]})
    program = Program(
        graph=folder / "graph.cpp",
        pl=(folder / "mover.cpp",),
        host=(folder / "host.cpp",),
        config=folder / "system.cfg",
        includes=(folder,),
    )
    return build(program, folder / "build"), folder


def test_every_path_leads_to_its_own_kernel(system: tuple[Path, Path]) -> None:
    program, folder = system
    arguments = [str(folder / "build" / "program.xclbin")]
    for path, value in PATHS.items():
        kernel = SEEN.get(path, path.removesuffix(".in[0]"))
        arguments += [path, str(value), f"{kernel}.inout[0]"]
    result = run(program, out=folder / "out", arguments=arguments, timeout=60)
    assert result.code == 0, result.stderr
    assert result.stdout.splitlines() == [f"{path} {value}" for path, value in PATHS.items()]


@pytest.mark.parametrize(
    "path",
    [
        "top.lost",
        "top.gains[2]",
        "top.many[3].in[0]",
        "top.direct.in[1]",
        "gain",
        "other.gain",
        "top.unused[0]",
        "top..gain",
    ],
)
def test_a_path_that_leads_nowhere(system: tuple[Path, Path], path: str) -> None:
    program, folder = system
    arguments = (str(folder / "build" / "program.xclbin"), path)
    result = run(program, out=folder / "out", arguments=arguments, timeout=60)
    assert result.code == 2
    assert f"[rtp-name] '{path}' is no run-time parameter" in result.stderr
