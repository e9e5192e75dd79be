// The base of the older API: of it there are the names that the C API has taken over.
#include "xrt/xrt.h"
