// Floating point by its parts: sign, exponent and significand of any width up to 64 bits of number, rounded once.
//
// The arithmetic is that of the floating-point operator [PG060 Floating-Point Operator]: round to nearest, ties to even,
// no denormalised numbers (they are zeros, going in and coming out), one NaN.
#pragma once

#include <cstdint>

#include "aieloom/ap/storage.h"

namespace aieloom::ap {

using Long128 = unsigned __int128;

/// A number apart: significand * 2^exponent, or one of the special values.
struct Parts {
  enum class Kind : std::uint8_t { kZero, kFinite, kInfinite, kNaN };

  Kind kind = Kind::kZero;
  bool negative = false;
  int exponent = 0;
  std::uint64_t significand = 0;
};

constexpr int wide_length(Long128 value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  return high != 0 ? 128 - leading_zeros(high) : 64 - leading_zeros(static_cast<std::uint64_t>(value));
}

/// Put significand * 2^exponent into `precision` bits with exponents of `exponent_bits`; `more` says that the true
/// value is a little larger than that.
constexpr Parts rounded(bool negative, int exponent, Long128 significand, bool more, int precision, int exponent_bits) {
  if (significand == 0) {
    return {Parts::Kind::kZero, negative, 0, 0};
  }
  const int excess = wide_length(significand) - precision;
  if (excess < 0) {
    significand <<= -excess;  // `more` is only said of numbers that are long enough
  } else if (excess > 0) {
    const Long128 lost = significand & ((Long128{1} << excess) - 1);
    const Long128 half = Long128{1} << (excess - 1);
    significand >>= excess;
    if (lost > half || (lost == half && (more || (significand & 1) != 0))) {
      ++significand;
    }
  }
  exponent += excess;
  if (wide_length(significand) > precision) {
    significand >>= 1;
    ++exponent;
  }
  const int largest = (1 << (exponent_bits - 1)) - 1;  // of the leading bit; the smallest is 1 - largest
  const int leading = exponent + precision - 1;
  if (leading > largest) {
    return {Parts::Kind::kInfinite, negative, 0, 0};
  }
  if (leading < 1 - largest) {
    return {Parts::Kind::kZero, negative, 0, 0};
  }
  return {Parts::Kind::kFinite, negative, exponent, static_cast<std::uint64_t>(significand)};
}

/// The sum of two finite numbers that are not zero, in one rounding; each significand has at most 120 bits.
constexpr Parts sum(bool a_negative, int a_exponent, Long128 a, bool b_negative, int b_exponent, Long128 b, int precision, int exponent_bits) {
  const int a_top = a_exponent + wide_length(a);
  const int b_top = b_exponent + wide_length(b);
  if (a_top < b_top || (a_top == b_top && a_exponent < b_exponent)) {
    return sum(b_negative, b_exponent, b, a_negative, a_exponent, a, precision, exponent_bits);
  }
  // The larger to the left, with one bit above it for a carry; of the smaller only what lies below is told by one bit.
  const int room = 127 - wide_length(a);
  a <<= room;
  a_exponent -= room;
  bool more = false;
  const int shift = b_exponent - a_exponent;
  if (shift >= 0) {
    b <<= shift;
  } else if (-shift < 128) {
    more = (b & ((Long128{1} << -shift) - 1)) != 0;
    b >>= -shift;
  } else {
    more = true;
    b = 0;
  }
  if (a_negative == b_negative) {
    return rounded(a_negative, a_exponent, a + b, more, precision, exponent_bits);
  }
  if (a == b && !more) {
    return {};
  }
  // a - (b + something below one): one less, and more than that.
  Long128 difference = a - b - (more ? 1 : 0);
  bool negative = a_negative;
  if (a < b) {
    difference = b - a;
    negative = b_negative;
  }
  return rounded(negative, a_exponent, difference, more, precision, exponent_bits);
}

constexpr Parts not_a_number() { return {Parts::Kind::kNaN, false, 0, 0}; }

constexpr Parts add(const Parts& a, const Parts& b, int precision, int exponent_bits) {
  using Kind = Parts::Kind;
  if (a.kind == Kind::kNaN || b.kind == Kind::kNaN || (a.kind == Kind::kInfinite && b.kind == Kind::kInfinite && a.negative != b.negative)) {
    return not_a_number();
  }
  if (a.kind == Kind::kInfinite || b.kind == Kind::kInfinite) {
    return a.kind == Kind::kInfinite ? a : b;
  }
  if (a.kind == Kind::kZero && b.kind == Kind::kZero) {
    return {Kind::kZero, a.negative && b.negative, 0, 0};
  }
  if (a.kind == Kind::kZero || b.kind == Kind::kZero) {
    return a.kind == Kind::kZero ? b : a;
  }
  return sum(a.negative, a.exponent, a.significand, b.negative, b.exponent, b.significand, precision, exponent_bits);
}

/// The special values of a product or a quotient; true when `made` is the result.
constexpr bool special_product(const Parts& a, const Parts& b, Parts& made) {
  using Kind = Parts::Kind;
  const bool negative = a.negative != b.negative;
  const bool zero = a.kind == Kind::kZero || b.kind == Kind::kZero;
  const bool infinite = a.kind == Kind::kInfinite || b.kind == Kind::kInfinite;
  if (a.kind == Kind::kNaN || b.kind == Kind::kNaN || (zero && infinite)) {
    made = not_a_number();
  } else if (infinite || zero) {
    made = {infinite ? Kind::kInfinite : Kind::kZero, negative, 0, 0};
  } else {
    return false;
  }
  return true;
}

constexpr Parts multiply(const Parts& a, const Parts& b, int precision, int exponent_bits) {
  Parts made;
  if (special_product(a, b, made)) {
    return made;
  }
  return rounded(a.negative != b.negative, a.exponent + b.exponent, Long128{a.significand} * b.significand, false, precision, exponent_bits);
}

/// a * b + c in one rounding.
constexpr Parts multiply_add(const Parts& a, const Parts& b, const Parts& c, int precision, int exponent_bits) {
  using Kind = Parts::Kind;
  Parts product;
  if (special_product(a, b, product) || c.kind != Kind::kFinite) {
    if (product.kind == Kind::kZero && a.kind == Kind::kFinite && b.kind == Kind::kFinite) {
      product = c.kind == Kind::kZero ? multiply(a, b, precision, exponent_bits) : Parts{Kind::kFinite, a.negative != b.negative, 0, 1};
      if (c.kind == Kind::kZero) {
        return product;
      }
    }
    return add(product, c, precision, exponent_bits);
  }
  return sum(a.negative != b.negative, a.exponent + b.exponent, Long128{a.significand} * b.significand, c.negative, c.exponent, c.significand,
             precision, exponent_bits);
}

constexpr Parts divide(const Parts& a, const Parts& b, int precision, int exponent_bits) {
  using Kind = Parts::Kind;
  const bool negative = a.negative != b.negative;
  if (a.kind == Kind::kNaN || b.kind == Kind::kNaN || (a.kind == b.kind && a.kind != Kind::kFinite)) {
    return not_a_number();
  }
  if (a.kind == Kind::kInfinite || b.kind == Kind::kZero) {
    return {Kind::kInfinite, negative, 0, 0};
  }
  if (a.kind == Kind::kZero || b.kind == Kind::kInfinite) {
    return {Kind::kZero, negative, 0, 0};
  }
  const int shift = 127 - wide_length(a.significand);
  const Long128 dividend = Long128{a.significand} << shift;
  return rounded(negative, a.exponent - shift - b.exponent, dividend / b.significand, dividend % b.significand != 0, precision, exponent_bits);
}

constexpr Parts square_root(const Parts& a, int precision, int exponent_bits) {
  using Kind = Parts::Kind;
  if (a.kind == Kind::kNaN || (a.negative && a.kind != Kind::kZero)) {
    return not_a_number();
  }
  if (a.kind != Kind::kFinite) {
    return a;
  }
  int shift = 126 - wide_length(a.significand);
  shift -= (a.exponent - shift) % 2 != 0 ? 1 : 0;
  const Long128 radicand = Long128{a.significand} << shift;
  Long128 root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const Long128 tried = root | (Long128{1} << bit);
    root = tried * tried <= radicand ? tried : root;
  }
  return rounded(false, (a.exponent - shift) / 2, root, root * root != radicand, precision, exponent_bits);
}

