// ap_float<W, E>: W bits of floating point, E of them for the exponent [UG1399 Arbitrary Precision Floating-Point Library].
//
// Bits lie as in IEEE 754: sign, exponent, W - E - 1 bits of fraction. The arithmetic is the floating-point operator's
// (aieloom/ap/float_parts.h).
#pragma once

#include <cstdint>
#include <cstring>
#include <istream>
#include <ostream>
#include <type_traits>

#include "aieloom/ap/float_parts.h"
#include "aieloom/usual.h"
#include "ap_fixed.h"
#include "hls_half.h"

template <int W_, int E_>
class ap_float {
  static_assert(E_ >= 4 && E_ <= 16, "ap_float<W, E>: exponents have 4 to 16 bits [PG060]");
  static_assert(W_ - E_ >= 4 && W_ - E_ <= 60 && W_ <= 64, "ap_float<W, E>: significands have 4 to 60 bits, and the whole at most 64");

  using Parts = aieloom::ap::Parts;
  static constexpr int kPrecision = W_ - E_;  // with the leading bit
  static constexpr int kFraction = W_ - E_ - 1;
  static constexpr int kBias = (1 << (E_ - 1)) - 1;
  static constexpr std::uint64_t kAllExponents = (std::uint64_t{1} << E_) - 1;

 public:
  static constexpr int width = W_;

  constexpr ap_float() = default;

  template <typename T_, aieloom::If<std::is_arithmetic<T_>::value> = 0>
  constexpr ap_float(T_ value) : bits_(packed(apart(value))) {}
  ap_float(half value) : ap_float(static_cast<float>(value)) {}

  /// Another format's number, rounded.
  template <int W2_, int E2_, aieloom::If<(W2_ != W_ || E2_ != E_)> = 0>
  constexpr ap_float(const ap_float<W2_, E2_>& other) : bits_(packed(round(other.parts()))) {}

  template <typename T_, aieloom::If<aieloom::ap::kIsInt<T_> || aieloom::ap::kIsFixed<T_>> = 0>
  explicit ap_float(const T_& value) : ap_float(value.to_double()) {
    static_assert(T_::width <= 53, "ap_float from an ap_int or ap_fixed of more than 53 bits");
  }

  explicit operator float() const { return static_cast<float>(to_double()); }
  explicit operator double() const { return to_double(); }
  explicit operator half() const { return half(to_double()); }
  template <typename I_, aieloom::If<std::is_integral<I_>::value> = 0>
  explicit operator I_() const {
    return static_cast<I_>(to_double());
  }
  template <typename T_, aieloom::If<aieloom::ap::kIsInt<T_> || aieloom::ap::kIsFixed<T_>> = 0>
  explicit operator T_() const {
    return T_(to_double());
  }

  friend constexpr ap_float operator+(const ap_float& a, const ap_float& b) { return made(add(a.parts(), b.parts(), kPrecision, E_)); }
  friend constexpr ap_float operator-(const ap_float& a, const ap_float& b) { return a + -b; }
  friend constexpr ap_float operator*(const ap_float& a, const ap_float& b) { return made(multiply(a.parts(), b.parts(), kPrecision, E_)); }
  friend constexpr ap_float operator/(const ap_float& a, const ap_float& b) { return made(divide(a.parts(), b.parts(), kPrecision, E_)); }
  constexpr ap_float operator+() const { return *this; }
  constexpr ap_float operator-() const {
    ap_float turned;
    turned.bits_ = bits_ ^ (std::uint64_t{1} << (W_ - 1));
    return turned;
  }
  constexpr ap_float& operator+=(const ap_float& other) { return *this = *this + other; }
  constexpr ap_float& operator-=(const ap_float& other) { return *this = *this - other; }
  constexpr ap_float& operator*=(const ap_float& other) { return *this = *this * other; }
  constexpr ap_float& operator/=(const ap_float& other) { return *this = *this / other; }

  friend constexpr bool operator==(const ap_float& a, const ap_float& b) { return order(a, b) == 0; }
  friend constexpr bool operator!=(const ap_float& a, const ap_float& b) { return order(a, b) != 0; }
  friend constexpr bool operator<(const ap_float& a, const ap_float& b) { return order(a, b) == -1; }
  friend constexpr bool operator>(const ap_float& a, const ap_float& b) { return order(a, b) == 1; }
  friend constexpr bool operator<=(const ap_float& a, const ap_float& b) { return order(a, b) <= 0; }
  friend constexpr bool operator>=(const ap_float& a, const ap_float& b) { return order(a, b) == 0 || order(a, b) == 1; }

  friend std::ostream& operator<<(std::ostream& out, const ap_float& value) { return out << value.to_double(); }
  friend std::istream& operator>>(std::istream& in, ap_float& value) {
    double read = 0;
    in >> read;
    value = ap_float(read);
    return in;
  }

