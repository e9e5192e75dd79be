// The AIE API, for the emulator: vectors, accumulators and what kernels do with them [AMD AIE API User Guide UG1529].
//
// Written from the public reference alone. Compile with -D__AIE_ARCH__=10 (AIE) or 20 (AIE-ML).
#ifndef AIE_API_AIE_HPP
#define AIE_API_AIE_HPP

#include "aie_api/detail/accum.h"
#include "aie_api/detail/memory.h"
#include "aie_api/detail/mmul.h"

#endif  // AIE_API_AIE_HPP
