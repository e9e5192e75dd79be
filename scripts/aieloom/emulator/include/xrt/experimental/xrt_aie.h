// An older place of xrt/xrt_aie.h.
#include "xrt/xrt_aie.h"
