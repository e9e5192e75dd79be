// Hosts in XRT's native and C API; which one runs, the second argument says. Expectations stand beside each line.
#include <experimental/xrt_error.h>
#include <experimental/xrt_ini.h>
#include <xrt/xrt_aie.h>
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_graph.h>
#include <xrt/xrt_kernel.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <system_error>
#include <vector>

#include "adf/adf_api/XRTConfig.h"

#define CHECK(condition)                                \
  if (!(condition)) {                                   \
    std::printf("line %d: %s\n", __LINE__, #condition); \
    ++failures;                                         \
  }

namespace {

int failures = 0;

/// Whether an action throws std::system_error with this code and a message that has this text.
bool throws(int code, const std::string& text, const std::function<void()>& action) {
  try {
    action();
  } catch (const std::system_error& error) {
    if (error.code().value() == code && std::string(error.what()).find(text) != std::string::npos) {
      return true;
    }
    std::printf("%d: %s\n", error.code().value(), error.what());
  }
  return false;
}

struct Loaded {
  explicit Loaded(const std::string& file) : device(0), uuid(device.load_xclbin(file)) {}
  xrt::device device;
  xrt::uuid uuid;
};

/// 32 words through everything: doubled by the PL, tripled by the array, halved on their way back.
void native(const std::string& file) {
  Loaded l(file);
  xrt::kernel mm2s(l.device, l.uuid, "mm2s:{loader}", xrt::kernel::cu_access_mode::exclusive);
  xrt::kernel s2mm(l.device, l.uuid, "s2mm:{store_a}", xrt::kernel::cu_access_mode::exclusive);
  xrt::graph graph(l.device, l.uuid, "g");
  CHECK(mm2s.group_id(0) != s2mm.group_id(0) && mm2s.get_name() == "mm2s");
  xrt::bo in(l.device, 128, mm2s.group_id(0));
  xrt::bo out(l.device, 256, xrt::bo::flags::cacheable, s2mm.group_id(0));
  int* words = in.map<int*>();
  std::iota(words, words + 32, -5);
  in.sync(XCL_BO_SYNC_BO_TO_DEVICE);
  words[0] = 1000;  // comes too late
  graph.reset();
  graph.update("g.factor", 3);
  graph.run(4);
  xrt::run store(s2mm);
  store.set_arg(0, out);
  store.set_arg("scale", 0.5F);
  store.set_arg("limit", 32);  // buffers leave the array without TLAST
  int calls = 0;
  store.add_callback(ERT_CMD_STATE_COMPLETED, [](const void*, ert_cmd_state, void* data) { ++*static_cast<int*>(data); }, &calls);
  CHECK(store.state() == ERT_CMD_STATE_NEW);
  store.start();
  CHECK(store.wait(10) == ERT_CMD_STATE_TIMEOUT && store.wait2(std::chrono::milliseconds(5)) == std::cv_status::timeout);
  auto load = mm2s(in, nullptr, 32);
  CHECK(load.wait() == ERT_CMD_STATE_COMPLETED && store.wait() == ERT_CMD_STATE_COMPLETED && store.state() == ERT_CMD_STATE_COMPLETED);
  graph.wait(std::chrono::milliseconds(100));
  CHECK(calls == 1);
  const int* results = out.map<const int*>();
  CHECK(results[0] == 0);  // not yet synchronised
  out.sync(XCL_BO_SYNC_BO_FROM_DEVICE, 128, 0);
  long long sum = 0;
  for (int i = 0; i < 32; ++i) {
    CHECK(results[i] == (i - 5) * 2 * 3 / 2);
    sum += (i - 5) * 6;
  }
  CHECK(s2mm.read_register(s2mm.offset(2)) == 32);  // int* with s_axilite alone is a register
  CHECK(static_cast<int>(s2mm.read_register(s2mm.offset(3))) == sum && s2mm.read_register(s2mm.offset(3) + 4) == 0);
  CHECK(s2mm.offset(0) == 0x10);
  // What a kernel returns lies in front of its arguments.
  CHECK(mm2s.offset(0) == 0x18 && mm2s.read_register(0x10) == 5);
  // Again with another factor: wait() leaves the graph ready for more.
  graph.update("g.factor", 1);
  graph.run(1);
  auto again = s2mm(out, nullptr, 0, 0LL, 1.0F, 8);
  mm2s(in, nullptr, 8).wait();
  again.wait();
  graph.end();
  out.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
  CHECK(results[0] == -10 && results[7] == 4);
}

void too_long(const std::string& file) {
  Loaded l(file);
  xrt::graph graph(l.device, l.uuid, "g");
  graph.run(1);  // nobody sends anything
  CHECK(throws(ETIME, "has done 0 iterations of 1", [&] { graph.wait(std::chrono::milliseconds(1)); }));
}

void two_units(const std::string& file) {
  Loaded l(file);
  xrt::kernel mm2s(l.device, l.uuid, "mm2s:{other}");
  xrt::kernel s2mm(l.device, l.uuid, "s2mm:{store_b}");
  xrt::bo in(l.device, 64, mm2s.group_id(0));
  xrt::bo out(l.device, 64, s2mm.group_id(0));
  for (int i = 0; i < 16; ++i) {
    in.map<int*>()[i] = i;
  }
  in.sync(XCL_BO_SYNC_BO_TO_DEVICE);
  // Two runs of one unit at once are served one after another, each with its own arguments.
  xrt::bo low(in, 32, 0);
  xrt::bo high(in, 32, 32);
  xrt::bo first(out, 32, 0);
  xrt::bo second(out, 32, 32);
  auto store_1 = s2mm(first, nullptr, 0, 0LL, 1.0F, 100);
  auto store_2 = s2mm(second, nullptr, 0, 0LL, 10.0F, 100);
  auto load_1 = mm2s(high, nullptr, 8);
  auto load_2 = mm2s(low, nullptr, 8);
  CHECK(load_2.state() == ERT_CMD_STATE_QUEUED);
  store_2.wait();
  CHECK(store_1.state() == ERT_CMD_STATE_COMPLETED && load_1.state() == ERT_CMD_STATE_COMPLETED);
  out.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
  for (int i = 0; i < 8; ++i) {
    CHECK(out.map<int*>()[i] == 8 + i && out.map<int*>()[8 + i] == 10 * i);
  }
}

void gmio(const std::string& file) {
  Loaded l(file);
  xrt::graph graph(l.device, l.uuid, "c");
  xrt::aie::bo in(l.device, 64, 0);
  xrt::aie::bo out(l.device, 64, 0);
  for (int i = 0; i < 16; ++i) {
    in.map<int*>()[i] = 100 + i;
  }
  graph.run(2);
  auto sent = in.async("c.from_memory", XCL_BO_SYNC_BO_GMIO_TO_AIE, 64, 0);
  out.sync("c.to_memory", XCL_BO_SYNC_BO_AIE_TO_GMIO, 64, 0);
  sent.wait();
  graph.wait();
  for (int i = 0; i < 16; ++i) {
    CHECK(out.map<int*>()[i] == 101 + i);
  }
  CHECK(throws(EINVAL, "there is no GMIO 'c.nowhere'", [&] { in.sync("c.nowhere", XCL_BO_SYNC_BO_GMIO_TO_AIE, 64, 0); }));
}

void external(const std::string& file) {
  Loaded l(file);
  xrt::graph graph(l.device, l.uuid, "t");
  xrt::aie::bo in(l.device, 32, xrt::bo::flags::normal, 0);
  xrt::aie::bo out(l.device, 32, xrt::bo::flags::normal, 0);
  xrt::aie::buffer from(l.device, l.uuid, "t.ddr_in");
  xrt::aie::buffer to(l.device, l.uuid, "t.ddr_out");
  using Option = xrt::aie::profiling::profiling_option;
  xrt::aie::profiling words(l.device);
  CHECK(words.start(Option::io_stream_running_event_count, "g.words_in", "", 0) >= 0);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 8; ++i) {
      in.map<int*>()[i] = 10 * i + round;
    }
    graph.run(1);
    to.async(out, XCL_BO_SYNC_BO_AIE_TO_GMIO, 32, 0);
    from.async(in, XCL_BO_SYNC_BO_GMIO_TO_AIE, 32, 0);
    from.wait();
    to.wait();
    for (int i = 0; i < 8; ++i) {
      CHECK(out.map<int*>()[i] == 10 * (i % 2 * 4 + i / 2) + round + 1);
    }
  }
  graph.end(0);
  CHECK(words.read() == 0);  // nothing has passed the other graph's port
  words.stop();
  CHECK(throws(EINVAL, "without start()", [&] { static_cast<void>(words.read()); }));
  CHECK(throws(EINVAL, "has 32 B, the transfer 16", [&] { from.async(in, XCL_BO_SYNC_BO_GMIO_TO_AIE, 16, 0); }));
}

