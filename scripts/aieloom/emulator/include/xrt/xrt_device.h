// The device [XRT native and C API: device]. The emulated one has index 0 and is called "edge", as on a board.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "xclbin.h"
#include "xrt/detail/c_api.h"
#include "xrt/experimental/xrt_xclbin.h"
#include "xrt/xrt_uuid.h"

namespace xrt_core {
class device;
}

namespace xrt {

namespace info {

/// What a device can be asked; the emulated one knows its name and address, and that it is there.
enum class device : unsigned {
  bdf,
  interface_uuid,
  kdma,
  max_clock_frequency_mhz,
  m2m,
  name,
  nodma,
  offline,
  electrical,
  thermal,
  mechanical,
  memory,
  platform,
  pcie_info,
  host,
  aie,
  aie_shim,
  dynamic_regions,
  vmr,
  aie_mem,
};

/// The type of an answer: texts, but for these.
template <typename T_, T_ Parameter>
struct param_traits {
  using return_type = std::string;
};
template <>
struct param_traits<device, device::interface_uuid> {
  using return_type = uuid;
};
template <>
struct param_traits<device, device::kdma> {
  using return_type = std::uint32_t;
};
template <>
struct param_traits<device, device::max_clock_frequency_mhz> {
  using return_type = unsigned long;
};
template <>
struct param_traits<device, device::m2m> {
  using return_type = bool;
};
template <>
struct param_traits<device, device::nodma> {
  using return_type = bool;
};
template <>
struct param_traits<device, device::offline> {
  using return_type = bool;
};

}  // namespace info

class device {
 public:
  device() = default;

  /// Open a device; throws when there is none of this index.
  explicit device(unsigned int index);
  explicit device(int index) : device(static_cast<unsigned int>(index)) {}
  explicit device(const std::string& name);
  explicit device(xclDeviceHandle handle);
  explicit device(std::shared_ptr<xrt_core::device>) { aieloom::not_emulated("xrt::device of xrt_core::device"); }

  /// Load a design; throws when the file is not one that the emulator made for this program.
  uuid load_xclbin(const std::string& file);
  uuid load_xclbin(const axlf* image) { return load_xclbin(xclbin(image)); }
  uuid load_xclbin(const xclbin& design);

  /// For contexts: the design is loaded by the first hw_context.
  uuid register_xclbin(const xclbin& design) { return load_xclbin(design); }

  [[nodiscard]] uuid get_xclbin_uuid() const;
  template <typename Section>
  [[nodiscard]] Section get_xclbin_section(axlf_section_kind, const uuid&) const {
    aieloom::not_emulated("xrt::device::get_xclbin_section()");
  }
  template <info::device Parameter>
  [[nodiscard]] typename info::param_traits<info::device, Parameter>::return_type get_info() const {
    if constexpr (Parameter == info::device::name) {
      return "edge";
    } else if constexpr (Parameter == info::device::bdf) {
      return "0000:00:00.0";
    } else if constexpr (Parameter == info::device::offline) {
      return false;
    } else {
      aieloom::not_emulated("xrt::device::get_info() of anything but name, bdf and offline");
    }
  }
  [[nodiscard]] std::shared_ptr<xrt_core::device> get_handle() const { aieloom::not_emulated("xrt::device::get_handle()"); }
  void reset() {}
  [[nodiscard]] explicit operator bool() const { return open_; }
  [[nodiscard]] bool operator==(const device& other) const { return open_ == other.open_; }
  [[nodiscard]] bool operator!=(const device& other) const { return !(*this == other); }

  /// The handle below, for xrtDeviceOpenFromXcl().
  operator xclDeviceHandle() const;  // NOLINT(google-explicit-constructor): hosts pass the device itself

 private:
  bool open_ = false;
};

}  // namespace xrt

/// C API: null, respectively a number other than 0, when it fails; the reason goes to stderr and errno.
extern "C" {
xrtDeviceHandle xrtDeviceOpen(unsigned int index);
xrtDeviceHandle xrtDeviceOpenByBDF(const char* name);
xrtDeviceHandle xrtDeviceOpenFromXcl(xclDeviceHandle device);
xclDeviceHandle xrtDeviceToXclDevice(xrtDeviceHandle device);
int xrtDeviceClose(xrtDeviceHandle device);
int xrtDeviceLoadXclbin(xrtDeviceHandle device, const axlf* image);
int xrtDeviceLoadXclbinFile(xrtDeviceHandle device, const char* file);
int xrtDeviceLoadXclbinHandle(xrtDeviceHandle device, xrtXclbinHandle design);
int xrtDeviceLoadXclbinUUID(xrtDeviceHandle device, const xuid_t uuid);
int xrtDeviceGetXclbinUUID(xrtDeviceHandle device, xuid_t out);
}
