// Elements on the wire and in a kernel.
#include "elements.h"

#include <initializer_list>

using namespace aieloom::pl;

/// bfloat16 that lies nearest to a float, by looking at both neighbours.
float nearest(float value) {
  const float below = as_float(float_bits(value) & 0xFFFF0000U), above =
      as_float((float_bits(value) & 0xFFFF0000U) + 0x10000U);
  const double down = static_cast<double>(value) - below, up = static_cast<double>(above) - value;
  const bool even = (float_bits(below) >> 16 & 1U) == 0;
  const bool stays = value < 0 ? -down < -up || (down == up && even) : down < up || (down == up && even);
  return stays ? below : above;
}

bool elements() {
  if (Int16::value_of(Int16::bits_of(-32768)) != -32768 || Int16::bits_of(-2) != 0xFFFEU) {
    return false;
  }
  for (const float value : {1.0F, -1.5F, 1.00390625F, 1.01171875F, -1.00390625F, 3.1415927F, 1e-30F}) {
    if (Float::value_of(Float::bits_of(value)) != value ||
        Bfloat16::value_of(Bfloat16::bits_of(value)) != nearest(value)) {
      return false;
    }
  }
  const float nan = as_float(0x7F800001U), found = Bfloat16::value_of(Bfloat16::bits_of(nan));
  return found != found;  // NaN stays NaN
}

int main() { return elements() ? 0 : 1; }
