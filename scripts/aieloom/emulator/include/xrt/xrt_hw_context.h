// A design on a device, for programs that load several [XRT native API: xrt::hw_context].
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "xrt/xrt_device.h"

namespace xrt {

class hw_context {
 public:
  enum class access_mode : std::uint8_t { exclusive = 0, shared = 1 };
  using cfg_param_type = std::map<std::string, std::uint32_t>;

  hw_context() = default;
  hw_context(const device& device, const uuid& id, access_mode mode) : device_(device), uuid_(id), mode_(mode) {}
  hw_context(const device& device, const uuid& id) : hw_context(device, id, access_mode::shared) {}
  hw_context(const device&, const uuid&, const cfg_param_type&) { aieloom::not_emulated("xrt::hw_context of configuration parameters"); }
  [[nodiscard]] device get_device() const { return device_; }
  [[nodiscard]] uuid get_xclbin_uuid() const { return uuid_; }
  [[nodiscard]] xclbin get_xclbin() const;
  [[nodiscard]] access_mode get_mode() const { return mode_; }
  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(device_); }

 private:
  device device_;
  uuid uuid_;
  access_mode mode_ = access_mode::shared;
};

}  // namespace xrt
