// A part of the AIE API that published kernels include by itself. Here aie.hpp has all parts.
#pragma once

#include "aie_api/aie.hpp"
