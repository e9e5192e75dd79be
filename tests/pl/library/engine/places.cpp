// The words of a window, against their numbers: word, tap and part by division.
#include "engine/places.h"

using namespace aieloom::pl;

struct Layer {
  int passes, width, tap_words, kernel_y, kernel_x;
};

int main() {
  const Layer layers[] = {{3, 11, 2, 3, 3}, {2, 7, 5, 1, 1}, {4, 9, 1, 5, 2}};
  for (const Layer& l : layers) {
    static WindowWord places[3][8];
    place<2>(l, places);
    for (int n = 0; n < l.passes * 3 * 2; ++n) {  // pass, part, word of a tile
      const WindowWord& p = places[n / 2 % 3][n / 6 * 2 + n % 2];
      const int tap = n / l.tap_words, dy = tap / l.kernel_x, dx = tap % l.kernel_x;
      const bool is_there = dy < l.kernel_y;
      if (p.dy != (is_there ? dy : kOutside) || p.dx != dx || (is_there && p.offset != (dy * l.width + dx) * l.tap_words + n % l.tap_words)) {
        return 1;
      }
    }
  }
  return 0;
}
