// aie::print: vectors, accumulators and masks on the standard output.
#ifndef AIE_API_UTILS_HPP
#define AIE_API_UTILS_HPP

#include "aie_api/aie.hpp"

#endif  // AIE_API_UTILS_HPP
