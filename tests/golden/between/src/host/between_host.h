@@ sha256: de3d0e3d170de30982d8781ee27ebc2361b2c6de56eceb091f4e5d7b049314d9
// between_host.h: 2 layers on the processor, soft, sum.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
// They compute in float32: elements that enter the array are made of their results, and those that leave it are read as
// what they mean.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace processor {
namespace {

// Functions of a value in float64 operations that are rounded once each, so that every processor gives the same bits;
// compile without contraction (-ffp-contract=off). Constants and order are those of aieloom/ops/exact.py.
namespace exact {

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

}  // namespace exact

/// Gives each place of a result the value that `source` makes the input's (channel, y, x) of.
template <int kChannels, int kHeight, int kWidth, int kFromHeight, int kFromWidth, typename Source>
void gather(const float* from, float* to, Source source) {
  for (int i = 0; i < kChannels; ++i) {
    for (int j = 0; j < kHeight; ++j) {
      for (int k = 0; k < kWidth; ++k) {
        int channel = i;
        int y = j;
        int x = k;
        source(channel, y, x);
        *to++ = from[(channel * kFromHeight + y) * kFromWidth + x];
@@ same: 5
// soft: gelu, 4x4x4 float32 to 4x4x4 float32
// On the processor: op gelu has no form for float32 on programmable logic.
// gelu: y = x / 2 * (1 + erf(x / sqrt(2))), computed in float64, rounded once.
/// gelu, computed in float64 and rounded once.
float soft_value(float value) {
  const double x = value;
  return static_cast<float>(0.5 * x * (1.0 + exact::erf(x * 0.7071067811865476)));
}

// sum: add, 4x4x4 float32 to 4x4x4 float32
// On the processor: it reads 'act' and 'first', and a stretch of the device takes one tensor from memory.
// add: the function that programmable logic computes, 4x4x4 float32 to 4x4x4 float32.
/// add: the sum of both inputs, place by place.
void sum_layer(const float* a, const float* b, float* y) {
  for (int i = 0; i < 64; ++i) y[i] = a[i] + b[i];
@@ same: 4
/// The layers on the processor with the results of one image, which its methods compute one after another. Their arguments
/// stay valid meanwhile; what they return does until the next call. What no later method reads all images share.
class Layers {
 public:
  /// Computes what the device's layer first is given, where elements are made of it: 2x4x4 float32.
  const float* before_1(const float* image) {
    given[0] = image;
    return given[0];
  }

  /// Computes what the device's layer second is given, where elements are made of it: 4x4x4 float32; first has come back.
  const float* before_2(const float* received) {
    given[1] = received;
    std::transform(given[1], given[1] + 64, soft_.data(), soft_value);
    return soft_.data();
  }

  /// Computes the network's result; act has come back.
  const float* result(const float* received) {
    given[2] = received;
    sum_layer(given[2], given[1], sum_.data());
    return sum_.data();
@@ same: 3
  const float* given[3] = {};  // the image, and what has come back from the device
  inline static std::vector<float> soft_ = std::vector<float>(64);  // gelu, 4x4x4 float32
  inline static std::vector<float> sum_ = std::vector<float>(64);  // add, 4x4x4 float32
};

}  // namespace processor
