// A design on a device, for programs that load several [XRT native API: xrt::hw_context].
#pragma once

#include <cstdint>

#include "xrt/xrt_device.h"

namespace xrt {

class hw_context {
 public:
  enum class access_mode : std::uint8_t { exclusive = 0, shared = 1 };

  hw_context() = default;
  hw_context(const device& device, const uuid& id, access_mode = access_mode::shared) : device_(device), uuid_(id) {}
  [[nodiscard]] device get_device() const { return device_; }
  [[nodiscard]] uuid get_xclbin_uuid() const { return uuid_; }
  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(device_); }

 private:
  device device_;
  uuid uuid_;
};

}  // namespace xrt
