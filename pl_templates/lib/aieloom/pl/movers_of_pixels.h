// Movers of images of one pixel, which lie in memory channel after channel.
//
//   memory   | c0 | c1 | c2 | c3 | ...
//   stream   | c0  -  -  - | c1  -  -  - | ...      each channel the first of kColumns columns, of which the others are no image's
//
// II: kColumns, the stream words that a memory word becomes. Several streams, each with a part of the channels, are filled side by
// side: a process reads and deals, one spreads, and a queue before each stream holds two images' parts.
#pragma once

#include "words.h"

namespace aieloom {
namespace pl {

/// Word `place` of those that a memory word becomes. Traits: kBits, kElementBits, kColumns.
template <class T>
Axis<T::kBits> spread_word(const ap_uint<T::kBits>& channels, int place, bool last) {
#pragma HLS inline
  constexpr int kTogether = T::kBits / T::kElementBits / T::kColumns;  // channels of a stream word
  static_assert(T::kBits % (T::kElementBits * T::kColumns) == 0, "a word has whole rows of kColumns columns");
  Axis<T::kBits> word;
  word.data = 0;
  for (int j = 0; j < kTogether; ++j) {
#pragma HLS unroll
    const int from = (place * kTogether + j) * T::kElementBits;
    const int to = j * T::kColumns * T::kElementBits;
    word.data.range(to + T::kElementBits - 1, to) = channels.range(from + T::kElementBits - 1, from);
  }
  word.keep = -1;
  word.last = last;
  return word;
}

/// Memory to a stream: `iterations` images, each `size` words of the stream, from kMemoryWords memory words.
template <class T>
void memory_to_pixel(const ap_uint<T::kBits>* memory, int size, int iterations, Port<T::kBits>& out) {
#pragma HLS inline
  const int words = T::kMemoryWords * iterations;
  int sent = 0;
  for (int i = 0; i < words; ++i) {
#pragma HLS pipeline II=T::kColumns
    const ap_uint<T::kBits> channels = memory[i];
    for (int place = 0; place < T::kColumns; ++place) {
      if (sent + place < size) {
        out.write(spread_word<T>(channels, place, sent + place == size - 1));
      }
    }
    sent = sent + T::kColumns < size ? sent + T::kColumns : 0;
  }
}

/// Reads images, and deals the channels to the streams: kMemoryWords memory words to each in turn.
template <class T, class Queue>
void deal_channels(const ap_uint<T::kBits>* memory, int iterations, Queue (&parts)[T::kStreams]) {
  int part = 0;
  int word = 0;
  for (int i = 0; i < T::kStreams * T::kMemoryWords * iterations; ++i) {
#pragma HLS pipeline II=1
    const ap_uint<T::kBits> channels = memory[i];
    for (int s = 0; s < T::kStreams; ++s) {
#pragma HLS unroll
      if (s == part) {
        parts[s].write(channels);
      }
    }
    if (word != T::kMemoryWords - 1) {
      ++word;
    } else {
      word = 0;
      part = part != T::kStreams - 1 ? part + 1 : 0;
    }
  }
}

/// Sends all streams a word at a time.
template <class T, class Queue>
void spread_channels(Queue (&parts)[T::kStreams], int size, int iterations, Port<T::kBits> out[T::kStreams]) {
  int sent = 0;
  for (int i = 0; i < T::kMemoryWords * iterations; ++i) {
#pragma HLS pipeline II=T::kColumns
    for (int s = 0; s < T::kStreams; ++s) {
#pragma HLS unroll
      const ap_uint<T::kBits> channels = parts[s].read();
      for (int place = 0; place < T::kColumns; ++place) {
        out[s].write(spread_word<T>(channels, place, sent + place == size - 1));
      }
    }
    sent = sent + T::kColumns < size ? sent + T::kColumns : 0;
  }
}

/// Memory to streams: `iterations` images of `size` words for each.
template <class T>
void memory_to_pixels(const ap_uint<T::kBits>* memory, int size, int iterations, Port<T::kBits> out[T::kStreams]) {
#pragma HLS dataflow
  hls::stream<ap_uint<T::kBits>, 2 * T::kMemoryWords> parts[T::kStreams];
  deal_channels<T>(memory, iterations, parts);
  spread_channels<T>(parts, size, iterations, out);
}

}  // namespace pl
}  // namespace aieloom
