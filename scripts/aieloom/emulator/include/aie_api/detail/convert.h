// Fixed to floating point and back; elementary functions where the architecture has them [facts (b)].
#pragma once

#include "aie_api/detail/arithmetic.h"

namespace aie {

namespace detail {

/// x * 2^shift rounded to an integer of type T and held in its range. AIE rounds to nearest even; AIE-ML to nearest,
/// ties to zero, and bfloat16 downwards.
template <typename T, typename F>
[[nodiscard]] inline T fixed_from(F x, int shift) {
  const double scaled = __builtin_ldexp(static_cast<double>(static_cast<float>(x)), shift);
  double rounded = 0;
  if constexpr (kFirst) {
    rounded = __builtin_rint(scaled);
  } else if constexpr (is_bfloat16<F>) {
    rounded = __builtin_floor(scaled);
  } else {
    const double magnitude = __builtin_ceil(__builtin_fabs(scaled) - 0.5);
    rounded = scaled < 0 ? -magnitude : magnitude;
  }
  const Range range = saturation_range(element_bits<T>, is_signed_element<T>, Saturation::kSaturate);
  if (!(rounded >= static_cast<double>(range.low))) {
    return static_cast<T>(rounded != rounded ? 0 : range.low);
  }
  return static_cast<T>(rounded > static_cast<double>(range.high) ? range.high : static_cast<std::int64_t>(rounded));
}

template <typename F, typename T>
[[nodiscard]] inline F float_from(T x, int shift) {
  return F(__builtin_ldexpf(static_cast<float>(plain(x)), -shift));
}

template <typename T>
consteval void check_fixed() {
  static_assert(is_integer<T> && (!kFirst || is_one_of<T, int16, int32>),
                "aie::to_fixed: to int16 or int32 on AIE, to integers on AIE-ML");
}

template <typename T, unsigned N, typename F>
[[nodiscard]] inline vector<T, N> map_float(const vector<T, N>& v, F f) {
  static_assert(is_float<T> && !is_complex<T>, "this function takes float (AIE-ML: or bfloat16) elements");
  return map_lanes(v, [f](T x) { return T(f(static_cast<float>(x))); });
}

template <typename... T>
inline constexpr bool kNever = false;

}  // namespace detail

/// v * 2^shift as integers.
template <typename T = int32, typename F, unsigned N>
[[nodiscard]] inline vector<T, N> to_fixed(const vector<F, N>& v, int shift = 0) {
  detail::check_fixed<T>();
  static_assert(detail::is_float<F> && !detail::is_complex<F>, "aie::to_fixed: from float or bfloat16 elements");
  vector<T, N> out;
  for (unsigned i = 0; i < N; ++i) {
    out.lanes_.set(i, detail::fixed_from<T>(v.lanes_.get(i), shift));
  }
  return out;
}
template <typename T = int32>
[[nodiscard]] inline T to_fixed(float x, int shift = 0) {
  return detail::fixed_from<T>(x, shift);
}
/// v * 2^-shift as floating point numbers.
template <typename F = float, typename T, unsigned N>
[[nodiscard]] inline vector<F, N> to_float(const vector<T, N>& v, int shift = 0) {
  static_assert(detail::is_integer<T> || detail::is_bfloat16<T> || (detail::is_complex<T> && !detail::is_float<T>),
                "aie::to_float: from integer elements");
  static_assert(!detail::kFirstFor<T> || detail::number_bits<T> >= 16, "aie::to_float: AIE converts 16 and 32 bits; aie::unpack first");
  static_assert(detail::is_complex<T> == detail::is_complex<F>, "aie::to_float: complex integers become complex numbers");
  vector<F, N> out;
  for (unsigned i = 0; i < N; ++i) {
    if constexpr (detail::is_complex<T>) {
      using R = decltype(F::real);
      const T x = v.lanes_.get(i);
      out.lanes_.set(i, F{detail::float_from<R>(x.real, shift), detail::float_from<R>(x.imag, shift)});
    } else {
      out.lanes_.set(i, detail::float_from<F>(v.lanes_.get(i), shift));
    }
  }
  return out;
}
template <typename F = float, typename T>
  requires std::is_integral_v<T>
[[nodiscard]] inline F to_float(T x, int shift = 0) {
  return detail::float_from<F>(x, shift);
}

template <typename T = int32, typename F, unsigned N>
[[nodiscard]] inline T to_fixed(const vector_elem_ref<F, N>& x, int shift = 0) {
  return to_fixed<T>(static_cast<F>(x), shift);
}
template <typename F = float, typename T, unsigned N>
[[nodiscard]] inline F to_float(const vector_elem_ref<T, N>& x, int shift = 0) {
  return to_float<F>(static_cast<T>(x), shift);
}

// -- elementary functions ----------------------------------------------------------------------------------------

/// 1 / x.
[[nodiscard]] inline float inv(float x) { return 1.0F / x; }
template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N> inv(const vector<T, N>& v) {
  return detail::map_float(v, [](float x) { return 1.0F / x; });
}
[[nodiscard]] inline float sqrt(float x) { return __builtin_sqrtf(x); }
template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N> sqrt(const vector<T, N>& v) {
  return detail::map_float(v, [](float x) { return __builtin_sqrtf(x); });
}
/// 1 / square root of x.
[[nodiscard]] inline float invsqrt(float x) { return 1.0F / __builtin_sqrtf(x); }
template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N> invsqrt(const vector<T, N>& v) {
  return detail::map_float(v, [](float x) { return 1.0F / __builtin_sqrtf(x); });
}
/// The same of float accumulators, which AIE keeps in vector registers.
template <unsigned N>
[[nodiscard]] inline accum<accfloat, N> inv(const accum<accfloat, N>& v) {
  static_assert(detail::kFloatSumsInVectors || detail::kNever<accum<accfloat, N>>, "aie::inv: AIE-ML takes vectors");
  return accum<accfloat, N>(inv(v.template to_vector<float>()));
}
template <unsigned N>
[[nodiscard]] inline accum<accfloat, N> sqrt(const accum<accfloat, N>& v) {
  static_assert(detail::kFloatSumsInVectors || detail::kNever<accum<accfloat, N>>, "aie::sqrt: AIE-ML takes vectors");
  return accum<accfloat, N>(sqrt(v.template to_vector<float>()));
}
template <unsigned N>
[[nodiscard]] inline accum<accfloat, N> invsqrt(const accum<accfloat, N>& v) {
  static_assert(detail::kFloatSumsInVectors || detail::kNever<accum<accfloat, N>>, "aie::invsqrt: AIE-ML takes vectors");
  return accum<accfloat, N>(invsqrt(v.template to_vector<float>()));
}
[[nodiscard]] inline float div(float a, float b) { return a / b; }
template <typename A, typename B>
  requires detail::VectorPair<A, B>
[[nodiscard]] inline auto div(const A& a, const B& b) {
  using T = typename detail::Common<A, B>::type;
  static_assert(detail::is_float<T> && !detail::is_complex<T>, "aie::div: float (AIE-ML: or bfloat16) elements");
  return detail::zip_lanes(a, b, [](T x, T y) { return T(static_cast<float>(x) / static_cast<float>(y)); });
}

namespace detail {
/// An angle in parts of pi, Q1.31: the scalar unit knows no other. Floats are radians: AMD's aie_api (aie1/elementary.hpp)
/// multiplies them by 1 / pi in float32 and converts with float2fix.
[[nodiscard]] inline int32 parts_of_pi(float radians) {
  return fixed_from<int32>(radians * static_cast<float>(1 / 3.14159265359), 31);
}
[[nodiscard]] inline int32 parts_of_pi(int32 parts) { return parts; }
/// What the unit takes of an angle, in radians: its upper 20 bits [AM009, Scalar Functions].
[[nodiscard]] inline double radians(int32 parts) {
  return static_cast<double>(parts & ~0xfff) * 0x1p-31 * 3.14159265358979323846;
}
template <typename T>
using angle = std::conditional_t<std::is_floating_point_v<T>, float, int32>;
/// The result: Q0.15 in the vendor's int16, or the same number as a float.
template <typename T>
[[nodiscard]] inline auto from_unit(double x) {
  const double scaled = __builtin_rint(x * 0x1p15);
  const auto held = static_cast<int16>(scaled > 32767 ? 32767 : scaled);
  if constexpr (std::is_floating_point_v<T>) {
    return float_from<float>(held, 15);
  } else {
    return held;
  }
}
template <typename T>
consteval void check_trigonometry() {
  static_assert(kFirstFor<T>,
                "aie::sin, cos, sincos: AIE-ML has no such unit; use a lookup table (aie::parallel_lookup)");
  static_assert(!kFirst || std::is_same_v<T, float> || (std::is_integral_v<T> && sizeof(T) <= 4),
                "aie::sin, cos, sincos: float radians, or integers as Q1.31 parts of pi");
}
}  // namespace detail

/// Sine of radians in [-pi, pi], or of Q1.31 parts of pi, then in Q0.15. Floats have no more than its 15 bits either.
template <typename T>
  requires std::is_arithmetic_v<T>
[[nodiscard]] inline auto sin(T x) {
  detail::check_trigonometry<T>();
  return detail::from_unit<T>(__builtin_sin(detail::radians(detail::parts_of_pi(static_cast<detail::angle<T>>(x)))));
}
template <typename T>
  requires std::is_arithmetic_v<T>
[[nodiscard]] inline auto cos(T x) {
  detail::check_trigonometry<T>();
  return detail::from_unit<T>(__builtin_cos(detail::radians(detail::parts_of_pi(static_cast<detail::angle<T>>(x)))));
}
template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N> sin(const vector<T, N>& v) {
  detail::check_trigonometry<T>();
  return detail::map_lanes(v, [](T x) { return static_cast<T>(sin(x)); });
}
template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N> cos(const vector<T, N>& v) {
  detail::check_trigonometry<T>();
  return detail::map_lanes(v, [](T x) { return static_cast<T>(cos(x)); });
}
/// Sine and cosine.
template <typename X>
[[nodiscard]] inline auto sincos(const X& x) {
  return std::pair{sin(x), cos(x)};
}
/// cos + i sin: cfloat, or cint16 in Q0.15.
template <typename T>
  requires std::is_arithmetic_v<T>
[[nodiscard]] inline auto sincos_complex(T x) {
  using C = std::conditional_t<std::is_floating_point_v<T>, cfloat, cint16>;
  return C{cos(x), sin(x)};
}
template <typename T, unsigned N>
[[nodiscard]] inline auto sincos_complex(const vector<T, N>& v) {
  vector<decltype(sincos_complex(T{})), N> out;
  for (unsigned i = 0; i < N; ++i) {
    out.lanes_.set(i, sincos_complex(v.lanes_.get(i)));
  }
  return out;
}
/// The same of an element of a vector, which the intrinsics of the same names would take as well.
#define AIELOOM_OF_ELEMENT(FUNCTION)                                   \
  template <typename T, unsigned N>                                    \
  [[nodiscard]] inline auto FUNCTION(const vector_elem_ref<T, N>& x) { \
    return FUNCTION(static_cast<T>(x));                                \
  }
AIELOOM_OF_ELEMENT(inv)
AIELOOM_OF_ELEMENT(sqrt)
AIELOOM_OF_ELEMENT(invsqrt)
AIELOOM_OF_ELEMENT(sin)
AIELOOM_OF_ELEMENT(cos)
AIELOOM_OF_ELEMENT(sincos)
AIELOOM_OF_ELEMENT(sincos_complex)
#undef AIELOOM_OF_ELEMENT

/// Not on AIE and AIE-ML: XDNA 2 has it.
template <typename... X>
inline void tanh(const X&...) {
  static_assert(detail::kNever<X...>,
                "aie::tanh: this architecture has no such unit; use a lookup table or a polynomial [aie-elementary]");
}
template <typename... X>
inline void exp2(const X&...) {
  static_assert(detail::kNever<X...>,
                "aie::exp2: this architecture has no such unit; use a lookup table or a polynomial [aie-elementary]");
}

}  // namespace aie
