// Windows of int8: places that are counted one by one, averages by the definition of rounding.
#include "engine/fold.h"

#include <cmath>

using namespace aieloom::pl;

int main() {
  for (int from = -5; from < 12; ++from) {
    for (int places = 0; places < 6; ++places) {
      int there = 0;
      for (int i = from; i < from + places; ++i) {
        there += 0 <= i && i < 7 ? 1 : 0;
      }
      if (inside_of(from, places, 7) != there) {
        return 1;
      }
    }
  }
  const IntegerScaling s = {-8, 0, 5, 3, 0, 0, 0, 0, 4, 0, 0};  // 3 / 16 of what is above -8, and 5
  if (IntegerFold::counted(kMean, 7, s) != 15 || IntegerFold::counted(kAverage, 7, s) != 7 || IntegerFold::counted(kMaximum, -128, s) != -128) {
    return 2;
  }
  for (int sum = -1200; sum < 1200; ++sum) {
    for (int count = 1; count < 10; ++count) {
      const int average = static_cast<int>(std::round(static_cast<double>(sum) / count));
      if (-128 <= average && average <= 127 && IntegerFold::of(kAverage, sum, count, s) != average) {
        return 3;
      }
    }
    const double mean = std::nearbyint(sum * 3.0 / 16) + 5;  // halves to even
    if (IntegerFold::of(kMean, sum, 1, s) != std::fmin(127, std::fmax(-128, mean))) {
      return 4;
    }
  }
  return 0;
}