void buffers(const std::string& file) {
  Loaded l(file);
  xrt::ini::set("Runtime.verbosity", 4);
  CHECK(l.device.get_info<xrt::info::device::name>() == "edge" && l.uuid == l.device.get_xclbin_uuid() && l.uuid);
  CHECK(l.uuid == xrt::xclbin(file).get_uuid() && l.uuid.to_string().size() == 36 && xrt::uuid(l.uuid.to_string()) == l.uuid);
  xrt::bo a(l.device, 4096, 0);
  xrt::bo b(l.device, 4096, xrt::bo::flags::device_only, 0);
  xrt::bo c(l.device, 4096, xrt::bo::flags::host_only, 0);
  const std::string text = "a text of some length";
  a.write(text.data(), text.size(), 100);
  a.sync(XCL_BO_SYNC_BO_TO_DEVICE);
  b.copy(a, 4096);
  c.copy(b, 1024, 100, 0);
  std::string back(text.size(), ' ');
  c.read(back.data(), back.size(), 0);  // host_only: no sync
  CHECK(back == text && a.size() == 4096 && reinterpret_cast<std::uintptr_t>(a.map()) % 4096 == 0);
  void* own = std::aligned_alloc(4096, 4096);
  std::memset(own, 7, 4096);
  xrt::bo d(l.device, own, 4096, 0);
  CHECK(d.map() == own);
  d.sync(XCL_BO_SYNC_BO_TO_DEVICE);
  a.copy(d);
  a.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
  CHECK(a.map<char*>()[4095] == 7);
  std::free(own);
  CHECK(throws(EINVAL, "0 bytes", [&] { xrt::bo(l.device, 0, 0); }));
  CHECK(throws(EINVAL, "no memory bank 9", [&] { xrt::bo(l.device, 64, 9); }));
  CHECK(throws(EINVAL, "4096 B", [&] { xrt::bo(l.device, static_cast<char*>(own) + 1, 64, 0); }));
  CHECK(throws(EINVAL, "beyond the end", [&] { a.sync(XCL_BO_SYNC_BO_TO_DEVICE, 4000, 200); }));
  CHECK(throws(EINVAL, "beyond the end", [&] { xrt::bo(a, 4096, 1); }));
  CHECK(throws(EINVAL, "device_only", [&] { static_cast<void>(b.map()); }));
  CHECK(throws(EINVAL, "xrt::aie::bo", [&] { a.sync(XCL_BO_SYNC_BO_GMIO_TO_AIE); }));
}

