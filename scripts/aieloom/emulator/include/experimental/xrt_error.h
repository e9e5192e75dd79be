// Asynchronous errors of the device [XRT native API: xrt::error]. The emulated device refuses at once instead.
#pragma once

#include <cstdint>
#include <string>

#include "xrt/xrt_device.h"

using xrtErrorCode = std::uint64_t;
using xrtErrorTime = std::uint64_t;

enum xrtErrorClass {
  XRT_ERROR_CLASS_FIRST_ENTRY = 1,
  XRT_ERROR_CLASS_SYSTEM = XRT_ERROR_CLASS_FIRST_ENTRY,
  XRT_ERROR_CLASS_AIE,
  XRT_ERROR_CLASS_HARDWARE,
  XRT_ERROR_CLASS_UNKNOWN,
  XRT_ERROR_CLASS_LAST_ENTRY = XRT_ERROR_CLASS_UNKNOWN,
};

namespace xrt {

class error {
 public:
  error(const device&, xrtErrorClass) {}
  error(xrtErrorCode, xrtErrorTime) { aieloom::not_emulated("xrt::error of a code"); }
  [[nodiscard]] xrtErrorTime get_timestamp() const { return 0; }
  [[nodiscard]] xrtErrorCode get_error_code() const { return 0; }
  [[nodiscard]] std::string to_string() const { return "no error"; }
};

}  // namespace xrt

extern "C" {
int xrtErrorGetLast(xrtDeviceHandle device, enum xrtErrorClass kind, xrtErrorCode* code, std::uint64_t* time);
int xrtErrorGetString(xrtDeviceHandle device, xrtErrorCode code, char* out, std::size_t bytes, std::size_t* written);
}
