// A part of the vendor's adf.h that published sources include by itself: buffers. Here adf.h has all parts.
#ifndef ADF_IO_BUFFER_IO_BUFFER_H
#define ADF_IO_BUFFER_IO_BUFFER_H

#include "adf.h"

#endif  // ADF_IO_BUFFER_IO_BUFFER_H
