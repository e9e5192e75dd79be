// exponential.h: exp(x) for x <= 0 in single operations of float32, so that every processor gives the same bits.
//
// x = n ln 2 + r, a polynomial of r, times 2^n. Compile without contraction (-ffp-contract=off). Constants and order are
// those of aieloom/ops/exponential.py.
#pragma once

#include <cmath>

namespace aieloom::host {

/// 0 below -87; NaN stays NaN.
inline float exponential(float x) {
  constexpr float kLowest = -87.0F;
  constexpr float kLog2E = 1.442695F;
  constexpr float kLn2High = 0.6933594F;  // 355 / 512
  constexpr float kLn2Low = -0.00021219444F;
  // 1 / k! from k = 7 down
  constexpr float kCoefficients[] = {0.0001984127F, 0.0013888889F, 0.008333334F, 0.041666668F, 0.16666667F, 0.5F, 1.0F, 1.0F};
  const float held = x >= kLowest ? x : kLowest;
  const int n = static_cast<int>(held * kLog2E - 0.5F);  // the nearest integer to x / ln 2
  const float whole = static_cast<float>(n);
  const float rest = (held - whole * kLn2High) - whole * kLn2Low;
  float power = 0.0F;
  for (const float coefficient : kCoefficients) power = power * rest + coefficient;
  return x >= kLowest ? std::ldexp(power, n) : x < kLowest ? 0.0F : x;
}

}  // namespace aieloom::host
