// Exponentials, logarithms and shares, against the C library in float64.
#include "exponential.h"

#include <cmath>

#include "elements.h"

using namespace aieloom::pl;

struct Shares {
  using Element = Int8;
  static constexpr float kScale = 0.0625F, kSteps = 256.0F;
  static constexpr int kZero = -128;
};

/// Whether a float lies within so many units in the last place of a number.
bool near(float found, double exact, double units) { return std::fabs(found - exact) <= units * std::fabs(exact) * 0.00000011920929; }

int main() {
  for (int i = 0; i < 20000; ++i) {
    const float x = -86.9F * static_cast<float>(i) / 20000.0F, large = 1.0F + static_cast<float>(i) * 3.7F;
    if (!near(exponential(x), std::exp(static_cast<double>(x)), 100.0)) {
      return 1;
    }
    if (!near(logarithm(large), std::log(static_cast<double>(large)), 4.0) && logarithm(large) > 0.000001F) {
      return 2;
    }
  }
  const float nan = as_float(0x7FC00000U);
  if (exponential(0.0F) != 1.0F || exponential(-87.1F) != 0.0F || exponential(nan) == exponential(nan) ||
      logarithm(1.0F) != 0.0F || logarithm(nan) == logarithm(nan)) {
    return 3;
  }
  if (!FloatShares::is_above(0.5F, -1.0F) || FloatShares::is_above(-2.0F, -1.0F) || FloatShares::is_above(1.0F, 1.0F)) {
    return 4;
  }
  for (int a = -128; a < 128; a += 5) {
    const float power = ElementShares<Shares>::power_of(static_cast<std::int8_t>(a), 127);
    const int share = ElementShares<Shares>::share_of(power, 1.0F);
    const double exact = std::exp((a - 127) / 16.0) * 256.0;
    if (std::fabs(share + 128 - exact) > 0.51 && !(share == 127 && exact > 254.0)) {
      return 5;
    }
  }
  return ElementShares<Shares>::is_above(3, -3) && !ElementShares<Shares>::is_above(3, 3) ? 0 : 6;
}
