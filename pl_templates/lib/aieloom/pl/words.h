// Words on AXI streams, rows of values between tasks, the elements in them, and numbers.
//
//   a word of kBits:  | lane n-1 | ... | lane 1 | lane 0 |    lane 0 lies in the lowest bits
//
// Wires only, but for quotients by a constant that is no power of two: a product of a short number with a constant.
#pragma once

#include <ap_axi_sdata.h>
#include <ap_int.h>
#include <hls_stream.h>

#include <cstdint>

#include "elements.h"
#include "functions.h"

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

/// The elements of a part in the kernel, what becomes of each value that comes, and the elements on the streams of its
/// ends.
template <class Inside, class Applied = Unchanged, class Coming = Inside, class Leaving = Inside>
struct Elements {
  using Element = Inside;
  using In = Coming;
  using Out = Leaving;
  using Function = Applied;
};

/// Value `lane` of a word.
template <class Element, class Word>
typename Element::Value lane_of(const Word& word, int lane) {
#pragma HLS inline
  const ap_uint<Element::kBits> bits = word.data.range(Element::kBits * lane + Element::kBits - 1, Element::kBits * lane);
  return Element::value_of(bits.to_uint());
}

/// Puts a value at lane `lane` of a word.
template <class Element, class Word>
void put_lane(Word& word, int lane, typename Element::Value value) {
#pragma HLS inline
  word.data.range(Element::kBits * lane + Element::kBits - 1, Element::kBits * lane) = Element::bits_of(value);
}

/// A word of an AXI stream with such bits.
template <int kBits>
Axis<kBits> axis_of(const ap_uint<kBits>& data, bool last) {
#pragma HLS inline
  Axis<kBits> word;
  word.data = data;
  word.keep = -1;
  word.last = last;
  return word;
}

/// A row's word as it leaves: as it is between tasks, and on a stream with what says whether it is an image's last.
template <class Word>
struct Sent {
  template <int kBits>
  static Word of(const Row<kBits>& row, bool last) {
#pragma HLS inline
    Word word;
    word.data = row.data;
    word.keep = -1;
    word.last = last;
    return word;
  }
};
template <int kBits>
struct Sent<Row<kBits>> {
  static Row<kBits> of(const Row<kBits>& row, bool) { return row; }
};

/// The numbers below `kCount`, which stand for a task's streams.
template <int... kNumbers>
struct Numbers {};
template <int kCount, int... kNumbers>
struct NumbersBelow : NumbersBelow<kCount - 1, kCount - 1, kNumbers...> {};
template <int... kNumbers>
struct NumbersBelow<0, kNumbers...> {
  using Type = Numbers<kNumbers...>;
};

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

/// Writes a word to every one of several streams.
template <class Word>
void write_all(const Word& word, hls::stream<Word>& only) {
#pragma HLS inline
  only.write(word);
}
template <class Word, class... Others>
void write_all(const Word& word, hls::stream<Word>& first, Others&... others) {
#pragma HLS inline
  first.write(word);
  write_all(word, others...);
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

/// number / kBy, downwards, for numbers from 0 to kMost: bits of it, or its product with the reciprocal in whole
/// numbers, for a divider is a core as deep as the number is long. Exact: the reciprocal is less than kBy / 2^kShift
/// too large.
template <int kBy, int kMost>
constexpr int quotient(int number) {
  static_assert(kBy > 0 && kMost >= 0, "numbers are not negative, and are divided by one that is above 0");
  constexpr int kShift = bits_for(kMost) + bits_for(kBy);
  static_assert(bits_for(kMost) + kShift < 63, "the product has 64 bits: divide smaller numbers");
  constexpr std::uint64_t kReciprocal = ((std::uint64_t{1} << kShift) + kBy - 1) / kBy;
  constexpr std::uint64_t kMask = (std::uint64_t{1} << bits_for(kMost)) - 1;  // says how short the factor is
  const std::uint64_t product = (static_cast<std::uint64_t>(number) & kMask) * kReciprocal;
  return is_power_of_two(kBy) ? number / kBy : static_cast<int>(product >> kShift);
}

/// What such a division leaves.
template <int kBy, int kMost>
constexpr int remainder(int number) {
  return kBy > kMost ? number : number - kBy * quotient<kBy, kMost>(number);
}

}  // namespace pl
}  // namespace aieloom
