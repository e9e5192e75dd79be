// Lanes of a word, and numbers at compile time.
#include "words.h"

#include <cstdio>

using namespace aieloom::pl;

static_assert(bits_for(0) == 1 && bits_for(1) == 1 && bits_for(2) == 2 && bits_for(255) == 8 && bits_for(256) == 9,
    "bits");
static_assert(ceil_div(8, 4) == 2 && ceil_div(9, 4) == 3, "quotients, upwards");
static_assert(is_power_of_two(1) && is_power_of_two(64) && !is_power_of_two(0) && !is_power_of_two(12), "powers");


template <int kBy, int kMost>
bool divides() {
  for (int i = 0; i <= kMost; ++i) {
    if (quotient<kBy, kMost>(i) != i / kBy || remainder<kBy, kMost>(i) != i % kBy) {
      return false;
    }
  }
  return true;
}
static_assert(quotient<13, 1000>(168) == 12 && remainder<13, 1000>(168) == 12, "at compile time");

int main() {
  if (!divides<1, 300>() || !divides<3, 5000>() || !divides<7, 4095>() || !divides<13, 70000>() || !divides<64,
      1000>() ||
      !divides<1440, 200000>()) {
    return 3;
  }
  const std::int8_t values[4] = {1, -128, -1, 127};
  Row<32> row;
  Axis<32> word;
  row.data = 0;
  word.data = 0;
  for (int lane = 3; lane >= 0; --lane) {
    put_lane<Int8>(row, lane, values[lane]);
    put_lane<Int8>(word, lane, values[lane]);
  }
  if (row.data.to_uint() != 0x7FFF8001U || word.data.to_uint() != 0x7FFF8001U) {
    return 1;
  }
  for (int lane = 0; lane < 4; ++lane) {
    if (lane_of<Int8>(row, lane) != values[lane] || lane_of<Int8>(word, lane) != values[lane]) {
      return 2;
    }
  }
  return 0;
}
