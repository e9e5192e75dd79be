// Sums of integers at scales of their own, against exact quotients where rounding is by hand.
#include "requantise.h"

#include <cmath>

using namespace aieloom::pl;

struct Sum {
  using Element = Int8;
  static constexpr char kSign = '+';
  static constexpr int kLeft = 20, kZeroA = -8, kZeroB = 3, kZero = 5, kLow = -100, kHigh = 90;
  static constexpr int kMultiplierA = 1 << 30, kShiftA = 0;     // a half
  static constexpr int kMultiplierB = 1 << 30, kShiftB = 1;     // a quarter
  static constexpr int kMultiplierY = 1 << 30, kShiftY = 18;    // 1 / 2^19: twice the sum of half and quarter
};
struct Difference : Sum {
  static constexpr char kSign = '-';
};

// ONNX's: a half and a quarter of 2^3, so that the sum is exact in eighths and is rounded once.
struct Onnx {
  using Element = Int8;
  static constexpr int kA = 4, kB = 2, kShift = 3, kMultiplier = 3;  // of a product 3 / 8
  static constexpr int kZeroA = -8, kZeroB = 3, kZero = 5, kLow = -100, kHigh = 90;
  static constexpr int kMultiplierY = 3 << 28, kShiftY = 0;  // and TensorFlow Lite's, the same
};

/// The nearest integer, halves to even.
int even(double value) { return static_cast<int>(std::nearbyint(value)); }

int within(double value, double low, double high) { return static_cast<int>(std::fmin(high, std::fmax(low, value))); }

int main() {
  if (scaled(7, 1 << 30, 0) != 4 || scaled(-7, 1 << 30, 0) != -3 || scaled(12, 1 << 30, 2) != 2 || scaled(-12, 1 << 30, 2) != -2) {
    return 1;  // halves up, then halves away from zero
  }
  for (int a = -128; a < 128; ++a) {
    for (int b = -128; b < 128; ++b) {
      const double parts[2] = {a + 8.0, (b - 3) / 2.0};
      const double sum = parts[0] + parts[1], difference = parts[0] - parts[1];  // exact in halves
      const double found[2] = {std::round(sum) + 5, std::round(difference) + 5};
      const int held[2] = {static_cast<int>(std::fmin(90.0, std::fmax(-100.0, found[0]))),
                           static_cast<int>(std::fmin(90.0, std::fmax(-100.0, found[1])))};
      const std::int8_t first = static_cast<std::int8_t>(a), second = static_cast<std::int8_t>(b);
      if (TfliteAdd<Sum>::of(first, second) != held[0] || TfliteAdd<Difference>::of(first, second) != held[1]) {
        return 2;
      }
      const double product = (a + 8.0) * (b - 3.0) * 3.0 / 8.0;
      if (OnnxAdd<Onnx>::of(first, second) != within(even((a + 8.0) / 2 + (b - 3.0) / 4) + 5, -100, 90) ||
          OnnxMul<Onnx>::of(first, second) != within(even(product) + 5, -128, 127) ||
          TfliteMul<Onnx>::of(first, second) != within(std::floor(product + 0.5) + 5, -128, 127)) {
        return 3;
      }
    }
  }
  return 0;
}
