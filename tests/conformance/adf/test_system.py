"""A whole system through `aieloom emulate`: host, PL kernels, system.cfg, array; counts; sanitizers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aieloom.cli import main
from tests.conformance.adf.project import write_project
from tests.conformance.adf.systems import FILES

# A host as AMD's tutorials have it: it includes the graph and controls it by the graph's own methods, reads the xclbin by itself,
# and uses the C API. The kernels' sources share a header that defines a variable; take reads words of 64 bits from a PLIO of 32.
OLDER = {
    "pl/table.h": "int offset[2] = {100, 200};\nint plus(int x, int i) { return x + offset[i]; }\n",
    "pl/bring.cpp": FILES["pl/bring.cpp"]
    .replace("x.data = mem[i];", "x.data = plus(mem[i], 0);")
    .replace("#include <hls_stream.h>", '#include <hls_stream.h>\n#include "table.h"'),
    "pl/take.cpp": """
#include <ap_int.h>
#include <hls_stream.h>
#include "table.h"
extern "C" void take(int* mem, hls::stream<ap_uint<64>>& s, int count) {
#pragma HLS interface m_axi port = mem offset = slave bundle = gmem
#pragma HLS interface axis port = s
  for (int i = 0; i < count; i += 2) {
    const ap_uint<64> two = s.read();
    mem[i] = plus(two.range(31, 0).to_int(), 1);
    mem[i + 1] = plus(two.range(63, 32).to_int(), 1);
  }
}
""",
    "host.cpp": """
#include <fstream>
#include <vector>
#include "graph.cpp"
#include "experimental/xrt_kernel.h"
#include "experimental/xrt_bo.h"
#include "adf/adf_api/XRTConfig.h"
int main(int argc, char** argv) {
  if (argc != 2) std::cout << "Usage: " << argv[0] << " <xclbin>" << std::endl;
  std::ifstream file(argv[1], std::ios::binary);
  file.seekg(0, file.end);
  std::vector<char> bytes(file.tellg());
  file.seekg(0, file.beg);
  file.read(bytes.data(), bytes.size());
  auto top = reinterpret_cast<const axlf*>(bytes.data());
  auto device = xrtDeviceOpenFromXcl(xrt::device(0));
  if (xrtDeviceLoadXclbin(device, top)) throw std::runtime_error("not loaded");
  adf::registerXRT(device, top->m_header.uuid);
  const int n = 64;
  auto x = xrtBOAlloc(device, n * 4, 0, 0);
  auto y = xrtBOAlloc(device, n * 4, 0, 0);
  auto* values = reinterpret_cast<int*>(xrtBOMap(x));
  for (int i = 0; i < n; ++i) values[i] = i;
  xrtBOSync(x, XCL_BO_SYNC_BO_TO_DEVICE, n * 4, 0);
  auto from = xrtPLKernelOpen(device, top->m_header.uuid, "bring:{bring}");
  auto to = xrtPLKernelOpen(device, top->m_header.uuid, "take");
  auto out = xrtRunOpen(to);
  xrtRunSetArg(out, 0, y);
  xrtRunSetArg(out, 2, n);
  auto in = xrtRunOpen(from);
  xrtRunSetArg(in, 0, x);
  xrtRunSetArg(in, 2, n);
  xrtRunStart(in);
  xrtRunStart(out);
  g.init();
  g.update(g.factor, 3);
  g.run(1);
  xrtRunWait(in);
  xrtRunWait(out);
  g.end();
  xrtBOSync(y, XCL_BO_SYNC_BO_FROM_DEVICE, n * 4, 0);
  for (int i = 0; i < n; ++i) std::cout << reinterpret_cast<int*>(xrtBOMap(y))[i] << std::endl;
  bytes[420] ^= 1;  // another identity
  if (xrtDeviceLoadXclbin(device, top) == 0) return 1;
  bytes[500] ^= 1;  // no xclbin at all
  return xrtDeviceLoadXclbin(device, top) == 0;
}
""",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_project(tmp_path, {**FILES, "in.txt": "\n".join(map(str, range(128))) + "\n"})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_host_pl_and_array_as_one_program(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    options = ["--pl", "pl/bring.cpp", "pl/take.cpp", "--config", "system.cfg", "--host", "host.cpp"]
    assert main(["emulate", "aie/graph.cpp", *options]) == 5
    assert capfd.readouterr().out.split() == [str(7 * (i - 50)) for i in range(128)]
    assert main(["emulate", "aie/graph.cpp", *options[:3]]) == 2
    assert "[system]" in capfd.readouterr().err
    assert main(["emulate", "aie/none.cpp"]) == 2
    assert "none.cpp" in capfd.readouterr().err
    assert project.is_dir()


@pytest.mark.slow
def test_a_host_that_includes_the_graph_and_reads_the_xclbin_itself(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write_project(project, OLDER)
    options = ["--pl", "pl/bring.cpp", "pl/take.cpp", "--config", "system.cfg", "--host", "host.cpp"]
    assert main(["emulate", "aie/graph.cpp", *options]) == 0
    said = capfd.readouterr()
    assert said.out.split() == [str(3 * (i + 100) + 200) for i in range(64)]
    assert "the device already holds another design" in said.err
    assert "these bytes are not an xclbin that the emulator made" in said.err


@pytest.mark.integration
def test_array_alone_with_counts(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["emulate", "aie/graph.cpp", "-D", "AIELOOM_COUNTED"]) == 0
    said = capfd.readouterr().out
    assert re.search(
        r"^scale\[0\]: calls 2, vector loads \d+, stores \d+, multiplications \d+", said, re.MULTILINE
    )
    assert int(re.findall(r"vector loads (\d+)", said)[0]) >= 16
    written = (project / "x86simulator_output" / "out.txt").read_text().split()
    assert written == [str(3 * i) for i in range(128)]


@pytest.mark.slow
def test_sanitizers_show_the_line_that_overruns(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["emulate", "aie/graph.cpp", "--sanitize"]) == 0
    assert main(["emulate", "aie/graph.cpp", "--sanitize", "-D", "OVERRUN"]) == 2
    said = capfd.readouterr().err
    assert "AddressSanitizer" in said
    assert "scale.cc:9" in said
    assert project.is_dir()
