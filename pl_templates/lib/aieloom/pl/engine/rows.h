// Layers of whole rows: what units for them share.
//
//   x --> load --> passes over a row, those of neighbouring rows overlap --> store --> y
//
// II: a word a cycle. Cost: ports to memory.
#pragma once

#include <hls_stream.h>

#include "values.h"

namespace aieloom {
namespace pl {
namespace rows {

/// As the command list numbers them.
enum RowOperation {
  kNorm = 0,
  kAffine = 1,
  kShares = 2,  // of a softmax
  kLayOut = 3,  // heads, as the engine reads weights
  kGelu = 4,    // functions of floats
  kGeluTanh = 5,
  kSilu = 6,
  kSigmoid = 7,
  kTanh = 8
};

template <class T>
using WordOf = Word<typename T::Values::Element>;

/// A layer of rows, by the numbers of the command list.
struct RowNumbers {
  int x_at, table_at, y_at, operation, pixels, words, valid, rows;  // words and elements of a row, rows of a pixel
  bool each;                                                        // every pixel has factors of its own
  int zero_x, zero, mask_at;
  bool masked;  // every image has a mask of its own

  template <class T>
  static RowNumbers of(const int (&n)[T::kNumbers]) {
    return {n[1], n[2], n[3], n[4], n[6], n[7], n[8], n[9], n[10] != 0, n[11], n[12], n[13], n[14] != 0};
  }

  /// Factors or masks that are read, and the rows that have one's.
  int parts(int images) const { return each ? pixels : masked ? images : 1; }
  int rows_of_part(int images) const { return each ? images : masked ? pixels * rows : images * pixels * rows; }
};

/// Words between passes: a row, and those that come while its sums are added up.
template <class T>
constexpr int wait_of() {
  return 2 * T::kMostWords + 64;
}

/// Reads rows word by word.
template <class Element, class Rows>
void load(const Word<Element>* x, const Rows& r, hls::stream<Word<Element>>& to) {
  for (int row = 0; row < r.inner; ++row) {
    for (int j = 0; j < r.words; ++j) {
#pragma HLS pipeline II=1
      to.write(x[static_cast<std::int64_t>(row) * r.step * r.words + j]);
    }
  }
}

/// Writes rows word by word.
template <class Element, class Rows>
void store(const Rows& r, hls::stream<Word<Element>>& results, Word<Element>* y) {
  for (int row = 0; row < r.inner; ++row) {
    for (int j = 0; j < r.words; ++j) {
#pragma HLS pipeline II=1
      y[static_cast<std::int64_t>(row) * r.step * r.words + j] = results.read();
    }
  }
}

/// The largest of a word, in pairs: what a row's largest waits for is one comparison.
template <class Compared, class Lane>
Compared largest_of(const Lane (&lanes)[kLanes]) {
  Compared best[kLanes];
#pragma HLS array_partition variable=best type=complete
  for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
    best[i] = lanes[i];
  }
  for (int wide = kLanes / 2; wide > 0; wide /= 2) {
#pragma HLS unroll
    for (int i = 0; i < wide; ++i) {
#pragma HLS unroll
      best[i] = best[2 * i + 1] > best[2 * i] ? best[2 * i + 1] : best[2 * i];
    }
  }
  return best[0];
}

}  // namespace rows
}  // namespace pl
}  // namespace aieloom
