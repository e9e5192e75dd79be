// The device [XRT native and C API: device]. The emulated one has index 0 and is called "edge", as on a board.
#pragma once

#include <string>
#include <vector>

#include "xclbin.h"
#include "xrt/detail/c_api.h"
#include "xrt/xrt_uuid.h"

namespace xrt {

/// A file that holds a design; not yet loaded.
class xclbin {
 public:
  xclbin() = default;

  /// Throws when the file is not one that the emulator made.
  explicit xclbin(const std::string& file);

  /// The same of a file that the program has read itself.
  explicit xclbin(const axlf* image);
  explicit xclbin(const std::vector<char>& image) : xclbin(reinterpret_cast<const axlf*>(image.data())) {}
  [[nodiscard]] uuid get_uuid() const { return uuid_; }
  [[nodiscard]] const std::string& image() const { return image_; }
  [[nodiscard]] std::string get_xsa_name() const { return "aieloom_emulator"; }
  [[nodiscard]] explicit operator bool() const { return !image_.empty(); }

 private:
  std::string image_;
  uuid uuid_;
};

namespace info {
/// What a device can be asked; the emulated one knows these.
enum class device : unsigned { bdf, name };
}  // namespace info

class device {
 public:
  device() = default;

  /// Open a device; throws when there is none of this index.
  explicit device(unsigned int index);
  explicit device(const std::string& name);

  /// Load a design; throws when the file is not one that the emulator made for this program.
  uuid load_xclbin(const std::string& file);
  uuid load_xclbin(const axlf* image) { return load_xclbin(xclbin(image)); }
  uuid load_xclbin(const xclbin& design);

  /// For contexts: the design is loaded by the first hw_context.
  uuid register_xclbin(const xclbin& design) { return load_xclbin(design); }

  [[nodiscard]] uuid get_xclbin_uuid() const;
  template <info::device Parameter>
  [[nodiscard]] std::string get_info() const {
    return Parameter == info::device::name ? "edge" : "0000:00:00.0";
  }
  void reset() {}
  [[nodiscard]] explicit operator bool() const { return open_; }
  [[nodiscard]] bool operator==(const device&) const = default;

  /// The handle below, for xrtDeviceOpenFromXcl().
  operator xclDeviceHandle() const;  // NOLINT(google-explicit-constructor): hosts pass the device itself

 private:
  bool open_ = false;
};

}  // namespace xrt

/// C API: null, respectively a number other than 0, when it fails; the reason goes to stderr and errno.
extern "C" {
xrtDeviceHandle xrtDeviceOpen(unsigned int index);
xrtDeviceHandle xrtDeviceOpenFromXcl(xclDeviceHandle device);
int xrtDeviceClose(xrtDeviceHandle device);
int xrtDeviceLoadXclbin(xrtDeviceHandle device, const axlf* image);
int xrtDeviceLoadXclbinFile(xrtDeviceHandle device, const char* file);
int xrtDeviceLoadXclbinUUID(xrtDeviceHandle device, const xuid_t uuid);
int xrtDeviceGetXclbinUUID(xrtDeviceHandle device, xuid_t out);
}
