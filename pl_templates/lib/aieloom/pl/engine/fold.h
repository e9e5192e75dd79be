// What a layer of windows or of single elements does, and how a window of int8 becomes an element.
//
//   taps --> counted --+--> a sum, or the largest --> of --> element
//
// II=1. A divider for each element of a cycle where averages are divided by their count (some 3,000 LUTs, estimate); a product of 64 bits of a mean.
#pragma once

#include "sums.h"

namespace aieloom {
namespace pl {

/// As the command list numbers them.
enum Operation {
  kAdd = 0,      // two tensors, place by place
  kMaximum = 1,  // of a window
  kAverage = 2,  // of a window: its sum by its count
  kMean = 3,     // of a window: its sum above the zero point times a multiplier (ONNX's integers)
  kTable = 4,    // a function of an int8 element
  kBounds = 5,   // floats between two bounds
  kDepthwise = 6  // a convolution in which every channel sees itself alone
};

/// How many of the places from `from` on lie within `size`.
inline int inside_of(int from, int places, int size) {
  const int first = from < 0 ? 0 : from;
  const int last = from + places < size ? from + places : size;
  return last > first ? last - first : 0;
}

/// Windows of int8.
struct IntegerFold {
  /// What a place counts for.
  static std::int32_t counted(int operation, std::int8_t value, const IntegerScaling& s) { return value - (operation == kMean ? s.zero_a : 0); }

  /// A sum by a count, halves away from zero.
  static std::int8_t divided(std::int32_t sum, int count) {
    const int half = sum > 0 ? count / 2 : -(count / 2);
    return static_cast<std::int8_t>((sum + half) / count);
  }

  /// What a window's sum becomes.
  static std::int8_t of(int operation, std::int32_t fold, int count, const IntegerScaling& s) {
    if (operation == kAverage) {
      return divided(fold, count);
    }
    return static_cast<std::int8_t>(held<std::int64_t>(to_even(fold * s.a, s.shift) + s.zero, Int8::kLeast, Int8::kMost));
  }
};

}  // namespace pl
}  // namespace aieloom
