// Around the array: compute units, the linker, XRT. One translation unit, because they share most of what they include.
#include "pl/config.cpp"
#include "pl/link.cpp"
#include "pl/stream.cpp"
#include "pl/unit.cpp"
#include "xrt/c_api.cpp"
#include "xrt/device.cpp"
#include "xrt/graph.cpp"
#include "xrt/kernel.cpp"
