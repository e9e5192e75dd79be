// The newer place of experimental/xrt_xclbin.h.
#include "experimental/xrt_xclbin.h"
