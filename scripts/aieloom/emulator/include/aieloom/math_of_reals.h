// What hls_math.h computes: functions of double, and of float where the C library has them, that neither std:: nor hls:: is.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "ap_fixed.h"

namespace aieloom {
namespace real {

using std::acos;
using std::acosh;
using std::asin;
using std::asinh;
using std::atan;
using std::atan2;
using std::atanh;
using std::cbrt;
using std::ceil;
using std::copysign;
using std::cos;
using std::cosh;
using std::erf;
using std::erfc;
using std::exp;
using std::exp2;
using std::expm1;
using std::fabs;
using std::fdim;
using std::floor;
using std::fmax;
using std::fmin;
using std::fmod;
using std::hypot;
using std::lgamma;
using std::log;
using std::log10;
using std::log1p;
using std::log2;
using std::logb;
using std::nearbyint;
using std::nextafter;
using std::pow;
using std::remainder;
using std::rint;
using std::round;
using std::sin;
using std::sinh;
using std::sqrt;
using std::tan;
using std::tanh;
using std::tgamma;
using std::trunc;

inline double abs(double x) { return std::fabs(x); }
inline float abs(float x) { return std::fabs(x); }

// A float's is the double's, rounded: closer than the library of any float.
#define AIELOOM_REAL_1(name, expression)                                                \
  inline double name(double x) { return expression; }                                   \
  inline float name(float x) { return static_cast<float>(name(static_cast<double>(x))); }
AIELOOM_REAL_1(exp10, std::pow(10.0, x))
AIELOOM_REAL_1(sinpi, std::sin(std::remainder(x, 2.0) * M_PI))
AIELOOM_REAL_1(cospi, std::cos(std::remainder(x, 2.0) * M_PI))
AIELOOM_REAL_1(tanpi, std::tan(std::remainder(x, 1.0) * M_PI))
AIELOOM_REAL_1(asinpi, std::asin(x) / M_PI)
AIELOOM_REAL_1(acospi, std::acos(x) / M_PI)
AIELOOM_REAL_1(atanpi, std::atan(x) / M_PI)
AIELOOM_REAL_1(recip, 1.0 / x)
AIELOOM_REAL_1(rsqrt, 1.0 / std::sqrt(x))
#undef AIELOOM_REAL_1

template <typename F_>
F_ divide(F_ x, F_ y) {
  return x / y;
}
/// A power of what is not negative; of anything else there is none.
template <typename F_>
F_ powr(F_ x, F_ y) {
  return x < 0 ? std::numeric_limits<F_>::quiet_NaN() : std::pow(x, y);
}
/// The one of larger, or smaller, magnitude [OpenCL maxmag, minmag].
template <typename F_>
F_ maxmag(F_ x, F_ y) {
  return std::fabs(x) > std::fabs(y) ? x : std::fabs(y) > std::fabs(x) ? y : std::fmax(x, y);
}
template <typename F_>
F_ minmag(F_ x, F_ y) {
  return std::fabs(x) < std::fabs(y) ? x : std::fabs(y) < std::fabs(x) ? y : std::fmin(x, y);
}
inline double atan2pi(double y, double x) { return std::atan2(y, x) / M_PI; }
/// The n-th root; of a negative number where n is odd.
inline double rootn(double x, int n) {
  const double root = std::pow(std::fabs(x), 1.0 / n);
  return x >= 0 ? root : n % 2 != 0 ? -root : std::numeric_limits<double>::quiet_NaN();
}

/// C++'s whole numbers that hls:: functions take: up to 32 bits; what is smaller than an int without being one of the sized types
/// becomes an int.
template <typename I_>
inline constexpr bool kIsWhole32 = std::is_integral<I_>::value && sizeof(I_) <= 4;
template <typename I_>
using Whole = std::conditional_t<std::is_same<I_, bool>::value || std::is_same<I_, char>::value, int, I_>;

/// A value into a number's format, downwards, modulo its range.
template <typename R_>
R_ into(double value) {
  if constexpr (ap::kIsFixed<R_>) {
    return R_(value);
  } else if constexpr (ap::kIsInt<R_>) {
    return R_(ap_fixed<R_::width, R_::width>(value).number());
  } else {
    return static_cast<R_>(ap_fixed<64, 64>(value).to_int64());
  }
}

}  // namespace real
}  // namespace aieloom