void mistakes(const std::string& file) {
  CHECK(throws(ENODEV, "index '1'", [] { xrt::device second(1); }));
  xrt::device empty;
  CHECK(throws(ENODEV, "not open", [&] { empty.load_xclbin(file); }));
  xrt::device device(0);
  CHECK(throws(ENOENT, "cannot read", [&] { device.load_xclbin("absent.xclbin"); }));
  CHECK(throws(EINVAL, "not an xclbin", [&] { device.load_xclbin("/proc/self/exe"); }));
  CHECK(throws(EINVAL, "not loaded", [&] { xrt::kernel(device, xrt::uuid(), "mm2s"); }));
  Loaded l(file);
  CHECK(throws(ENOENT, "No such kernel 'absent'", [&] { xrt::kernel(l.device, l.uuid, "absent"); }));
  CHECK(throws(ENOENT, "No such kernel 'mm2s:{store_a}'", [&] { xrt::kernel(l.device, l.uuid, "mm2s:{store_a}"); }));
  CHECK(throws(EINVAL, "free running", [&] { xrt::kernel(l.device, l.uuid, "twice"); }));
  CHECK(throws(ENOENT, "there is no graph 'h'", [&] { xrt::graph(l.device, l.uuid, "h"); }));
  xrt::kernel mm2s(l.device, l.uuid, "mm2s:{loader}");
  xrt::kernel s2mm(l.device, l.uuid, "s2mm:{store_a}");
  CHECK(throws(EINVAL, "has no argument 3", [&] { static_cast<void>(mm2s.group_id(3)); }));
  CHECK(throws(EINVAL, "('s') of kernel 'mm2s' is a stream", [&] { static_cast<void>(mm2s.group_id(1)); }));
  CHECK(throws(EPERM, "exclusive", [&] { static_cast<void>(mm2s.read_register(0x10)); }));
  xrt::run run(mm2s);
  xrt::bo wrong(l.device, 64, s2mm.group_id(0));
  xrt::bo right(l.device, 64, mm2s.group_id(0));
  CHECK(throws(EINVAL, "allocate it with group_id(0)", [&] { run.set_arg(0, wrong); }));
  CHECK(throws(EINVAL, "is a scalar, not a buffer", [&] { run.set_arg(2, right); }));
  CHECK(throws(EINVAL, "is memory, not a scalar", [&] { run.set_arg(0, 5); }));
  CHECK(throws(EINVAL, "is a scalar, not a stream", [&] { run.set_arg(2, nullptr); }));
  CHECK(throws(EINVAL, "has 4 bytes, the value given 8", [&] { run.set_arg(2, 1.5); }));
  CHECK(throws(EINVAL, "no argument 'sizes'", [&] { run.set_arg("sizes", 1); }));
  CHECK(throws(EINVAL, "not started", [&] { static_cast<void>(run.wait()); }));
  xrt::graph graph(l.device, l.uuid, "g");
  CHECK(throws(EINVAL, "has 4 bytes, the value given 8", [&] { graph.update("g.factor", 1.5); }));
  xrt::graph watcher(l.device, l.uuid, "g", xrt::graph::access_mode::shared);
  CHECK(throws(EPERM, "cannot run", [&] { watcher.run(1); }));
}

