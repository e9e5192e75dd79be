// AI Engine specific parts of the XRT native API; graphs are in xrt_graph.h.
#ifndef XRT_AIE_H
#define XRT_AIE_H

#include "xrt/xrt_bo.h"
#include "xrt/xrt_graph.h"

#endif  // XRT_AIE_H
