// An older place of xrt/xrt_device.h.
#include "xrt/xrt_device.h"
