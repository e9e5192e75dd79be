// Layers of whole rows, and heads of an attention, of tensors in device memory: as the processor starts them, or as a sequencer sends them.
//
//   x, w --> a layer of rows (row_integers.h, row_floats.h) --> y
//        '-> heads as an engine reads weights (row_heads.h) -^
//
// II: a word every kInterval cycles. Cost: that of the rows and of the heads.
#pragma once

#include <hls_fence.h>

#include "control.h"
#include "row_heads.h"

namespace aieloom {
namespace pl {
namespace rows {

/// A layer, or heads: images from `first` on.
template <class T>
void compute(const WordOf<T>* x, const WordOf<T>* w, WordOf<T>* y, const int (&n)[T::kNumbers], int first, int images) {
#pragma HLS inline
  if (!T::Heads::template lay_out<T>(x, w, y, n, first, images)) {
    T::Rows::template layer<T>(x, w, y, n, first, images);
  }
}

/// Computes a layer of whole rows, or lays heads out. Tensors lie in device memory pixel by pixel, kLanes channels in a word, the last
/// word of a row filled up. `*_at` are words from the beginning of a buffer; a layer's numbers are those of the command list.
template <class T>
void started(const WordOf<T>* x, const WordOf<T>* w, WordOf<T>* y, int x_at, int table_at, int y_at, int operation, int images, int pixels, int a,
             int b, int c, int d, int e, int f, int tiles, int passes) {
#pragma HLS inline
  const int n[T::kNumbers] = {3, x_at, table_at, y_at, operation, images, pixels, a, b, c, d, e, f, tiles, passes};
  compute<T>(x, w, y, n, 0, images);
}

/// Computes unit `unit`'s share of the images of layer after layer as the sequencer sends them, and tells it when one lies in memory.
template <class T>
void told(const WordOf<T>* x, const WordOf<T>* w, WordOf<T>* y, int unit, hls::stream<Control>& control, hls::stream<Control>& done) {
#pragma HLS inline
  for (;;) {
    int n[T::kNumbers];
    read_numbers(control, n);
    if (n[0] == kEnd) {
      break;
    }
    const Share share = Share::of(n[5], T::kUnits, unit);
    compute<T>(x, w, y, n, share.first, share.images);
    hls::fence(y, done);  // the results are in memory before the token leaves [UG1399 hls::fence]
    done.write(token());
  }
}

}  // namespace rows
}  // namespace pl
}  // namespace aieloom
