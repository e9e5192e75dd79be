// A part of the vendor's adf.h that published sources include by itself: properties of the array.
#pragma once

#include "adf.h"

/// Streams that enter and leave a core: two each on AIE [AM009, AI Engine Tile], one each on AIE-ML [AM020].
[[nodiscard]] constexpr unsigned get_input_streams_core_module() { return __AIE_ARCH__ == 10 ? 2 : 1; }
[[nodiscard]] constexpr unsigned get_output_streams_core_module() { return __AIE_ARCH__ == 10 ? 2 : 1; }
