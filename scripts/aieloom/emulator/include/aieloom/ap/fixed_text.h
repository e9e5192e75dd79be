// Fixed-point numbers as text.
#pragma once

#include <string>

#include "aieloom/ap/text.h"

namespace aieloom::ap {

/// text * 2^shift downwards, its lowest bit set when something was lost; T is wide and signed.
template <typename T_>
T_ parse_fixed(const std::string& text, int radix, int shift) {
  const auto point = text.find('.');
  std::string whole = text;
  int behind = 0;
  if (point != std::string::npos) {
    behind = static_cast<int>(text.size() - point - 1);
    whole.erase(point, 1);
  }
  const Literal literal = parse_literal(whole, radix);
  if (literal.digits.size() * 4 > sizeof(T_) * 8 - 256) {
    refuse("ap-string", "'" + text + "' has too many digits for its format", "write fewer digits");
  }
  T_ value{};
  for (const char c : literal.digits) {
    value = value * convert<T_>(literal.radix) + convert<T_>(digit_value(c));
  }
  T_ divisor = convert<T_>(1);
  for (int i = 0; i < behind; ++i) {
    divisor = divisor * convert<T_>(literal.radix);
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

/// All bits with the point in its place: "0b011.010".
template <typename T_>
std::string binary_text(const T_& value, int width, int behind) {
  std::string text = "0b";
  for (int i = width - 1; i >= 0; --i) {
    text += bit_length(convert<Store<32, false>>(value >> i) & 1U) != 0 ? '1' : '0';
    text += i == behind && i > 0 ? "." : "";
  }
  return text;
}

/// Sign, whole digits, and as many digits behind the point as the value has.
template <typename T_>
std::string fixed_text(const T_& value, int behind, int radix, bool is_signed) {
  if (radix != 8 && radix != 10 && radix != 16) {
    refuse("ap-string", "to_string(" + std::to_string(radix) + ")", "the radices are 2, 8, 10 and 16");
  }
  const bool minus = is_signed && is_negative(value);
  const T_ magnitude = minus ? T_{} - value : value;
  std::string text = minus ? "-" : "";
  text += radix == 16 ? "0x" : radix == 8 ? "0o" : "";
  text += digits(magnitude >> behind, radix);
  const T_ mask = convert<T_>(ones<Store<static_cast<int>(sizeof(T_) * 8), false>>(behind));
  using Rest = Store<static_cast<int>(sizeof(T_) * 8) + 8, false>;
  Rest rest = convert<Rest>(magnitude & mask);
  text += rest == Rest{} ? "" : ".";
  while (!(rest == Rest{})) {
    rest = rest * convert<Rest>(radix);
    text += digits(rest >> behind, radix);
    rest = rest & convert<Rest>(mask);
  }
  return text;
}

}  // namespace aieloom::ap
