// Buffers shared by host and device [XRT native and C API: buffers].
//
// Host and device see copies of their own until sync(), so that a program that forgets it fails here too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "aieloom/source_place.h"
#include "xrt/detail/c_api.h"
#include "xrt/xrt_device.h"

enum xclBOSyncDirection {
  XCL_BO_SYNC_BO_TO_DEVICE = 0,
  XCL_BO_SYNC_BO_FROM_DEVICE,
  XCL_BO_SYNC_BO_GMIO_TO_AIE,
  XCL_BO_SYNC_BO_AIE_TO_GMIO,
};

namespace aieloom {
struct DeviceBuffer;
}

namespace xrt {

using memory_group = xrtMemoryGroup;

class hw_context;

class bo {
 public:
  enum class flags : std::uint32_t {
    normal = 0,
    cacheable = 1U << 24,
    svm = 1U << 27,
    device_only = 1U << 28,
    host_only = 1U << 29,
    p2p = 1U << 30,
  };
  static constexpr flags normal = flags::normal;

  /// A sync that runs beside the host.
  class async_handle {
   public:
    void wait() {}  // here it has happened when async() returns
  };

  bo() = default;

  /// `bytes` of memory in the bank `group`, which is kernel::group_id(argument).
  bo(const device& device, std::size_t bytes, memory_group group, aieloom::SourcePlace where = aieloom::SourcePlace::current())
      : bo(device, bytes, flags::normal, group, where) {}
  bo(const device& device, std::size_t bytes, flags flags, memory_group group, aieloom::SourcePlace where = aieloom::SourcePlace::current());
  bo(const device& device, std::size_t bytes, xrtBufferFlags raw, memory_group group, aieloom::SourcePlace where = aieloom::SourcePlace::current())
      : bo(device, bytes, static_cast<flags>(raw), group, where) {}
  bo(const hw_context& context, std::size_t bytes, memory_group group, aieloom::SourcePlace where = aieloom::SourcePlace::current());
  bo(const hw_context& context, std::size_t bytes, flags flags, memory_group group, aieloom::SourcePlace where = aieloom::SourcePlace::current());

  /// The host's view is memory that the program has: it begins on a 4 KiB boundary.
  bo(const device& device, void* memory, std::size_t bytes, memory_group group, aieloom::SourcePlace where = aieloom::SourcePlace::current())
      : bo(device, memory, bytes, flags::normal, group, where) {}
  bo(const device& device, void* memory, std::size_t bytes, flags flags, memory_group group, aieloom::SourcePlace where = aieloom::SourcePlace::current());

  /// A part of another buffer: the same memory.
  bo(const bo& parent, std::size_t bytes, std::size_t offset);

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::uint64_t address() const;
  [[nodiscard]] memory_group get_memory_group() const;
  [[nodiscard]] flags get_flags() const;

  /// The host's view.
  [[nodiscard]] void* map() const;
  template <typename P_>
  [[nodiscard]] P_ map() const {
    return static_cast<P_>(map());
  }

  void sync(xclBOSyncDirection direction, std::size_t bytes, std::size_t offset);
  void sync(xclBOSyncDirection direction) { sync(direction, size(), 0); }
  async_handle async(xclBOSyncDirection direction, std::size_t bytes, std::size_t offset) {
    sync(direction, bytes, offset);
    return {};
  }
  async_handle async(xclBOSyncDirection direction) { return async(direction, size(), 0); }

  /// Copy from or to the host's view.
  void write(const void* source, std::size_t bytes, std::size_t seek);
  void write(const void* source) { write(source, size(), 0); }
  void read(void* target, std::size_t bytes, std::size_t skip);
  void read(void* target) { read(target, size(), 0); }

  /// Copy between the device's views; 0 bytes mean all.
  void copy(const bo& source, std::size_t bytes = 0, std::size_t source_offset = 0, std::size_t target_offset = 0);

  [[nodiscard]] explicit operator bool() const { return buffer_ != nullptr; }
  [[nodiscard]] bool operator==(const bo&) const = default;
  [[nodiscard]] const std::shared_ptr<aieloom::DeviceBuffer>& handle() const { return buffer_; }

 protected:
  std::shared_ptr<aieloom::DeviceBuffer> buffer_;
};

}  // namespace xrt

extern "C" {
xrtBufferHandle xrtBOAlloc(xrtDeviceHandle device, std::size_t bytes, xrtBufferFlags flags, xrtMemoryGroup group, aieloom::SourcePlace where = aieloom::SourcePlace::current());
xrtBufferHandle xrtBOAllocUserPtr(xrtDeviceHandle device, void* memory, std::size_t bytes, xrtBufferFlags flags, xrtMemoryGroup group);
xrtBufferHandle xrtBOSubAlloc(xrtBufferHandle parent, std::size_t bytes, std::size_t offset);
int xrtBOFree(xrtBufferHandle bo);
std::size_t xrtBOSize(xrtBufferHandle bo);
std::uint64_t xrtBOAddress(xrtBufferHandle bo);
int xrtBOSync(xrtBufferHandle bo, enum xclBOSyncDirection direction, std::size_t bytes, std::size_t offset);
void* xrtBOMap(xrtBufferHandle bo);
int xrtBOWrite(xrtBufferHandle bo, const void* source, std::size_t bytes, std::size_t seek);
int xrtBORead(xrtBufferHandle bo, void* target, std::size_t bytes, std::size_t skip);
int xrtBOCopy(xrtBufferHandle target, xrtBufferHandle source, std::size_t bytes, std::size_t target_offset, std::size_t source_offset);
}
