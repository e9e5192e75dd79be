// Words of every third row, and the largest of a word.
#include "engine/rows.h"

using namespace aieloom::pl;
using namespace aieloom::pl::rows;

struct Rows {
  int inner, step, words;
};
struct Small {
  static constexpr int kMostWords = 5;
};

int main() {
  static Word<std::int8_t> x[100], y[100];
  for (int i = 0; i < 100; ++i) {
    for (int q = 0; q < 16; ++q) {
      x[i].lane[q] = static_cast<std::int8_t>(i + 3 * q);
      y[i].lane[q] = 0;
    }
  }
  const Rows r = {4, 3, 2};
  static hls::stream<Word<std::int8_t>> words;
  load(x, r, words);
  if (words.size() != 8) {
    return 1;
  }
  store(r, words, y);
  for (int i = 0; i < 24; ++i) {
    const bool is_one = i / 2 % 3 == 0;
    if (y[i].lane[5] != (is_one ? x[i].lane[5] : 0)) {
      return 2;
    }
  }
  std::int16_t lanes[16];
  for (int place = 0; place < 16; ++place) {
    for (int i = 0; i < 16; ++i) {
      lanes[i] = static_cast<std::int16_t>(i == place ? -5 : -100 - i);
    }
    if (largest_of<int>(lanes) != -5) {
      return 3;
    }
  }
  return wait_of<Small>() == 74 ? 0 : 4;
}
