// half: IEEE 754 binary16 [UG1399 floats and doubles]. Each operation is rounded once, to nearest, ties to even.
//
// Sums, products, quotients and square roots of two halves are computed as float and rounded again, which is the
// same: float has more than twice the bits of half plus two.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <type_traits>

#include "aieloom/ap/kinds.h"

class half {
 public:
  constexpr half() = default;
  template <typename T_, aieloom::If<std::is_arithmetic<T_>::value> = 0>
  half(T_ value) : bits_(round(static_cast<double>(value))) {}

  template <typename T_, aieloom::If<aieloom::ap::kIsFixed<T_> || aieloom::ap::kIsInt<T_>> = 0>
  half(const T_& number) : half(number.to_double()) {}

  operator float() const { return static_cast<float>(value()); }

  [[nodiscard]] static constexpr half from_bits(std::uint16_t bits) {
    half made;
    made.bits_ = bits;
    return made;
  }
  [[nodiscard]] constexpr std::uint16_t get_bits() const { return bits_; }
  void set_bits(std::uint16_t bits) { bits_ = bits; }

  half& operator+=(half other) { return *this = half(static_cast<float>(*this) + static_cast<float>(other)); }
  half& operator-=(half other) { return *this = half(static_cast<float>(*this) - static_cast<float>(other)); }
  half& operator*=(half other) { return *this = half(static_cast<float>(*this) * static_cast<float>(other)); }
  half& operator/=(half other) { return *this = half(static_cast<float>(*this) / static_cast<float>(other)); }
  half& operator++() { return *this += half(1); }
  half& operator--() { return *this -= half(1); }
  half operator++(int) {
    const half old = *this;
    ++*this;
    return old;
  }
  half operator--(int) {
    const half old = *this;
    --*this;
    return old;
  }

 private:
  [[nodiscard]] double value() const {
    const int exponent = (bits_ >> 10) & 0x1F;
    const int fraction = bits_ & 0x3FF;
    const double sign = (bits_ & 0x8000) != 0 ? -1 : 1;
    if (exponent == 31) {
      return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    }
    return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25));
  }

  static std::uint16_t round(double value) {
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    if (std::isnan(value)) {
      return 0x7E00;
    }
    const double magnitude = std::fabs(value);
    if (magnitude >= 65520) {  // half way beyond the largest number, 65504
      return sign | 0x7C00;
    }
    int exponent = -24;  // of zero
    if (magnitude > 0) {
      std::frexp(magnitude, &exponent);
    }
    const int unit = exponent - 11 < -24 ? -24 : exponent - 11;  // weight of the last bit
    const auto count = static_cast<unsigned>(std::nearbyint(std::ldexp(magnitude, -unit)));  // 0..2048, ties to even
    return static_cast<std::uint16_t>(sign + (unit + 24) * 1024 + static_cast<int>(count));  // a carry runs into the exponent
  }

  std::uint16_t bits_ = 0;
};

namespace aieloom {
namespace ap {

template <typename T_>
inline constexpr bool kIsHalf = std::is_same<T_, half>::value;
template <typename A_, typename B_>
inline constexpr bool kHalfOperands = (kIsHalf<A_> && (kIsHalf<B_> || std::is_integral<B_>::value)) || (std::is_integral<A_>::value && kIsHalf<B_>);
template <typename A_, typename B_>
inline constexpr bool kHalfWithFloat = (kIsHalf<A_> && kIsReal<B_>) || (kIsReal<A_> && kIsHalf<B_>);
template <typename A_, typename B_>
using Wider = std::conditional_t<kIsHalf<A_>, B_, A_>;

}  // namespace ap
}  // namespace aieloom

// With half and whole numbers the result is a half, with float and double it is one of those.
#define AIELOOM_HALF_OPERATOR(op)                                                                             \
  template <typename A_, typename B_, aieloom::If<aieloom::ap::kHalfOperands<A_, B_>> = 0>                      \
  half operator op(A_ a, B_ b) {                                                                                \
    return half(static_cast<float>(half(a)) op static_cast<float>(half(b)));                                  \
  }                                                                                                           \
  template <typename A_, typename B_, aieloom::If<aieloom::ap::kHalfWithFloat<A_, B_>> = 0>                     \
  auto operator op(A_ a, B_ b) {                                                                                \
    using F_ = aieloom::ap::Wider<A_, B_>;                                                                       \
    return static_cast<F_>(a) op static_cast<F_>(b);                                                            \
  }
AIELOOM_HALF_OPERATOR(+)
AIELOOM_HALF_OPERATOR(-)
AIELOOM_HALF_OPERATOR(*)
AIELOOM_HALF_OPERATOR(/)
#undef AIELOOM_HALF_OPERATOR

#define AIELOOM_HALF_COMPARE(op)                                                                              \
  template <typename A_, typename B_, aieloom::If<aieloom::ap::kHalfOperands<A_, B_> || aieloom::ap::kHalfWithFloat<A_, B_>> = 0> \
  bool operator op(A_ a, B_ b) {                                                                                \
    return static_cast<double>(a) op static_cast<double>(b);                                                  \
  }
AIELOOM_HALF_COMPARE(==)
AIELOOM_HALF_COMPARE(!=)
AIELOOM_HALF_COMPARE(<)
AIELOOM_HALF_COMPARE(>)
AIELOOM_HALF_COMPARE(<=)
AIELOOM_HALF_COMPARE(>=)
#undef AIELOOM_HALF_COMPARE

inline std::ostream& operator<<(std::ostream& out, half value) { return out << static_cast<float>(value); }
