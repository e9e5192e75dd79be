// hls:: mathematics for float, double, half and ap_fixed [UG1399 HLS math library].
//
// float, double and half have the C library's results (the hardware's differ by at most the last places that UG1399
// lists). A fixed-point function is computed exactly enough for 53 bits and put into its argument's format, downwards.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "ap_fixed.h"
#include "hls_half.h"

namespace hls {

namespace detail {

template <typename T_>
concept Float = std::floating_point<T_>;
template <typename T_>
concept Half = std::same_as<T_, half>;
template <typename T_>
concept Fixed = aieloom::ap::FixedLike<T_>;
template <typename T_>
concept Whole = aieloom::ap::IntLike<T_>;
template <typename T_>
concept Number = Float<T_> || Half<T_> || Fixed<T_>;

/// Plain ap_fixed of an argument's format, without the modes of its assignments.
template <typename T_>
using Format = std::conditional_t<T_::sign_flag, ap_fixed<T_::width, T_::iwidth>, ap_ufixed<T_::width, T_::iwidth>>;

}  // namespace detail

#define AIELOOM_MATH_1(name)                       \
  template <detail::Float T_>                       \
  T_ name(T_ x) {                                    \
    return std::name(x);                           \
  }                                                \
  inline half name(half x) {                       \
    return half(std::name(static_cast<double>(x))); \
  }                                                \
  template <detail::Fixed T_>                       \
  auto name(const T_& x) {                          \
    return detail::Format<T_>(std::name(x.to_double())); \
  }
AIELOOM_MATH_1(sqrt)
AIELOOM_MATH_1(cbrt)
AIELOOM_MATH_1(exp)
AIELOOM_MATH_1(exp2)
AIELOOM_MATH_1(expm1)
AIELOOM_MATH_1(log)
AIELOOM_MATH_1(log2)
AIELOOM_MATH_1(log10)
AIELOOM_MATH_1(log1p)
AIELOOM_MATH_1(sin)
AIELOOM_MATH_1(cos)
AIELOOM_MATH_1(tan)
AIELOOM_MATH_1(asin)
AIELOOM_MATH_1(acos)
AIELOOM_MATH_1(atan)
AIELOOM_MATH_1(sinh)
AIELOOM_MATH_1(cosh)
AIELOOM_MATH_1(tanh)
AIELOOM_MATH_1(asinh)
AIELOOM_MATH_1(acosh)
AIELOOM_MATH_1(atanh)
AIELOOM_MATH_1(erf)
AIELOOM_MATH_1(erfc)
AIELOOM_MATH_1(floor)
AIELOOM_MATH_1(ceil)
AIELOOM_MATH_1(trunc)
AIELOOM_MATH_1(round)
AIELOOM_MATH_1(rint)
AIELOOM_MATH_1(nearbyint)
#undef AIELOOM_MATH_1

#define AIELOOM_MATH_2(name)                                                         \
  template <detail::Float T_>                                                         \
  T_ name(T_ x, T_ y) {                                                                 \
    return std::name(x, y);                                                          \
  }                                                                                  \
  inline half name(half x, half y) {                                                 \
    return half(std::name(static_cast<double>(x), static_cast<double>(y)));          \
  }                                                                                  \
  template <detail::Fixed T_>                                                         \
  auto name(const T_& x, const T_& y) {                                                \
    return detail::Format<T_>(std::name(x.to_double(), y.to_double()));               \
  }
AIELOOM_MATH_2(pow)
AIELOOM_MATH_2(atan2)
AIELOOM_MATH_2(hypot)
AIELOOM_MATH_2(fmod)
AIELOOM_MATH_2(remainder)
AIELOOM_MATH_2(fdim)
AIELOOM_MATH_2(copysign)
#undef AIELOOM_MATH_2

/// Multiples of pi.
template <detail::Number T_>
T_ sinpi(T_ x) {
  return T_(std::sin(std::remainder(static_cast<double>(x), 2.0) * M_PI));
}
template <detail::Number T_>
T_ cospi(T_ x) {
  return T_(std::cos(std::remainder(static_cast<double>(x), 2.0) * M_PI));
}

/// 1 / x and 1 / sqrt(x).
template <detail::Number T_>
T_ recip(T_ x) {
  return T_(1.0 / static_cast<double>(x));
}
template <detail::Number T_>
T_ rsqrt(T_ x) {
  return T_(1.0 / std::sqrt(static_cast<double>(x)));
}

template <typename T_>
T_ abs(T_ x) {
  return x < T_(0) ? T_(-x) : x;
}
template <detail::Float T_>
T_ abs(T_ x) {
  return std::fabs(x);
}
inline half abs(half x) { return half::from_bits(static_cast<std::uint16_t>(x.get_bits() & 0x7FFF)); }
template <detail::Number T_>
T_ fabs(T_ x) {
  return hls::abs(x);
}

template <typename T_>
T_ max(const T_& a, const T_& b) {
  return a < b ? b : a;
}
template <typename T_>
T_ min(const T_& a, const T_& b) {
  return b < a ? b : a;
}
/// A NaN loses against a number.
template <typename T_>
  requires(detail::Float<T_> || detail::Half<T_>)
T_ fmax(T_ a, T_ b) {
  return T_(std::fmax(a, b));
}
template <typename T_>
  requires(detail::Float<T_> || detail::Half<T_>)
T_ fmin(T_ a, T_ b) {
  return T_(std::fmin(a, b));
}

template <detail::Float T_>
T_ fma(T_ a, T_ b, T_ c) {
  return std::fma(a, b, c);
}
/// Rounded once: a product of halves and the sum with a third fit a double.
inline half fma(half a, half b, half c) {
  return half(static_cast<double>(static_cast<float>(a)) * static_cast<double>(static_cast<float>(b)) + static_cast<double>(static_cast<float>(c)));
}
template <detail::Number T_>
T_ mad(T_ a, T_ b, T_ c) {
  return T_(a * b + c);
}

template <detail::Float T_>
T_ ldexp(T_ x, int n) {
  return std::ldexp(x, n);
}
inline half ldexp(half x, int n) { return half(std::ldexp(static_cast<double>(x), n)); }
template <detail::Float T_>
T_ frexp(T_ x, int* n) {
  return std::frexp(x, n);
}
template <detail::Float T_>
T_ modf(T_ x, T_* whole) {
  return std::modf(x, whole);
}
template <detail::Float T_>
int ilogb(T_ x) {
  return std::ilogb(x);
}
template <detail::Float T_>
T_ logb(T_ x) {
  return std::logb(x);
}
template <detail::Float T_>
T_ nextafter(T_ x, T_ y) {
  return std::nextafter(x, y);
}
template <detail::Number T_>
void sincos(T_ x, T_* s, T_* c) {
  *s = T_(hls::sin(x));
  *c = T_(hls::cos(x));
}

template <detail::Number T_>
long lrint(T_ x) {
  return std::lrint(static_cast<double>(x));
}
template <detail::Number T_>
long lround(T_ x) {
  return std::lround(static_cast<double>(x));
}
template <detail::Number T_>
long long llrint(T_ x) {
  return std::llrint(static_cast<double>(x));
}
template <detail::Number T_>
long long llround(T_ x) {
  return std::llround(static_cast<double>(x));
}

template <typename T_>
  requires(detail::Float<T_> || detail::Half<T_>)
bool isnan(T_ x) {
  return std::isnan(static_cast<double>(x));
}
template <typename T_>
  requires(detail::Float<T_> || detail::Half<T_>)
bool isinf(T_ x) {
  return std::isinf(static_cast<double>(x));
}
template <typename T_>
  requires(detail::Float<T_> || detail::Half<T_>)
bool isfinite(T_ x) {
  return std::isfinite(static_cast<double>(x));
}
template <typename T_>
  requires(detail::Float<T_> || detail::Half<T_>)
bool isnormal(T_ x) {
  if constexpr (detail::Half<T_>) {
    const int exponent = (x.get_bits() >> 10) & 0x1F;
    return exponent != 0 && exponent != 31;
  } else {
    return std::isnormal(x);
  }
}
template <typename T_>
  requires(detail::Float<T_> || detail::Half<T_>)
bool signbit(T_ x) {
  return std::signbit(static_cast<float>(x));
}

// The names with f are those of float.
#define AIELOOM_MATH_F(name) \
  inline float name##f(float x) { return hls::name(x); }
AIELOOM_MATH_F(sqrt)
AIELOOM_MATH_F(exp)
AIELOOM_MATH_F(log)
AIELOOM_MATH_F(log2)
AIELOOM_MATH_F(log10)
AIELOOM_MATH_F(sin)
AIELOOM_MATH_F(cos)
AIELOOM_MATH_F(tan)
AIELOOM_MATH_F(atan)
AIELOOM_MATH_F(tanh)
AIELOOM_MATH_F(floor)
AIELOOM_MATH_F(ceil)
AIELOOM_MATH_F(round)
AIELOOM_MATH_F(trunc)
AIELOOM_MATH_F(fabs)
#undef AIELOOM_MATH_F
inline float powf(float x, float y) { return hls::pow(x, y); }

// Half in the C library's manner.
inline half half_sqrt(half x) { return hls::sqrt(x); }
inline half half_exp(half x) { return hls::exp(x); }
inline half half_log(half x) { return hls::log(x); }

}  // namespace hls
