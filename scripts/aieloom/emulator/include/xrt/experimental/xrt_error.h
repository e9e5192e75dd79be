// The newer place of experimental/xrt_error.h.
#include "experimental/xrt_error.h"
