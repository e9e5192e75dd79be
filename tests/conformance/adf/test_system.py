"""A whole system through `aieloom emulate`: host, PL kernels, system.cfg, array; counts; sanitizers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aieloom.cli import main
from tests.conformance.adf.project import write_project

FILES = {
    "aie/kernels.h": """
#ifndef KERNELS_H
#define KERNELS_H
#include <adf.h>
#include <aie_api/aie.hpp>
constexpr unsigned kWords = 64;
void scale(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out, int32 factor);
#endif
""",
    "aie/scale.cc": """
#include "kernels.h"
void scale(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out, int32 factor) {
  for (unsigned i = 0; i < kWords; i += 8) {
    const auto product = aie::mul(aie::load_v<8>(in.data() + i), factor);
    aie::store_v(out.data() + i, product.to_vector<int32>(0));
  }
#ifdef OVERRUN
  out.data()[kWords + 1] = 1;
#endif
}
""",
    "aie/graph.cpp": """
#include "kernels.h"
int kFactor[1] = {7};  // as a header of values gives them to two programs: the array's and the host's
class Scaler : public adf::graph {
 public:
  adf::input_plio in;
  adf::output_plio out;
  adf::input_port factor;
  adf::kernel k;
  Scaler() {
    in = adf::input_plio::create("in", adf::plio_32_bits, "in.txt");
    out = adf::output_plio::create("out", adf::plio_32_bits, "out.txt");
    k = adf::kernel::create(scale);
    adf::source(k) = "scale.cc";
    adf::runtime<adf::ratio>(k) = 0.9;
    adf::connect<>(in.out[0], k.in[0]);
    adf::connect<>(k.out[0], out.in[0]);
    adf::connect<adf::parameter>(factor, async(k.in[1]));
    adf::dimensions(k.in[0]) = {kWords};
    adf::dimensions(k.out[0]) = {kWords};
  }
};
Scaler g;
#if defined(__AIESIM__) || defined(__X86SIM__)
int main() {
  g.init();
  g.update(g.factor, 3);
  g.run(2);
  g.end();
}
#endif
""",
    "pl/bring.cpp": """
#include <ap_axi_sdata.h>
#include <ap_int.h>
#include <hls_stream.h>
extern "C" void bring(const int* mem, hls::stream<ap_axiu<32, 0, 0, 0>>& s, int count) {
#pragma HLS interface m_axi port = mem offset = slave bundle = gmem
#pragma HLS interface axis port = s
  for (int i = 0; i < count; ++i) {
    ap_axiu<32, 0, 0, 0> x;
    x.data = mem[i];
    x.keep = -1;
    x.last = i == count - 1;
    s.write(x);
  }
}
""",
    "pl/take.cpp": """
#include <ap_axi_sdata.h>
#include <ap_int.h>
#include <hls_stream.h>
extern "C" void take(int* mem, hls::stream<ap_axiu<32, 0, 0, 0>>& s, int count) {
#pragma HLS interface m_axi port = mem offset = slave bundle = gmem
#pragma HLS interface axis port = s
  for (int i = 0; i < count; ++i) mem[i] = s.read().data;
}
""",
    "system.cfg": "[connectivity]\nnk=bring:1:bring\nnk=take:1:take\n"
    "stream_connect=bring.s:ai_engine_0.in\nstream_connect=ai_engine_0.out:take.s\n",
    "host.cpp": """
#include <cstdio>
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_graph.h>
#include <xrt/xrt_kernel.h>
int kFactor[1] = {7};
int main(int, char** argv) {
  const int n = 128;
  xrt::device device(0);
  const auto uuid = device.load_xclbin(argv[1]);
  xrt::kernel from(device, uuid, "bring"), to(device, uuid, "take");
  xrt::bo x(device, n * 4, from.group_id(0)), y(device, n * 4, to.group_id(0));
  auto* values = x.map<int*>();
  for (int i = 0; i < n; ++i) values[i] = i - 50;
  x.sync(XCL_BO_SYNC_BO_TO_DEVICE);
  xrt::graph graph(device, uuid, "g");
  graph.update("g.k.in[1]", kFactor[0]);
  graph.run(2);
  auto out = to(y, nullptr, n);
  auto in = from(x, nullptr, n);
  in.wait();
  out.wait();
  y.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
  for (int i = 0; i < n; ++i) std::printf("%d ", y.map<int*>()[i]);
  return 5;
}
""",
}


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
