// Buffers shared by host and device [XRT native and C API: buffers].
//
// Host and device see copies of their own until sync(), so that a program that forgets it fails here too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "aieloom/source_place.h"
#include "xrt/deprecated/xrt.h"
#include "xrt/detail/c_api.h"
#include "xrt/detail/pimpl.h"
#include "xrt/xrt_device.h"

namespace aieloom {
struct DeviceBuffer;
}

namespace xrt {

using memory_group = xrtMemoryGroup;

class hw_context;
class bo_impl;

class bo {
 public:
  enum class flags : std::uint32_t {
    normal = 0,
    cacheable = XRT_BO_FLAGS_CACHEABLE,
    device_only = XRT_BO_FLAGS_DEV_ONLY,
    host_only = XRT_BO_FLAGS_HOST_ONLY,
    p2p = XRT_BO_FLAGS_P2P,
    svm = XRT_BO_FLAGS_SVM,
    carveout = XRT_BO_FLAGS_CARVEOUT,
  };

  /// A transfer that runs beside the host: through a GMIO port; a sync has happened when async() returns.
  class async_handle_impl;
  class async_handle : public detail::pimpl<async_handle_impl> {
   public:
    using detail::pimpl<async_handle_impl>::pimpl;
    async_handle() = delete;
    void wait();
  };

  using export_handle = xclBufferExportHandle;

  bo() = default;
  bo(xrtBufferHandle handle);  // NOLINT(google-explicit-constructor): as XRT's, of the C API's handle

  /// `bytes` of memory in the bank `group`, which is kernel::group_id(argument).
  bo(const device& device, std::size_t bytes, flags flags, memory_group group, aieloom::SourcePlace where = aieloom::SourcePlace::current());
  bo(const device& device, std::size_t bytes, memory_group group, aieloom::SourcePlace where = aieloom::SourcePlace::current())
      : bo(device, bytes, flags::normal, group, where) {}
  bo(const hw_context& context, std::size_t bytes, flags flags, memory_group group, aieloom::SourcePlace where = aieloom::SourcePlace::current());
  bo(const hw_context& context, std::size_t bytes, memory_group group, aieloom::SourcePlace where = aieloom::SourcePlace::current());
  bo(xclDeviceHandle device, std::size_t bytes, flags flags, memory_group group, aieloom::SourcePlace where = aieloom::SourcePlace::current())
      : bo(xrt::device(device), bytes, flags, group, where) {}
  bo(xclDeviceHandle device, std::size_t bytes, xrtBufferFlags raw, memory_group group, aieloom::SourcePlace where = aieloom::SourcePlace::current())
      : bo(xrt::device(device), bytes, static_cast<flags>(raw), group, where) {}
  bo(xclDeviceHandle device, std::size_t bytes, memory_group group, aieloom::SourcePlace where = aieloom::SourcePlace::current())
      : bo(xrt::device(device), bytes, flags::normal, group, where) {}

  /// The host's view is memory that the program has: it begins on a 4 KiB boundary.
  bo(const device& device, void* memory, std::size_t bytes, flags flags, memory_group group, aieloom::SourcePlace where = aieloom::SourcePlace::current());
  bo(const device& device, void* memory, std::size_t bytes, memory_group group, aieloom::SourcePlace where = aieloom::SourcePlace::current())
      : bo(device, memory, bytes, flags::normal, group, where) {}
  bo(const hw_context& context, void* memory, std::size_t bytes, flags flags, memory_group group, aieloom::SourcePlace where = aieloom::SourcePlace::current());
  bo(const hw_context& context, void* memory, std::size_t bytes, memory_group group, aieloom::SourcePlace where = aieloom::SourcePlace::current());
  bo(xclDeviceHandle device, void* memory, std::size_t bytes, flags flags, memory_group group, aieloom::SourcePlace where = aieloom::SourcePlace::current())
      : bo(xrt::device(device), memory, bytes, flags, group, where) {}
  bo(xclDeviceHandle device, void* memory, std::size_t bytes, xrtBufferFlags raw, memory_group group, aieloom::SourcePlace where = aieloom::SourcePlace::current())
      : bo(xrt::device(device), memory, bytes, static_cast<flags>(raw), group, where) {}
  bo(xclDeviceHandle device, void* memory, std::size_t bytes, memory_group group, aieloom::SourcePlace where = aieloom::SourcePlace::current())
      : bo(xrt::device(device), memory, bytes, flags::normal, group, where) {}

  /// A buffer of another process.
  bo(const device&, export_handle) { aieloom::not_emulated("xrt::bo of an exported buffer"); }
  bo(xclDeviceHandle, export_handle) { aieloom::not_emulated("xrt::bo of an exported buffer"); }

  /// A part of another buffer: the same memory.
  bo(const bo& parent, std::size_t bytes, std::size_t offset);

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::uint64_t address() const;
  [[nodiscard]] memory_group get_memory_group() const;
  [[nodiscard]] flags get_flags() const;

  /// The host's view.
  [[nodiscard]] void* map();
  [[nodiscard]] const void* map() const;
  template <typename P_>
  [[nodiscard]] P_ map() {
    return reinterpret_cast<P_>(map());
  }
  template <typename P_>
  [[nodiscard]] P_ map() const {
    static_assert(std::is_pointer_v<P_> && std::is_const_v<std::remove_pointer_t<P_>>, "a constant xrt::bo maps to a pointer to constant data");
    return reinterpret_cast<P_>(map());
  }

  void sync(xclBOSyncDirection direction, std::size_t bytes, std::size_t offset);
  void sync(xclBOSyncDirection direction) { sync(direction, size(), 0); }
  async_handle async(xclBOSyncDirection direction, std::size_t bytes, std::size_t offset) {
    sync(direction, bytes, offset);
    return async_handle(nullptr);
  }
  async_handle async(xclBOSyncDirection direction) { return async(direction, size(), 0); }

  /// Copy from or to the host's view.
  void write(const void* source, std::size_t bytes, std::size_t seek);
  void write(const void* source) { write(source, size(), 0); }
  void read(void* target, std::size_t bytes, std::size_t skip);
  void read(void* target) { read(target, size(), 0); }

  /// Copy between the device's views; 0 bytes mean all.
  void copy(const bo& source, std::size_t bytes, std::size_t source_offset = 0, std::size_t target_offset = 0);
  void copy(const bo& source) { copy(source, source.size()); }

  [[nodiscard]] explicit operator bool() const { return buffer_ != nullptr; }
  [[nodiscard]] bool operator==(const bo& other) const { return buffer_ == other.buffer_; }
  bool operator!=(const bo& other) const = delete;  // XRT has none
  [[nodiscard]] const std::shared_ptr<bo_impl>& get_handle() const { aieloom::not_emulated("xrt::bo::get_handle()"); }
  export_handle export_buffer() { aieloom::not_emulated("xrt::bo::export_buffer()"); }

 private:
  friend struct aieloom::XrtInside;
  std::shared_ptr<aieloom::DeviceBuffer> buffer_;
};

}  // namespace xrt

extern "C" {
xrtBufferHandle xrtBOAlloc(xrtDeviceHandle device, std::size_t bytes, xrtBufferFlags flags, xrtMemoryGroup group, aieloom::SourcePlace where = aieloom::SourcePlace::current());
xrtBufferHandle xrtBOAllocUserPtr(xrtDeviceHandle device, void* memory, std::size_t bytes, xrtBufferFlags flags, xrtMemoryGroup group);
xrtBufferHandle xrtBOImport(xrtDeviceHandle device, xclBufferExportHandle exported);
xclBufferExportHandle xrtBOExport(xrtBufferHandle bo);
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
