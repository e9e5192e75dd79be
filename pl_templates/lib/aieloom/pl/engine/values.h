// What engines compute with: words of memory, and how elements in them are kept, multiplied and added.
//
//   a word of memory:  | lane 0 | lane 1 | ... | lane 15 |    neighbouring channels of a pixel
//   or                 | number 0 | number 1 | ...       |    of 32 bits each
//
// Wires only, but for the rounding of a bfloat16 that leaves (some 20 LUTs, estimate).
#pragma once

#include "../elements.h"

namespace aieloom {
namespace pl {

constexpr int kLanes = 16;  // channels of a word

/// Neighbouring channels of a pixel: what a memory port carries in a cycle.
template <class Element>
struct Word {
  Element lane[kLanes];
};

/// int8, multiplied in 16 bits and added in 32.
struct Integers {
  using Element = std::int8_t;
  using Factor = std::int16_t;  // wide enough for a product of two elements
  using Sum = std::int32_t;
  static constexpr int kWordNumbers = 4;
  static Sum number_of(int bits) { return bits; }
  static Sum number_at(const Word<Element>& word, int at) {
    std::uint32_t found = 0;
    for (int i = 0; i < 4; ++i) {
#pragma HLS unroll
      found |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(word.lane[4 * at + i])) << (8 * i);
    }
    return static_cast<Sum>(found);
  }
};

struct Floats {
  using Element = float;
  using Factor = float;
  using Sum = float;
  static constexpr int kWordNumbers = kLanes;
  static float value_of(Element element) { return element; }
  static Element element_of(float value) { return value; }
  static Sum number_of(int bits) { return as_float(static_cast<std::uint32_t>(bits)); }
  static Sum number_at(const Word<Element>& word, int at) { return word.lane[at]; }
};

/// bfloat16 in memory, float in the kernel.
struct Bfloats {
  using Element = std::uint16_t;
  using Factor = float;
  using Sum = float;
  static constexpr int kWordNumbers = kLanes / 2;
  static float value_of(Element element) { return Bfloat16::value_of(element); }
  static Element element_of(float value) { return Bfloat16::bits_of(value); }
  static Sum number_of(int bits) { return as_float(static_cast<std::uint32_t>(bits)); }
  static Sum number_at(const Word<Element>& word, int at) {
    return as_float(static_cast<std::uint32_t>(word.lane[2 * at]) | static_cast<std::uint32_t>(word.lane[2 * at + 1]) << 16);
  }
};

inline int least_of(int a, int b) { return a < b ? a : b; }

}  // namespace pl
}  // namespace aieloom
