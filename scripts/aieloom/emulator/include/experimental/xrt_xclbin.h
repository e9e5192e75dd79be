// The older place of xrt/experimental/xrt_xclbin.h.
#include "xrt/experimental/xrt_xclbin.h"
