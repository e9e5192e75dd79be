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

#include "adf/io_buffer.h"
#include "adf/stream.h"
#include "adf/window.h"
#include "adf/legacy.h"
#include "adf/vector_io.h"
#include "adf/physical_io.h"
#include "aieloom/core_state.h"
#include "aieloom/types.h"

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

namespace aieloom {

/// chess_storage(%32) and chess_storage(%chess_alignof(v8int32)) ask for an alignment; other storage is a bank.
consteval unsigned storage_alignment(const char* text) {
  if (*text != '%') {
    return 16;
  }
  unsigned bytes = 0;
  while (*++text >= '0' && *text <= '9') {
    bytes = 10 * bytes + static_cast<unsigned>(*text - '0');
  }
  return bytes != 0 ? bytes : 32;  // what a vector is loaded from
}

}  // namespace aieloom

// Hints to the vendor's compiler stand between for(...) and the body, or on declarations: nothing here.
#ifndef chess_prepare_for_pipelining
#if defined(AIELOOM_OPERATIONS)
#define chess_prepare_for_pipelining if (::aieloom::aieloom_mark_pipeline(0))
#define AIELOOM_FIRST(first, ...) first + 0
#define chess_loop_range(...) if (::aieloom::aieloom_mark_range(AIELOOM_FIRST(__VA_ARGS__, 0)))
#define chess_unroll_loop(...) if (::aieloom::aieloom_mark_unroll(AIELOOM_FIRST(__VA_ARGS__, 0)))
#define chess_flatten_loop if (::aieloom::aieloom_mark_flatten(0))
#else
#ifdef AIELOOM_COUNTED
#define chess_prepare_for_pipelining if (::aieloom::count_trip())
#else
#define chess_prepare_for_pipelining
#endif
#define chess_loop_range(...)
#define chess_unroll_loop(...)
#define chess_flatten_loop
#endif
#define chess_loop_count(...)
#define chess_separator_scheduler(...)
#define chess_separator()
#define chess_copy(x) (x)
#define chess_storage(...) __attribute__((aligned(::aieloom::storage_alignment(#__VA_ARGS__))))
#define chess_protect_access
#define chess_alignof(x) alignof(x)
#define chess_assert(...)
#define chess_memory_fence()
#define chess_separator_scheduler_local()
#define chess_pipeline_adjust_preamble(...)
#define chess_pipeline_non_leaf_loop_solution(...)
#define chess_manifest(x) (__builtin_constant_p(x) && (x))
#define chess_const(x) __builtin_constant_p(x)
#endif

// The vendor's compiler knows C's keyword.
#ifndef restrict
#define restrict __restrict
#endif

#include "aieloom/macros_end.h"
