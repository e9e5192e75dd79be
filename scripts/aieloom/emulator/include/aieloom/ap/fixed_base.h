// ap_fixed_base: W bits of which I are before the binary point [UG1399 C++ arbitrary precision fixed-point types].
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <ostream>
#include <string>
#include <type_traits>

#include "aieloom/ap/fixed_text.h"
#include "aieloom/ap/int_ops.h"
#include "aieloom/ap/quantise.h"

namespace aieloom::ap {

/// Exponent below which no bit of a double matters to a format: more than its 53 bits and any rounding.
inline constexpr int kFarBelow = 64;

/// A double's bits for a format: mantissa * 2^left, left limited to what can matter.
struct Scaled {
  std::int64_t mantissa = 0;
  int left = 0;
};

inline Scaled scale(double value, int fraction_bits, int most_left) {
  if (!std::isfinite(value)) {
    refuse("ap-float", "a number that is infinite or not a number has no fixed-point value", "check the value first");
  }
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return {static_cast<std::int64_t>(std::ldexp(fraction, 53)), std::clamp(exponent - 53 + fraction_bits, -kFarBelow, most_left)};
}

}  // namespace aieloom::ap

template <int W_, int I_, bool S_ = true, ap_q_mode Q_ = AP_TRN, ap_o_mode O_ = AP_WRAP, int N_ = 0>
struct ap_fixed_base {
  static_assert(W_ >= 1, "an ap_fixed has at least one bit");

  static constexpr int width = W_;
  static constexpr int iwidth = I_;
  static constexpr bool sign_flag = S_;
  static constexpr int kFraction = W_ - I_;
  static constexpr ap_q_mode qmode = Q_;
  static constexpr ap_o_mode omode = O_;

  constexpr ap_fixed_base() = default;
  template <int W2_, int I2_, bool S2_, ap_q_mode Q2_, ap_o_mode O2_, int N2_>
  constexpr ap_fixed_base(const ap_fixed_base<W2_, I2_, S2_, Q2_, O2_, N2_>& other) {
    assign<W2_ - I2_>(other.number());
  }
  constexpr ap_fixed_base(const ap_fixed_base&) = default;
  constexpr ap_fixed_base& operator=(const ap_fixed_base&) = default;
  template <typename T_>
    requires(aieloom::ap::IntLike<T_> || aieloom::ap::Builtin<T_>)
  constexpr ap_fixed_base(const T_& value) {
    assign<0>(aieloom::ap::as_value(value));
  }
  template <std::floating_point F_>
  ap_fixed_base(F_ value) {
    using T_ = aieloom::ap::Store<W_ + 64 + aieloom::ap::kFarBelow, true>;
    const auto scaled = aieloom::ap::scale(static_cast<double>(value), kFraction, W_ + 1);
    const T_ mantissa = aieloom::ap::convert<T_>(scaled.mantissa);
    put(scaled.left >= 0 ? mantissa << scaled.left : aieloom::ap::quantise<Q_>(mantissa, -scaled.left));
  }
  ap_fixed_base(const char* text) : ap_fixed_base(text, 0) {}
  /// A number with or without point, exactly: "3.25", "-0x1.8", "101.1" in radix 2.
  ap_fixed_base(const char* text, int radix) {
    using T_ = aieloom::ap::Store<2 * W_ + 512, true>;
    put(aieloom::ap::quantise<Q_>(aieloom::ap::parse_fixed<T_>(text, radix, kFraction + 2), 2));
  }

  /// The bits, as the number that they are without a binary point.
  [[nodiscard]] constexpr const ap_int_base<W_, S_>& number() const { return number_; }
  [[nodiscard]] constexpr const auto& raw() const { return number_.raw(); }
  template <int W2_, bool S2_>
  static constexpr ap_fixed_base from_number(const ap_int_base<W2_, S2_>& bits) {
    ap_fixed_base made;
    made.number_ = bits;
    return made;
  }
  constexpr void aieloom_fixed() const {}
  constexpr void aieloom_normalise() { number_.aieloom_normalise(); }
  constexpr void setBits(unsigned long long bits) { number_ = ap_int_base<W_, S_>(bits); }

  /// The whole part, towards zero.
  [[nodiscard]] constexpr auto to_ap_int_base() const {
    using Result = ap_int_base<(I_ > 1 ? I_ : 1), S_>;
    using T_ = aieloom::ap::Store<(W_ > I_ ? W_ + 2 : I_ + 2), true>;
    const T_ value = aieloom::ap::convert<T_>(raw());
    if constexpr (kFraction >= W_ + 1) {
      return Result{};
    } else if constexpr (kFraction > 0) {
      return Result::from_raw(aieloom::ap::quantise<AP_TRN_ZERO>(value, kFraction));
    } else {
      return Result::from_raw(value << -kFraction);
    }
  }
  [[nodiscard]] constexpr int to_int() const { return to_ap_int_base().to_int(); }
  [[nodiscard]] constexpr unsigned to_uint() const { return to_ap_int_base().to_uint(); }
  [[nodiscard]] constexpr long to_long() const { return to_ap_int_base().to_long(); }
  [[nodiscard]] constexpr unsigned long to_ulong() const { return to_ap_int_base().to_ulong(); }
  [[nodiscard]] constexpr long long to_int64() const { return to_ap_int_base().to_int64(); }
  [[nodiscard]] constexpr unsigned long long to_uint64() const { return to_ap_int_base().to_uint64(); }
  [[nodiscard]] double to_double() const { return aieloom::ap::to_double(raw(), -kFraction); }
  [[nodiscard]] float to_float() const { return static_cast<float>(to_double()); }

