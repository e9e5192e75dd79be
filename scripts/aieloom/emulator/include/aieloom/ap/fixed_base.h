// ap_fixed_base: W bits of which I are before the binary point [UG1399 C++ arbitrary precision fixed-point types].
#pragma once

#include <cmath>
#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <type_traits>

#include "aieloom/ap/fixed_ref.h"
#include "aieloom/ap/fixed_text.h"
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
  return {static_cast<std::int64_t>(std::ldexp(fraction, 53)), largest(-kFarBelow, smallest(exponent - 53 + fraction_bits, most_left))};
}

}  // namespace aieloom::ap

template <int W_, int I_, bool S_, ap_q_mode Q_, ap_o_mode O_, int N_>
struct ap_fixed_base {
  static_assert(W_ >= 1, "an ap_fixed has at least one bit");

  inline static constexpr int width = W_;
  inline static constexpr int iwidth = I_;
  inline static constexpr ap_q_mode qmode = Q_;
  inline static constexpr ap_o_mode omode = O_;
  inline static constexpr bool kSigned = S_;
  inline static constexpr int kFraction = W_ - I_;

  constexpr ap_fixed_base() = default;
  template <int W2_, int I2_, bool S2_, ap_q_mode Q2_, ap_o_mode O2_, int N2_>
  constexpr ap_fixed_base(const ap_fixed_base<W2_, I2_, S2_, Q2_, O2_, N2_>& other) {
    assign<W2_ - I2_>(other.number());
  }
  constexpr ap_fixed_base(const ap_fixed_base&) = default;
  constexpr ap_fixed_base& operator=(const ap_fixed_base&) = default;
  template <typename T_, aieloom::If<aieloom::ap::kHasBits<T_>> = 0>
  constexpr ap_fixed_base(const T_& value) {
    assign<0>(aieloom::ap::as_value(value));
  }
  ap_fixed_base(half value) : ap_fixed_base(static_cast<float>(value)) {}
  template <typename F_, aieloom::If<aieloom::ap::kIsReal<F_>> = 0>
  ap_fixed_base(F_ value) {
    using T_ = aieloom::ap::Store<W_ + 64 + aieloom::ap::kFarBelow, true>;
    const auto scaled = aieloom::ap::scale(static_cast<double>(value), kFraction, W_ + 1);
    const T_ mantissa = aieloom::ap::convert<T_>(scaled.mantissa);
    put(scaled.left >= 0 ? mantissa << scaled.left : aieloom::ap::quantise<Q_>(mantissa, -scaled.left));
  }
  /// A number with or without point and exponent, exactly: "3.25", "1e1", "-0x1.8", "101.1" in radix 2.
  ap_fixed_base(const char* text, signed char radix = 0) {
    using T_ = aieloom::ap::Store<2 * W_ + 2048, true>;
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
  constexpr void aieloom_normalise() { number_.aieloom_normalise(); }
  constexpr ap_fixed_base& setBits(unsigned long long bits) {
    number_ = ap_int_base<W_, S_>(bits);
    return *this;
  }
  [[nodiscard]] constexpr unsigned long long bits_to_uint64() const { return number_.to_uint64(); }

  /// The whole part, towards zero.
  [[nodiscard]] constexpr auto to_ap_int_base() const {
    using Result = ap_int_base<(I_ > 1 ? I_ : 1), S_>;
    using T_ = aieloom::ap::Store<aieloom::largest(W_, I_) + 2, true>;
    const T_ value = aieloom::ap::convert<T_>(raw());
    if constexpr (kFraction >= W_ + 1) {
      return Result{};
    } else if constexpr (kFraction > 0) {
      return Result::from_raw(aieloom::ap::quantise<AP_TRN_ZERO>(value, kFraction));
    } else {
      return Result::from_raw(value << -kFraction);
    }
  }
  [[nodiscard]] constexpr aieloom::ap::Number<(I_ > 1 ? I_ : 1), S_> to_ap_int() const { return to_ap_int_base(); }
  [[nodiscard]] constexpr char to_char() const { return to_ap_int_base().to_char(); }
  [[nodiscard]] constexpr int to_int() const { return to_ap_int_base().to_int(); }
  [[nodiscard]] constexpr unsigned to_uint() const { return to_ap_int_base().to_uint(); }
  [[nodiscard]] constexpr long long to_int64() const { return to_ap_int_base().to_int64(); }
  [[nodiscard]] constexpr unsigned long long to_uint64() const { return to_ap_int_base().to_uint64(); }
  [[nodiscard]] double to_double() const { return aieloom::ap::to_double(raw(), -kFraction); }
  [[nodiscard]] float to_float() const { return static_cast<float>(to_double()); }

  [[nodiscard]] half to_half() const { return half(to_double()); }

  /// Native types by themselves; whole ones towards zero, bool means not zero.
  template <typename T_, aieloom::If<std::is_arithmetic<T_>::value> = 0>
  constexpr operator T_() const {
    if constexpr (std::is_floating_point<T_>::value) {
      return static_cast<T_>(to_double());
    } else if constexpr (std::is_same<T_, bool>::value) {
      return number_.to_bool();
    } else {
      return static_cast<T_>(to_ap_int_base().to_int64());
    }
  }

  /// Digits with the radix' prefix, all that the format has behind the point; below 0 with a minus when `is_signed`, else as if the bits
  /// had no sign [UG1399 console I/O].
  [[nodiscard]] std::string to_string(signed char radix = 2, bool is_signed = S_) const {
    constexpr int kBehind = kFraction < 0 ? 0 : kFraction;
    constexpr int kBefore = I_ < 0 ? 0 : I_;
    using T_ = aieloom::ap::Store<kBefore + kBehind + 8, true>;
    aieloom::ap::check_radix(radix);
    T_ value = aieloom::ap::convert<T_>(raw()) << (kFraction < 0 ? -kFraction : 0);
    const bool minus = is_signed && aieloom::ap::is_negative(value);
    if (minus) {
      value = T_{} - value;
    } else {
      constexpr int kSeen = I_ < 0 ? kBehind : kBefore + kBehind + 1;
      value = value & aieloom::ap::convert<T_>(aieloom::ap::ones<aieloom::ap::Store<kBefore + kBehind + 8, false>>(kSeen));
    }
    return (minus ? "-" : "") + aieloom::ap::fixed_text(value, kBefore, kBehind, radix);
  }

  [[nodiscard]] static constexpr int length() { return W_; }
  [[nodiscard]] constexpr bool is_neg() const { return number_.sign(); }
  [[nodiscard]] constexpr bool is_zero() const { return number_.iszero(); }
  [[nodiscard]] static constexpr int wl() { return W_; }
  [[nodiscard]] static constexpr int iwl() { return I_; }

  [[nodiscard]] static constexpr ap_q_mode q_mode() { return Q_; }
  [[nodiscard]] static constexpr ap_o_mode o_mode() { return O_; }
  [[nodiscard]] static constexpr int n_bits() { return N_; }
  [[nodiscard]] constexpr ap_fixed_base getNeg() const { return ap_fixed_base(-*this); }
  [[nodiscard]] constexpr int countLeadingZeros() const { return number_.countLeadingZeros(); }

  constexpr af_bit_ref<W_, S_> operator[](int i) { return bit(i); }
  constexpr bool operator[](int i) const { return number_.test(i); }
  constexpr af_bit_ref<W_, S_> bit(int i) {
    static_cast<void>(number_.test(i));  // refuses what is none of its bits
    return {number_, i};
  }
  [[nodiscard]] constexpr bool bit(int i) const { return number_.test(i); }
  [[nodiscard]] constexpr bool get_bit(int i) const { return number_.test(i); }
  constexpr af_range_ref<W_, S_> range(int high, int low) {
    static_cast<void>(number_.range(high, low));
    return {number_, high, low};
  }
  [[nodiscard]] constexpr af_range_ref<W_, S_, true> range(int high, int low) const {
    static_cast<void>(number_.range(high, low));
    return {number_, high, low};
  }
  constexpr af_range_ref<W_, S_> range() { return range(W_ - 1, 0); }
  [[nodiscard]] constexpr af_range_ref<W_, S_, true> range() const { return range(W_ - 1, 0); }
  constexpr af_range_ref<W_, S_> operator()(int high, int low) { return range(high, low); }
  constexpr af_range_ref<W_, S_, true> operator()(int high, int low) const { return range(high, low); }

  constexpr aieloom::ap::FixedNumber<W_, I_, S_> operator+() const { return from_plain(number_); }
  constexpr aieloom::ap::FixedNumber<W_ + 1, I_ + 1, true> operator-() const {
    using R_ = aieloom::ap::FixedNumber<W_ + 1, I_ + 1, true>;
    return R_(R_::from_number(-number_));
  }
  constexpr aieloom::ap::FixedNumber<W_, I_, S_> operator~() const { return from_plain(~number_); }
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
  template <typename T_, aieloom::If<aieloom::ap::kHasBits<T_>> = 0>
  constexpr ap_fixed_base operator<<(const T_& n) const {
    return from_number(number_ << aieloom::ap::as_value(n));
  }
  template <typename T_, aieloom::If<aieloom::ap::kHasBits<T_>> = 0>
  constexpr ap_fixed_base operator>>(const T_& n) const {
    return from_number(number_ >> aieloom::ap::as_value(n));
  }

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
  /// The same bits without modes.
  template <int W2_, bool S2_>
  static constexpr aieloom::ap::FixedNumber<W_, I_, S_> from_plain(const ap_int_base<W2_, S2_>& bits) {
    using R_ = aieloom::ap::FixedNumber<W_, I_, S_>;
    return R_(R_::from_number(bits));
  }

  template <typename T_>
  constexpr void put(const T_& value) {
    number_ = ap_int_base<W_, S_>::from_raw(aieloom::ap::overflow<W_, S_, O_, N_>(value));
  }

  /// Take over a number of which the lowest F2 bits are behind the point.
  template <int F2_, int W2_, bool S2_>
  constexpr void assign(const ap_int_base<W2_, S2_>& other) {
    if constexpr (F2_ <= kFraction) {
      using T_ = aieloom::ap::Store<aieloom::largest(W2_ + kFraction - F2_, W_) + 2, true>;
      put(aieloom::ap::convert<T_>(other.raw()) << (kFraction - F2_));
    } else {
      constexpr int kShift = aieloom::smallest(F2_ - kFraction, W2_ + 2);  // further down all bits are lost alike
      using T_ = aieloom::ap::Store<aieloom::largest(aieloom::largest(W2_, W_), aieloom::largest(kShift, 29)) + 3, true>;
      put(aieloom::ap::quantise<Q_>(aieloom::ap::convert<T_>(other.raw()), kShift));
    }
  }

  ap_int_base<W_, S_> number_;
};
