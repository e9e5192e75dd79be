// Fixed-point numbers as text.
#pragma once

#include <cstdlib>
#include <string>

#include "aieloom/ap/text.h"

namespace aieloom::ap {

/// The exponent at the end of a text, which is cut off: "1e3" of 10 in decimal, "0x1.8p3" of 2 in hexadecimal.
inline int take_exponent(std::string& text, bool hexadecimal) {
  const auto at = text.find_first_of(hexadecimal ? "pP" : "eE");
  if (at == std::string::npos) {
    return 0;
  }
  char* end = nullptr;
  const long exponent = std::strtol(text.c_str() + at + 1, &end, 10);
  if (end == text.c_str() + at + 1 || *end != '\0' || exponent < -400 || exponent > 400) {
    refuse_text(text, hexadecimal ? 16 : 10);
  }
  text.erase(at);
  return static_cast<int>(exponent);
}

/// text * 2^shift downwards, its lowest bit set when something was lost; T is wide and signed.
template <typename T_>
T_ parse_fixed(const std::string& text, int radix, int shift) {
  const bool hexadecimal = radix == 16 || text.find_first_of("xX") != std::string::npos;
  std::string whole = text;
  const int exponent = radix == 2 || radix == 8 ? 0 : take_exponent(whole, hexadecimal);
  const auto point = whole.find('.');
  int behind = 0;
  if (point != std::string::npos) {
    behind = static_cast<int>(whole.size() - point - 1);
    whole.erase(point, 1);
  }
  const Literal literal = parse_literal(whole, radix);
  shift += hexadecimal ? exponent : 0;
  behind -= hexadecimal ? 0 : exponent;
  if ((literal.digits.size() + static_cast<std::size_t>(std::abs(behind))) * 4 + static_cast<std::size_t>(std::abs(shift)) > sizeof(T_) * 8) {
    refuse("ap-string", "'" + text + "' has too many digits for its format", "write fewer digits");
  }
  T_ value{};
  for (const char c : literal.digits) {
    value = value * convert<T_>(literal.radix) + convert<T_>(digit_value(c));
  }
  T_ divisor = convert<T_>(1);
  for (int i = 0; i < std::abs(behind); ++i) {
    T_& scaled = behind > 0 ? divisor : value;
    scaled = scaled * convert<T_>(literal.radix);
  }
  value = value << (shift > 0 ? shift : 0);
  divisor = divisor << (shift < 0 ? -shift : 0);
  const T_ quotient = value / divisor;
  const bool inexact = !(quotient * divisor == value);
  if (!literal.negative) {
    return inexact ? quotient | convert<T_>(1) : quotient;
  }
  return inexact ? (-quotient - convert<T_>(1)) | convert<T_>(1) : -quotient;
}

/// A magnitude with `behind` bits behind the point and `width` before it, as AMD's class prints it: the whole part as a number of one
/// bit more, then all bits behind the point in whole digits, decimals exactly; nothing behind the point where it is zero.
template <typename T_>
std::string fixed_text(const T_& magnitude, int width, int behind, int radix) {
  using Rest = Store<static_cast<int>(sizeof(T_) * 8) + 8, false>;
  const T_ mask = convert<T_>(ones<Store<static_cast<int>(sizeof(T_) * 8), false>>(behind));
  std::string text = number_text(convert<Rest>(magnitude >> behind), width + 1, radix, false);
  Rest rest = convert<Rest>(magnitude & mask);
  if (rest == Rest{}) {
    return text;
  }
  text += '.';
  const int bits_of_digit = radix == 2 ? 1 : radix == 8 ? 3 : 4;
  for (int left = behind; radix == 10 ? !(rest == Rest{}) : left > 0; left -= bits_of_digit) {
    rest = rest * convert<Rest>(radix);
    text += digits(rest >> behind, radix, false);
    rest = rest & convert<Rest>(mask);
  }
  return radix == 16 ? text + "p0" : text;
}

}  // namespace aieloom::ap