  /// The number apart; a denormalised one is zero.
  [[nodiscard]] constexpr Parts parts() const {
    const bool negative = (bits_ >> (W_ - 1) & 1) != 0;
    const std::uint64_t exponent = bits_ >> kFraction & kAllExponents;
    const std::uint64_t fraction = bits_ & ((std::uint64_t{1} << kFraction) - 1);
    if (exponent == 0) {
      return {Parts::Kind::kZero, negative, 0, 0};
    }
    if (exponent == kAllExponents) {
      return {fraction == 0 ? Parts::Kind::kInfinite : Parts::Kind::kNaN, fraction == 0 && negative, 0, 0};
    }
    return {Parts::Kind::kFinite, negative, static_cast<int>(exponent) - kBias - kFraction, fraction | std::uint64_t{1} << kFraction};
  }

  /// The format's number nearest to one apart, and its bits, for who works on parts.
  [[nodiscard]] static constexpr ap_float made(const Parts& parts) {
    ap_float number;
    number.bits_ = packed(parts);
    return number;
  }

 private:
  static constexpr int order(const ap_float& a, const ap_float& b) { return compare(a.parts(), b.parts()); }

  static constexpr Parts round(const Parts& p) {
    return p.kind == Parts::Kind::kFinite ? aieloom::ap::rounded(p.negative, p.exponent, p.significand, false, kPrecision, E_) : p;
  }

  template <typename T_>
  static constexpr Parts apart(T_ value) {
    if constexpr (std::is_integral<T_>::value) {
      const bool negative = value < 0;
      const auto magnitude = negative ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
      return aieloom::ap::rounded(negative, 0, magnitude, false, kPrecision, E_);
    } else {
      const auto number = static_cast<double>(value);
      std::uint64_t bits = 0;
      std::memcpy(&bits, &number, sizeof bits);
      const auto exponent = static_cast<int>(bits >> 52 & 0x7FF);
      const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
      const bool negative = bits >> 63 != 0;
      if (exponent == 0x7FF) {
        return {fraction == 0 ? Parts::Kind::kInfinite : Parts::Kind::kNaN, fraction == 0 && negative, 0, 0};
      }
      const std::uint64_t significand = exponent == 0 ? fraction : fraction | std::uint64_t{1} << 52;
      return aieloom::ap::rounded(negative, (exponent == 0 ? 1 : exponent) - 1075, significand, false, kPrecision, E_);
    }
  }

  static constexpr std::uint64_t packed(const Parts& p) {
    const std::uint64_t sign = std::uint64_t{p.negative} << (W_ - 1);
    switch (p.kind) {
      case Parts::Kind::kZero:
        return sign;
      case Parts::Kind::kInfinite:
        return sign | kAllExponents << kFraction;
      case Parts::Kind::kNaN:
        return kAllExponents << kFraction | std::uint64_t{1} << (kFraction - 1);
      case Parts::Kind::kFinite:
        break;
    }
    const auto exponent = static_cast<std::uint64_t>(p.exponent + kFraction + kBias);
    return sign | exponent << kFraction | (p.significand & ((std::uint64_t{1} << kFraction) - 1));
  }

  [[nodiscard]] double to_double() const {
    const Parts p = parts();
    const double magnitude = p.kind == Parts::Kind::kFinite     ? std::ldexp(static_cast<double>(p.significand), p.exponent)
                             : p.kind == Parts::Kind::kInfinite ? HUGE_VAL
                             : p.kind == Parts::Kind::kNaN      ? std::nan("")
                                                                : 0.0;
    return p.negative ? -magnitude : magnitude;
  }

  std::uint64_t bits_ = 0;
};

namespace hls {

template <int W_, int E_>
ap_float<W_, E_> sqrt(const ap_float<W_, E_>& x) {
  return ap_float<W_, E_>::made(square_root(x.parts(), W_ - E_, E_));
}
/// a * b + c, rounded once.
template <int W_, int E_>
ap_float<W_, E_> fma(const ap_float<W_, E_>& a, const ap_float<W_, E_>& b, const ap_float<W_, E_>& c) {
  return ap_float<W_, E_>::made(multiply_add(a.parts(), b.parts(), c.parts(), W_ - E_, E_));
}
template <int W_, int E_>
ap_float<W_, E_> abs(const ap_float<W_, E_>& x) {
  return x.parts().negative ? -x : x;
}

}  // namespace hls

/// Sums of ap_float in fixed point, one a cycle [UG1399 Accumulation of ap_float]; after the last the sum begins anew.
template <typename Value, typename Sum>
class ap_float_acc {
 public:
  Value accumulate(const Value& value, bool last) {
    sum_ += Sum(value);
    const Value result = Value(sum_);
    if (last) {
      sum_ = 0;
    }
    return result;
  }

 private:
  Sum sum_ = 0;
};
