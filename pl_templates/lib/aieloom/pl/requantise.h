// What becomes of two integers at scales of their own: a function of values, each a type with a static `of`.
//
//   first  - zero --x 2^left x multiplier a --.
//                                              + --x multiplier y-- + zero -- held between low and high
//   second - zero --x 2^left x multiplier b --'
//
// II=1. Three products of 32 x 32 bits, of 3 DSPs each (estimate), for each value of a cycle; of ONNX's sum two of 64.
#pragma once

#include "elements.h"

namespace aieloom {
namespace pl {

/// value * multiplier / 2^31, halves up, then / 2^shift, halves away from zero: TensorFlow Lite's requantisation.
template <class Value>
Value scaled(Value value, std::int32_t multiplier, int shift) {
#pragma HLS inline
  const std::int64_t product = static_cast<std::int64_t>(value) * multiplier + (std::int64_t{1} << 30);
  const std::int64_t high = product >> 31;
  const std::int64_t half = (std::int64_t{1} << shift) >> 1;
  const std::int64_t magnitude = ((high < 0 ? -high : high) + half) >> shift;
  return static_cast<Value>(high < 0 ? -magnitude : magnitude);
}

/// value / 2^shift, halves to even.
inline std::int64_t to_even(std::int64_t value, int shift) {
#pragma HLS inline
  const std::int64_t quotient = value >> shift;
  const std::int64_t rest = value & ((std::int64_t{1} << shift) - 1);
  const std::int64_t half = (std::int64_t{1} << shift) >> 1;
  return quotient + (rest > half || (shift > 0 && rest == half && (quotient & 1) != 0) ? 1 : 0);
}

/// A number held between two bounds.
template <class Number>
Number held(Number value, Number low, Number high) {
#pragma HLS inline
  const Number raised = value < low ? low : value;
  return raised > high ? high : raised;
}

/// A number as an element, the nearest of one that is none.
template <class T, class Number>
typename T::Element::Value held_in(Number value) {
#pragma HLS inline
  return static_cast<typename T::Element::Value>(held<Number>(value, T::Element::kLeast, T::Element::kMost));
}

/// A number held between a layer's bounds, kLow and kHigh.
template <class T, class Number>
typename T::Element::Value between(Number value) {
#pragma HLS inline
  return static_cast<typename T::Element::Value>(held<Number>(value, T::kLow, T::kHigh));
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
    const std::int32_t second_scaled = scaled(b, T::kMultiplierB, T::kShiftB);
    const std::int32_t total = scaled(a, T::kMultiplierA, T::kShiftA) + (T::kSign == '-' ? -second_scaled : second_scaled);
    return between<T>(scaled(total, T::kMultiplierY, T::kShiftY) + T::kZero);
  }
};

/// Their product, TensorFlow Lite's: what both are above their zero points, multiplied, scaled, saturated.
template <class T>
struct TfliteMul {
  using Value = typename T::Element::Value;
  static Value of(Value first, Value second) {
#pragma HLS inline
    const std::int32_t product = (first - T::kZeroA) * (second - T::kZeroB);
    return held_in<T>(scaled(product, T::kMultiplierY, T::kShiftY) + T::kZero);
  }
};

/// The sum of two elements, ONNX's: both times the quotient of their scale and the result's, as float32 and exactly, in
/// steps of 1 / 2^kShift; rounded once, halves to even, held within bounds.
template <class T>
struct OnnxAdd {
  using Value = typename T::Element::Value;
  static_assert(T::kLow < T::kHigh, "bounds leave values between them");
  static Value of(Value first, Value second) {
#pragma HLS inline
    const std::int64_t a = std::int64_t{first - T::kZeroA} * T::kA;
    const std::int64_t b = std::int64_t{second - T::kZeroB} * T::kB;
    return between<T>(to_even(a + b, T::kShift) + T::kZero);
  }
};

/// Their product, ONNX's: times the quotient of the scales, as float32 and exactly; rounded once, halves to even.
template <class T>
struct OnnxMul {
  using Value = typename T::Element::Value;
  static Value of(Value first, Value second) {
#pragma HLS inline
    const std::int32_t product = (first - T::kZeroA) * (second - T::kZeroB);
    return held_in<T>(to_even(std::int64_t{product} * T::kMultiplier, T::kShift) + T::kZero);
  }
};

}  // namespace pl
}  // namespace aieloom