/// What an xclbin says of its design, before it is loaded; what only hardware has is refused by its name.
void describe(const std::string& file) {
  const xrt::xclbin design(file);
  std::string kernels, units;
  for (const auto& kernel : design.get_kernels()) {
    kernels += kernel.get_name() + " ";
    for (const auto& unit : kernel.get_cus()) {
      units += unit.get_name() + " ";
    }
  }
  CHECK(kernels == "mm2s s2mm twice poller " || (std::printf("%s\n", kernels.c_str()), false));
  CHECK(units == "mm2s:loader mm2s:other s2mm:store_a s2mm:store_b twice:doubler poller:poller_1 " || (std::printf("%s\n", units.c_str()), false));
  const auto s2mm = design.get_kernel("s2mm");
  CHECK(s2mm.get_num_args() == 6 && s2mm.get_arg(4).get_name() == "scale" && s2mm.get_arg(4).get_size() == 4 && s2mm.get_cus("s2mm:{store_b}").size() == 1);
  const auto store = design.get_ip("s2mm:{store_a}");
  CHECK(store.get_name() == "s2mm:store_a" && store.get_arg(0).get_mems().at(0).get_tag() == "LPDDR" && store.get_arg(1).get_mems().empty());
  const auto banks = design.get_mems();
  CHECK(banks.size() == 2 && banks[0].get_tag() == "DDR" && banks[1].get_index() == 1 && banks[1].get_used());
  CHECK(throws(ENOENT, "no kernel 'add'; it has: mm2s, s2mm, twice, poller", [&] { static_cast<void>(design.get_kernel("add")); }));
  CHECK(throws(EINVAL, "s2mm has no argument 6: it has 6, counted from 0", [&] { static_cast<void>(s2mm.get_arg(6)); }));
  CHECK(throws(ENOTSUP, "xrt::xclbin::mem::get_size_kb() is not emulated", [&] { static_cast<void>(banks[0].get_size_kb()); }));
  Loaded l(file);
  CHECK(l.uuid == design.get_uuid() && xrt::kernel(l.device, design.get_uuid().get(), "s2mm:{store_a}").get_xclbin().get_uuid() == l.uuid);
  CHECK(xrt::kernel(l.device, l.uuid, "s2mm:{store_a}").offset(4) == store.get_arg(4).get_offset());
  CHECK(throws(ENOTSUP, "get_info() of anything but name, bdf and offline", [&] { static_cast<void>(l.device.get_info<xrt::info::device::thermal>()); }));
  CHECK(xrt::aie::hw_context(l.device, l.uuid).get_mode() == xrt::hw_context::access_mode::shared && uuid_is_null(l.uuid.get()) == 0);
  const int value = 0;
  const void* bytes = &value;
  xrt::run run(xrt::kernel(l.device, l.uuid, "s2mm:{store_a}"));
  CHECK(throws(EINVAL, "has 4 bytes, the value given 2", [&] { run.set_arg(5, bytes, std::size_t{2}); }));
  run.set_arg(5, bytes, sizeof value);
}

