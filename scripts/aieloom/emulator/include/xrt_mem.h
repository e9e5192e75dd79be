// Flags of buffer objects: with the C API.
#include "xrt/detail/c_api.h"
