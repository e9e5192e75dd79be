// AI Engine specific parts of XRT: transfers between buffers and the array's GMIO ports [XRT native API: xrt::aie].
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "xrt/xrt_bo.h"
#include "xrt/xrt_graph.h"
#include "xrt/xrt_hw_context.h"

namespace xrt::aie {

enum class access_mode : std::uint8_t { exclusive = 0, primary = 1, shared = 2, none = 3 };

/// A device of which the array is reset and watched; the emulated one needs neither.
class device : public xrt::device {
 public:
  using access_mode = xrt::aie::access_mode;
  enum class buffer_state { idle, running, completed };

  template <typename A_>
  device(A_&& argument, access_mode = access_mode::primary) : xrt::device(std::forward<A_>(argument)) {}  // NOLINT: implicit, as XRT's
  void reset_array() {}
};

/// A buffer that GMIO ports can move: "<graph>.<gmio>" is the port's path of members.
class bo : public xrt::bo {
 public:
  template <typename... A_>
  bo(A_&&... arguments) : xrt::bo(std::forward<A_>(arguments)...) {}  // NOLINT: implicit, as XRT's

  void sync(const std::string& port, xclBOSyncDirection direction, std::size_t bytes, std::size_t offset);
  void sync(const std::string& port, xclBOSyncDirection direction) { sync(port, direction, size(), 0); }
  async_handle async(const std::string& port, xclBOSyncDirection direction, std::size_t bytes, std::size_t offset);
};

class hw_context : public xrt::hw_context {
 public:
  template <typename... A_>
  hw_context(A_&&... arguments) : xrt::hw_context(std::forward<A_>(arguments)...) {}  // NOLINT: implicit, as XRT's
  void reset_array() {}
};

/// An external buffer of the graph, `<graph>.<member>`: transfers between a bo and its pattern [XRT native API].
class buffer {
 public:
  buffer() = default;
  buffer(const xrt::device& device, const xrt::uuid& uuid, const std::string& name);
  buffer(const xrt::hw_context& context, const std::string& name) : buffer(context.get_device(), context.get_xclbin_uuid(), name) {}

  void async(xrt::bo memory, xclBOSyncDirection direction, std::size_t bytes, std::size_t offset) const;
  void sync(xrt::bo memory, xclBOSyncDirection direction, std::size_t bytes, std::size_t offset) const {
    async(std::move(memory), direction, bytes, offset);
    wait();
  }
  void async(const xrt::bo&, const xrt::bo&, xclBOSyncDirection, std::size_t, std::size_t) const { aieloom::not_emulated("xrt::aie::buffer::async() of two buffers"); }
  void sync(const xrt::bo&, const xrt::bo&, xclBOSyncDirection, std::size_t, std::size_t) const { aieloom::not_emulated("xrt::aie::buffer::sync() of two buffers"); }
  [[nodiscard]] device::buffer_state async_status() const { aieloom::not_emulated("xrt::aie::buffer::async_status()"); }
  void wait() const;

 private:
  std::string name_;
  std::shared_ptr<int> started_ = std::make_shared<int>(-1);  // number of the external buffer in the design
};

/// Counters of an interface tile [UG1076 XRT Support for Event APIs]. There is no time here: cycles read as 0.
class profiling {
 public:
  enum class profiling_option : int {
    io_total_stream_running_to_idle_cycles = 0,
    io_stream_start_to_bytes_transferred_cycles = 1,
    io_stream_start_difference_cycles = 2,
    io_stream_running_event_count = 3
  };
  profiling() = default;
  explicit profiling(const xrt::device& /*device*/) {}
  explicit profiling(const xrt::hw_context& /*context*/) {}

  /// Count at the ports `<graph>.<member>`; `value`: bytes, where the option counts up to them.
  int start(profiling_option option, const std::string& port1, const std::string& port2, std::uint32_t value) const;
  [[nodiscard]] std::uint64_t read() const;
  void stop() const { *handle_ = -1; }

 private:
  std::shared_ptr<int> handle_ = std::make_shared<int>(-1);
};

}  // namespace xrt::aie

extern "C" {
xrtDeviceHandle xrtAIEDeviceOpen(unsigned int index);
xrtDeviceHandle xrtAIEDeviceOpenExclusive(unsigned int index);
xrtDeviceHandle xrtAIEDeviceOpenShared(unsigned int index);
int xrtAIESyncBO(xrtDeviceHandle device, xrtBufferHandle bo, const char* port, enum xclBOSyncDirection direction, std::size_t bytes, std::size_t offset);
int xrtSyncBOAIE(xrtDeviceHandle device, xrtBufferHandle bo, const char* port, enum xclBOSyncDirection direction, std::size_t bytes, std::size_t offset);
[[deprecated("XRT 2.13 and later have no xrtSyncBOAIENB: use xrt::aie::bo::async")]]
int xrtSyncBOAIENB(xrtDeviceHandle device, xrtBufferHandle bo, const char* port, enum xclBOSyncDirection direction, std::size_t bytes, std::size_t offset);
[[deprecated("XRT 2.13 and later have no xrtGMIOWait: use xrt::aie::bo::async and wait() of what it returns")]]
int xrtGMIOWait(xrtDeviceHandle device, const char* port);
int xrtResetAIEArray(xrtDeviceHandle device);
int xrtAIEResetArray(xrtDeviceHandle device);
int xrtAIEStartProfiling(xrtDeviceHandle device, int option, const char* port1, const char* port2, std::uint32_t value);
std::uint64_t xrtAIEReadProfiling(xrtDeviceHandle device, int handle);
void xrtAIEStopProfiling(xrtDeviceHandle device, int handle);
}
