// The AIE API together with streams and buffers of ADF kernels; aie.hpp itself since 2023.1.
#ifndef AIE_API_AIE_ADF_HPP
#define AIE_API_AIE_ADF_HPP

#include <adf.h>

#include "aie_api/aie.hpp"

#endif  // AIE_API_AIE_ADF_HPP
