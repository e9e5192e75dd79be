// Buffers shared by host and device [XRT native API: xrt::bo].
//
// Host and device see copies of their own until sync(), so that a program that forgets it fails here too.
#ifndef XRT_BO_H
#define XRT_BO_H

#include <cstddef>
#include <cstdint>
#include <memory>

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

using memory_group = std::uint32_t;

class bo {
 public:
  enum class flags : std::uint32_t { normal = 0, cacheable = 1U << 24, device_only = 1U << 28, host_only = 1U << 29, p2p = 1U << 30 };

  bo() = default;

  /// `bytes` of memory in the bank `group`, which is kernel::group_id(argument).
  bo(const device& device, std::size_t bytes, memory_group group);
  bo(const device& device, std::size_t bytes, flags flags, memory_group group);

  [[nodiscard]] std::size_t size() const;

  /// The host's view.
  [[nodiscard]] void* map() const;
  template <typename P>
  [[nodiscard]] P map() const {
    return static_cast<P>(map());
  }

  void sync(xclBOSyncDirection direction, std::size_t bytes, std::size_t offset);
  void sync(xclBOSyncDirection direction) { sync(direction, size(), 0); }

  /// Copy from or to the host's view.
  void write(const void* source, std::size_t bytes, std::size_t seek);
  void write(const void* source) { write(source, size(), 0); }
  void read(void* target, std::size_t bytes, std::size_t skip);
  void read(void* target) { read(target, size(), 0); }

  [[nodiscard]] explicit operator bool() const { return buffer_ != nullptr; }
  [[nodiscard]] const std::shared_ptr<aieloom::DeviceBuffer>& handle() const { return buffer_; }

 private:
  std::shared_ptr<aieloom::DeviceBuffer> buffer_;
};

}  // namespace xrt

#endif  // XRT_BO_H
