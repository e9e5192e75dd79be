// A part of the vendor's adf.h that published sources include by itself: what functional simulation adds. Here adf.h has all parts.
#ifndef ADF_X86SIM_X86SIMDEBUG_H
#define ADF_X86SIM_X86SIMDEBUG_H

#include <string>

#include "adf.h"

namespace aieloom {
const std::string& running_name();
}  // namespace aieloom

/// Name of the kernel that runs, for messages.
#define X86SIM_KERNEL_NAME (::aieloom::running_name().c_str())

#endif  // ADF_X86SIM_X86SIMDEBUG_H
