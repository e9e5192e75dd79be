// Words on AXI streams, rows of values between tasks, and the elements in them.
//
//   a word of kBits:  | lane n-1 | ... | lane 1 | lane 0 |    lane 0 lies in the lowest bits
//
// Wires only: nothing here costs a cycle or a LUT.
#pragma once

#include <ap_axi_sdata.h>
#include <ap_int.h>
#include <hls_stream.h>

#include <cstdint>

namespace aieloom {
namespace pl {

/// A word of an AXI stream, and a port for such words.
template <int kBits>
using Axis = ap_axiu<kBits, 0, 0, 0>;
template <int kBits>
using Port = hls::stream<Axis<kBits>>;

/// Neighbouring values of a row of a channel, between tasks; rows in order of row, channel and column.
template <int kBits>
struct Row {
  ap_uint<kBits> data;
};

/// int8 on the wire and in the kernel.
struct Int8 {
  using Value = std::int8_t;
  static constexpr int kBits = 8, kLeast = -128, kMost = 127;
  static Value value_of(ap_uint<8> bits) { return static_cast<Value>(bits.to_uint()); }
  static ap_uint<8> bits_of(Value value) { return static_cast<std::uint8_t>(value); }
};

/// Value `lane` of a word.
template <class Element, class Word>
typename Element::Value lane_of(const Word& word, int lane) {
#pragma HLS inline
  return Element::value_of(word.data.range(Element::kBits * lane + Element::kBits - 1, Element::kBits * lane));
}

/// Puts a value at lane `lane` of a word.
template <class Element, class Word>
void put_lane(Word& word, int lane, typename Element::Value value) {
#pragma HLS inline
  word.data.range(Element::kBits * lane + Element::kBits - 1, Element::kBits * lane) = Element::bits_of(value);
}

/// Reads a word of one of several streams.
template <class Word>
Word read_of(int, hls::stream<Word>& only) {
#pragma HLS inline
  return only.read();
}
template <class Word, class... Others>
Word read_of(int stream, hls::stream<Word>& first, Others&... others) {
#pragma HLS inline
  if (stream == 0) {
    return first.read();
  }
  return read_of(stream - 1, others...);
}

/// Writes a word to one of several streams.
template <class Word>
void write_to(int, const Word& word, hls::stream<Word>& only) {
#pragma HLS inline
  only.write(word);
}
template <class Word, class... Others>
void write_to(int stream, const Word& word, hls::stream<Word>& first, Others&... others) {
#pragma HLS inline
  if (stream == 0) {
    first.write(word);
  } else {
    write_to(stream - 1, word, others...);
  }
}

/// Bits of an unsigned number up to `most`.
constexpr int bits_for(int most) { return most < 2 ? 1 : 1 + bits_for(most / 2); }

constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }

constexpr bool is_power_of_two(int n) { return n > 0 && (n & (n - 1)) == 0; }

}  // namespace pl
}  // namespace aieloom
