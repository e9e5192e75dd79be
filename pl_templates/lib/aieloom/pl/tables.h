// Functions of a value by table: `T::at(index)` is an entry, which a layer's traits bring with its memory.
//
//   x --> index --> entry                 each element has an entry, or floats the nearest
//              `--> entry, next entry     on a straight line between two
//
// II=1: a read a cycle, or two. Memory: the table, for each value of a beat. A float's index takes a product (3 DSPs).
#pragma once

#include <cstdint>

namespace aieloom {
namespace pl {

/// The nearest of kEntries: min(kEntries - 1, round(x * kScale) + kOffset), halves away from zero; kBelow under kLow,
/// kAbove from kHigh on. NaN stays NaN. Nothing beyond the range becomes an index.
template <class T>
struct NearestEntry {
  static float of(float x) {
    const float scaled = x * T::kScale;
    const bool low = x < T::kLow;
    const bool high = x >= T::kHigh;
    const bool inside = x >= T::kLow && x < T::kHigh;        // NaN is neither
    const int whole = inside ? static_cast<int>(scaled) : 0;  // towards zero
    const float rest = scaled - static_cast<float>(whole);    // exact
    const int nearest = whole + (rest >= 0.5F ? 1 : 0) - (rest <= -0.5F ? 1 : 0) + T::kOffset;
    const int index = nearest > T::kEntries - 1 ? T::kEntries - 1 : nearest;
    const float value = T::at(inside ? index : 0);
    return inside ? value : low ? T::kBelow : high ? T::kAbove : x;
  }
};

/// An entry for each of the 256 elements, from -128 on.
template <class T>
struct EachElement {
  static std::int8_t of(std::int8_t x) { return T::at(x + 128); }
};

/// An entry every 2^kShift elements, from -32768 on; between them a straight line, halves up.
template <class T>
struct StraightLines {
  static_assert(0 <= T::kShift && T::kShift < 16, "two entries at least: kShift is below 16");
  static std::int16_t of(std::int16_t x) {
    const int place = x + 32768;
    const int index = place >> T::kShift;
    const int rest = place - (index << T::kShift);
    const int base = T::at(index);
    const int slope = T::at(index + 1) - base;
    return static_cast<std::int16_t>(base + ((slope * rest + ((1 << T::kShift) >> 1)) >> T::kShift));
  }
};

}  // namespace pl
}  // namespace aieloom
