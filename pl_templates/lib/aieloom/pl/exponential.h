// Exponentials, logarithms and shares of a sum in single operations of float32, so that all give the same bits.
//
//   exp(x): x = n ln 2 + r, a polynomial of r, times 2^n         some 40 DSPs, 100 cycles deep (estimates)
//   log(x): x = m 2^e, a series of (m - 1) / (m + 1), e ln 2 in two parts
//
// Constants and order are those of aieloom/ops/exponential.py and of aieloom/ops/log_softmax.
#pragma once

#include "functions.h"

namespace aieloom {
namespace pl {

constexpr float kLowest = -87.0F;         // below it the exponential, under 2^-125, is taken as 0
constexpr float kLn2High = 0.6933594F;  // 355 / 512
constexpr float kLn2Low = -0.00021219444F;

/// exp(x) for x <= 0; 0 below kLowest; NaN stays NaN.
inline float exponential(float x) {
  const float held = x >= kLowest ? x : kLowest;
  const int n = static_cast<int>(held * 1.442695F - 0.5F);  // the nearest integer to x / ln 2
  const float whole = static_cast<float>(n);
  const float rest = (held - whole * kLn2High) - whole * kLn2Low;
  float power = 0.0001984127F;  // 1 / 7!
  power = power * rest + 0.0013888889F;
  power = power * rest + 0.008333334F;
  power = power * rest + 0.041666668F;
  power = power * rest + 0.16666667F;
  power = power * rest + 0.5F;
  power = power * rest + 1.0F;
  power = power * rest + 1.0F;
  const float scale = as_float(static_cast<std::uint32_t>(n + 127) << 23);  // 2^n
  return x >= kLowest ? power * scale : x < kLowest ? 0.0F : x;
}

/// log(x) for x >= 1; NaN stays NaN.
inline float logarithm(float x) {
  const std::uint32_t bits = float_bits(x);
  const int exponent = static_cast<int>(bits >> 23) - 126;  // of m from 1/2 to 1
  const float half = as_float((bits & 0x7FFFFFU) | 0x3F000000U);
  const bool low = half < 0.70710677F;  // the root of 1/2
  const float m = low ? half * 2.0F : half;
  const float e = static_cast<float>(low ? exponent - 1 : exponent);
  const float s = (m - 1.0F) / (m + 1.0F);
  const float square = s * s;
  float series = 0.11111111F;
  series = series * square + 0.14285715F;
  series = series * square + 0.2F;
  series = series * square + 0.33333334F;
  series = series * square + 1.0F;
  const float found = e * kLn2High + (2.0F * s * series + e * kLn2Low);
  return x >= 1.0F ? found : x;
}

/// What a softmax does with floats.
struct FloatShares {
  /// A float's place among all, so that an integer comparison tells which is larger; 0 above -0, which changes no share.
  static std::int32_t rank_of(float value) {
    const std::int32_t bits = static_cast<std::int32_t>(float_bits(value));
    return bits < 0 ? bits ^ 0x7FFFFFFF : bits;
  }

  /// Whether a value is larger than another, in one cycle.
  static bool is_above(float value, float other) { return rank_of(value) > rank_of(other); }

  /// The exponential of a value's distance from the largest.
  static float power_of(float value, float largest) { return exponential(value - largest); }

  /// The share of the sum that an exponential has.
  static float share_of(float power, float total) { return power / total; }
};

/// And with elements: exponentials of their distances in steps of kScale, shares in steps of 1 / kSteps, halves up.
template <class T>
struct ElementShares {
  using Value = typename T::Element::Value;
  static bool is_above(Value value, Value other) { return value > other; }
  static float power_of(Value value, Value largest) {
    return exponential(static_cast<float>(static_cast<int>(value) - static_cast<int>(largest)) * T::kScale);
  }
  static Value share_of(float power, float total) {
    const int element = static_cast<int>(power / total * T::kSteps + 0.5F) + T::kZero;
    return static_cast<Value>(element > T::Element::kMost ? T::Element::kMost : element);
  }
};

}  // namespace pl
}  // namespace aieloom
