// What the emulator sees of XRT's objects, and hosts do not.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "xrt/xrt_bo.h"
#include "xrt/xrt_device.h"
#include "xrt/xrt_kernel.h"

namespace aieloom {

struct XrtInside {
  static const std::vector<ComputeUnit*>& units(const xrt::kernel& kernel) { return kernel.units_; }
  static const std::shared_ptr<DeviceBuffer>& buffer(const xrt::bo& buffer) { return buffer.buffer_; }
  static const std::string& image(const xrt::xclbin& design) { return *design.image_; }
};

/// Wait for the transfers of a GMIO port, "<graph>.<gmio>".
void wait_gmio_named(const std::string& port);

}  // namespace aieloom
