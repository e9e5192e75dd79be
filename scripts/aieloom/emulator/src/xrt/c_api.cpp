// XRT's C API: the native API behind handles; an exception becomes a message, errno and a failing result.
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <system_error>

#include "system.h"
#include "xrt/xrt_aie.h"
#include "xrt/xrt_bo.h"
#include "xrt/xrt_device.h"
#include "xrt/xrt_graph.h"
#include "xrt/xrt_kernel.h"
#include "experimental/xrt_error.h"
#include "error.h"
#include "inside.h"

namespace {

using aieloom::guard;
using aieloom::status;
using aieloom::XrtInside;

/// What a handle stands for.
template <typename T>
T& from(void* handle) {
  if (handle == nullptr) {
    aieloom::throw_error(EINVAL, "a null handle");
  }
  return *static_cast<T*>(handle);
}

struct KernelHandle {
  xrt::kernel kernel;
};

struct RunHandle {
  xrt::run run;
  std::vector<aieloom::PlArgument> signature;
};

/// Take one variadic argument as the kernel's signature says; small types arrive promoted.
void set_from(RunHandle& handle, int index, std::va_list& list) {
  if (index < 0 || static_cast<std::size_t>(index) >= handle.signature.size()) {
    aieloom::throw_error(EINVAL, "the kernel has no argument " + std::to_string(index));
  }
  const aieloom::PlArgument& argument = handle.signature[static_cast<std::size_t>(index)];
  if (argument.kind == aieloom::PlArgument::Kind::kStream) {
    va_arg(list, void*);
  } else if (argument.kind == aieloom::PlArgument::Kind::kMemory) {
    handle.run.set_arg(index, from<xrt::bo>(va_arg(list, void*)));
  } else if (argument.is_float) {
    const double value = va_arg(list, double);
    argument.bits == 32 ? handle.run.set_arg(index, static_cast<float>(value)) : handle.run.set_arg(index, value);
  } else if (argument.bits <= 32) {
    handle.run.set_arg(index, va_arg(list, int));
  } else {
    handle.run.set_arg(index, va_arg(list, long long));
  }
}

xrtKernelHandle open_kernel(xrtDeviceHandle device, const xuid_t uuid, const char* name, bool exclusive) {
  return guard<xrtKernelHandle>(nullptr, [&] { return new KernelHandle{xrt::kernel(from<xrt::device>(device), xrt::uuid(uuid), name, exclusive)}; });
}

std::unique_ptr<RunHandle> make_run(xrtKernelHandle kernel) {
  auto made = std::make_unique<RunHandle>();
  const xrt::kernel& k = from<KernelHandle>(kernel).kernel;
  made->run = xrt::run(k);
  made->signature = XrtInside::units(k).front()->arguments;
  return made;
}

xrtGraphHandle open_graph(xrtDeviceHandle device, const xuid_t uuid, const char* name, xrt::graph::access_mode mode) {
  return guard<xrtGraphHandle>(nullptr, [&] { return new xrt::graph(from<xrt::device>(device), xrt::uuid(uuid), name, mode); });
}

/// Profiles that were started, by their numbers.
std::map<int, xrt::aie::profiling>& profiles() {
  static std::map<int, xrt::aie::profiling> all;
  return all;
}

xrt::bo::async_handle start_transfer(xrtDeviceHandle device, xrtBufferHandle buffer, const char* port, xclBOSyncDirection direction,
                                     std::size_t bytes, std::size_t offset) {
  from<xrt::device>(device);
  xrt::aie::bo whole(from<xrt::bo>(buffer), from<xrt::bo>(buffer).size(), 0);
  return whole.async(port, direction, bytes, offset);
}

}  // namespace