void missing_argument(const std::string& file) {
  Loaded l(file);
  xrt::kernel mm2s(l.device, l.uuid, "mm2s:{loader}");
  xrt::run(mm2s).start();
}

void early(const std::string&) { adf::registerXRT(xrt::device(0), xrt::uuid()); }

void no_parameter(const std::string& file) {
  Loaded l(file);
  xrt::graph(l.device, l.uuid, "g").update("g.lost.in[3]", 1);
}

void deadlock(const std::string& file) {
  Loaded l(file);
  xrt::kernel s2mm(l.device, l.uuid, "s2mm:{store_b}");
  xrt::bo out(l.device, 64, s2mm.group_id(0));
  s2mm(out, nullptr, 0, 0LL, 1.0F, 100).wait();  // nobody loads
}

/// Nothing is ever synchronised; then the input is; then all is.
void unsynced(const std::string& file) {
  Loaded l(file);
  xrt::kernel mm2s(l.device, l.uuid, "mm2s:{loader}");
  xrt::kernel s2mm(l.device, l.uuid, "s2mm:{store_a}");
  xrt::graph graph(l.device, l.uuid, "g");
  graph.update("g.factor", 3);
  for (int turn = 0; turn < 3; ++turn) {
    xrt::bo in(l.device, 128, mm2s.group_id(0));
    xrt::bo out(l.device, 256, s2mm.group_id(0));
    const int* results = out.map<const int*>();
    std::iota(in.map<int*>(), in.map<int*>() + 32, 1);
    if (turn > 0) {
      in.sync(XCL_BO_SYNC_BO_TO_DEVICE);
    }
    graph.run(4);
    auto store = s2mm(out, nullptr, 0, 0LL, 1.0F, 32);
    mm2s(in, nullptr, 32).wait();
    store.wait();
    graph.wait();
    if (turn > 1) {
      out.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
    }
    CHECK(results[31] == (turn > 1 ? 32 * 6 : 0));
  }
}

