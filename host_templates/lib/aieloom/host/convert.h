// convert.h: what the device's memory holds of float32 values: a policy for each type of element.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace aieloom::host {

/// Memory holds float32: images and results as they are.
struct Plain {
  using Element = float;
  static constexpr const char* kName = "float32";

  static void to_elements(const float* values, std::size_t count, float* elements) {
    std::copy_n(values, count, elements);
  }
  static void to_values(const float* elements, std::size_t count, float* values) {
    std::copy_n(elements, count, values);
  }
};

/// Memory holds bfloat16: the upper half of a float32.
struct Bfloat16 {
  using Element = std::uint16_t;
  static constexpr const char* kName = "bfloat16";

  /// The nearest, halves to even; NaN stays NaN.
  static void to_elements(const float* values, std::size_t count, std::uint16_t* elements) {
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t bits;
      std::memcpy(&bits, values + i, sizeof bits);
      const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
      elements[i] = static_cast<std::uint16_t>(std::isnan(values[i]) ? (bits >> 16) | 0x40U : rounded);
    }
  }

  static void to_values(const std::uint16_t* elements, std::size_t count, float* values) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t bits = static_cast<std::uint32_t>(elements[i]) << 16;
      std::memcpy(values + i, &bits, sizeof bits);
    }
  }
};

/// Memory holds integers: a value is (element - zero point) x scale, with scales and zero points of images and of results.
template <class Scales>
struct Affine {
  using Element = typename Scales::Element;
  static_assert(sizeof(Element) <= 2, "elements are int8 or int16");
  static constexpr const char* kName = sizeof(Element) == 1 ? "int8" : "int16";

  /// The nearest, halves to even, saturated; NaN gives the smallest.
  static void to_elements(const float* values, std::size_t count, Element* elements) {
    constexpr float low = std::numeric_limits<Element>::min() - Scales::kInZero;
    constexpr float high = std::numeric_limits<Element>::max() - Scales::kInZero;
    for (std::size_t i = 0; i < count; ++i) {
      const float steps = std::nearbyint(values[i] / Scales::kInScale);
      const float held = steps > low ? std::min(steps, high) : low;
      elements[i] = static_cast<Element>(static_cast<int>(held) + Scales::kInZero);
    }
  }

  static void to_values(const Element* elements, std::size_t count, float* values) {
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = static_cast<float>(elements[i] - Scales::kOutZero) * Scales::kOutScale;
    }
  }
};

/// Elements of values.
template <class Values>
std::vector<typename Values::Element> elements_of(const std::vector<float>& values) {
  std::vector<typename Values::Element> made(values.size());
  Values::to_elements(values.data(), values.size(), made.data());
  return made;
}

/// Values of elements.
template <class Values>
std::vector<float> values_of(const std::vector<typename Values::Element>& elements) {
  std::vector<float> made(elements.size());
  Values::to_values(elements.data(), elements.size(), made.data());
  return made;
}

}  // namespace aieloom::host
