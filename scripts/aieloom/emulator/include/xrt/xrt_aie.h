// AI Engine specific parts of XRT: transfers between buffers and the array's GMIO ports [XRT native API: xrt::aie].
#pragma once

#include <cstddef>
#include <string>

#include "xrt/xrt_bo.h"
#include "xrt/xrt_graph.h"

namespace xrt::aie {

/// A device of which the array is reset and watched; the emulated one needs neither.
class device : public xrt::device {
 public:
  using xrt::device::device;
  void reset_array() {}
};

/// A buffer that GMIO ports can move: "<graph>.<gmio>" is the port's path of members.
class bo : public xrt::bo {
 public:
  using xrt::bo::bo;
  using xrt::bo::async;
  using xrt::bo::sync;

  /// A transfer that goes on beside the host.
  class async_handle {
   public:
    explicit async_handle(std::string port) : port_(std::move(port)) {}
    void wait();

   private:
    std::string port_;
  };

  void sync(const std::string& port, xclBOSyncDirection direction, std::size_t bytes, std::size_t offset);
  void sync(const std::string& port, xclBOSyncDirection direction) { sync(port, direction, size(), 0); }
  async_handle async(const std::string& port, xclBOSyncDirection direction, std::size_t bytes, std::size_t offset);
  async_handle async(const std::string& port, xclBOSyncDirection direction) { return async(port, direction, size(), 0); }
};

/// An external buffer of the graph, `<graph>.<member>`: transfers between a bo and its pattern [XRT native API].
class buffer {
 public:
  buffer(const xrt::device& device, const xrt::uuid& uuid, const std::string& name);

  void async(bo& memory, xclBOSyncDirection direction, std::size_t bytes, std::size_t offset);
  void sync(bo& memory, xclBOSyncDirection direction, std::size_t bytes, std::size_t offset) {
    async(memory, direction, bytes, offset);
    wait();
  }
  void wait();

 private:
  std::string name_;
  int started_ = -1;  // number of the external buffer in the design
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
  explicit profiling(const xrt::device& /*device*/) {}

  /// Count at the ports `<graph>.<member>`; `value`: bytes, where the option counts up to them.
  int start(profiling_option option, const std::string& port1, const std::string& port2, std::uint32_t value);
  [[nodiscard]] std::uint64_t read() const;
  void stop() { handle_ = -1; }

 private:
  int handle_ = -1;
};

}  // namespace xrt::aie

extern "C" {
int xrtSyncBOAIE(xrtDeviceHandle device, xrtBufferHandle bo, const char* port, enum xclBOSyncDirection direction, std::size_t bytes, std::size_t offset);
int xrtSyncBOAIENB(xrtDeviceHandle device, xrtBufferHandle bo, const char* port, enum xclBOSyncDirection direction, std::size_t bytes, std::size_t offset);
int xrtGMIOWait(xrtDeviceHandle device, const char* port);
int xrtResetAIEArray(xrtDeviceHandle device);
}
