// ap_int_base: a whole number of W bits [UG1399 C++ arbitrary precision integer types].
//
// Everything that one number does by itself; operators between numbers are in int_ops.h, parts of numbers in
// int_ref.h. Numbers start at 0 (in hardware they start with anything), so that runs repeat.
#pragma once

#include <iostream>
#include <string>
#include <type_traits>
#include <utility>

#include "aieloom/ap/kinds.h"
#include "aieloom/ap/storage.h"
#include "aieloom/ap/text.h"
#include "hls_half.h"

namespace aieloom::ap {

[[noreturn]] inline void refuse_index(int index, int width) {
  refuse("ap-range", "bit " + std::to_string(index) + " of a number of " + std::to_string(width) + " bits",
         "bits are numbered from 0 to " + std::to_string(width - 1));
}

/// What an ap_int converts to by itself, whatever its width; of more than 64 bits the lowest.
template <bool S_>
using Native = std::conditional_t<S_, long long, unsigned long long>;

}  // namespace aieloom::ap

template <int W_, bool S_>
struct ap_int_base {
  static_assert(W_ >= 1, "an ap_int has at least one bit");

  inline static constexpr int width = W_;
  inline static constexpr bool sign_flag = S_;
  using Raw = aieloom::ap::Store<W_, S_>;

  constexpr ap_int_base() = default;
  template <typename T_, aieloom::If<aieloom::ap::kIsWhole<T_>> = 0>
  constexpr ap_int_base(T_ value) : raw_(aieloom::ap::fit<W_, S_>(value)) {}
  template <int W2_, bool S2_>
  constexpr ap_int_base(const ap_int_base<W2_, S2_>& other) : raw_(aieloom::ap::fit<W_, S_>(other.raw())) {}
  constexpr ap_int_base(const ap_int_base&) = default;
  constexpr ap_int_base& operator=(const ap_int_base&) = default;
  template <typename R_, aieloom::If<aieloom::ap::kIsPart<R_> || aieloom::ap::kIsFixedPart<R_>> = 0>
  constexpr ap_int_base(const R_& ref) : ap_int_base(ref.get()) {}
  template <typename F_, aieloom::If<aieloom::ap::kIsFixed<F_>> = 0>
  constexpr ap_int_base(const F_& fixed) : ap_int_base(fixed.to_ap_int_base()) {}

  /// Towards zero, modulo 2^W.
  template <typename F_, aieloom::If<aieloom::ap::kIsReal<F_>> = 0>
  ap_int_base(F_ value) : raw_(aieloom::ap::fit<W_, S_>(aieloom::ap::from_double<aieloom::ap::Bits<W_>>(std::trunc(static_cast<double>(value)), 0))) {}
  ap_int_base(half value) : ap_int_base(static_cast<float>(value)) {}
  ap_int_base(const char* text, signed char radix = 0) : raw_(aieloom::ap::fit<W_, S_>(aieloom::ap::parse<aieloom::ap::Bits<W_>>(text, radix))) {}

  /// A number from bits in any storage.
  template <typename T_>
  static constexpr ap_int_base from_raw(const T_& bits) {
    ap_int_base made;
    made.raw_ = aieloom::ap::fit<W_, S_>(bits);
    return made;
  }

  [[nodiscard]] constexpr const Raw& raw() const { return raw_; }
  constexpr ap_int_base& get() { return *this; }

  // Of a volatile number: a copy, and to take one over.
  [[nodiscard]] ap_int_base read() const volatile { return from_raw(const_cast<const Raw&>(raw_)); }
  template <int W2_, bool S2_>
  void operator=(const ap_int_base<W2_, S2_>& other) volatile {
    const_cast<ap_int_base&>(*this) = other;
  }
  template <int W2_, bool S2_>
  constexpr ap_int_base& operator=(const ap_int_base<W2_, S2_>& other) {
    raw_ = aieloom::ap::fit<W_, S_>(other.raw());
    return *this;
  }

  /// After foreign bytes were put in: extend over the storage.
  constexpr void aieloom_normalise() { raw_ = aieloom::ap::fit<W_, S_>(raw_); }

  constexpr operator aieloom::ap::Native<S_>() const { return native<aieloom::ap::Native<S_>>(); }

