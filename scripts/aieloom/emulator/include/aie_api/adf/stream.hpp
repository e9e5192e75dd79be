// A part of the AIE API that published kernels include by itself. Here aie.hpp has all parts and adf.h the streams.
#ifndef AIE_API_ADF_STREAM_HPP
#define AIE_API_ADF_STREAM_HPP

#include "aie_api/aie_adf.hpp"

#endif  // AIE_API_ADF_STREAM_HPP
