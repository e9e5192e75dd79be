// The base of the API, in its newer place.
#include "xrt/xrt_bo.h"
#include "xrt/xrt_kernel.h"
