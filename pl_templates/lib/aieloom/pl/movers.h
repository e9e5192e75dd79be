// Movers between device memory and streams: bursts of memory words, each of which has a word of several streams.
//
//   memory   | word 0 of stream 0 | word 0 of stream 1 | ... | word 1 of stream 0 | ...      kTogether stream words a memory word
//   streams  0: word 0, word 1 ...   1: word 0, word 1 ...
//
// II: the memory words that a word of each stream takes (kBeats), one a cycle. LUTs: the port's bursts, and a register of a word.
#pragma once

#include "words.h"

namespace aieloom {
namespace pl {

/// How words of streams lie in memory. Traits of a mover: kBits and kStreams, kMemoryBits of the port.
template <class T>
struct Together {
  static constexpr int kTogether = T::kMemoryBits / T::kBits;
  static constexpr int kBeats = ceil_div(T::kStreams, kTogether);  // memory words for a word of each stream
  static_assert(T::kMemoryBits % T::kBits == 0, "a memory word is whole stream words: change kMemoryBits");
};

/// Gives each stream a word, from the memory word `at` on.
template <class T, class... Out>
void send_together(const ap_uint<T::kMemoryBits>* memory, int at, bool last, Out&... out) {
#pragma HLS inline
  static_assert(sizeof...(Out) == T::kStreams, "the mover has kStreams streams");
  for (int beat = 0; beat < Together<T>::kBeats; ++beat) {
#pragma HLS unroll
    const ap_uint<T::kMemoryBits> together = memory[at + beat];
    for (int j = 0; j < Together<T>::kTogether; ++j) {
#pragma HLS unroll
      const int stream = beat * Together<T>::kTogether + j;
      if (stream < T::kStreams) {
        Axis<T::kBits> word;
        word.data = together.range(T::kBits * j + T::kBits - 1, T::kBits * j);
        word.keep = -1;
        word.last = last;
        write_to(stream, word, out...);
      }
    }
  }
}

/// Takes a word of each stream, to the memory word `at` and those behind it.
template <class T, class... In>
void take_together(ap_uint<T::kMemoryBits>* memory, int at, In&... in) {
#pragma HLS inline
  static_assert(sizeof...(In) == T::kStreams, "the mover has kStreams streams");
  for (int beat = 0; beat < Together<T>::kBeats; ++beat) {
#pragma HLS unroll
    ap_uint<T::kMemoryBits> together = 0;
    for (int j = 0; j < Together<T>::kTogether; ++j) {
#pragma HLS unroll
      const int stream = beat * Together<T>::kTogether + j;
      if (stream < T::kStreams) {
        together.range(T::kBits * j + T::kBits - 1, T::kBits * j) = read_of(stream, in...).data;
      }
    }
    memory[at + beat] = together;
  }
}

/// Memory to streams: `iterations` images of `size` words for each stream. Word i of all streams lies together.
template <class T, class... Out>
void memory_to_streams(const ap_uint<T::kMemoryBits>* memory, int size, int iterations, Out&... out) {
#pragma HLS inline
  const int words = size * iterations;
  int word_of_image = 0;
  for (int i = 0; i < words; ++i) {
#pragma HLS pipeline II=Together<T>::kBeats
    const bool last = word_of_image == size - 1;
    send_together<T>(memory, i * Together<T>::kBeats, last, out...);
    word_of_image = last ? 0 : word_of_image + 1;
  }
}

/// Streams to memory: `iterations` images of `size` words from each stream. Word i of all streams lies together.
template <class T, class... In>
void streams_to_memory(ap_uint<T::kMemoryBits>* memory, int size, int iterations, In&... in) {
#pragma HLS inline
  const int words = size * iterations;
  for (int i = 0; i < words; ++i) {
#pragma HLS pipeline II=Together<T>::kBeats
    take_together<T>(memory, i * Together<T>::kBeats, in...);
  }
}

}  // namespace pl
}  // namespace aieloom
