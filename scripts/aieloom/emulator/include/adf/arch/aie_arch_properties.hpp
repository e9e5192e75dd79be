// A part of the vendor's adf.h that published sources include by itself: properties of the array.
#pragma once

#include "adf.h"
#include "aie_api/detail/traits.h"

/// Streams that enter and leave a core.
[[nodiscard]] constexpr unsigned get_input_streams_core_module() { return ::aie::detail::kStreams; }
[[nodiscard]] constexpr unsigned get_output_streams_core_module() { return ::aie::detail::kStreams; }
