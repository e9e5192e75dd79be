// What becomes of a value: types with a static `of`, each operation rounded once, in the order in which it stands.
//
//   value --> First --> Second --> ...   as Chain<First, Second, ...>
//
// No types of HLS: programs on the processor use them too. II=1; a sum or a product of floats takes 2 or 3 DSPs.
#pragma once

#include <cstdint>

namespace aieloom {
namespace pl {

/// A float32 of its bits, and its bits.
inline float as_float(std::uint32_t bits) {
  union {
    std::uint32_t u;
    float f;
  } both;
  both.u = bits;
  return both.f;
}
inline std::uint32_t float_bits(float value) {
  union {
    std::uint32_t u;
    float f;
  } both;
  both.f = value;
  return both.u;
}

inline float magnitude(float x) { return x < 0.0F ? -x : x; }

/// A value as it is: where others apply a function.
struct Unchanged {
  template <class Value>
  static Value of(Value value) {
    return value;
  }
};

/// One function after another.
template <class First, class... Others>
struct Chain {
  template <class Value>
  static Value of(Value value) {
    return Chain<Others...>::of(First::of(value));
  }
};
template <class Last>
struct Chain<Last> : Last {};

/// Negative values become 0.
struct Relu {
  static float of(float x) { return x < 0.0F ? 0.0F : x; }
};

/// Values that are not above 0 times kAlpha.
template <class T>
struct LeakyRelu {
  static float of(float x) { return x > 0.0F ? x : x * T::kAlpha; }
};

/// x times the line x / 6 + 1/2 held between 0 and 1.
struct HardSwish {
  static float of(float x) {
    const float shifted = x + 3.0F;
    const float low = shifted < 0.0F ? 0.0F : shifted;
    const float gate = low > 6.0F ? 6.0F : low;
    return x * (gate * 0.166666672F);
  }
};

/// A value beyond a bound becomes the bound.
template <class T>
struct AtLeast {
  static float of(float x) { return x < T::kLow ? T::kLow : x; }
};

template <class T>
struct AtMost {
  static float of(float x) { return x > T::kHigh ? T::kHigh : x; }
};
template <class T>
struct Between {
  static_assert(T::kLow <= T::kHigh, "bounds leave values between them");
  static float of(float x) { return AtMost<T>::of(AtLeast<T>::of(x)); }
};

/// Two values together.
struct Plus {
  static float of(float a, float b) { return a + b; }
};
struct Minus {
  static float of(float a, float b) { return a - b; }
};
struct Times {
  static float of(float a, float b) { return a * b; }
};
struct Over {
  static float of(float a, float b) { return a / b; }
};

}  // namespace pl
}  // namespace aieloom
