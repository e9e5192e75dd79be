// The newer place of experimental/xrt_ini.h.
#include "experimental/xrt_ini.h"
