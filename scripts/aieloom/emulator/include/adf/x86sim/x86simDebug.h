// A part of the vendor's adf.h that published sources include by itself: what functional simulation adds. Here adf.h has all parts.
#pragma once

#include <string>

#include "adf.h"

namespace aieloom {
const std::string& running_name();
}  // namespace aieloom

/// Name of the kernel that runs, for messages.
#define X86SIM_KERNEL_NAME (::aieloom::running_name().c_str())

/// The vendor's functional simulator ends the kernel's thread here (wts_init.cpp of AMD's tutorial AIE-ML 08, MNIST ConvNet). On the
/// array it is nothing and the kernel is called again, so that such a kernel has a state and does nothing then; as here.
#define X86SIM_TERMINATE_CURRENT_THREAD static_cast<void>(0)
