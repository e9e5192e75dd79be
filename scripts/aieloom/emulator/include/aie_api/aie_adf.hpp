// The AIE API together with streams and buffers of ADF kernels; aie.hpp itself since 2023.1.
#pragma once

#include <adf.h>

#include "aie_api/aie.hpp"
