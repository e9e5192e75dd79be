"""Projects for an embedded board as people publish them: what their hosts leave to the board, and what their graphs have for simulation."""

from __future__ import annotations

from pathlib import Path

import pytest

from aieloom.cli import main
from tests.conformance.adf.project import write_project
from tests.conformance.adf.systems import FILES

# The graph's main() is not guarded; the host opens no graph, reads its xclbin by a name of its own, synchronises nothing, and takes
# two more arguments. The kernel's source lies beside the header that names it; logic knows packets by aiecompiler's names.
BOARD = {
    "Makefile": "PLATFORM = xilinx_vck190_base_202220_1\nall:\n\tv++ -l --config system.cfg --platform $(PLATFORM)\n",
    "system.cfg": FILES["system.cfg"],
    "aie/inner/double.cc": """
#include <adf.h>
void twice(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out) {
  for (int i = 0; i < 16; ++i) out.data()[i] = 2 * in.data()[i];
}
""",
    "aie/inner/parts.h": """
#include <adf.h>
void twice(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out);
class Twice : public adf::graph {
 public:
  adf::input_plio in = adf::input_plio::create("in", adf::plio_32_bits, "data/absent.txt");
  adf::output_plio out = adf::output_plio::create("out", adf::plio_32_bits, "data/out.txt");
  adf::kernel k = adf::kernel::create(twice);
  Twice() {
    adf::source(k) = "double.cc";
    adf::runtime<adf::ratio>(k) = 0.9;
    adf::connect<>(in.out[0], k.in[0]);
    adf::connect<>(k.out[0], out.in[0]);
    adf::dimensions(k.in[0]) = {16};
    adf::dimensions(k.out[0]) = {16};
  }
};
""",
    "aie/graph.cpp": """
#include "inner/parts.h"
Twice g;
int main() {
  g.init();
  g.run(1);
  g.end();
  return 7;
}
""",
    "pl/bring.cpp": FILES["pl/bring.cpp"],
    "pl/take.cpp": FILES["pl/take.cpp"]
    .replace(
        "#include <ap_int.h>",
        '#include <ap_int.h>\n#include "packet_ids_c.h"\nstatic_assert(in_3 == 3 && out_0 == 0);',
    )
    .replace(
        "interface axis port = s", "interface axis port = s\n#pragma HLS interface ap_clk port = ap_clk"
    ),
    "sw/host.cpp": """
#include <CL/cl2.hpp>
#include <cstdio>
#include <cstdlib>
#include "xrt/xrt.h"
#include "xrt/experimental/xrt_kernel.h"
#include "xrt/experimental/xrt_device.h"
int main(int argc, char** argv) {
  const int n = std::atoi(argc == 4 ? argv[3] : "0");
  xrt::device device(0);
  const auto uuid = device.load_xclbin("overlay_hw.xclbin");
  xrt::kernel from(device, uuid, "bring"), to(device, uuid, "take");
  xrt::bo x(device, n * 4, from.group_id(0)), y(device, n * 4, to.group_id(0));
  for (int i = 0; i < n; ++i) x.map<int*>()[i] = i;
  auto out = to(y, nullptr, n);
  from(x, nullptr, n).wait();
  out.wait();
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += y.map<int*>()[i] != 2 * i;
  std::printf("%d words, %d wrong\\n", n, wrong);
  return wrong;
}
""",
}


# The same system by OpenCL's C++ bindings: buffers without a bank until they are arguments, tasks out of order, mapped results.
OPENCL = """
#include <CL/cl2.hpp>
#include <cstdio>
#include <fstream>
#include <iterator>
int main(int, char** argv) {
  const int n = 64;
  std::vector<cl::Platform> platforms;
  cl::Platform::get(&platforms);
  std::vector<cl::Device> devices;
  for (auto& p : platforms)
    if (p.getInfo<CL_PLATFORM_NAME>() == "Xilinx") p.getDevices(CL_DEVICE_TYPE_ACCELERATOR, &devices);
  cl_int err = 1;
  cl::Context context(devices[0], nullptr, nullptr, nullptr, &err);
  cl::CommandQueue q(context, devices[0], CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &err);
  std::ifstream file(argv[1], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  cl::Program::Binaries bins;
  bins.push_back({bytes.data(), bytes.size()});
  cl::Program program(context, devices, bins, nullptr, &err);
  cl::Kernel bring(program, "bring", &err), take(program, "take");
  void* own = nullptr;
  if (posix_memalign(&own, 4096, n * 4) != 0) return 9;
  int* values = static_cast<int*>(own);
  for (int i = 0; i < n; ++i) values[i] = i;
  cl::Buffer x(context, CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY, n * 4, values, &err), y(context, CL_MEM_WRITE_ONLY, n * 4);
  auto* results = static_cast<int*>(q.enqueueMapBuffer(y, CL_TRUE, CL_MAP_READ, 0, n * 4));
  bring.setArg(0, x);
  bring.setArg(2, n);
  take.setArg(0, y);
  take.setArg(2, n);
  values[3] = 30;
  q.enqueueMigrateMemObjects({x}, 0);
  values[4] = 1000;  // comes too late
  std::vector<cl::Event> done(1);
  q.enqueueTask(take, nullptr, &done[0]);
  q.enqueueTask(bring);
  q.enqueueMigrateMemObjects({y}, CL_MIGRATE_MEM_OBJECT_HOST, &done);
  q.finish();
  int wrong = err;
  for (int i = 0; i < n; ++i) wrong += results[i] != 2 * (i == 3 ? 30 : i);
  std::printf("%d wrong\\n", wrong);
  int first = 0;
  q.enqueueReadBuffer(y, CL_TRUE, 12, 4, &first);
  return wrong + (first != 60);
}
"""


@pytest.mark.slow
def test_a_host_by_opencl_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    write_project(tmp_path, BOARD | {"sw/host.cpp": OPENCL})
    monkeypatch.chdir(tmp_path)
    assert main(["emulate", "--project", "."]) == 0
    assert capfd.readouterr().out.splitlines()[-1] == "0 wrong"


def test_a_host_for_a_board_runs_as_shipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    write_project(tmp_path, BOARD)
    monkeypatch.chdir(tmp_path)
    assert main(["emulate", "--project", ".", "--argv", "a 64"]) == 0
    said = capfd.readouterr()
    lines = said.out.splitlines()
    assert lines[-1] == "64 words, 0 wrong"
    assert "the host runs no graph: the array runs by itself" in said.err
    assert "xrt-sync" not in said.err
    assert not (tmp_path / "overlay_hw.xclbin").exists()
    same = (
        "the same as: aieloom emulate aie/graph.cpp -I aie/inner --pl pl/bring.cpp pl/take.cpp --config system.cfg "
        "--host sw/host.cpp --xclbin overlay_hw.xclbin --shared-memory --argv 'a 64'"
    )
    assert lines[-2] == same
    # A card has memory of its own: what is not synchronised does not arrive, and the end says so.
    (tmp_path / "Makefile").write_text("PLATFORM = xilinx_vck5000_gen4x8_qdma\n")
    assert main(["emulate", "--project", ".", "--argv", "a 64"]) == 63
    said = capfd.readouterr()
    assert "--shared-memory" not in said.out
    assert "xrt-sync" in said.err
