// The average of integers, halves away from zero, against the quotient rounded by the C library.
#include "pool.h"

#include <cmath>

using namespace aieloom::pl;

int main() {
  unsigned seed = 7U;
  for (int turn = 0; turn < 2000; ++turn) {
    Average<Int8, 12> fold;
    Average<Int8, 12, -100> bordered;
    int sum = 0, with_border = 0;
    for (int i = 0; i < 12; ++i) {
      seed = seed * 1664525U + 1013904223U;
      const int value = turn == 0 ? -128 : turn == 1 ? 127 : static_cast<int>(seed >> 24) - 128;
      fold.take(static_cast<std::int8_t>(value), true);
      bordered.take(static_cast<std::int8_t>(value), i % 3 != 0);
      sum += value;
      with_border += i % 3 != 0 ? value : -100;
    }
    if (fold.result() != std::round(sum / 12.0) || bordered.result() != std::round(with_border / 12.0)) {
      return 1;
    }
  }
  return 0;
}
