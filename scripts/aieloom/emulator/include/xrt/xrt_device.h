// The device [XRT native API: xrt::device]. The emulated one has index 0.
#ifndef XRT_DEVICE_H
#define XRT_DEVICE_H

#include <string>

#include "xrt/xrt_uuid.h"

namespace xrt {

class device {
 public:
  device() = default;

  /// Open a device; throws when there is none of this index.
  explicit device(unsigned int index);

  /// Load a design; throws when the file is not one that the emulator made for this program.
  uuid load_xclbin(const std::string& file);

  [[nodiscard]] uuid get_xclbin_uuid() const;
  [[nodiscard]] explicit operator bool() const { return open_; }

 private:
  bool open_ = false;
};

}  // namespace xrt

#endif  // XRT_DEVICE_H
