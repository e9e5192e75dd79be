// An older place of xrt/xrt_kernel.h.
#include "xrt/xrt_kernel.h"