/// The C API, and the graph's own methods on XRT.
void c_api(const std::string& file) {
  xrtDeviceHandle device = xrtDeviceOpen(0);
  CHECK(xrtDeviceOpen(1) == nullptr && xrtDeviceLoadXclbinFile(device, "absent") != 0 && errno == ENOENT);
  CHECK(xrtDeviceLoadXclbinFile(device, file.c_str()) == 0);
  xuid_t uuid;
  CHECK(xrtDeviceGetXclbinUUID(device, uuid) == 0);
  xrtKernelHandle mm2s = xrtPLKernelOpen(device, uuid, "mm2s:{loader}");
  xrtKernelHandle s2mm = xrtPLKernelOpenExclusive(device, uuid, "s2mm:{store_a}");
  CHECK(xrtPLKernelOpen(device, uuid, "absent") == nullptr);
  xrtBufferHandle in = xrtBOAlloc(device, 32, XRT_BO_FLAGS_NONE, xrtKernelArgGroupId(mm2s, 0));
  xrtBufferHandle out = xrtBOAlloc(device, 32, 0, xrtKernelArgGroupId(s2mm, 0));
  int* words = static_cast<int*>(xrtBOMap(in));
  std::iota(words, words + 8, 1);
  CHECK(xrtBOSync(in, XCL_BO_SYNC_BO_TO_DEVICE, 32, 0) == 0 && xrtBOSync(in, XCL_BO_SYNC_BO_TO_DEVICE, 33, 0) != 0 && xrtBOSize(out) == 32);
  adf::registerXRT(device, uuid);
  xrtGraphHandle graph = xrtGraphOpen(device, uuid, "g");
  const int factor = 5;
  CHECK(xrtGraphReset(graph) == 0 && xrtGraphUpdateRTP(graph, "g.factor", reinterpret_cast<const char*>(&factor), sizeof factor) == 0);
  CHECK(xrtGraphRun(graph, 1) == 0 && xrtGraphOpen(device, uuid, "h") == nullptr);
  xrtRunHandle store = xrtRunOpen(s2mm);
  CHECK(xrtRunSetArg(store, 0, out) == 0 && xrtRunSetArg(store, 4, 2.0F) == 0 && xrtRunSetArg(store, 5, 8) == 0 && xrtRunSetArg(store, 9, 1) != 0 && xrtRunStart(store) == 0);
  CHECK(xrtRunWaitFor(store, 5) == ERT_CMD_STATE_TIMEOUT);
  xrtRunHandle load = xrtKernelRun(mm2s, in, nullptr, 8);
  CHECK(xrtRunWait(load) == ERT_CMD_STATE_COMPLETED && xrtRunWait(store) == ERT_CMD_STATE_COMPLETED && xrtRunState(store) == ERT_CMD_STATE_COMPLETED);
  CHECK(xrtGraphWaitDone(graph, 100) == 0 && xrtGraphEnd(graph, 0) == 0);
  int results[8];
  CHECK(xrtBOSync(out, XCL_BO_SYNC_BO_FROM_DEVICE, 32, 0) == 0 && xrtBORead(out, results, 32, 0) == 0);
  for (int i = 0; i < 8; ++i) {
    CHECK(results[i] == (i + 1) * 2 * 5 * 2);
  }
  std::uint32_t received = 0;
  CHECK(xrtKernelReadRegister(s2mm, xrtKernelArgOffset(s2mm, 2), &received) == 0 && received == 8);
  xrtRunClose(load);
  xrtRunClose(store);
  xrtGraphClose(graph);
  CHECK(xrtBOFree(in) == 0 && xrtBOFree(out) == 0 && xrtKernelClose(mm2s) == 0 && xrtKernelClose(s2mm) == 0 && xrtDeviceClose(device) == 0);
}

void load_only(const std::string& file) { Loaded l(file); }

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, void (*)(const std::string&)> cases = {
      {"describe", describe}, {"native", native},     {"two_units", two_units}, {"gmio", gmio},       {"external", external},   {"buffers", buffers},   {"mistakes", mistakes},
      {"missing", missing_argument}, {"early", early}, {"no_parameter", no_parameter}, {"deadlock", deadlock},   {"unsynced", unsynced}, {"c_api", c_api}, {"load", load_only}, {"too_long", too_long},
  };
  cases.at(argc > 2 ? argv[2] : "native")(argv[1]);
  std::puts(failures == 0 ? "ok" : "failed");
  return failures == 0 ? 0 : 1;
}