  // Conversions cut, as C does [UG1399 class methods and operators].
  [[nodiscard]] constexpr bool to_bool() const { return !(raw_ == Raw{}); }
  [[nodiscard]] constexpr char to_char() const { return native<char>(); }
  [[nodiscard]] constexpr signed char to_schar() const { return native<signed char>(); }
  [[nodiscard]] constexpr unsigned char to_uchar() const { return native<unsigned char>(); }
  [[nodiscard]] constexpr short to_short() const { return native<short>(); }
  [[nodiscard]] constexpr unsigned short to_ushort() const { return native<unsigned short>(); }
  [[nodiscard]] constexpr int to_int() const { return native<int>(); }
  [[nodiscard]] constexpr unsigned to_uint() const { return native<unsigned>(); }
  [[nodiscard]] constexpr long to_long() const { return native<long>(); }
  [[nodiscard]] constexpr unsigned long to_ulong() const { return native<unsigned long>(); }
  [[nodiscard]] constexpr long long to_int64() const { return native<long long>(); }
  [[nodiscard]] constexpr unsigned long long to_uint64() const { return native<unsigned long long>(); }
  [[nodiscard]] double to_double() const { return aieloom::ap::to_double(raw_); }
  [[nodiscard]] float to_float() const { return static_cast<float>(to_double()); }

  [[nodiscard]] half to_half() const { return half(to_double()); }

  /// Digits with the radix' prefix; below 0 with a minus in radix 10, and in 8 and 16 when `is_signed`, else all bits.
  [[nodiscard]] std::string to_string(signed char radix = 2, bool is_signed = S_) const {
    using Magnitude = aieloom::ap::Bits<W_>;
    aieloom::ap::check_radix(radix);
    if (sign() && (radix == 10 || (is_signed && radix != 2))) {
      const auto below = ap_int_base<W_, false>::from_raw(Magnitude{} - aieloom::ap::convert<Magnitude>(raw_));
      return "-" + aieloom::ap::number_text(below.low(), W_, radix, true);
    }
    return aieloom::ap::number_text(low(), W_, radix, false);
  }

  [[nodiscard]] static constexpr int length() { return W_; }
  [[nodiscard]] constexpr bool sign() const { return aieloom::ap::is_negative(raw_); }
  [[nodiscard]] constexpr bool is_neg() const { return sign(); }
  [[nodiscard]] constexpr bool iszero() const { return !to_bool(); }
  [[nodiscard]] constexpr bool is_zero() const { return !to_bool(); }

  // Bits.
  [[nodiscard]] constexpr bool test(int i) const {
    check(i);
    if constexpr (aieloom::ap::kIsWide<Raw>) {
      return ((raw_.limb[i / 64] >> (i % 64)) & 1) != 0;
    } else {
      return ((raw_ >> i) & 1) != 0;
    }
  }
  [[nodiscard]] constexpr bool get_bit(int i) const { return test(i); }
  constexpr void set_bit(int i, bool value) {
    check(i);
    if constexpr (aieloom::ap::kIsWide<Raw>) {
      const std::uint64_t mask = std::uint64_t{1} << (i % 64);
      raw_.limb[i / 64] = value ? raw_.limb[i / 64] | mask : raw_.limb[i / 64] & ~mask;
      aieloom_normalise();
    } else {
      const auto mask = static_cast<aieloom::ap::Bits<W_>>(aieloom::ap::Bits<W_>{1} << i);
      const auto now = static_cast<aieloom::ap::Bits<W_>>(raw_);
      raw_ = aieloom::ap::fit<W_, S_>(value ? now | mask : now & ~mask);
    }
  }
  constexpr void set(int i, bool value) { set_bit(i, value); }
  constexpr void set(int i) { set_bit(i, true); }
  constexpr void set() { raw_ = aieloom::ap::fit<W_, S_>(-1); }
  constexpr void clear(int i) { set_bit(i, false); }
  constexpr void clear() { raw_ = Raw{}; }
  constexpr void invert(int i) { set_bit(i, !test(i)); }
  constexpr void b_not() { *this = from_raw(~raw_); }
  constexpr ap_int_base& reverse() {
    const ap_int_base old = *this;
    for (int i = 0; i < W_; ++i) {
      set_bit(i, old.test(W_ - 1 - i));
    }
    return *this;
  }
  constexpr ap_int_base& lrotate(int n) {
    check(n);
    return *this = from_raw(n == 0 ? low() : (low() << n) | (low() >> (W_ - n)));
  }
  constexpr ap_int_base& rrotate(int n) {
    check(n);
    return *this = from_raw(n == 0 ? low() : (low() >> n) | (low() << (W_ - n)));
  }
  [[nodiscard]] constexpr int countLeadingZeros() const { return W_ - aieloom::ap::bit_length(low()); }

  constexpr ap_bit_ref<W_, S_> operator[](int i) {
    check(i);
    return {*this, i};
  }
  constexpr bool operator[](int i) const { return test(i); }
  constexpr ap_bit_ref<W_, S_> bit(int i) { return (*this)[i]; }
  [[nodiscard]] constexpr bool bit(int i) const { return test(i); }

  constexpr ap_range_ref<W_, S_> range(int high, int low) {
    check(high);
    check(low);
    return {*this, high, low};
  }
  [[nodiscard]] constexpr ap_range_ref<W_, S_, true> range(int high, int low) const {
    check(high);
    check(low);
    return {*this, high, low};
  }
  constexpr ap_range_ref<W_, S_> range() { return range(W_ - 1, 0); }
  [[nodiscard]] constexpr ap_range_ref<W_, S_, true> range() const { return range(W_ - 1, 0); }
  constexpr ap_range_ref<W_, S_> operator()(int high, int low) { return range(high, low); }
  constexpr ap_range_ref<W_, S_, true> operator()(int high, int low) const { return range(high, low); }

