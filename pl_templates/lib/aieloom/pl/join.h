// Where tensors meet and part, as rows: all tasks take and give one row's word a cycle (II=1).
//
//   port --> bring_rows --> [rows] --.
//                                    join_rows --> [rows] --> fork_rows --> [rows] --> send_rows --> port
//                           [rows] --'                                `--> [rows]
//
// LUTs: a register of a word, and what the join's function takes for each lane. Queues wait for whole images where inputs differ.
#pragma once

#include "words.h"

namespace aieloom {
namespace pl {

/// Joins a word of each input a cycle, all lanes side by side: II=1.
template <class T, class Function>
void join_rows(hls::stream<Row<T::kBits>>& first, hls::stream<Row<T::kBits>>& second, hls::stream<Row<T::kBits>>& joined) {
  using Element = typename T::Element;
  static_assert(T::kBits % Element::kBits == 0, "a word is whole elements");
  for (int i = 0; i < T::kWords; ++i) {
#pragma HLS pipeline II=1
    const Row<T::kBits> a = first.read();
    const Row<T::kBits> b = second.read();
    Row<T::kBits> y;
    for (int lane = 0; lane < T::kBits / Element::kBits; ++lane) {
#pragma HLS unroll
      put_lane<Element>(y, lane, Function::of(lane_of<Element>(a, lane), lane_of<Element>(b, lane)));
    }
    joined.write(y);
  }
}

/// Gives each of an image's words to both: II=1.
template <int kBits, int kWords>
void fork_rows(hls::stream<Row<kBits>>& rows, hls::stream<Row<kBits>>& first, hls::stream<Row<kBits>>& second) {
  for (int i = 0; i < kWords; ++i) {
#pragma HLS pipeline II=1
    const Row<kBits> word = rows.read();
    first.write(word);
    second.write(word);
  }
}

/// Brings an image's words from a port: II=1.
template <int kBits, int kWords>
void bring_rows(Port<kBits>& in, hls::stream<Row<kBits>>& rows) {
  for (int i = 0; i < kWords; ++i) {
#pragma HLS pipeline II=1
    Row<kBits> word;
    word.data = in.read().data;
    rows.write(word);
  }
}

/// Sends an image's words to a port: II=1.
template <int kBits, int kWords>
void send_rows(hls::stream<Row<kBits>>& rows, Port<kBits>& out) {
  for (int i = 0; i < kWords; ++i) {
#pragma HLS pipeline II=1
    Axis<kBits> word;
    word.data = rows.read().data;
    word.keep = -1;
    word.last = i == kWords - 1;
    out.write(word);
  }
}

}  // namespace pl
}  // namespace aieloom
