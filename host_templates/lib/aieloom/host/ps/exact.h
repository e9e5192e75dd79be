// exact.h: functions of a value in operations of float64 that are rounded once each, so that every processor gives the same bits.
//
// Compile without contraction (-ffp-contract=off). Constants and order are those of aieloom/ops/exact.py.
#pragma once

#include <cmath>
#include <limits>

namespace aieloom::host::exact {

constexpr double kMost = 1000.0;  // beyond it float64 is infinite or 0
constexpr double kLog2E = 1.4426950408889634;
constexpr double kLn2High = 0.6931471803691238;
constexpr double kLn2Low = 1.9082149292705877e-10;

/// x between 0 and 1.
inline double unit(double x) { return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x; }

/// The sum of Taylor's series of exp, x^k / k! for k = first .. first + 13, over x^first.
inline double series(double x, int first) {
  double coefficients[14];
  double value = 1.0;
  for (int k = 1; k < first + 14; ++k) {
    if (k > first) coefficients[k - 1 - first] = value;
    value = value / k;
  }
  double total = value;
  for (int i = 12; i >= 0; --i) total = total * x + coefficients[i];
  return total;
}

/// e to the power x.
inline double exp(double x) {
  if (x != x) return x;
  const double held = x > kMost ? kMost : x < -kMost ? -kMost : x;
  const double n = std::nearbyint(held * kLog2E);
  const double rest = (held - n * kLn2High) - n * kLn2Low;
  return std::ldexp(series(rest, 0), static_cast<int>(n));
}

/// e to the power x, less 1.
inline double expm1(double x) { return std::fabs(x) < 0.25 ? x * series(x, 1) : exp(x) - 1.0; }

/// log((1 + s) / (1 - s)) for |s| up to 1/3.
inline double atanh2(double s) {
  const double square = s * s;
  double total = 1.0 / 35.0;
  for (int k = 16; k >= 0; --k) total = total * square + 1.0 / (2.0 * k + 1.0);
  return 2.0 * s * total;
}

/// The natural logarithm.
inline double log(double x) {
  if (!(x > 0.0) || x == std::numeric_limits<double>::infinity()) {
    return x == 0.0 ? -std::numeric_limits<double>::infinity() : x > 0.0 ? x : std::numeric_limits<double>::quiet_NaN();
  }
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0.7071067811865476) {
    m = m * 2.0;
    --exponent;
  }
  return exponent * kLn2High + (atanh2((m - 1.0) / (m + 1.0)) + exponent * kLn2Low);
}

/// The error function.
inline double erf(double x) {
  if (x > 5.0) return 1.0;
  if (x < -5.0) return -1.0;
  const double step = 2.0 * x * x;
  double total = 1.0;
  for (int k = 80; k > 0; --k) total = 1.0 + total * (step / (2.0 * k + 1.0));
  return 1.1283791670955126 * x * exp(-(x * x)) * total;
}

/// The hyperbolic tangent.
inline double tanh(double x) {
  const double less = expm1(-2.0 * std::fabs(x));
  const double size = -less / (less + 2.0);
  return x < 0.0 ? -size : size;
}

/// 1 / (1 + exp(-x)).
inline double sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }

/// log(1 + exp(x)).
inline double softplus(double x) {
  const double small = exp(-std::fabs(x));
  return (x > 0.0 ? x : 0.0) + atanh2(small / (2.0 + small));
}

}  // namespace aieloom::host::exact