  /// This number on top of another, as (a, b).
  template <typename T_>
  constexpr auto concat(T_&& other) {
    return (*this, std::forward<T_>(other));
  }
  template <typename T_>
  constexpr auto concat(T_&& other) const {
    return (*this, std::forward<T_>(other));
  }

  [[nodiscard]] constexpr bool and_reduce() const { return low() == aieloom::ap::ones<aieloom::ap::Bits<W_>>(W_); }
  [[nodiscard]] constexpr bool or_reduce() const { return to_bool(); }
  [[nodiscard]] constexpr bool xor_reduce() const {
    bool odd = false;
    for (int i = 0; i < W_; ++i) {
      odd ^= test(i);
    }
    return odd;
  }
  [[nodiscard]] constexpr bool nand_reduce() const { return !and_reduce(); }
  [[nodiscard]] constexpr bool nor_reduce() const { return !or_reduce(); }
  [[nodiscard]] constexpr bool xnor_reduce() const { return !xor_reduce(); }

  // Unary operators [UG1399 unary operators].
  constexpr aieloom::ap::Number<W_, S_> operator+() const { return *this; }
  constexpr aieloom::ap::Number<W_ + 1, true> operator-() const {
    using B_ = aieloom::ap::Bits<W_ + 1>;
    return ap_int_base<W_ + 1, true>::from_raw(B_{} - aieloom::ap::convert<B_>(raw_));
  }
  constexpr aieloom::ap::Number<W_, S_> operator~() const { return from_raw(~raw_); }
  constexpr bool operator!() const { return !to_bool(); }
  constexpr ap_int_base& operator++() { return *this = from_raw(aieloom::ap::convert<aieloom::ap::Bits<W_>>(raw_) + aieloom::ap::convert<aieloom::ap::Bits<W_>>(1)); }
  constexpr ap_int_base& operator--() { return *this = from_raw(aieloom::ap::convert<aieloom::ap::Bits<W_>>(raw_) - aieloom::ap::convert<aieloom::ap::Bits<W_>>(1)); }
  constexpr const aieloom::ap::Number<W_, S_> operator++(int) {
    const ap_int_base old = *this;
    ++*this;
    return old;
  }
  constexpr const aieloom::ap::Number<W_, S_> operator--(int) {
    const ap_int_base old = *this;
    --*this;
    return old;
  }

  /// Shift by any amount; one below zero goes the other way.
  [[nodiscard]] constexpr ap_int_base shifted_left(long long n) const {
    if (n < 0) {
      return shifted_right(-n);
    }
    return n >= W_ ? ap_int_base{} : from_raw(aieloom::ap::convert<aieloom::ap::Bits<W_>>(raw_) << static_cast<int>(n));
  }
  [[nodiscard]] constexpr ap_int_base shifted_right(long long n) const {
    if (n < 0) {
      return shifted_left(-n);
    }
    return n >= W_ ? ap_int_base(sign() ? -1 : 0) : from_raw(raw_ >> static_cast<int>(n));
  }

  /// The value with its upper storage bits zero, in which shifts and tests of bits are plain.
  [[nodiscard]] constexpr aieloom::ap::Bits<W_> low() const { return aieloom::ap::convert<aieloom::ap::Bits<W_>>(unsigned_()); }

 private:
  template <typename T_>
  [[nodiscard]] constexpr T_ native() const {
    return aieloom::ap::convert<T_>(raw_);
  }
  [[nodiscard]] constexpr auto unsigned_() const { return aieloom::ap::fit<W_, false>(raw_); }
  static constexpr void check(int i) {
    if (i < 0 || i >= W_) {
      aieloom::ap::refuse_index(i, W_);
    }
  }

  Raw raw_{};
};

/// By AMD's rule: the base is std::cout's, whatever stream it goes to, and the text has its prefix.
template <int W_, bool S_>
std::ostream& operator<<(std::ostream& out, const ap_int_base<W_, S_>& value) {
  const auto base = std::cout.flags() & std::ios_base::basefield;
  return out << value.to_string(base == std::ios_base::hex ? 16 : base == std::ios_base::oct ? 8 : 10);
}

template <int W_, bool S_>
std::istream& operator>>(std::istream& in, ap_int_base<W_, S_>& value) {
  std::string text;
  if (in >> text) {
    const auto base = in.flags() & std::ios_base::basefield;
    value = ap_int_base<W_, S_>(text.c_str(), base == std::ios_base::hex ? 16 : base == std::ios_base::oct ? 8 : 0);
  }
  return in;
}
