// A part of the vendor's adf.h that published sources include by itself: what wraps kernels. Here adf.h has all parts.
#ifndef ADF_WRAPPER_WRAPPER_H
#define ADF_WRAPPER_WRAPPER_H

#include "adf.h"

#endif  // ADF_WRAPPER_WRAPPER_H
