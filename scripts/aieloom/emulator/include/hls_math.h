// hls:: mathematics for float, double, half, ap_fixed and whole numbers [UG1399 HLS math library].
//
// float, double and half have the C library's results (the hardware's differ by at most the last places that UG1399
// lists). A function of fixed-point or whole numbers is computed in double and put into its result's format, downwards.
// Which types a function takes is as in the published header: ap_fixed of the default modes alone, and a call that mixes types is
// ambiguous.
#pragma once

#include <math.h>  // sqrt and its like without a namespace: of ap_fixed they are ambiguous, as with the published header

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "aieloom/math_of_reals.h"
#include "ap_int.h"
#include "hls_half.h"

namespace hls {

// Of double, float and half; name##f is float's, half_##name half's.
#define AIELOOM_MATH_1(name)                                                                                                       \
  inline double name(double x) { return aieloom::real::name(x); }                                                                  \
  inline float name(float x) { return aieloom::real::name(x); }                                                                    \
  inline half name(half x) { return half(aieloom::real::name(static_cast<double>(static_cast<float>(x)))); }                       \
  inline float name##f(float x) { return aieloom::real::name(x); }                                                                 \
  inline half half_##name(half x) { return hls::name(x); }
#define AIELOOM_MATH_2(name)                                                                                                       \
  inline double name(double x, double y) { return aieloom::real::name(x, y); }                                                     \
  inline float name(float x, float y) { return aieloom::real::name(x, y); }                                                        \
  inline half name(half x, half y) {                                                                                               \
    return half(aieloom::real::name(static_cast<double>(static_cast<float>(x)), static_cast<double>(static_cast<float>(y))));      \
  }                                                                                                                                \
  inline float name##f(float x, float y) { return aieloom::real::name(x, y); }                                                     \
  inline half half_##name(half x, half y) { return hls::name(x, y); }

// Of C++'s whole numbers: of two and more by functions, so that a float beside one is ambiguous.
#define AIELOOM_MATH_SIZES(one, name) \
  one(name, std::int8_t) one(name, std::uint8_t) one(name, std::int16_t) one(name, std::uint16_t) one(name, std::int32_t) one(name, std::uint32_t)
#define AIELOOM_MATH_WHOLE_1(name)                                                         \
  template <typename N_, aieloom::If<aieloom::real::kIsWhole32<N_>> = 0>                   \
  aieloom::real::Whole<N_> name(N_ x) {                                                    \
    return aieloom::real::into<aieloom::real::Whole<N_>>(aieloom::real::name(static_cast<double>(x))); \
  }
#define AIELOOM_MATH_WHOLE_OF_2(name, type)                                                                       \
  inline type name(type x, type y) {                                                                              \
    return aieloom::real::into<type>(aieloom::real::name(static_cast<double>(x), static_cast<double>(y)));        \
  }
#define AIELOOM_MATH_WHOLE_2(name) AIELOOM_MATH_SIZES(AIELOOM_MATH_WHOLE_OF_2, name)

// Of ap_fixed, ap_ufixed, ap_int and ap_uint, each with the format of its result.
#define AIELOOM_MATH_OF_1(name, parameters, argument, result)                              \
  template <parameters>                                                                    \
  result name(argument x) {                                                                \
    return aieloom::real::into<result>(aieloom::real::name(x.to_double()));                \
  }
#define AIELOOM_MATH_OF_2(name, parameters, argument, result)                              \
  template <parameters>                                                                    \
  result name(argument x, argument y) {                                                    \
    return aieloom::real::into<result>(aieloom::real::name(x.to_double(), y.to_double())); \
  }
#define AIELOOM_AP(...) __VA_ARGS__
#define AIELOOM_MATH_AP(arity, name, fixed, ufixed, integer, unsigned_)                                                     \
  AIELOOM_MATH_OF_##arity(name, AIELOOM_AP(int W_, int I_), AIELOOM_AP(ap_fixed<W_, I_>), AIELOOM_AP(fixed))                \
  AIELOOM_MATH_OF_##arity(name, AIELOOM_AP(int W_, int I_), AIELOOM_AP(ap_ufixed<W_, I_>), AIELOOM_AP(ufixed))              \
  AIELOOM_MATH_OF_##arity(name, int I_, ap_int<I_>, integer)                                                                \
  AIELOOM_MATH_OF_##arity(name, int I_, ap_uint<I_>, unsigned_)
#define AIELOOM_MATH_OWN(arity, name) \
  AIELOOM_MATH_AP(arity, name, AIELOOM_AP(ap_fixed<W_, I_>), AIELOOM_AP(ap_ufixed<W_, I_>), ap_int<I_>, ap_uint<I_>)

/// All of them, with results in the arguments' own formats.
#define AIELOOM_MATH(arity, name)  \
  AIELOOM_MATH_##arity(name)       \
  AIELOOM_MATH_WHOLE_##arity(name) \
  AIELOOM_MATH_OWN(arity, name)

AIELOOM_MATH(1, sqrt)
AIELOOM_MATH(1, cbrt)
AIELOOM_MATH(1, recip)
AIELOOM_MATH(1, rsqrt)
AIELOOM_MATH(1, exp)
AIELOOM_MATH(1, exp2)
AIELOOM_MATH(1, exp10)
AIELOOM_MATH(1, expm1)
AIELOOM_MATH(1, log)
AIELOOM_MATH(1, log2)
AIELOOM_MATH(1, log10)
AIELOOM_MATH(1, log1p)
AIELOOM_MATH(1, logb)
AIELOOM_MATH(1, tan)
AIELOOM_MATH(1, tanpi)
AIELOOM_MATH(1, sinh)
AIELOOM_MATH(1, cosh)
AIELOOM_MATH(1, tanh)
AIELOOM_MATH(1, asinh)
AIELOOM_MATH(1, acosh)
AIELOOM_MATH(1, atanh)
AIELOOM_MATH(1, asinpi)
AIELOOM_MATH(1, acospi)
AIELOOM_MATH(1, erf)
AIELOOM_MATH(1, erfc)
AIELOOM_MATH(1, lgamma)
AIELOOM_MATH(1, tgamma)
AIELOOM_MATH(1, round)
AIELOOM_MATH(1, rint)
AIELOOM_MATH(1, nearbyint)

AIELOOM_MATH(2, pow)
AIELOOM_MATH(2, powr)
AIELOOM_MATH(2, hypot)
AIELOOM_MATH(2, fmod)
AIELOOM_MATH(2, remainder)
AIELOOM_MATH(2, fdim)
AIELOOM_MATH(2, copysign)
AIELOOM_MATH(2, divide)
AIELOOM_MATH(2, maxmag)
AIELOOM_MATH(2, minmag)
AIELOOM_MATH(2, nextafter)

// Results of other formats than the arguments'.
#define AIELOOM_MATH_ANGLE(arity, name, fixed, ufixed, integer, unsigned_) \
  AIELOOM_MATH_##arity(name)                                               \
  AIELOOM_MATH_WHOLE_##arity(name)                                         \
  AIELOOM_MATH_AP(arity, name, AIELOOM_AP(fixed), AIELOOM_AP(ufixed), integer, unsigned_)
AIELOOM_MATH_ANGLE(1, sin, AIELOOM_AP(ap_fixed<W_ - I_ + 2, 2>), AIELOOM_AP(ap_ufixed<W_ - I_ + 2, 2>), ap_int<I_>, ap_uint<I_>)
AIELOOM_MATH_ANGLE(1, cos, AIELOOM_AP(ap_fixed<W_ - I_ + 2, 2>), AIELOOM_AP(ap_ufixed<W_ - I_ + 2, 2>), ap_int<I_>, ap_uint<I_>)
AIELOOM_MATH_ANGLE(1, atan, AIELOOM_AP(ap_fixed<W_, 2>), AIELOOM_AP(ap_ufixed<W_, 2>), ap_int<2>, ap_uint<1>)
AIELOOM_MATH_ANGLE(1, atanpi, AIELOOM_AP(ap_fixed<W_, I_>), AIELOOM_AP(ap_ufixed<W_, I_>), ap_int<2>, ap_uint<1>)
AIELOOM_MATH_ANGLE(2, atan2, AIELOOM_AP(ap_fixed<W_, 3>), AIELOOM_AP(ap_ufixed<W_, 3>), ap_int<3>, ap_uint<2>)

// Of fixed-point numbers the signed alone.
#define AIELOOM_MATH_SIGNED(name, format)                                                                                                  \
  AIELOOM_MATH_1(name)                                                                                                             \
  AIELOOM_MATH_WHOLE_1(name)                                                                                                       \
  AIELOOM_MATH_OF_1(name, AIELOOM_AP(int W_, int I_), AIELOOM_AP(ap_fixed<W_, I_>), AIELOOM_AP(format))
AIELOOM_MATH_SIGNED(asin, AIELOOM_AP(ap_fixed<W_ - I_ + 3, 3>))
AIELOOM_MATH_SIGNED(acos, AIELOOM_AP(ap_fixed<W_ - I_ + 3, 3>))
AIELOOM_MATH_SIGNED(sinpi, AIELOOM_AP(ap_fixed<W_, 2>))
AIELOOM_MATH_SIGNED(cospi, AIELOOM_AP(ap_fixed<W_, 2>))
AIELOOM_MATH_OF_1(sinpi, int I_, ap_int<I_>, ap_int<I_>)
AIELOOM_MATH_OF_1(sinpi, int I_, ap_uint<I_>, ap_uint<I_>)
AIELOOM_MATH_OF_1(cospi, int I_, ap_int<I_>, ap_int<I_>)
AIELOOM_MATH_OF_1(cospi, int I_, ap_uint<I_>, ap_uint<I_>)
#undef AIELOOM_MATH_SIGNED
#undef AIELOOM_MATH_ANGLE

// Not of C++'s whole numbers: those are whole.
AIELOOM_MATH_1(floor)
AIELOOM_MATH_OWN(1, floor)
AIELOOM_MATH_1(ceil)
AIELOOM_MATH_OWN(1, ceil)
AIELOOM_MATH_1(trunc)
AIELOOM_MATH_OWN(1, trunc)

// Not of floats.
AIELOOM_MATH_WHOLE_2(atan2pi)
AIELOOM_MATH_OWN(2, atan2pi)

// Whole results, and tests: of double, float and half one type, of the others another.
#define AIELOOM_MATH_TO(name, result, expression)                                                       \
  inline result name(double x) { return static_cast<result>(expression); }                              \
  inline result name(float x) { return hls::name(static_cast<double>(x)); }                             \
  inline result name(half x) { return hls::name(static_cast<double>(static_cast<float>(x))); }          \
  inline result name##f(float x) { return hls::name(static_cast<double>(x)); }                          \
  inline result half_##name(half x) { return hls::name(static_cast<double>(static_cast<float>(x))); }
#define AIELOOM_MATH_NUMBERS_TO(name, result)                                                           \
  template <typename N_, aieloom::If<aieloom::real::kIsWhole32<N_>> = 0>                                \
  result name(N_ x) {                                                                                   \
    return static_cast<result>(hls::name(static_cast<double>(x)));                                      \
  }                                                                                                     \
  template <typename N_, aieloom::If<aieloom::ap::kIsFixed<N_> || aieloom::ap::kIsInt<N_>> = 0>         \
  result name(const N_& x) {                                                                            \
    return static_cast<result>(hls::name(x.to_double()));                                               \
  }
AIELOOM_MATH_TO(lround, long, std::lround(x))
AIELOOM_MATH_NUMBERS_TO(lround, long)
AIELOOM_MATH_TO(llround, long long, std::llround(x))
AIELOOM_MATH_NUMBERS_TO(llround, long long)
AIELOOM_MATH_TO(lrint, long, std::lrint(x))
AIELOOM_MATH_NUMBERS_TO(lrint, long)
AIELOOM_MATH_TO(llrint, long long, std::llrint(x))
AIELOOM_MATH_NUMBERS_TO(llrint, long long)
AIELOOM_MATH_TO(signbit, int, std::signbit(x))
AIELOOM_MATH_NUMBERS_TO(signbit, bool)
AIELOOM_MATH_TO(ilogb, int, std::ilogb(x))
template <typename N_, aieloom::If<aieloom::real::kIsWhole32<N_>> = 0>
aieloom::real::Whole<N_> ilogb(N_ x) {
  return aieloom::real::into<aieloom::real::Whole<N_>>(std::ilogb(static_cast<double>(x)));
}
template <typename N_, aieloom::If<aieloom::ap::kIsFixed<N_> || aieloom::ap::kIsInt<N_>> = 0>
N_ ilogb(const N_& x) {
  return aieloom::real::into<N_>(std::ilogb(x.to_double()));
}
AIELOOM_MATH_TO(isfinite, int, std::isfinite(x))
AIELOOM_MATH_TO(isinf, int, std::isinf(x))
AIELOOM_MATH_TO(isnan, int, std::isnan(x))
#undef AIELOOM_MATH_NUMBERS_TO
#undef AIELOOM_MATH_TO

namespace detail {

/// ap_int, and ap_fixed of the default modes: what is exact in itself.
template <typename N_>
inline constexpr bool kIsPlain = aieloom::ap::kIsInt<N_>;
template <int W_, int I_>
inline constexpr bool kIsPlain<ap_fixed<W_, I_>> = true;
template <int W_, int I_>
inline constexpr bool kIsPlain<ap_ufixed<W_, I_>> = true;

}  // namespace detail

// Functions of numbers that are exact: of whole and fixed-point ones by themselves.
#define AIELOOM_MATH_EXACT_1(name, expression)                                            \
  AIELOOM_MATH_1(name)                                                                    \
  template <typename N_, aieloom::If<aieloom::real::kIsWhole32<N_>> = 0>                  \
  aieloom::real::Whole<N_> name(N_ x) {                                                   \
    return static_cast<aieloom::real::Whole<N_>>(expression);                             \
  }                                                                                       \
  template <typename N_, aieloom::If<detail::kIsPlain<N_>> = 0>                           \
  N_ name(N_ x) {                                                                         \
    return N_(expression);                                                                \
  }
#define AIELOOM_MATH_WHOLE_MAX(name, type) \
  inline type name(type x, type y) { return x < y ? y : x; }
#define AIELOOM_MATH_WHOLE_MIN(name, type) \
  inline type name(type x, type y) { return y < x ? y : x; }
#define AIELOOM_MATH_EXACT_2(name, whole, expression)                  \
  AIELOOM_MATH_2(name)                                                 \
  AIELOOM_MATH_SIZES(whole, name)                                      \
  template <typename N_, aieloom::If<detail::kIsPlain<N_>> = 0>        \
  N_ name(N_ x, N_ y) {                                                \
    return expression;                                                 \
  }
AIELOOM_MATH_EXACT_1(abs, x < N_(0) ? N_(-x) : x)
AIELOOM_MATH_EXACT_1(fabs, x < N_(0) ? N_(-x) : x)
AIELOOM_MATH_EXACT_2(fmax, AIELOOM_MATH_WHOLE_MAX, x < y ? y : x)
AIELOOM_MATH_EXACT_2(fmin, AIELOOM_MATH_WHOLE_MIN, y < x ? y : x)
#undef AIELOOM_MATH_EXACT_1
#undef AIELOOM_MATH_EXACT_2
#undef AIELOOM_MATH_WHOLE_MAX
#undef AIELOOM_MATH_WHOLE_MIN

template <typename T_>
T_ max(T_ x, T_ y) {
  return x > y ? x : y;
}
template <typename T_>
T_ min(T_ x, T_ y) {
  return x < y ? x : y;
}

// Comparisons: an int of double, float and half, false where one is not a number unless it says otherwise; a bool of exact numbers.
#define AIELOOM_MATH_COMPARE(name, expression)                                                                              \
  inline int name(double x, double y) { return static_cast<int>(expression); }                                             \
  inline int name(float x, float y) { return static_cast<int>(expression); }                                               \
  inline int name(half x, half y) { return hls::name(static_cast<float>(x), static_cast<float>(y)); }                      \
  inline int name##f(float x, float y) { return hls::name(x, y); }                                                         \
  inline int half_##name(half x, half y) { return hls::name(x, y); }
#define AIELOOM_MATH_COMPARE_WHOLE(name, type) \
  inline bool name(type x, type y) { return hls::name(static_cast<double>(x), static_cast<double>(y)) != 0; }
#define AIELOOM_MATH_COMPARE_ALL(name, expression)                     \
  AIELOOM_MATH_COMPARE(name, expression)                               \
  AIELOOM_MATH_SIZES(AIELOOM_MATH_COMPARE_WHOLE, name)                 \
  template <typename N_, aieloom::If<detail::kIsPlain<N_>> = 0>        \
  bool name(N_ x, N_ y) {                                              \
    return expression;                                                 \
  }
AIELOOM_MATH_COMPARE_ALL(isequal, x == y)
AIELOOM_MATH_COMPARE_ALL(isnotequal, x != y)
AIELOOM_MATH_COMPARE_ALL(isgreater, x > y)
AIELOOM_MATH_COMPARE_ALL(isgreaterequal, x >= y)
AIELOOM_MATH_COMPARE_ALL(isless, x < y)
AIELOOM_MATH_COMPARE_ALL(islessequal, x <= y)
AIELOOM_MATH_COMPARE_ALL(islessgreater, x < y || x > y)
AIELOOM_MATH_COMPARE(isordered, !std::isnan(x) && !std::isnan(y))
AIELOOM_MATH_COMPARE(isunordered, std::isnan(x) || std::isnan(y))
#undef AIELOOM_MATH_COMPARE_ALL
#undef AIELOOM_MATH_COMPARE_WHOLE
#undef AIELOOM_MATH_COMPARE

// What depends on the type's own range.
inline int fpclassify(double x) { return std::fpclassify(x); }
inline int fpclassify(float x) { return std::fpclassify(x); }
inline int fpclassify(half x) {
  const int exponent = (x.get_bits() >> 10) & 0x1F;
  const bool fraction = (x.get_bits() & 0x3FF) != 0;
  return exponent == 31 ? (fraction ? FP_NAN : FP_INFINITE) : exponent != 0 ? FP_NORMAL : fraction ? FP_SUBNORMAL : FP_ZERO;
}
inline int fpclassifyf(float x) { return std::fpclassify(x); }
inline int half_fpclassify(half x) { return hls::fpclassify(x); }
inline int isnormal(double x) { return static_cast<int>(std::isnormal(x)); }
inline int isnormal(float x) { return static_cast<int>(std::isnormal(x)); }
inline int isnormal(half x) { return static_cast<int>(hls::fpclassify(x) == FP_NORMAL); }
inline int isnormalf(float x) { return hls::isnormal(x); }
inline int half_isnormal(half x) { return hls::isnormal(x); }

inline double nan(const char* tag) { return std::nan(tag); }
inline float nanf(const char* tag) { return std::nanf(tag); }
inline half half_nan(const char* tag) { return half(std::nanf(tag)); }

// Products with a sum: of floating point rounded once; of exact numbers in their format.
#define AIELOOM_MATH_WHOLE_SUM(name, type) \
  inline type name(type x, type y, type z) { return static_cast<type>(static_cast<std::int64_t>(x) * y + z); }
#define AIELOOM_MATH_SUM(name)                                                                                                           \
  inline double name(double x, double y, double z) { return std::fma(x, y, z); }                                                         \
  inline float name(float x, float y, float z) { return std::fma(x, y, z); }                                                             \
  inline half name(half x, half y, half z) {                                                                                             \
    return half(static_cast<double>(static_cast<float>(x)) * static_cast<double>(static_cast<float>(y)) + static_cast<double>(static_cast<float>(z))); \
  }                                                                                                                                      \
  inline float name##f(float x, float y, float z) { return std::fma(x, y, z); }                                                          \
  inline half half_##name(half x, half y, half z) { return hls::name(x, y, z); }                                                         \
  AIELOOM_MATH_SIZES(AIELOOM_MATH_WHOLE_SUM, name)                                                                                       \
  template <typename N_, aieloom::If<detail::kIsPlain<N_>> = 0>                                                                          \
  N_ name(N_ x, N_ y, N_ z) {                                                                                                            \
    return N_(x * y + z);                                                                                                                \
  }
AIELOOM_MATH_SUM(fma)
AIELOOM_MATH_SUM(mad)
#undef AIELOOM_MATH_SUM
#undef AIELOOM_MATH_WHOLE_SUM

// With a whole number beside the argument.
#define AIELOOM_MATH_N(name, whole, expression)                                                                           \
  inline double name(double x, whole n) { return expression; }                                                            \
  inline float name(float x, whole n) { return static_cast<float>(hls::name(static_cast<double>(x), n)); }                \
  inline half name(half x, whole n) { return half(hls::name(static_cast<double>(static_cast<float>(x)), n)); }            \
  inline float name##f(float x, whole n) { return hls::name(x, n); }                                                      \
  inline half half_##name(half x, whole n) { return hls::name(x, n); }                                                    \
  template <typename N_, aieloom::If<aieloom::real::kIsWhole32<N_>> = 0>                                                  \
  aieloom::real::Whole<N_> name(N_ x, whole n) {                                                                          \
    return aieloom::real::into<aieloom::real::Whole<N_>>(hls::name(static_cast<double>(x), n));                           \
  }                                                                                                                       \
  template <typename N_, aieloom::If<detail::kIsPlain<N_>> = 0>                                                           \
  N_ name(N_ x, whole n) {                                                                                                \
    return aieloom::real::into<N_>(hls::name(x.to_double(), n));                                                          \
  }
AIELOOM_MATH_N(ldexp, int, std::ldexp(x, n))
AIELOOM_MATH_N(scalbn, int, std::scalbn(x, n))
AIELOOM_MATH_N(scalbln, long, std::scalbln(x, n))
AIELOOM_MATH_N(pown, int, std::pow(x, n))
AIELOOM_MATH_N(rootn, int, aieloom::real::rootn(x, n))
#undef AIELOOM_MATH_N

// With a second result through a pointer: an int, or one of the argument's type.
#define AIELOOM_MATH_INT_OUT(name, expression)                                                                            \
  inline double name(double x, int* n) { return expression; }                                                             \
  inline float name(float x, int* n) { return static_cast<float>(hls::name(static_cast<double>(x), n)); }                 \
  inline half name(half x, int* n) { return half(hls::name(static_cast<double>(static_cast<float>(x)), n)); }             \
  inline float name##f(float x, int* n) { return hls::name(x, n); }                                                       \
  inline half half_##name(half x, int* n) { return hls::name(x, n); }
#define AIELOOM_MATH_OWN_OUT(name, expression)                                                                            \
  inline double name(double x, double* whole) { return expression; }                                                      \
  inline float name(float x, float* whole) {                                                                              \
    double part = 0;                                                                                                      \
    const double rest = hls::name(static_cast<double>(x), &part);                                                         \
    *whole = static_cast<float>(part);                                                                                    \
    return static_cast<float>(rest);                                                                                      \
  }                                                                                                                       \
  inline half name(half x, half* whole) {                                                                                 \
    double part = 0;                                                                                                      \
    const double rest = hls::name(static_cast<double>(static_cast<float>(x)), &part);                                     \
    *whole = half(part);                                                                                                  \
    return half(rest);                                                                                                    \
  }                                                                                                                       \
  inline float name##f(float x, float* whole) { return hls::name(x, whole); }                                             \
  inline half half_##name(half x, half* whole) { return hls::name(x, whole); }                                            \
  template <typename N_, aieloom::If<detail::kIsPlain<N_>> = 0>                                                           \
  N_ name(N_ x, N_* whole) {                                                                                              \
    double part = 0;                                                                                                      \
    const double rest = hls::name(x.to_double(), &part);                                                     \
    *whole = aieloom::real::into<N_>(part);                                                                               \
    return aieloom::real::into<N_>(rest);                                                                                 \
  }
AIELOOM_MATH_INT_OUT(frexp, std::frexp(x, n))
AIELOOM_MATH_INT_OUT(lgamma_r, (*n = std::tgamma(x) < 0 ? -1 : 1, std::lgamma(x)))
AIELOOM_MATH_OWN_OUT(modf, std::modf(x, whole))
AIELOOM_MATH_OWN_OUT(fract, (*whole = std::floor(x), std::fmin(x - std::floor(x), std::nextafter(1.0, 0.0))))
#undef AIELOOM_MATH_INT_OUT
#undef AIELOOM_MATH_OWN_OUT

inline double remquo(double x, double y, int* n) { return std::remquo(x, y, n); }
inline float remquo(float x, float y, int* n) { return std::remquo(x, y, n); }
inline half remquo(half x, half y, int* n) { return half(std::remquo(static_cast<float>(x), static_cast<float>(y), n)); }
inline float remquof(float x, float y, int* n) { return std::remquo(x, y, n); }
inline half half_remquo(half x, half y, int* n) { return hls::remquo(x, y, n); }
template <typename N_, aieloom::If<detail::kIsPlain<N_>> = 0>
N_ remquo(N_ x, N_ y, int* n) {
  return aieloom::real::into<N_>(std::remquo(x.to_double(), y.to_double(), n));
}

// Sine and cosine at once, in the formats of either.
#define AIELOOM_MATH_SINCOS(type)              \
  inline void sincos(type x, type* s, type* c) { \
    *s = hls::sin(x);                          \
    *c = hls::cos(x);                          \
  }
AIELOOM_MATH_SINCOS(double)
AIELOOM_MATH_SINCOS(float)
AIELOOM_MATH_SINCOS(half)
#undef AIELOOM_MATH_SINCOS
inline void sincosf(float x, float* s, float* c) { hls::sincos(x, s, c); }
inline void half_sincos(half x, half* s, half* c) { hls::sincos(x, s, c); }
template <typename N_, aieloom::If<detail::kIsPlain<N_>> = 0>
void sincos(N_ x, decltype(hls::sin(x))* s, decltype(hls::sin(x))* c) {
  *s = hls::sin(x);
  *c = hls::cos(x);
}

/// The bits of y where those of z are set, else those of x [OpenCL bitselect].
inline std::int32_t bitselect(std::int32_t x, std::int32_t y, std::int32_t z) { return (x & ~z) | (y & z); }
inline std::uint32_t bitselect(std::uint32_t x, std::uint32_t y, std::uint32_t z) { return (x & ~z) | (y & z); }
inline half bitselect(half x, half y, half z) {
  return half::from_bits(static_cast<std::uint16_t>((x.get_bits() & ~z.get_bits()) | (y.get_bits() & z.get_bits())));
}
#define AIELOOM_MATH_BITSELECT(type, bits)                 \
  inline type bitselect(type x, type y, type z) {          \
    bits b[3];                                             \
    std::memcpy(&b[0], &x, sizeof x);                      \
    std::memcpy(&b[1], &y, sizeof y);                      \
    std::memcpy(&b[2], &z, sizeof z);                      \
    b[0] = (b[0] & ~b[2]) | (b[1] & b[2]);                 \
    std::memcpy(&x, &b[0], sizeof x);                      \
    return x;                                              \
  }
AIELOOM_MATH_BITSELECT(float, std::uint32_t)
AIELOOM_MATH_BITSELECT(double, std::uint64_t)
#undef AIELOOM_MATH_BITSELECT
template <typename N_, aieloom::If<detail::kIsPlain<N_>> = 0>
N_ bitselect(N_ x, N_ y, N_ z) {
  N_ made;
  for (int i = 0; i < N_::width; ++i) {
    made[i] = static_cast<bool>(z[i]) ? static_cast<bool>(y[i]) : static_cast<bool>(x[i]);
  }
  return made;
}

/// The highest bit is set, of all numbers or of any of them [OpenCL all, any].
template <typename N_, aieloom::If<detail::kIsPlain<N_>> = 0>
bool any(N_ x) {
  return static_cast<bool>(x[N_::width - 1]);
}
template <typename N_, aieloom::If<detail::kIsPlain<N_>> = 0>
bool all(N_ x) {
  return static_cast<bool>(x[N_::width - 1]);
}

#undef AIELOOM_MATH
#undef AIELOOM_MATH_1
#undef AIELOOM_MATH_2
#undef AIELOOM_MATH_WHOLE_1
#undef AIELOOM_MATH_WHOLE_OF_2
#undef AIELOOM_MATH_SIZES
#undef AIELOOM_MATH_WHOLE_2
#undef AIELOOM_MATH_OF_1
#undef AIELOOM_MATH_OF_2
#undef AIELOOM_MATH_OWN
#undef AIELOOM_MATH_AP
#undef AIELOOM_AP

}  // namespace hls
