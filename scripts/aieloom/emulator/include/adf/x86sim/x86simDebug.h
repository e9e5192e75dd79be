// A part of the vendor's adf.h that published sources include by itself: what functional simulation adds. Here adf.h has all parts.
#pragma once

#include <string>

#include "adf.h"

namespace aieloom {
const std::string& running_name();
}  // namespace aieloom

/// Name of the kernel that runs, for messages.
#define X86SIM_KERNEL_NAME (::aieloom::running_name().c_str())
