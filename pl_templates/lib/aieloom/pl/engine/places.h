// Where windows lie in the rows of a band, and their words within them: addresses by counters.
//
//   pixel --> Corner: row and column of its window      word of K --> WindowWord: offset from the corner, and its tap
//
// II: a place a cycle. Cost: three numbers for each word of K of a part.
#pragma once

namespace aieloom {
namespace pl {

/// Where the window of a pixel begins, in rows of the band and columns of the image.
struct Corner {
  int row, column;
};

/// A word of a window: where it lies from the window's first, and its tap; beyond the last one a row that is outside of every image.
struct WindowWord {
  int offset, dy, dx;
};

constexpr int kOutside = -(1 << 24);

/// The words of a window in the order in which the parts of K take them, pass after pass.
template <int kTileWords, int kParts, int kPlaces, class Layer>
void place(const Layer& l, WindowWord (&places)[kParts][kPlaces]) {
  int word = 0;
  int dy = 0;
  int dx = 0;
  for (int pass = 0; pass < l.passes; ++pass) {
    for (int part = 0; part < kParts; ++part) {
      for (int k = 0; k < kTileWords; ++k) {
#pragma HLS pipeline II=1
        places[part][pass * kTileWords + k] = {(dy * l.width + dx) * l.tap_words + word, dy < l.kernel_y ? dy : kOutside, dx};
        ++word;
        if (word == l.tap_words) {
          word = 0;
          ++dx;
        }
        if (dx == l.kernel_x) {
          dx = 0;
          ++dy;
        }
      }
    }
  }
}

}  // namespace pl
}  // namespace aieloom
