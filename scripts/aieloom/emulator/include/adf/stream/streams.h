// A part of the vendor's adf.h that published sources include by itself: streams. Here adf.h has all parts.
#ifndef ADF_STREAM_STREAMS_H
#define ADF_STREAM_STREAMS_H

#include "adf.h"

#endif  // ADF_STREAM_STREAMS_H
