// The AIE API, for the emulator: vectors, accumulators and what kernels do with them [AMD AIE API User Guide UG1529].
//
// Written from the public reference alone. Compile with -D__AIE_ARCH__=10 (AIE) or 20 (AIE-ML).
#pragma once

// Streams and buffers of kernels come with it [reference, aie.hpp File Reference]; in a program of the simulator all of ADF.
#ifdef __X86SIM__
#include <adf.h>
#else
#include "adf/kernel_side.h"
#endif

#include "aieloom/macros_begin.h"

#include "aie_api/detail/accum.h"
#include "aie_api/detail/arithmetic.h"
#include "aie_api/detail/compare.h"
#include "aie_api/detail/convert.h"
#include "aie_api/detail/fft.h"
#include "aie_api/detail/iterator.h"
#include "aie_api/detail/lookup.h"
#include "aie_api/detail/mask.h"
#include "aie_api/detail/memory.h"
#include "aie_api/detail/mmul.h"
#include "aie_api/detail/product.h"
#include "aie_api/detail/reshape.h"
#include "aie_api/detail/sliding.h"
#include "aie_api/detail/sliding_center.h"
#include "aie_api/detail/sliding_sym.h"
#include "aie_api/detail/tile.h"
#include "aie_api/intrinsics.hpp"

#include "aie_api/detail/accum_class.h"  // last, see there

#include "aieloom/macros_end.h"

#include "aie_api/operators.hpp"  // [reference, aie.hpp File Reference]
