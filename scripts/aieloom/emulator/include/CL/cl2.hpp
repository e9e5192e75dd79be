// Hosts of AMD's examples include OpenCL's C++ bindings beside XRT's API: that much is here, so that they compile.
// Kernels are started by XRT alone: what the bindings define is not emulated.
#pragma once

namespace cl {}
