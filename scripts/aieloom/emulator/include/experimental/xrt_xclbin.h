// Files that hold designs: xrt::xclbin is in xrt_device.h.
#include "xrt/xrt_device.h"
