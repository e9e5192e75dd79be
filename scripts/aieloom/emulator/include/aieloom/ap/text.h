// Arbitrary precision numbers as text and as floating point values.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "aieloom/ap/storage.h"
#include "aieloom/report.h"

namespace aieloom::ap {

inline void check_radix(int radix) {
  if (radix != 2 && radix != 8 && radix != 10 && radix != 16) {
    refuse("ap-string", "to_string(" + std::to_string(radix) + ")", "the radices are 2, 8, 10 and 16");
  }
}

/// What stands before digits of a radix.
inline const char* prefix_of(int radix) { return radix == 2 ? "0b" : radix == 8 ? "0o" : radix == 16 ? "0x" : ""; }

/// A magnitude's digits, without prefix; "0" for nothing.
template <typename T_>
std::string digits(T_ value, int radix, bool upper) {
  if constexpr (sizeof(T_) < 4) {
    return digits<std::uint32_t>(value, radix, upper);
  } else {
    std::string backwards;
    do {
      unsigned digit = 0;
      if constexpr (kIsWide<T_>) {
        digit = static_cast<unsigned>(value.shorten(static_cast<std::uint64_t>(radix)));
      } else {
        digit = static_cast<unsigned>(value % static_cast<T_>(radix));
        value = value / static_cast<T_>(radix);
      }
      backwards.push_back((upper ? "0123456789ABCDEF" : "0123456789abcdef")[digit]);
    } while (!(value == T_{}));
    return {backwards.rbegin(), backwards.rend()};
  }
}

/// A number that is not negative of `width` bits, as AMD's class prints it: with its prefix, and a zero bit in front unless all bits
/// are in use (`full`: no such bit); beyond 64 bits in capitals, with a whole zero digit, and nothing at all before a 0.
template <typename T_>
std::string number_text(const T_& magnitude, int width, int radix, bool full) {
  const bool wide = width > 64;
  const int length = bit_length(magnitude);
  if (radix == 10 || length == 0) {
    return (radix == 10 || wide ? "" : prefix_of(radix)) + digits(magnitude, radix, wide);
  }
  std::string text = digits(magnitude, radix, wide);
  const int bits_of_digit = radix == 2 ? 1 : radix == 8 ? 3 : 4;
  const bool needs_digit = wide || (length + bits_of_digit) / bits_of_digit > static_cast<int>(text.size());
  if (!full && length < width && needs_digit) {
    text.insert(text.begin(), '0');
  }
  return prefix_of(radix) + text;
}

/// A number's text taken apart: "-0x1F" in radix 16.
struct Literal {
  bool negative = false;
  int radix = 10;
  std::string digits;
};

inline int digit_value(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

[[noreturn]] inline void refuse_text(const std::string& text, int radix) {
  refuse("ap-string", "'" + text + "' is not a number in radix " + std::to_string(radix), "the radices are 2, 8, 10 and 16; prefixes are 0b, 0o and 0x");
}

/// Read sign, prefix (0b, 0o, 0x) and digits; `radix` 0 leaves it to the prefix, else decimal
/// [UG1399 initialization and assignment from strings].
inline Literal parse_literal(const std::string& text, int radix) {
  Literal found;
  std::size_t at = 0;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    found.negative = text[0] == '-';
    at = 1;
  }
  int prefix = 0;
  if (text.size() > at + 2 && text[at] == '0') {
    const char letter = static_cast<char>(text[at + 1] | 0x20);
    prefix = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' && radix != 16 ? 2 : 0;
  }
  if (prefix != 0 && radix != 0 && prefix != radix) {
    refuse("ap-string", "'" + text + "' is not a number in radix " + std::to_string(radix), "let radix and prefix agree");
  }
  found.digits = text.substr(prefix == 0 ? at : at + 2);
  found.radix = prefix != 0 ? prefix : radix != 0 ? radix : 10;
  bool valid = !found.digits.empty() && (found.radix == 2 || found.radix == 8 || found.radix == 10 || found.radix == 16);
  for (const char c : found.digits) {
    valid = valid && digit_value(c) < found.radix;
  }
  if (!valid) {
    refuse_text(text, found.radix);
  }
  return found;
}

/// The value of a text modulo the size of T.
template <typename T_>
T_ parse(const std::string& text, int radix) {
  const Literal literal = parse_literal(text, radix);
  T_ value{};
  for (const char c : literal.digits) {
    value = value * convert<T_>(literal.radix) + convert<T_>(digit_value(c));
  }
  return literal.negative ? T_{} - value : value;
}

/// The nearest double to value * 2^exponent, ties to even.
template <typename T_>
double to_double(const T_& value, int exponent = 0) {
  if constexpr (sizeof(T_) <= 8) {
    return exponent == 0 ? static_cast<double>(value) : std::ldexp(static_cast<double>(value), exponent);
  } else {
    const bool negative = is_negative(value);
    using Magnitude = Store<static_cast<int>(sizeof(T_) * 8), false>;
    const Magnitude magnitude = negative ? Magnitude{} - convert<Magnitude>(value) : convert<Magnitude>(value);
    const int excess = bit_length(magnitude) - 64;
    auto top = convert<std::uint64_t>(excess > 0 ? magnitude >> excess : magnitude);
    if (excess > 0 && !((magnitude & ones<Magnitude>(excess)) == Magnitude{})) {
      top |= 1;  // 11 bits below a double's last: enough to break a tie
    }
    const double result = std::ldexp(static_cast<double>(top), (excess > 0 ? excess : 0) + exponent);
    return negative ? -result : result;
  }
}

/// value * 2^shift rounded towards minus infinity, modulo the size of T; `inexact` says whether bits were lost.
template <typename T_>
T_ from_double(double value, int shift, bool* inexact = nullptr) {
  if (!std::isfinite(value)) {
    refuse("ap-float", "a number that is infinite or not a number has no fixed-point value", "check the value first");
  }
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  auto mantissa = static_cast<std::int64_t>(std::ldexp(fraction, 53));
  const int left = exponent - 53 + shift;
  constexpr int kSize = static_cast<int>(sizeof(T_) * 8);
  if (left >= 0) {
    return left >= kSize ? T_{} : convert<T_>(convert<T_>(mantissa) << left);
  }
  const int right = -left < 63 ? -left : 63;
  if (inexact != nullptr) {
    *inexact = (mantissa & ((std::int64_t{1} << right) - 1)) != 0;
  }
  return convert<T_>(mantissa >> right);
}

}  // namespace aieloom::ap
