// A part of the vendor's adf.h that published sources include by itself: properties of the array. Here adf.h has all parts.
#ifndef ADF_ARCH_AIE_ARCH_PROPERTIES_HPP
#define ADF_ARCH_AIE_ARCH_PROPERTIES_HPP

#include "adf.h"

#endif  // ADF_ARCH_AIE_ARCH_PROPERTIES_HPP
