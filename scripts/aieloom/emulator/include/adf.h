// The Adaptive Data Flow graph API [UG1079, UG1603], for the emulator.
#pragma once

#include "aieloom/macros_begin.h"

#if defined(__X86SIM__) && !defined(__PTHREAD_API__)
#define __PTHREAD_API__ 1  // by which AMD's own templates tell x86simulator from aiesimulator
#endif

#ifdef AIELOOM_KERNELS_ALONE
// libstdc++'s <cmath> brings Bessel functions and elliptic integrals since C++17, templates that every source instantiates
// again, a fifth of a kernel's compilation. A source that names them is compiled again without this macro.
#include <cstddef>  // brings the library's configuration, which says so
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#define _GLIBCXX_USE_STD_SPEC_FUNCS 0
#endif
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "adf/kernel_side.h"

// A kernel's source seldom names what builds graphs, and reads in half the time without it (emulator/compiler.py).
#ifdef AIELOOM_KERNELS_ALONE
#include "adf/registration.h"
#else
#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "adf/event.h"
#include "adf/graph.h"
#include "adf/kernel.h"
#include "adf/location.h"
#include "adf/platform.h"
#include "adf/plio.h"
#include "adf/port.h"
#include "adf/shared_buffer.h"

namespace adf {

// Published graphs find these through `using namespace adf` alone.
using std::cerr;
using std::cout;
using std::endl;
using std::string;
using std::vector;

}  // namespace adf
#endif

#include "aieloom/macros_end.h"
