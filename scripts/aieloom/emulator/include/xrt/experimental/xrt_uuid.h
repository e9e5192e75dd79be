// An older place of xrt/xrt_uuid.h.
#include "xrt/xrt_uuid.h"
