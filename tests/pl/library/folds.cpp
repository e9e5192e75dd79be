// Folds of windows: what two definitions have in common, and where they differ.
#include "folds.h"

#include <cmath>

using namespace aieloom::pl;

struct Elements9 {
  using Element = Int8;
  static constexpr int kCount = 4, kZero = -3, kValue = 9, kShift = 128;
  static constexpr float kReciprocal = 0.25F, kScale = 0.5F, kScaleY = 0.125F, kZeroY = 133.0F;
};
struct Inside : Elements9 {  // counts the places inside the image
  static constexpr int kCount = 0;
  static constexpr float kReciprocal = 0.0F;
};
struct Mean : Elements9 {  // times 5 / 16, and a zero point of 2
  static constexpr int kMultiplier = 5, kShift = 4, kZeroY = 2;
};

template <class Fold>
auto folded(const int (&values)[4], const bool (&inside)[4]) {
  Fold fold;
  for (int i = 0; i < 4; ++i) {
    fold.take(static_cast<decltype(fold.result())>(values[i]), inside[i]);
  }
  return fold.result();
}

int held(double value) { return static_cast<int>(std::fmin(127.0, std::fmax(-128.0, value))); }

int main() {
  const bool all[4] = {true, true, true, true}, some[4] = {true, false, true, true};
  for (int seed = 0; seed < 500; ++seed) {
    int v[4];
    for (int i = 0; i < 4; ++i) {
      v[i] = (seed * 73 + i * 191 + seed * i * 7) % 256 - 128;
    }
    int largest = -128;
    for (int i = 0; i < 4; ++i) {
      largest = some[i] && v[i] > largest ? v[i] : largest;
    }
    if (folded<LargestElement<Elements9>>(v, some) != largest || folded<LargestFloat>(v, some) != largest) {
      return 1;
    }
    const double sum = v[0] + v[1] + v[2] + v[3], three = v[0] + v[2] + v[3];
    if (folded<AverageFloat<Elements9>>(v, all) != sum / 4 ||
        folded<AverageFloat<Inside>>(v, some) != static_cast<float>(three) / 3.0F) {
      return 2;
    }
    if (folded<AverageElement<Elements9>>(v, all) != std::round(sum / 4) ||
        folded<AverageElement<Elements9>>(v, some) != std::round((three - 3) / 4) ||
        folded<AverageElement<Inside>>(v, some) != std::round(three / 3)) {
      return 3;  // halves away from zero
    }
    const double meant = (sum + 12) * 0.5 / 4 / 0.125 + 133;
    if (folded<OnnxAverage<Elements9>>(v, all) != held(std::nearbyint(meant) - 128)) {
      return 4;  // halves to even
    }
    if (folded<OnnxMean<Mean>>(v, all) != held(std::nearbyint((sum + 12) * 5 / 16) + 2)) {
      return 5;
    }
    if (folded<Place<Elements9>>(v, some) != v[3] || folded<Border<Elements9>>(v, some) != v[3]) {
      return 6;
    }
  }
  Border<Elements9> border;
  border.take(5, false);
  LargestFloat nan, none;
  nan.take(as_float(0x7FC00000U), true);
  nan.take(1.0F, false);
  none.take(1.0F, false);
  return border.result() == 9 && nan.result() != nan.result() && float_bits(none.result()) == 0xFF800000U ? 0 : 7;
}
