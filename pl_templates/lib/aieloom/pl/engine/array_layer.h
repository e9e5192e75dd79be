// A product of an engine on the array whose tensors lie in device memory: its numbers, and how it is cut.
//
//   group of channels > set of tiles > round: a band of an image for each row of chains > tile > block of pixels
//
// II: a number a cycle. Cost: a register for each number; products and divisions outside of loops.
#pragma once

#include "control.h"

namespace aieloom {
namespace pl {
namespace array {

/// What units beside the array compute.
enum BesideOpcode { kVector = 2, kRow = 3 };

/// A product, as the sequencer sends it.
struct Layer {
  int opcode;
  int images, height, width, words;  // of the input; words of a pixel
  int out_height, out_width, out_words;
  int kernel_y, kernel_x, stride_y, stride_x, top, left;
  int groups, tap_words, group_words;  // words of a tap that a group sees; of a pixel that it makes
  int passes, rows, bands, tiles;      // over K; rows of the output of a band; bands of an image; tiles of a group's output channels
  int x_at, w_at, channels_at, y_at;   // words from the beginning of a buffer
  int outside, zero, shift, low, high;
  int together;  // tiles of output channels that share a load of the input: their weights are kept at the same time
  int sum;       // with another tensor: 0 none, 1 the product is the first of the two, 2 the second
  int other_at;
  int zero_a, zero_b, zero_y;                      // of the sum
  int a_low, a_high, b_low, b_high, multiplier_y;  // of 64 bits the halves
  int shift_a, shift_b, shift_y, sum_low, sum_high;
  int unused[2];
};

constexpr int kNumbers = sizeof(Layer) / sizeof(int);

/// The numbers in the order of the fields, each from a place that is known: HLS has no memory for them.
inline Layer layer_of(const int (&number)[kNumbers]) {
  return {
      number[0],
      number[1], number[2], number[3], number[4],
      number[5], number[6], number[7],
      number[8], number[9], number[10], number[11], number[12], number[13],
      number[14], number[15], number[16],
      number[17], number[18], number[19], number[20],
      number[21], number[22], number[23], number[24],
      number[25], number[26], number[27], number[28], number[29],
      number[30],
      number[31],
      number[32],
      number[33], number[34], number[35],
      number[36], number[37], number[38], number[39], number[40],
      number[41], number[42], number[43], number[44], number[45],
      {number[46], number[47]}};
}

/// Takes a layer from the sequencer.
inline Layer take(hls::stream<Control>& control) {
  int number[kNumbers] = {};
#pragma HLS array_partition variable=number type=complete
  take_numbers(control, number);
  return layer_of(number);
}

inline void take(hls::stream<Control>& control, Layer& layer) { layer = take(control); }

/// Rounds of a layer: in each every one of `rows` of chains has a band of an image, or none.
inline int rounds_of(const Layer& l, int rows) { return (l.images * l.bands + rows - 1) / rows; }

/// Sets of a group's tiles, and the tiles of one: the last may have fewer.
inline int sets_of(const Layer& l) { return (l.tiles + l.together - 1) / l.together; }

inline int tiles_of(const Layer& l, int set) {
  const int left = l.tiles - set * l.together;
  return left < l.together ? left : l.together;
}

/// Blocks of `tile` pixels of a band, the same of all.
inline int blocks_of(const Layer& l, int /*round*/, int tile) { return (l.rows * l.out_width + tile - 1) / tile; }

/// Pixels of a band of an image: the last may have fewer rows; 0 where there is none.
inline int pixels_of(const Layer& l, int band) {
  const int first = band % l.bands * l.rows;
  const int rows = l.out_height - first < l.rows ? l.out_height - first : l.rows;
  return band < l.images * l.bands ? rows * l.out_width : 0;
}

}  // namespace array
}  // namespace pl
}  // namespace aieloom
