// What becomes of two integers at scales of their own: a function of values, each a type with a static `of`.
//
//   first  - zero --x 2^left x multiplier a --.
//                                              + --x multiplier y-- + zero y -- held between low and high
//   second - zero --x 2^left x multiplier b --'
//
// II=1. Three products of 32 x 32 bits, of 3 DSPs each (estimate), for each value of a cycle.
#pragma once

#include "words.h"

namespace aieloom {
namespace pl {

/// value * multiplier / 2^31, halves up, then / 2^shift, halves away from zero: TensorFlow Lite's requantisation.
inline std::int32_t scaled(std::int32_t value, std::int32_t multiplier, int shift) {
#pragma HLS inline
  const std::int64_t product = static_cast<std::int64_t>(value) * multiplier + (std::int64_t{1} << 30);
  const std::int64_t high = product >> 31;
  const std::int64_t half = (std::int64_t{1} << shift) >> 1;
  const std::int64_t magnitude = ((high < 0 ? -high : high) + half) >> shift;
  return static_cast<std::int32_t>(high < 0 ? -magnitude : magnitude);
}

/// The sum of two elements, TensorFlow Lite's: both at one scale, shifted left, added, scaled back, held within bounds.
template <class T>
struct TfliteAdd {
  using Value = typename T::Element::Value;
  static_assert(T::kLow < T::kHigh, "bounds leave values between them");
  static Value of(Value first, Value second) {
#pragma HLS inline
    const std::int32_t a = (first - T::kZeroA) * (1 << T::kLeft);
    const std::int32_t b = (second - T::kZeroB) * (1 << T::kLeft);
    const std::int32_t total = scaled(a, T::kMultiplierA, T::kShiftA) + T::kSign * scaled(b, T::kMultiplierB, T::kShiftB);
    const std::int32_t value = scaled(total, T::kMultiplierY, T::kShiftY) + T::kZeroY;
    const std::int32_t raised = value < T::kLow ? T::kLow : value;
    return static_cast<Value>(raised > T::kHigh ? T::kHigh : raised);
  }
};

}  // namespace pl
}  // namespace aieloom
