// Elements: what a value is on the wire and in a kernel.
//
//   bits of a word --> value_of --> Value --> bits_of --> bits of a word
//
// No types of HLS: programs on the processor use them too. Wires only, but for the rounding of a bfloat16 that leaves
// (some 20 LUTs, estimate).
#pragma once

#include "functions.h"

namespace aieloom {
namespace pl {

/// int8 on the wire and in the kernel.
struct Int8 {
  using Value = std::int8_t;
  using Sum = int;  // of a window's elements
  using Magnitude = unsigned;
  static constexpr int kBits = 8, kLeast = -128, kMost = 127;
  static Value value_of(std::uint32_t bits) { return static_cast<Value>(bits); }
  static std::uint8_t bits_of(Value value) { return static_cast<std::uint8_t>(value); }
};

struct Int16 {
  using Value = std::int16_t;
  using Sum = std::int64_t;
  using Magnitude = std::uint64_t;
  static constexpr int kBits = 16, kLeast = -32768, kMost = 32767;
  static Value value_of(std::uint32_t bits) { return static_cast<Value>(bits); }
  static std::uint16_t bits_of(Value value) { return static_cast<std::uint16_t>(value); }
};

struct Float {
  using Value = float;
  static constexpr int kBits = 32;
  static Value value_of(std::uint32_t bits) { return as_float(bits); }
  static std::uint32_t bits_of(Value value) { return float_bits(value); }
};

/// bfloat16 on the wire, float in the kernel: the nearest when it leaves, halves to even; NaN stays NaN.
struct Bfloat16 {
  using Value = float;
  static constexpr int kBits = 16;
  static Value value_of(std::uint32_t bits) { return as_float(bits << 16); }
  static std::uint16_t bits_of(Value value) {
    const std::uint32_t bits = float_bits(value);
    const bool is_nan = value != value;
    const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
    return static_cast<std::uint16_t>(is_nan ? (bits >> 16) | 0x40U : rounded);
  }
};

}  // namespace pl
}  // namespace aieloom
