// What all rows of chains need beside weights, by one port to memory.
//
//   tables --> tell --> to_stores: the channels of a product's tiles     -> row 0, 1, ...
//                   --> to_loads: channels and weights of a depthwise layer
//
// II: a word a cycle to all rows.
#pragma once

#include "../words.h"
#include "fold.h"
#include "row_layer.h"

namespace aieloom {
namespace pl {
namespace row {

/// Reads words once and sends them to all rows.
template <int kRows>
void tell(const ap_uint<128>* words, int count, Port<128>* to) {
  for (int i = 0; i < count; ++i) {
#pragma HLS pipeline II=1
    const ap_uint<128> word = words[i];
    for (int row = 0; row < kRows; ++row) {
#pragma HLS unroll
      to[row].write(axis_of(word, false));
    }
  }
}

/// Layer after layer: channels of a product's tiles in the order in which the rows take them. kRows and kColumns of chains, kTileN channels of a core's tile.
template <class T>
void tables(const ap_uint<128>* tables, hls::stream<Control>& control, Port<128> to_stores[T::kRows]) {
#pragma HLS inline
  for (Layer l = take(control); l.opcode != kEnd; l = take(control)) {
    if (l.opcode == kProduct) {
      tell<T::kRows>(tables + l.channels_at, l.groups * l.tiles * T::kColumns * T::kTileN, to_stores);
    }
  }
}

/// And of a depthwise layer its channels and weights.
template <class T>
void tables(const ap_uint<128>* tables, hls::stream<Control>& control, Port<128> to_stores[T::kRows], Port<128> to_loads[T::kRows]) {
#pragma HLS inline
  for (Layer l = take(control); l.opcode != kEnd; l = take(control)) {
    if (l.opcode == kProduct) {
      tell<T::kRows>(tables + l.channels_at, l.groups * l.tiles * T::kColumns * T::kTileN, to_stores);
    }
    if (l.opcode == kFold && l.operation == kDepthwise) {
      tell<T::kRows>(tables + l.channels_at, l.words * (kLanes + l.kernel_y * l.kernel_x), to_loads);
    }
  }
}

}  // namespace row
}  // namespace pl
}  // namespace aieloom
