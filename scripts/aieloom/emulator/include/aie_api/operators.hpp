// aie::operators: + - * and comparisons on vectors.
#ifndef AIE_API_OPERATORS_HPP
#define AIE_API_OPERATORS_HPP

#include "aie_api/aie.hpp"

#endif  // AIE_API_OPERATORS_HPP
