// What a kernel's source sees of ADF: its buffers, streams and windows, and what the vendor's compiler knows by itself.
//
// aie_api/aie.hpp brings it too, as AMD's does [reference, aie.hpp File Reference]; adf.h adds what builds graphs.
#pragma once

#include "aieloom/macros_begin.h"

#include "adf/io_buffer.h"
#include "adf/stream.h"
#include "adf/window.h"
#include "adf/legacy.h"
#include "adf/vector_io.h"
#include "adf/physical_io.h"
#include "aieloom/core_state.h"
#include "aieloom/types.h"

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
