// Profiling through the interface tiles' counters [UG1076 Run-time event API].
//
// Functional simulation has no time ("does not provide timing ... information", UG1076 x86 Functional Simulator):
// options that count cycles read as 0, with a warning; io_stream_running_event_count counts the 32-bit words that passed.
#pragma once

#include <cstdint>

#include "adf/plio.h"
#include "aieloom/design.h"

namespace aieloom {

/// Begin to watch a port at the array's edge; a second one when two are compared. Returns the watch's number.
int start_profile(const Port& port, const Port* second, int option, std::uint32_t bytes);
/// What the counter has, or -1 for no such watch.
long long read_profile(int number);
bool stop_profile(int number);

}  // namespace aieloom

namespace adf::event {

using handle = int;
inline constexpr handle invalid_handle = -1;

enum io_event {
  io_total_stream_running_to_idle_cycles,
  io_stream_start_to_bytes_transferred_cycles,
  io_stream_start_difference_cycles,
  io_stream_running_event_count
};
using io_profiling_option = io_event;

/// Watch one PLIO or GMIO; `value`: bytes, where the option counts up to them.
inline handle start_profiling(const IoAttr& io, io_event option, std::uint32_t value = 0) {
  return aieloom::start_profile(io.io_port(), nullptr, option, value);
}
/// Watch the time between the first words of two.
inline handle start_profiling(const IoAttr& first, const IoAttr& second, io_event option, std::uint32_t value = 0) {
  return aieloom::start_profile(first.io_port(), &second.io_port(), option, value);
}
inline long long read_profiling(handle h) { return aieloom::read_profile(h); }
inline void stop_profiling(handle h) { static_cast<void>(aieloom::stop_profile(h)); }

}  // namespace adf::event
