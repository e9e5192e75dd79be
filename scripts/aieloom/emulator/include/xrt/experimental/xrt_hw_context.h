// An older place of xrt/xrt_hw_context.h.
#include "xrt/xrt_hw_context.h"