constexpr int sign_of(const Parts& x) { return x.kind == Parts::Kind::kZero ? 0 : x.negative ? -1 : 1; }

/// -1, 0 or 1; 2 when one is not a number.
constexpr int compare(const Parts& a, const Parts& b) {
  using Kind = Parts::Kind;
  if (a.kind == Kind::kNaN || b.kind == Kind::kNaN) {
    return 2;
  }
  if (sign_of(a) != sign_of(b) || sign_of(a) == 0) {
    return sign_of(a) < sign_of(b) ? -1 : sign_of(a) > sign_of(b) ? 1 : 0;
  }
  int order = 0;
  if (a.kind != b.kind) {
    order = a.kind == Kind::kInfinite ? 1 : -1;
  } else if (a.kind == Kind::kFinite) {
    const int a_top = a.exponent + wide_length(a.significand);
    const int b_top = b.exponent + wide_length(b.significand);
    const int widen = 64;
    const Long128 x = Long128{a.significand} << (widen - wide_length(a.significand));
    const Long128 y = Long128{b.significand} << (widen - wide_length(b.significand));
    order = a_top != b_top ? (a_top < b_top ? -1 : 1) : x == y ? 0 : x < y ? -1 : 1;
  }
  return a.negative ? -order : order;
}

}  // namespace aieloom::ap
