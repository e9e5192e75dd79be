// Controlling an AI Engine graph from the host [XRT native and C API: graphs].
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "xrt/detail/c_api.h"
#include "xrt/xrt_device.h"
#include "xrt/xrt_hw_context.h"
#include "xrt/xrt_uuid.h"

namespace xrt {

class graph {
 public:
  enum class access_mode : std::uint8_t { exclusive = 0, primary = 1, shared = 2 };

  /// `name` is the graph object's name in the graph's source. Throws when there is none.
  graph(const device& device, const uuid& uuid, const std::string& name, access_mode mode = access_mode::primary);
  graph(const hw_context& context, const std::string& name, access_mode mode = access_mode::primary)
      : graph(context.get_device(), context.get_xclbin_uuid(), name, mode) {}

  void reset() const;

  /// Cycles since the start; here nothing has cycles, but it grows.
  [[nodiscard]] std::uint64_t get_timestamp() const;

  /// Start `iterations`; 0 runs for ever.
  void run(std::uint32_t iterations = 0);

  /// Wait for the iterations, or until the time is up or nothing can go on: then std::system_error with ETIME.
  void wait(const std::chrono::milliseconds& limit);
  void wait(std::uint64_t cycles = 0);
  void suspend();
  void resume();
  void end(std::uint64_t cycles = 0);

  /// Run-time parameters, by the path of members: "g.k.in[1]". What is sent is the argument's own bytes: an array
  /// or a number, not a pointer.
  template <typename T_>
  void update(const std::string& port, const T_& value) {
    static_assert(!std::is_pointer_v<T_>, "xrt::graph::update sends the pointer itself: give an array, std::array or update(port, pointer, bytes)");
    update(port, static_cast<const void*>(&value), sizeof value);
  }
  template <typename T_>
  void read(const std::string& port, T_& value) {
    static_assert(!std::is_pointer_v<T_>, "xrt::graph::read writes over the pointer itself: give an array, std::array or read(port, pointer, bytes)");
    read(port, static_cast<void*>(&value), sizeof value);
  }
  void update(const std::string& port, const void* values, std::size_t bytes);
  void read(const std::string& port, void* values, std::size_t bytes);

 private:
  void require(const char* action) const;

  const void* graph_ = nullptr;
  access_mode mode_ = access_mode::primary;
};

}  // namespace xrt

extern "C" {
xrtGraphHandle xrtGraphOpen(xrtDeviceHandle device, const xuid_t uuid, const char* name);
xrtGraphHandle xrtGraphOpenExclusive(xrtDeviceHandle device, const xuid_t uuid, const char* name);
xrtGraphHandle xrtGraphOpenShared(xrtDeviceHandle device, const xuid_t uuid, const char* name);
void xrtGraphClose(xrtGraphHandle graph);
int xrtGraphReset(xrtGraphHandle graph);
std::uint64_t xrtGraphTimeStamp(xrtGraphHandle graph);
int xrtGraphRun(xrtGraphHandle graph, int iterations);
int xrtGraphWaitDone(xrtGraphHandle graph, int limit_ms);
int xrtGraphWait(xrtGraphHandle graph, std::uint64_t cycles);
int xrtGraphSuspend(xrtGraphHandle graph);
int xrtGraphResume(xrtGraphHandle graph);
int xrtGraphEnd(xrtGraphHandle graph, std::uint64_t cycles);
int xrtGraphUpdateRTP(xrtGraphHandle graph, const char* port, const char* buffer, std::size_t bytes);
int xrtGraphReadRTP(xrtGraphHandle graph, const char* port, char* buffer, std::size_t bytes);
}
