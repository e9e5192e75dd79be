// An older place of xrt/xrt_graph.h.
#include "xrt/xrt_graph.h"
