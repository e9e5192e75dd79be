// The base of the API: states and directions are with what uses them.
#include "xrt/xrt_bo.h"
#include "xrt/xrt_kernel.h"
