// Scalar types of AI Engine kernels, as the vendor's headers put them into the global namespace [UG1079 Data Types].
#pragma once

#include <cstdint>
#include <type_traits>

#include "aieloom/core_state.h"

using int8 = std::int8_t;
using uint8 = std::uint8_t;
using int16 = std::int16_t;
using uint16 = std::uint16_t;
using int32 = std::int32_t;
using uint32 = std::uint32_t;
using int64 = std::int64_t;
using uint64 = std::uint64_t;

namespace aieloom {

/// A complex number: two equal members, real first; wraps like its members do.
template <typename T, typename Self>
struct Complex {
  using Unsigned = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;  // wraps as the members do
  static constexpr T wrap_add(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
    } else {
      return a + b;
    }
  }
  static constexpr T wrap_mul(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<Unsigned>(a) * static_cast<Unsigned>(b));
    } else {
      return a * b;
    }
  }
  static constexpr T wrap_neg(T a) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(Unsigned{0} - static_cast<Unsigned>(a));
    } else {
      return -a;
    }
  }
  friend constexpr Self operator+(Self a, Self b) { return {wrap_add(a.real, b.real), wrap_add(a.imag, b.imag)}; }
  friend constexpr Self operator-(Self a) { return {wrap_neg(a.real), wrap_neg(a.imag)}; }
  friend constexpr Self operator-(Self a, Self b) { return a + (-b); }
  friend constexpr Self operator*(Self a, Self b) {
    return {wrap_add(wrap_mul(a.real, b.real), wrap_neg(wrap_mul(a.imag, b.imag))),
            wrap_add(wrap_mul(a.real, b.imag), wrap_mul(a.imag, b.real))};
  }
  friend constexpr Self& operator+=(Self& a, Self b) { return a = a + b; }
  friend constexpr Self& operator-=(Self& a, Self b) { return a = a - b; }
  friend constexpr Self& operator*=(Self& a, Self b) { return a = a * b; }
  friend constexpr bool operator==(Self a, Self b) { return a.real == b.real && a.imag == b.imag; }
};

/// The 16 high bits of a float, rounded by `mode`; NaN stays NaN, infinity stays infinity.
constexpr std::uint16_t bfloat16_bits(float value, Rounding mode) {
  const auto bits = __builtin_bit_cast(std::uint32_t, value);
  const std::uint32_t low = bits & 0xffffU;
  std::uint32_t high = bits >> 16;
  if ((bits & 0x7f800000U) == 0x7f800000U) {
    return static_cast<std::uint16_t>((bits & 0x007fffffU) != 0 ? high | 0x40U : high);
  }
  if ((bits & 0x7f800000U) == 0) {  // subnormal: AIE-ML gives zero [Vitis-Tutorials, AIE-ML softmax: its golden data are flushed]
    return static_cast<std::uint16_t>(high & 0x8000U);
  }
  const bool negative = (bits >> 31) != 0;
  const bool above = low > 0x8000U;
  const bool tie = low == 0x8000U;
  bool away = false;  // one step away from zero
  switch (mode) {
    case Rounding::kFloor:  // facts: the default truncates; towards minus infinity only in the integer path
    case Rounding::kSymmetricFloor:
      break;
    case Rounding::kCeil:
      away = low != 0 && !negative;
      break;
    case Rounding::kSymmetricCeil:
      away = low != 0;
      break;
    case Rounding::kPositiveInf:
      away = above || (tie && !negative);
      break;
    case Rounding::kNegativeInf:
      away = above || (tie && negative);
      break;
    case Rounding::kSymmetricInf:
      away = above || tie;
      break;
    case Rounding::kSymmetricZero:
      away = above;
      break;
    case Rounding::kConvEven:
      away = above || (tie && (high & 1U) != 0);
      break;
    case Rounding::kConvOdd:
      away = above || (tie && (high & 1U) == 0);
      break;
  }
  return static_cast<std::uint16_t>(high + (away ? 1U : 0U));
}

}  // namespace aieloom

