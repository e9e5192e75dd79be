// A part of the vendor's adf.h that published sources include by itself: windows. Here adf.h has all parts.
#ifndef ADF_WINDOW_ME_WINDOW_UTILS_H
#define ADF_WINDOW_ME_WINDOW_UTILS_H

#include "adf.h"

#endif  // ADF_WINDOW_ME_WINDOW_UTILS_H
