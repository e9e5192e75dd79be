// Sums of integers at scales of their own, against exact quotients where rounding is by hand.
#include "requantise.h"

#include <cmath>

using namespace aieloom::pl;

struct Sum {
  using Element = Int8;
  static constexpr int kLeft = 20, kSign = 1, kZeroA = -8, kZeroB = 3, kZeroY = 5, kLow = -100, kHigh = 90;
  static constexpr int kMultiplierA = 1 << 30, kShiftA = 0;     // a half
  static constexpr int kMultiplierB = 1 << 30, kShiftB = 1;     // a quarter
  static constexpr int kMultiplierY = 1 << 30, kShiftY = 18;    // 1 / 2^19: twice the sum of half and quarter
};
struct Difference : Sum {
  static constexpr int kSign = -1;
};

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
    }
  }
  return 0;
}