extern "C" {

xrtDeviceHandle xrtDeviceOpen(unsigned int index) {
  return guard<xrtDeviceHandle>(nullptr, [&] { return new xrt::device(index); });
}
xrtDeviceHandle xrtDeviceOpenByBDF(const char* name) {
  return guard<xrtDeviceHandle>(nullptr, [&] { return new xrt::device(std::string(name)); });
}
xrtDeviceHandle xrtDeviceOpenFromXcl(xclDeviceHandle device) {
  return guard<xrtDeviceHandle>(nullptr, [&] { return new xrt::device(device); });
}
xclDeviceHandle xrtDeviceToXclDevice(xrtDeviceHandle device) {
  return guard<xclDeviceHandle>(nullptr, [&] { return static_cast<xclDeviceHandle>(from<xrt::device>(device)); });
}
unsigned int xclProbe() { return 1; }
xclDeviceHandle xclOpen(unsigned int index, const char*, enum xclVerbosityLevel) {
  return guard<xclDeviceHandle>(nullptr, [&] { return static_cast<xclDeviceHandle>(xrt::device(index)); });
}
void xclClose(xclDeviceHandle) {}
int xclLoadXclBin(xclDeviceHandle device, const axlf* image) {
  return status([&] { xrt::device(device).load_xclbin(image); });
}
int xrtDeviceClose(xrtDeviceHandle device) {
  return status([&] { delete &from<xrt::device>(device); });
}
int xrtDeviceLoadXclbin(xrtDeviceHandle device, const axlf* image) {
  return status([&] { from<xrt::device>(device).load_xclbin(image); });
}

int xrtDeviceLoadXclbinFile(xrtDeviceHandle device, const char* file) {
  return status([&] { from<xrt::device>(device).load_xclbin(std::string(file)); });
}
int xrtDeviceLoadXclbinHandle(xrtDeviceHandle device, xrtXclbinHandle design) {
  return status([&] { from<xrt::device>(device).load_xclbin(from<xrt::xclbin>(design)); });
}
int xrtDeviceLoadXclbinUUID(xrtDeviceHandle device, const xuid_t uuid) {
  return status([&] {
    if (xrt::uuid(uuid) != from<xrt::device>(device).get_xclbin_uuid()) {
      aieloom::throw_error(EINVAL, "no design of this uuid is loaded");
    }
  });
}
int xrtDeviceGetXclbinUUID(xrtDeviceHandle device, xuid_t out) {
  return status([&] { std::memcpy(out, from<xrt::device>(device).get_xclbin_uuid().get(), 16); });
}

xrtBufferHandle xrtBOAlloc(xrtDeviceHandle device, std::size_t bytes, xrtBufferFlags flags, xrtMemoryGroup group, aieloom::SourcePlace where) {
  return guard<xrtBufferHandle>(nullptr, [&] { return new xrt::bo(from<xrt::device>(device), bytes, static_cast<xrt::bo::flags>(flags), group, where); });
}
xrtBufferHandle xrtBOAllocUserPtr(xrtDeviceHandle device, void* memory, std::size_t bytes, xrtBufferFlags flags, xrtMemoryGroup group) {
  return guard<xrtBufferHandle>(nullptr,
                                [&] { return new xrt::bo(from<xrt::device>(device), memory, bytes, static_cast<xrt::bo::flags>(flags), group); });
}
xrtBufferHandle xrtBOImport(xrtDeviceHandle, xclBufferExportHandle) {
  return guard<xrtBufferHandle>(nullptr, []() -> xrtBufferHandle { aieloom::not_emulated("xrtBOImport()"); });
}
xclBufferExportHandle xrtBOExport(xrtBufferHandle) {
  return guard(-1, []() -> int { aieloom::not_emulated("xrtBOExport()"); });
}
xrtBufferHandle xrtBOSubAlloc(xrtBufferHandle parent, std::size_t bytes, std::size_t offset) {
  return guard<xrtBufferHandle>(nullptr, [&] { return new xrt::bo(from<xrt::bo>(parent), bytes, offset); });
}
int xrtBOFree(xrtBufferHandle bo) {
  return status([&] { delete &from<xrt::bo>(bo); });
}
std::size_t xrtBOSize(xrtBufferHandle bo) {
  return guard(std::size_t{0}, [&] { return from<xrt::bo>(bo).size(); });
}
std::uint64_t xrtBOAddress(xrtBufferHandle bo) {
  return guard(~std::uint64_t{0}, [&] { return from<xrt::bo>(bo).address(); });
}
int xrtBOSync(xrtBufferHandle bo, enum xclBOSyncDirection direction, std::size_t bytes, std::size_t offset) {
  return status([&] { from<xrt::bo>(bo).sync(direction, bytes, offset); });
}
void* xrtBOMap(xrtBufferHandle bo) {
  return guard<void*>(nullptr, [&] { return from<xrt::bo>(bo).map(); });
}
int xrtBOWrite(xrtBufferHandle bo, const void* source, std::size_t bytes, std::size_t seek) {
  return status([&] { from<xrt::bo>(bo).write(source, bytes, seek); });
}
int xrtBORead(xrtBufferHandle bo, void* target, std::size_t bytes, std::size_t skip) {
  return status([&] { from<xrt::bo>(bo).read(target, bytes, skip); });
}
int xrtBOCopy(xrtBufferHandle target, xrtBufferHandle source, std::size_t bytes, std::size_t target_offset, std::size_t source_offset) {
  return status([&] { from<xrt::bo>(target).copy(from<xrt::bo>(source), bytes, source_offset, target_offset); });
}

xrtKernelHandle xrtPLKernelOpen(xrtDeviceHandle device, const xuid_t uuid, const char* name) { return open_kernel(device, uuid, name, false); }
xrtKernelHandle xrtPLKernelOpenExclusive(xrtDeviceHandle device, const xuid_t uuid, const char* name) { return open_kernel(device, uuid, name, true); }
int xrtKernelClose(xrtKernelHandle kernel) {
  return status([&] { delete &from<KernelHandle>(kernel); });
}
int xrtKernelArgGroupId(xrtKernelHandle kernel, int argument) {
  return guard(-1, [&] { return from<KernelHandle>(kernel).kernel.group_id(argument); });
}
std::uint32_t xrtKernelArgOffset(xrtKernelHandle kernel, int argument) {
  return guard(~std::uint32_t{0}, [&] { return from<KernelHandle>(kernel).kernel.offset(argument); });
}
int xrtKernelReadRegister(xrtKernelHandle kernel, std::uint32_t offset, std::uint32_t* value) {
  return status([&] { *value = from<KernelHandle>(kernel).kernel.read_register(offset); });
}
int xrtKernelWriteRegister(xrtKernelHandle kernel, std::uint32_t offset, std::uint32_t value) {
  return status([&] { from<KernelHandle>(kernel).kernel.write_register(offset, value); });
}

xrtRunHandle xrtRunOpen(xrtKernelHandle kernel) {
  return guard<xrtRunHandle>(nullptr, [&] { return make_run(kernel).release(); });
}
xrtRunHandle xrtKernelRun(xrtKernelHandle kernel, ...) {
  std::va_list list;
  va_start(list, kernel);
  auto* started = guard<RunHandle*>(nullptr, [&] {
    auto made = make_run(kernel);
    for (int i = 0; i < static_cast<int>(made->signature.size()); ++i) {
      set_from(*made, i, list);
    }
    made->run.start();
    return made.release();
  });
  va_end(list);
  return started;
}
int xrtRunSetArg(xrtRunHandle run, int index, ...) {
  std::va_list list;
  va_start(list, index);
  const int result = status([&] { set_from(from<RunHandle>(run), index, list); });
  va_end(list);
  return result;
}
int xrtRunUpdateArg(xrtRunHandle run, int index, ...) {
  std::va_list list;
  va_start(list, index);
  const int result = status([&] { set_from(from<RunHandle>(run), index, list); });
  va_end(list);
  return result;
}
int xrtRunStart(xrtRunHandle run) {
  return status([&] { from<RunHandle>(run).run.start(); });
}
enum ert_cmd_state xrtRunWait(xrtRunHandle run) {
  return guard(ERT_CMD_STATE_ABORT, [&] { return from<RunHandle>(run).run.wait(); });
}
enum ert_cmd_state xrtRunWaitFor(xrtRunHandle run, unsigned int limit_ms) {
  return guard(ERT_CMD_STATE_ABORT, [&] { return from<RunHandle>(run).run.wait(limit_ms); });
}
enum ert_cmd_state xrtRunState(xrtRunHandle run) {
  return guard(ERT_CMD_STATE_ABORT, [&] { return from<RunHandle>(run).run.state(); });
}
int xrtRunSetCallback(xrtRunHandle run, enum ert_cmd_state state, void (*callback)(xrtRunHandle, enum ert_cmd_state, void*), void* data) {
  return status([&] {
    from<RunHandle>(run).run.add_callback(state, [run, callback](const void*, ert_cmd_state at, void* given) { callback(run, at, given); }, data);
  });
}
int xrtRunClose(xrtRunHandle run) {
  return status([&] { delete &from<RunHandle>(run); });
}

xrtGraphHandle xrtGraphOpen(xrtDeviceHandle device, const xuid_t uuid, const char* name) {
  return open_graph(device, uuid, name, xrt::graph::access_mode::primary);
}
xrtGraphHandle xrtGraphOpenExclusive(xrtDeviceHandle device, const xuid_t uuid, const char* name) {
  return open_graph(device, uuid, name, xrt::graph::access_mode::exclusive);
}
xrtGraphHandle xrtGraphOpenShared(xrtDeviceHandle device, const xuid_t uuid, const char* name) {
  return open_graph(device, uuid, name, xrt::graph::access_mode::shared);
}
void xrtGraphClose(xrtGraphHandle graph) {
  static_cast<void>(status([&] { delete &from<xrt::graph>(graph); }));
}
int xrtGraphReset(xrtGraphHandle graph) {
  return status([&] { from<xrt::graph>(graph).reset(); });
}
std::uint64_t xrtGraphTimeStamp(xrtGraphHandle graph) {
  return guard(~std::uint64_t{0}, [&] { return from<xrt::graph>(graph).get_timestamp(); });
}
int xrtGraphRun(xrtGraphHandle graph, int iterations) {
  return status([&] { from<xrt::graph>(graph).run(iterations < 0 ? 0U : static_cast<std::uint32_t>(iterations)); });
}
int xrtGraphWaitDone(xrtGraphHandle graph, int limit_ms) {
  return status([&] { from<xrt::graph>(graph).wait(std::chrono::milliseconds(limit_ms)); });
}
int xrtGraphWait(xrtGraphHandle graph, std::uint64_t cycles) {
  return status([&] { from<xrt::graph>(graph).wait(cycles); });
}
int xrtGraphSuspend(xrtGraphHandle graph) {
  return status([&] { from<xrt::graph>(graph).suspend(); });
}
int xrtGraphResume(xrtGraphHandle graph) {
  return status([&] { from<xrt::graph>(graph).resume(); });
}
int xrtGraphEnd(xrtGraphHandle graph, std::uint64_t cycles) {
  return status([&] { from<xrt::graph>(graph).end(cycles); });
}
int xrtGraphUpdateRTP(xrtGraphHandle graph, const char* port, const char* buffer, std::size_t bytes) {
  return status([&] { from<xrt::graph>(graph).update(std::string(port), static_cast<const void*>(buffer), bytes); });
}
int xrtGraphReadRTP(xrtGraphHandle graph, const char* port, char* buffer, std::size_t bytes) {
  return status([&] { from<xrt::graph>(graph).read(std::string(port), static_cast<void*>(buffer), bytes); });
}

int xrtAIESyncBO(xrtDeviceHandle device, xrtBufferHandle bo, const char* port, enum xclBOSyncDirection direction, std::size_t bytes, std::size_t offset) {
  return status([&] { start_transfer(device, bo, port, direction, bytes, offset).wait(); });
}
int xrtSyncBOAIE(xrtDeviceHandle device, xrtBufferHandle bo, const char* port, enum xclBOSyncDirection direction, std::size_t bytes, std::size_t offset) {
  return xrtAIESyncBO(device, bo, port, direction, bytes, offset);
}
int xrtSyncBOAIENB(xrtDeviceHandle device, xrtBufferHandle bo, const char* port, enum xclBOSyncDirection direction, std::size_t bytes, std::size_t offset) {
  return status([&] { start_transfer(device, bo, port, direction, bytes, offset); });
}
int xrtGMIOWait(xrtDeviceHandle device, const char* port) {
  return status([&] {
    from<xrt::device>(device);
    aieloom::wait_gmio_named(port);
  });
}
xrtDeviceHandle xrtAIEDeviceOpen(unsigned int index) { return xrtDeviceOpen(index); }
xrtDeviceHandle xrtAIEDeviceOpenExclusive(unsigned int index) { return xrtDeviceOpen(index); }
xrtDeviceHandle xrtAIEDeviceOpenShared(unsigned int index) { return xrtDeviceOpen(index); }
int xrtAIEStartProfiling(xrtDeviceHandle device, int option, const char* port1, const char* port2, std::uint32_t value) {
  return guard(-1, [&] {
    const xrt::aie::profiling made(from<xrt::device>(device));
    const int handle = made.start(static_cast<xrt::aie::profiling::profiling_option>(option), port1, port2 == nullptr ? "" : port2, value);
    profiles().insert_or_assign(handle, made);
    return handle;
  });
}
std::uint64_t xrtAIEReadProfiling(xrtDeviceHandle device, int handle) {
  return guard(~std::uint64_t{0}, [&] {
    from<xrt::device>(device);
    return profiles()[handle].read();
  });
}
void xrtAIEStopProfiling(xrtDeviceHandle, int handle) { profiles().erase(handle); }
int xrtErrorGetLast(xrtDeviceHandle device, enum xrtErrorClass, xrtErrorCode* code, std::uint64_t* time) {
  return status([&] {  // the emulated device refuses at once: there is no error of before
    from<xrt::device>(device);
    if (code == nullptr || time == nullptr) {
      aieloom::throw_error(EINVAL, "xrtErrorGetLast() without a place for code and time");
    }
    *code = 0;
    *time = 0;
  });
}
int xrtErrorGetString(xrtDeviceHandle, xrtErrorCode, char*, std::size_t, std::size_t*) {
  return status([] { aieloom::not_emulated("xrtErrorGetString()"); });
}
int xrtAIEResetArray(xrtDeviceHandle device) {
  return status([&] { from<xrt::device>(device); });
}
int xrtResetAIEArray(xrtDeviceHandle device) { return xrtAIEResetArray(device); }

}  // extern "C"
