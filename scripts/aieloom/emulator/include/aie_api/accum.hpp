// A part of the AIE API that published kernels include by itself. Here aie.hpp has all parts.
#ifndef AIE_API_ACCUM_HPP
#define AIE_API_ACCUM_HPP

#include "aie_api/aie.hpp"

#endif  // AIE_API_ACCUM_HPP
