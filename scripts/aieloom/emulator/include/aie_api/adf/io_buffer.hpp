// A part of the AIE API that published kernels include by itself. Here aie.hpp has all parts and adf.h the streams.
#pragma once

#include "aie_api/aie_adf.hpp"