struct cint16 : aieloom::Complex<int16, cint16> {
  int16 real;
  int16 imag;
  cint16() = default;
  constexpr cint16(int16 re, int16 im = 0) : real(re), imag(im) {}
};
struct cint32 : aieloom::Complex<int32, cint32> {
  int32 real;
  int32 imag;
  cint32() = default;
  constexpr cint32(int32 re, int32 im = 0) : real(re), imag(im) {}
};
struct cfloat : aieloom::Complex<float, cfloat> {
  float real;
  float imag;
  cfloat() = default;
  constexpr cfloat(float re, float im = 0) : real(re), imag(im) {}
};
/// The scalar unit's widest complex number; no vectors of it.
struct cint64 : aieloom::Complex<int64, cint64> {
  int64 real;
  int64 imag;
  cint64() = default;
  constexpr cint64(int64 re, int64 im = 0) : real(re), imag(im) {}
  constexpr cint64(cint16 x) : real(x.real), imag(x.imag) {}
  constexpr cint64(cint32 x) : real(x.real), imag(x.imag) {}
  friend constexpr cint64 operator>>(cint64 a, int shift) { return {a.real >> shift, a.imag >> shift}; }
  friend constexpr cint64 operator<<(cint64 a, int shift) { return {a.real << shift, a.imag << shift}; }
};
using cint16_t = cint16;
using cint32_t = cint32;

#if !defined(__AIE_ARCH__) || __AIE_ARCH__ >= 20
/// The upper half of a float. Conversions from float obey the core's rounding register, except in constants, which
/// the compiler rounds to nearest even.
struct bfloat16 {
  std::uint16_t bits;

  bfloat16() = default;
  constexpr bfloat16(float value)
      : bits(aieloom::bfloat16_bits(value, std::is_constant_evaluated() ? aieloom::Rounding::kConvEven
                                                                        : aieloom::core_state().rounding)) {}
  template <typename V>
    requires std::is_arithmetic_v<V>
  constexpr bfloat16(V value) : bfloat16(static_cast<float>(value)) {}
  constexpr operator float() const { return __builtin_bit_cast(float, std::uint32_t{bits} << 16); }
};

/// A complex number of two bfloat16 [AIE API: AIE-ML on].
struct cbfloat16 : aieloom::Complex<bfloat16, cbfloat16> {
  bfloat16 real;
  bfloat16 imag;
  cbfloat16() = default;
  constexpr cbfloat16(bfloat16 re, bfloat16 im = 0.0F) : real(re), imag(im) {}
};

/// A value of 4 bits; vectors hold two in a byte, the first in the low half.
struct int4 {
  std::int8_t value;
  int4() = default;
  constexpr int4(int v) : value(static_cast<std::int8_t>(((v & 15) ^ 8) - 8)) {}
  constexpr operator int() const { return value; }
};
struct uint4 {
  std::uint8_t value;
  uint4() = default;
  constexpr uint4(int v) : value(static_cast<std::uint8_t>(v & 15)) {}
  constexpr operator int() const { return value; }
};
using int4_t = int4;
using uint4_t = uint4;
#endif

/// The memories a pointer's data lie in; they steer the vendor's scheduler only.
enum class aie_dm_resource { none, a, b, c, d, ab, ac, ad, bc, bd, cd, stack };
// The same in a declaration: int16 __aie_dm_resource_a* p.
#define __aie_dm_resource_a
#define __aie_dm_resource_b
#define __aie_dm_resource_c
#define __aie_dm_resource_d
#define __aie_dm_resource_stack

// Tags of accumulators by their least width; the architecture rounds them up [AIE API reference, accum].
struct accauto {};  // what fits the operands
struct acc32 {};
struct acc40 {};
struct acc48 {};
struct acc56 {};
struct acc64 {};
struct acc72 {};
struct acc80 {};
struct accfloat {};
struct cacc32 {};
struct cacc40 {};
struct cacc48 {};
struct cacc56 {};
struct cacc64 {};
struct cacc72 {};
struct cacc80 {};
struct caccfloat {};
