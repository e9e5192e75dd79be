// Sums of two tensors at scales of their own, which a layer brings with it: an element of each becomes one.
//
//   first  --> part_a --.
//                       + joined --> element       part_a and part_b are functions of an element alone: tables may hold them
//   second --> part_b --'
//
// II=1. Three products of 32 bits for each element of a cycle; of ONNX two of 64 bits; of floats a sum.
#pragma once

#include "../requantise.h"
#include "values.h"

namespace aieloom {
namespace pl {

/// How elements become elements.
template <class Number>
struct Scaling {
  int zero_a, zero_b, zero;
  std::int64_t a, b;
  int y;
  int shift_a, shift_b, shift;
  Number low, high;
};

using IntegerScaling = Scaling<std::int32_t>;

/// A number of 64 bits of its two halves, the lower first.
inline std::int64_t wide(int low, int high) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32 | static_cast<std::uint32_t>(low));
}

/// A layer's, as a sequencer sends it.
template <class Values, class Layer>
Scaling<typename Values::Sum> scaling_of(const Layer& l) {
  return {l.zero_a, l.zero_b, l.zero_y, wide(l.a_low, l.a_high), wide(l.b_low, l.b_high), l.multiplier_y, l.shift_a, l.shift_b, l.shift_y,
          Values::number_of(l.sum_low), Values::number_of(l.sum_high)};
}

/// An element within a layer's bounds.
inline std::int8_t within(std::int64_t value, const IntegerScaling& s) {
#pragma HLS inline
  return static_cast<std::int8_t>(held<std::int64_t>(value, s.low, s.high));
}

/// No layer adds.
struct NoSum {
  template <class Element, class Number>
  static Element of(Element first, Element, const Scaling<Number>&) {
    return first;
  }
};

/// TensorFlow Lite's sum: both elements at 1 / 2^kLeft of the larger scale, added, and scaled to the result's.
struct TfliteSum {
  using Part = std::int32_t;
  static constexpr int kLeft = 20;
  static Part part_a(std::int8_t first, const IntegerScaling& s) {
    return scaled((first - s.zero_a) * (Part{1} << kLeft), static_cast<Part>(s.a), s.shift_a);
  }
  static Part part_b(std::int8_t second, const IntegerScaling& s) {
    return scaled((second - s.zero_b) * (Part{1} << kLeft), static_cast<Part>(s.b), s.shift_b);
  }
  static std::int8_t joined(Part a, Part b, const IntegerScaling& s) {
    return within(scaled(static_cast<std::int64_t>(a) + b, s.y, s.shift) + s.zero, s);
  }
  static std::int8_t of(std::int8_t first, std::int8_t second, const IntegerScaling& s) { return joined(part_a(first, s), part_b(second, s), s); }
};

/// ONNX's sum: the quotients of the inputs' scales and the result's as float32, exactly, rounded once, halves to even.
struct OnnxSum {
  using Part = std::int64_t;
  static Part part_a(std::int8_t first, const IntegerScaling& s) { return static_cast<Part>(first - s.zero_a) * s.a; }
  static Part part_b(std::int8_t second, const IntegerScaling& s) { return static_cast<Part>(second - s.zero_b) * s.b; }
  static std::int8_t joined(Part a, Part b, const IntegerScaling& s) { return within(to_even(a + b, s.shift) + s.zero, s); }
  static std::int8_t of(std::int8_t first, std::int8_t second, const IntegerScaling& s) { return joined(part_a(first, s), part_b(second, s), s); }
};

/// The sum of floats, within bounds; NaN stays NaN.
template <class Values>
struct FloatSum {
  using Element = typename Values::Element;
  static Element of(Element first, Element second, const Scaling<float>& s) {
    return Values::element_of(held(Values::value_of(first) + Values::value_of(second), s.low, s.high));
  }
};

}  // namespace pl
}  // namespace aieloom
