// Functions by table: each element, the nearest entry of floats, straight lines.
#include "tables.h"

#include <cmath>

using namespace aieloom::pl;

struct Squares {  // of a quarter each, from -1 up to 1
  static constexpr int kEntries = 8, kOffset = 4;
  static constexpr float kLow = -1.0F, kHigh = 1.0F, kScale = 4.0F, kBelow = 9.0F, kAbove = 7.0F;
  static float at(int index) { return static_cast<float>((index - 4) * (index - 4)); }
};
struct Negatives {
  static std::int8_t at(int index) { return static_cast<std::int8_t>(127 - index); }
};
struct Lines {  // an entry every 8192 elements: 0, 100, 0, 100 ...
  static constexpr int kShift = 13;
  static std::int16_t at(int index) { return static_cast<std::int16_t>(index % 2 * 100); }
};

int main() {
  if (NearestEntry<Squares>::of(-1.01F) != 9.0F || NearestEntry<Squares>::of(1.0F) != 7.0F ||
      NearestEntry<Squares>::of(0.99F) != 9.0F) {
    return 1;  // the last entry stands for what is nearest to the one behind it
  }
  for (float x = -1.0F; x < 0.875F; x += 1.0F / 64.0F) {
    const float nearest = std::round(x * 4.0F);  // halves away from zero
    if (NearestEntry<Squares>::of(x) != nearest * nearest) {
      return 2;
    }
  }
  const float nan = std::nanf("");
  if (NearestEntry<Squares>::of(nan) == NearestEntry<Squares>::of(nan)) {
    return 3;
  }
  for (int x = -128; x < 128; ++x) {
    if (EachElement<Negatives>::of(static_cast<std::int8_t>(x)) != -1 - x) {
      return 4;
    }
  }
  for (int x = -32768; x < 32767; x += 13) {
    const double place = (x + 32768.0) / 8192.0, whole = std::floor(place), rest = place - whole;
    const double exact = std::fmod(whole, 2.0) == 0.0 ? 100.0 * rest : 100.0 * (1.0 - rest);
    if (StraightLines<Lines>::of(static_cast<std::int16_t>(x)) != std::floor(exact + 0.5)) {
      return 5;
    }
  }
  return 0;
}
