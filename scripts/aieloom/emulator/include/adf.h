// The Adaptive Data Flow graph API [UG1079, UG1603], for the emulator.
#ifndef ADF_H
#define ADF_H

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
#include <array>
#include <tuple>

#include "adf/event.h"
#include "adf/graph.h"
#include "adf/kernel.h"
#include "adf/location.h"
#include "adf/platform.h"
#include "adf/plio.h"
#include "adf/port.h"
#include "adf/shared_buffer.h"
#endif

// Hints to the vendor's compiler stand between for(...) and the body, or on declarations: nothing here.
#ifndef chess_prepare_for_pipelining
#ifdef AIELOOM_TIMED
#define chess_prepare_for_pipelining if (::aieloom::count_trip())
#else
#define chess_prepare_for_pipelining
#endif
#define chess_loop_range(...)
#define chess_unroll_loop(...)
#define chess_flatten_loop
#define chess_loop_count(...)
#define chess_separator_scheduler(...)
#define chess_separator()
#define chess_copy(x) (x)
#define chess_storage(...)
#define chess_protect_access
#define chess_alignof(x) alignof(x)
#endif

// The vendor's compiler knows C's keyword.
#ifndef restrict
#define restrict __restrict
#endif

#endif  // ADF_H
