// The base of the older API: what opens devices beneath the C API.
#pragma once

#include "xclbin.h"
#include "xrt/detail/c_api.h"

enum xclBOSyncDirection {
  XCL_BO_SYNC_BO_TO_DEVICE = 0,
  XCL_BO_SYNC_BO_FROM_DEVICE,
  XCL_BO_SYNC_BO_GMIO_TO_AIE,
  XCL_BO_SYNC_BO_AIE_TO_GMIO,
};

enum xclVerbosityLevel { XCL_QUIET = 0, XCL_INFO = 1, XCL_WARN = 2, XCL_ERROR = 3 };

extern "C" {
unsigned int xclProbe();
xclDeviceHandle xclOpen(unsigned int index, const char* log, enum xclVerbosityLevel level);
void xclClose(xclDeviceHandle device);
int xclLoadXclBin(xclDeviceHandle device, const axlf* image);
}
