// An older place of xrt/xrt_bo.h.
#include "xrt/xrt_bo.h"
