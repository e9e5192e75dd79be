// The scalar unit's own functions [UG1078, Elementary Functions, Integer Operations].
#pragma once

#include <bit>
#include <concepts>

#include "aie_api/detail/native_types.h"

/// Leading bits that are equal: zeros, or ones of a negative number.
[[nodiscard]] inline unsigned clb(unsigned x) { return static_cast<unsigned>(std::countl_zero(x)); }
[[nodiscard]] inline unsigned clb(int x) { return clb(static_cast<unsigned>(x < 0 ? ~x : x)); }
[[nodiscard]] inline unsigned clb(unsigned long long x) { return static_cast<unsigned>(std::countl_zero(x)); }
[[nodiscard]] inline unsigned clb(long long x) { return clb(static_cast<unsigned long long>(x < 0 ? ~x : x)); }

[[nodiscard]] inline int scalar_abs(int x) { return static_cast<int>(x < 0 ? 0U - static_cast<unsigned>(x) : x); }
[[nodiscard]] inline unsigned bitget(unsigned x, unsigned at) { return x >> (at & 31) & 1U; }
[[nodiscard]] inline unsigned bitset(unsigned x, unsigned bit, unsigned at) {
  return (x & ~(1U << (at & 31))) | (bit & 1U) << (at & 31);
}
template <typename T>
  requires(std::is_integral_v<T> || std::is_pointer_v<T>)
[[nodiscard]] inline T select(bool first, T a, T b) {
  return first ? a : b;
}
namespace aie::detail::utils {
/// The whole part of a base-2 logarithm, all ones for 0; no part of the API, and published kernels call it.
template <std::integral T>
[[nodiscard]] constexpr unsigned log2(T v) {
  return static_cast<unsigned>(std::bit_width(static_cast<std::make_unsigned_t<T>>(v))) - 1;
}
}  // namespace aie::detail::utils

/// The larger and the smaller of two numbers, also of two types, as kernels write them without std:: (std::max, where a
/// `using namespace std` brings it, is the better match).
template <typename A, typename B>
  requires(std::is_arithmetic_v<A> && std::is_arithmetic_v<B>)
[[nodiscard]] constexpr std::common_type_t<A, B> max(A a, B b) {
  return a < b ? static_cast<std::common_type_t<A, B>>(b) : static_cast<std::common_type_t<A, B>>(a);
}
template <typename A, typename B>
  requires(std::is_arithmetic_v<A> && std::is_arithmetic_v<B>)
[[nodiscard]] constexpr std::common_type_t<A, B> min(A a, B b) {
  return b < a ? static_cast<std::common_type_t<A, B>>(b) : static_cast<std::common_type_t<A, B>>(a);
}
/// A pointer so many bytes further [UG1078, Pointer Arithmetic].
template <typename T>
[[nodiscard]] inline T* byte_incr(T* at, int bytes) {
  using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
  return reinterpret_cast<T*>(reinterpret_cast<Byte*>(at) + bytes);
}
inline void nop(unsigned = 1) {}

/// The same bits as a number of another type [UG1583, Scalar Conversions and Casts; AMD's aie_api calls them on AIE too].
template <std::integral T>
  requires(sizeof(T) == 4)
[[nodiscard]] constexpr float as_float(T x) {
  return std::bit_cast<float>(x);
}
template <std::integral T>
  requires(sizeof(T) == 4)
[[nodiscard]] inline cint16 as_cint16(T x) {
  return std::bit_cast<cint16>(x);
}
[[nodiscard]] constexpr int as_int32(float x) { return std::bit_cast<int>(x); }
[[nodiscard]] inline int as_int32(cint16 x) { return std::bit_cast<int>(x); }
[[nodiscard]] inline unsigned as_uint32(cint16 x) { return std::bit_cast<unsigned>(x); }
#if __AIE_ARCH__ != 10
template <std::integral T>
  requires(sizeof(T) == 2)
[[nodiscard]] inline bfloat16 as_bfloat16(T x) {
  return std::bit_cast<bfloat16>(x);
}
[[nodiscard]] constexpr double as_double(long long x) { return std::bit_cast<double>(x); }
[[nodiscard]] constexpr long long as_int64(double x) { return std::bit_cast<long long>(x); }
#endif

#if __AIE_ARCH__ == 10
[[nodiscard]] inline float _sqrtf(float x) { return ::aie::sqrt(x); }
[[nodiscard]] inline float _expf(float x) { return __builtin_expf(x); }
[[nodiscard]] inline float _logf(float x) { return __builtin_logf(x); }
/// Integers with `in` digits behind the binary point to integers with `out` of them.
[[nodiscard]] inline int inv(int x, int in, int out) { return float2fix(inv(fix2float(x, in)), out); }
[[nodiscard]] inline int invsqrt(int x, int in, int out) { return float2fix(invsqrt(fix2float(x, in)), out); }
[[nodiscard]] inline int sqrt(int x, int in, int out) { return float2fix(_sqrtf(fix2float(x, in)), out); }
/// Cosine and sine in Q0.15 of parts of pi in Q1.31.
[[nodiscard]] inline cint16 sincos(unsigned x) { return ::aie::sincos_complex(x); }
#endif