  /// Native types by themselves; whole ones towards zero, bool means not zero.
  template <typename T_>
    requires std::is_arithmetic_v<T_>
  constexpr operator T_() const {
    if constexpr (std::is_floating_point_v<T_>) {
      return static_cast<T_>(to_double());
    } else if constexpr (std::is_same_v<T_, bool>) {
      return number_.to_bool();
    } else {
      return static_cast<T_>(to_ap_int_base().to_int64());
    }
  }

  /// Radix 2 with all bits ("0b011.010"), 8 and 16 in whole digits, 10 exactly [UG1399 console I/O].
  [[nodiscard]] std::string to_string(int radix = 2, bool is_signed = S_) const {
    using T_ = aieloom::ap::Store<(W_ > I_ ? W_ - (I_ < 0 ? I_ : 0) : I_) + 8, true>;
    const T_ value = aieloom::ap::convert<T_>(raw()) << (kFraction < 0 ? -kFraction : 0);
    constexpr int kDigits = kFraction < 0 ? 0 : kFraction;
    if (radix == 2) {
      return aieloom::ap::binary_text(value, I_ > 0 ? I_ + kDigits : kDigits + 1, kDigits);
    }
    return aieloom::ap::fixed_text(value, kDigits, radix, is_signed);
  }

  [[nodiscard]] static constexpr int length() { return W_; }
  [[nodiscard]] constexpr bool is_neg() const { return number_.sign(); }
  [[nodiscard]] constexpr bool is_zero() const { return number_.iszero(); }
  [[nodiscard]] static constexpr int wl() { return W_; }
  [[nodiscard]] static constexpr int iwl() { return I_; }

  constexpr auto operator[](int i) { return number_[i]; }
  constexpr bool operator[](int i) const { return number_.test(i); }
  constexpr auto bit(int i) { return number_[i]; }
  constexpr auto range(int high, int low) { return number_.range(high, low); }
  [[nodiscard]] constexpr auto range(int high, int low) const { return number_.range(high, low); }
  constexpr auto range() { return number_.range(); }
  [[nodiscard]] constexpr auto range() const { return number_.range(); }
  constexpr auto operator()(int high, int low) { return number_.range(high, low); }
  constexpr auto operator()(int high, int low) const { return number_.range(high, low); }

  constexpr ap_fixed_base<W_, I_, S_> operator+() const { return *this; }
  constexpr ap_fixed_base<W_ + 1, I_ + 1, true> operator-() const { return ap_fixed_base<W_ + 1, I_ + 1, true>::from_number(-number_); }
  constexpr ap_fixed_base<W_, I_, S_> operator~() const { return ap_fixed_base<W_, I_, S_>::from_number(~number_); }
  constexpr bool operator!() const { return number_.iszero(); }
  constexpr ap_fixed_base& operator++() { return *this += 1; }
  constexpr ap_fixed_base& operator--() { return *this -= 1; }
  constexpr ap_fixed_base operator++(int) {
    const ap_fixed_base old = *this;
    ++*this;
    return old;
  }
  constexpr ap_fixed_base operator--(int) {
    const ap_fixed_base old = *this;
    --*this;
    return old;
  }

  // Shifts keep the format: bits go out at both ends [UG1399 fixed-point shift operators].
  template <typename T_>
    requires(aieloom::ap::IntLike<T_> || aieloom::ap::Builtin<T_>)
  constexpr ap_fixed_base operator<<(const T_& n) const { return from_number(number_ << n); }
  template <typename T_>
    requires(aieloom::ap::IntLike<T_> || aieloom::ap::Builtin<T_>)
  constexpr ap_fixed_base operator>>(const T_& n) const { return from_number(number_ >> n); }

  template <typename T_>
  constexpr ap_fixed_base& operator+=(const T_& other) { return *this = *this + other; }
  template <typename T_>
  constexpr ap_fixed_base& operator-=(const T_& other) { return *this = *this - other; }
  template <typename T_>
  constexpr ap_fixed_base& operator*=(const T_& other) { return *this = *this * other; }
  template <typename T_>
  constexpr ap_fixed_base& operator/=(const T_& other) { return *this = *this / other; }
  template <typename T_>
  constexpr ap_fixed_base& operator&=(const T_& other) { return *this = *this & other; }
  template <typename T_>
  constexpr ap_fixed_base& operator|=(const T_& other) { return *this = *this | other; }
  template <typename T_>
  constexpr ap_fixed_base& operator^=(const T_& other) { return *this = *this ^ other; }
  template <typename T_>
  constexpr ap_fixed_base& operator<<=(const T_& n) { return *this = *this << n; }
  template <typename T_>
  constexpr ap_fixed_base& operator>>=(const T_& n) { return *this = *this >> n; }

 private:
  template <typename T_>
  constexpr void put(const T_& value) {
    number_ = ap_int_base<W_, S_>::from_raw(aieloom::ap::overflow<W_, S_, O_, N_>(value));
  }

  /// Take over a number of which the lowest F2 bits are behind the point.
  template <int F2_, int W2_, bool S2_>
  constexpr void assign(const ap_int_base<W2_, S2_>& other) {
    if constexpr (F2_ <= kFraction) {
      using T_ = aieloom::ap::Store<std::max(W2_ + kFraction - F2_, W_) + 2, true>;
      put(aieloom::ap::convert<T_>(other.raw()) << (kFraction - F2_));
    } else {
      constexpr int kShift = std::min(F2_ - kFraction, W2_ + 2);  // further down all bits are lost alike
      using T_ = aieloom::ap::Store<std::max({W2_, W_, kShift, 29}) + 3, true>;
      put(aieloom::ap::quantise<Q_>(aieloom::ap::convert<T_>(other.raw()), kShift));
    }
  }

  ap_int_base<W_, S_> number_;
};
