// logic.h: what layers do in programmable logic, for those of them that are on the processor: the same bits.
#pragma once
#pragma GCC system_header  // the directives in these headers are for HLS

#include "../pl/functions.h"
#include "../pl/maps.h"
#include "../pl/requantise.h"
#include "../pl/tables.h"
