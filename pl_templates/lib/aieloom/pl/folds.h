// What a window's places give together: types with `take(value, inside)` of each, row by row, then `result()`.
//
//   places of a window --> take, take, ... --> result
//
// Traits T say what their elements are (Element) and what a layer needs: numbers that stand at each fold. A fold of
// elements is back in a cycle, a sum of floats in some.
#pragma once

#include "requantise.h"

namespace aieloom {
namespace pl {

/// The largest value, NaN if there is one; outside the image lies minus infinity.
struct LargestFloat {
  float best = as_float(0xFF800000U);  // minus infinity

  void take(float value, bool inside) { best = inside && (value > best || value != value) ? value : best; }
  float result() const { return best; }
};

/// The largest element; outside the image lies the smallest of all.
template <class T>
struct LargestElement {
  using Value = typename T::Element::Value;
  Value best = T::Element::kLeast;

  void take(Value value, bool inside) { best = inside && value > best ? value : best; }
  Value result() const { return best; }
};

/// The value at a place.
template <class T>
struct Place {
  using Value = typename T::Element::Value;
  Value shown = 0;

  void take(Value value, bool /*inside*/) { shown = value; }
  Value result() const { return shown; }
};

/// The value at a place; around the image lies kValue.
template <class T>
struct Border {
  using Value = typename T::Element::Value;
  Value shown = 0;

  void take(Value value, bool inside) { shown = inside ? value : Value(T::kValue); }
  Value result() const { return shown; }
};

/// What averages count: kCount places of every window, or, where that is 0, those inside the image.
template <class T>
struct Counted {
  int count = T::kCount;

  void take(bool inside) { count += T::kCount == 0 && inside ? 1 : 0; }
};

/// A sum of floats by its count: times kReciprocal where that is exact, else 0.
template <class T>
float by_count(float sum, const Counted<T>& counted) {
  return T::kReciprocal != 0.0F ? sum * T::kReciprocal : sum / static_cast<float>(counted.count);
}

/// The average of floats, summed in their order; outside the image lies 0.
template <class T>
struct AverageFloat {
  Counted<T> counted;
  float sum = 0.0F;

  void take(float value, bool inside) {
    sum += inside ? value : 0.0F;
    counted.take(inside);
  }
  float result() const { return by_count<T>(sum, counted); }
};

/// The average of elements, halves away from zero; outside the image lies kZero where it counts.
template <class T>
struct AverageElement {
  using Value = typename T::Element::Value;
  using Sum = typename T::Element::Sum;
  Counted<T> counted;
  Sum sum = 0;

  void take(Value value, bool inside) {
    sum += inside ? value : T::kCount > 0 ? T::kZero : 0;
    counted.take(inside);
  }
  Value result() const {
    using Magnitude = typename T::Element::Magnitude;
    const Magnitude magnitude = sum < 0 ? -static_cast<Magnitude>(sum) : static_cast<Magnitude>(sum);
    const int average = static_cast<int>((magnitude + counted.count / 2) / counted.count);
    return static_cast<Value>(sum < 0 ? -average : average);
  }
};

/// ONNX's average: what elements mean, summed in their order, by their count and the result's scale, in float32; the
/// zero point is added before the one rounding, halves to even. Outside the image lies 0.
template <class T>
struct OnnxAverage {
  using Value = typename T::Element::Value;
  Counted<T> counted;
  float sum = 0.0F;

  void take(Value value, bool inside) {
    const float meant = static_cast<float>(value - T::kZero) * T::kScale;
    sum += inside ? meant : 0.0F;
    counted.take(inside);
  }
  Value result() const {
    const float share = by_count<T>(sum, counted) / T::kScaleY + T::kZeroY;
    const float held = share > -1024.0F ? (share < 1024.0F ? share : 1024.0F) : -1024.0F;  // far beyond all elements
    const int cut = static_cast<int>(held);
    const int below = cut - (static_cast<float>(cut) > held ? 1 : 0);
    const float rest = held - static_cast<float>(below);
    return held_in<T>(below + (rest > 0.5F || (rest == 0.5F && (below & 1) != 0) ? 1 : 0) - T::kShift);
  }
};

/// ONNX's average of an image: its sum times kMultiplier / 2^kShift, the quotient of the scales and the count as
/// float32; rounded once, halves to even.
template <class T>
struct OnnxMean {
  using Value = typename T::Element::Value;
  std::int64_t sum = 0;

  void take(Value value, bool /*inside*/) { sum += value - T::kZero; }
  Value result() const { return held_in<T>(to_even(sum * T::kMultiplier, T::kShift) + T::kZeroY); }
};

}  // namespace pl
}  // namespace aieloom
