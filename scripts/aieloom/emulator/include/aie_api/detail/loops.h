// Loops as function calls [aie_api reference, Loop functions]; they come with utils.hpp.
#pragma once

#include <type_traits>
#include <utility>

#include "aie_api/detail/config.h"

namespace aie {

namespace detail {
template <typename Fn, typename I>
constexpr void call_body(Fn& body, I i) {
  if constexpr (std::is_invocable_v<Fn&, I>) {
    body(i);
  } else {
    body();
  }
}
}  // namespace detail

/// body(Start), body(Start + Step), ... before End; the index is a constant where the body takes it as `auto`.
template <typename T, T Start, T End, T Step = 1, typename Fn>
constexpr void unroll_for(Fn&& body) {
  static_assert(Step != 0, "aie::unroll_for: the step must not be 0");
  if constexpr (Step > 0 ? Start < End : Start > End) {
    detail::call_body(body, std::integral_constant<T, Start>{});
    unroll_for<T, static_cast<T>(Start + Step), End, Step>(body);
  }
}
/// body(y, x), x fastest.
template <typename T, T StartY, T EndY, T StepY, T StartX, T EndX, T StepX, typename Fn>
constexpr void unroll_for_2d(Fn&& body) {
  unroll_for<T, StartY, EndY, StepY>([&](auto y) { unroll_for<T, StartX, EndX, StepX>([&](auto x) { body(y, x); }); });
}
template <unsigned Times, typename Fn>
constexpr void unroll_times(Fn&& body) {
  unroll_for<unsigned, 0, Times>(body);
}

/// Turns taken out of the loop; they change the schedule alone.
struct loop_options {
  unsigned peel_front = 0;
  unsigned peel_back = 0;
};
using LoopOptions = loop_options;  // until 2025.1

/// body(0), body(1), ..., `count` times, which must be at least MinTurns.
template <unsigned MinTurns, loop_options = loop_options{}, typename Fn>
inline void pipelined_loop(unsigned count, Fn&& body) {
  if (count < MinTurns) [[unlikely]] {
    aieloom::refuse("aie-loop", "aie::pipelined_loop: fewer turns than the least number that the kernel promises",
                    "lower the first template argument");
  }
  for (unsigned i = 0; i < count; ++i) {
    detail::call_body(body, i);
  }
}
template <unsigned MinTurns, loop_options Options = loop_options{}, typename Fn>
inline void peeled_loop(unsigned count, Fn&& body) {
  pipelined_loop<MinTurns, Options>(count, body);
}

}  // namespace aie
