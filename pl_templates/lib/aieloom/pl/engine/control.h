// What a sequencer tells units in the logic: numbers of a layer on a stream of 32-bit words, and tokens back.
//
//   control  | number 0: the opcode | number 1 | ... | number n - 1 | number 0 of the next layer | ...
//
// II: a number a cycle. FFs: 32 for each number.
#pragma once

#include <ap_axi_sdata.h>
#include <ap_int.h>
#include <hls_stream.h>

namespace aieloom {
namespace pl {

using Control = ap_axiu<32, 0, 0, 0>;
using Number = ap_uint<32>;  // between processes of a kernel: words with side channels are for its ports alone [UG1399]

inline int number_of(const Control& word) { return word.data.to_int(); }
inline int number_of(const Number& number) { return number.to_int(); }

/// What all sequencers tell; others are an engine's own. kRest: weights of no product are to be loaded meanwhile.
enum Opcode { kEnd = 0, kProduct = 1, kRest = 5 };

/// A token: room for words that are asked for, or the end of a layer.
inline Control token() {
  Control made;
  made.data = 1;
  made.keep = -1;
  made.last = 1;
  return made;
}

/// A number as it is sent.
inline Control control_of(int number) {
  Control made;
  made.data = number;
  made.keep = -1;
  made.last = 0;
  return made;
}

/// What a sequencer's status says when a program has ended.
enum Status { kDone = 0, kTooLong = 1, kUnknown = 2 };

/// Reads a layer's numbers into a memory, for units that take few of them.
template <int kNumbers>
void read_numbers(hls::stream<Control>& control, int (&number)[kNumbers]) {
#pragma HLS inline
  for (int i = 0; i < kNumbers; ++i) {
#pragma HLS pipeline II=1
    number[i] = number_of(control.read());
  }
}

/// The images of a layer that one of several units has.
struct Share {
  int first, images;

  static Share of(int images, int units, int unit) {
    const int each = (images + units - 1) / units;
    const int left = images - unit * each < each ? images - unit * each : each;
    return {unit * each, left > 0 ? left : 0};
  }
};

/// Takes a layer's numbers: each moves one place down as the next one comes, so that all are at places that are known.
template <int kNumbers, class Word>
void take_numbers(hls::stream<Word>& control, int (&number)[kNumbers]) {
#pragma HLS inline
  for (int i = 0; i < kNumbers; ++i) {
#pragma HLS pipeline II=1
    for (int j = 1; j < kNumbers; ++j) {
#pragma HLS unroll
      number[j - 1] = number[j];
    }
    number[kNumbers - 1] = number_of(control.read());
  }
}

}  // namespace pl
}  // namespace aieloom
