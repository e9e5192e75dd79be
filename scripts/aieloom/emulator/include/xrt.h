// The base of the API: states and directions are with what uses them.
#pragma once

#include "xrt/deprecated/xrt.h"
#include "xrt/xrt_bo.h"
#include "xrt/xrt_kernel.h"
