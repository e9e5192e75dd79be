// The names below the AIE API that published kernels use: native vector types (v8float, v16acc48, ...), lane-addressed
// MACs, partial updates, conversions [AI Engine Intrinsics User Guide UG1078; UG1079 MAC intrinsics]. AIE mostly; the
// type names and mode registers exist on AIE-ML too. A native type is the aie::vector or aie::accum of its lanes.
#pragma once

#include "aie_api/detail/accum_operators.h"
#include "aie_api/detail/native_scalar.h"
#include "aie_api/detail/native_types.h"
#if __AIE_ARCH__ == 10
#include "aie_api/detail/native_float.h"
#include "aie_api/detail/native_float_conf.h"
#include "aie_api/detail/native_mac.h"
#include "aie_api/detail/native_mac8.h"
#include "aie_api/detail/native_parts.h"
#include "aie_api/detail/native_select.h"
#include "aie_api/detail/native_sym.h"
#else
#include "aie_api/detail/native_matrix.h"
#include "aie_api/detail/native_ml.h"
#include "aie_api/detail/native_ml_vector.h"
#endif
