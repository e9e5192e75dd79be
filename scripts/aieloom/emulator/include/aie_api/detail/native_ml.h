// Vector intrinsics of AIE-ML besides the MACs: parts, broadcasts, conversions, shifts by bytes and shuffles
// [AI Engine-ML Intrinsics User Guide UG1583; the shuffle modes by aie_api's transpose(), which is made of them].
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "aie_api/detail/native_types.h"

// v16int16 extract_v16int16(v32int16, int i), v32int16 set_v32int16(int i, v16int16), broadcast_to_v32int16(int16).
#define AIELOOM_NATIVE(T, N)                                                                                 \
  template <unsigned M>                                                                                      \
  [[nodiscard]] inline v##N##T extract_v##N##T(const ::aie::vector<T, M>& v, int i) {                          \
    return v.template extract<N>(static_cast<unsigned>(i) % (M / N));                                        \
  }                                                                                                          \
  template <unsigned M>                                                                                      \
  [[nodiscard]] inline v##N##T set_v##N##T(int i, const ::aie::vector<T, M>& part) {                           \
    v##N##T whole{};                                                                                         \
    whole.insert(static_cast<unsigned>(i) % (N / M), part);                                                  \
    return whole;                                                                                            \
  }                                                                                                          \
  [[nodiscard]] inline v##N##T broadcast_to_v##N##T(std::type_identity_t<T> x) {                             \
    return ::aie::broadcast<T, N>(x);                                                                          \
  }                                                                                                          \
  [[nodiscard]] inline v##N##T broadcast_zero_to_v##N##T() { return ::aie::zeros<T, N>(); }                       \
  [[nodiscard]] inline v##N##T broadcast_one_to_v##N##T() { return ::aie::broadcast<T, N>(T(1)); }
#define AIELOOM_SIZES(T, A, B, C) \
  AIELOOM_NATIVE(T, A)            \
  AIELOOM_NATIVE(T, B)            \
  AIELOOM_NATIVE(T, C)
AIELOOM_SIZES(int8, 32, 64, 128)
AIELOOM_SIZES(uint8, 32, 64, 128)
AIELOOM_SIZES(int16, 16, 32, 64)
AIELOOM_SIZES(uint16, 16, 32, 64)
AIELOOM_SIZES(bfloat16, 16, 32, 64)
AIELOOM_SIZES(int32, 8, 16, 32)
AIELOOM_SIZES(uint32, 8, 16, 32)
AIELOOM_SIZES(float, 8, 16, 32)
AIELOOM_SIZES(cint16, 8, 16, 32)
AIELOOM_SIZES(cint32, 4, 8, 16)
#undef AIELOOM_SIZES
#undef AIELOOM_NATIVE

/// A vector with its i-th part replaced.
template <typename T, unsigned N, unsigned M>
[[nodiscard]] inline ::aie::vector<T, N> insert(::aie::vector<T, N> v, int i, const ::aie::vector<T, M>& part) {
  v.insert(static_cast<unsigned>(i) % (N / M), part);
  return v;
}
template <typename Tag, unsigned N, unsigned M>
[[nodiscard]] inline ::aie::accum<Tag, N> insert(::aie::accum<Tag, N> a, int i, const ::aie::accum<Tag, M>& part) {
  a.insert(static_cast<unsigned>(i) % (N / M), part);
  return a;
}
template <typename T, unsigned N>
[[nodiscard]] inline T extract_elem(const ::aie::vector<T, N>& v, int i) {
  return v.get(static_cast<unsigned>(i) % N);
}
/// Every lane the i-th.
template <typename T, unsigned N>
[[nodiscard]] inline ::aie::vector<T, N> broadcast_elem(const ::aie::vector<T, N>& v, int i) {
  return ::aie::broadcast<T, N>(extract_elem(v, i));
}

// v16bfloat16 to_v16bfloat16(v16accfloat), by the rounding register; v16accfloat ups_to_v16accfloat(v16bfloat16), exact.
#define AIELOOM_BRAIN(N)                                                                          \
  [[nodiscard]] inline v##N##bfloat16 to_v##N##bfloat16(const ::aie::accum<accfloat, N>& a) {       \
    return a.template to_vector<bfloat16>();                                                      \
  }                                                                                               \
  [[nodiscard]] inline v##N##accfloat ups_to_v##N##accfloat(const ::aie::vector<bfloat16, N>& v) { return v##N##accfloat(v); }
AIELOOM_BRAIN(16)
AIELOOM_BRAIN(32)
#undef AIELOOM_BRAIN

namespace aie::detail {
/// Saturated as a signed or an unsigned number; its bits as a T.
template <typename T, typename Tag, unsigned N>
[[nodiscard]] inline vector<T, N> narrow(const accum<Tag, N>& a, int shift, int sign) {
  using Signed = std::conditional_t<sizeof(T) == 1, int8, std::conditional_t<sizeof(T) == 2, int16, int32>>;
  using Unsigned = std::conditional_t<sizeof(T) == 1, uint8, std::conditional_t<sizeof(T) == 2, uint16, uint32>>;
  return sign != 0 ? a.template to_vector<Signed>(shift).template cast_to<T>()
                   : a.template to_vector<Unsigned>(shift).template cast_to<T>();
}
/// The lanes, read as signed or as unsigned numbers, times 2^shift.
template <typename Tag, typename T, unsigned N>
[[nodiscard]] inline accum<Tag, N> widen(const vector<T, N>& v, int shift, int sign) {
  using Other = std::conditional_t<std::is_signed_v<T>, std::make_unsigned_t<T>, std::make_signed_t<T>>;
  return (sign != 0) == std::is_signed_v<T> ? accum<Tag, N>(v, shift)
                                            : accum<Tag, N>(v.template cast_to<Other>(), shift);
}
}  // namespace aie::detail

// v32int16 srs_to_v32int16(v32acc32, int shift), v32acc32 ups_to_v32acc32(v32int16, int shift); with a third argument, the
// sign that numbers are saturated to or read with.
#define AIELOOM_NARROW(T, N)                                                                 \
  template <typename Tag>                                                                    \
  [[nodiscard]] inline v##N##T srs_to_v##N##T(const ::aie::accum<Tag, N>& a, int shift) {      \
    return a.template to_vector<T>(shift);                                                   \
  }                                                                                          \
  template <typename Tag>                                                                    \
  [[nodiscard]] inline v##N##T srs_to_v##N##T(const ::aie::accum<Tag, N>& a, int shift, int sign) { \
    return ::aie::detail::narrow<T>(a, shift, sign);                                           \
  }
#define AIELOOM_WIDEN(TAG, N)                                                                \
  template <typename T>                                                                      \
  [[nodiscard]] inline v##N##TAG ups_to_v##N##TAG(const ::aie::vector<T, N>& v, int shift) {   \
    return v##N##TAG(v, shift);                                                              \
  }                                                                                          \
  template <typename T>                                                                      \
  [[nodiscard]] inline v##N##TAG ups_to_v##N##TAG(const ::aie::vector<T, N>& v, int shift, int sign) { \
    return ::aie::detail::widen<TAG>(v, shift, sign);                                          \
  }
AIELOOM_NARROW(int8, 16)
AIELOOM_NARROW(int8, 32)
AIELOOM_NARROW(uint8, 16)
AIELOOM_NARROW(uint8, 32)
AIELOOM_NARROW(int16, 8)
AIELOOM_NARROW(int16, 16)
AIELOOM_NARROW(int16, 32)
AIELOOM_NARROW(uint16, 16)
AIELOOM_NARROW(uint16, 32)
AIELOOM_NARROW(uint32, 8)
AIELOOM_NARROW(uint32, 16)
AIELOOM_NARROW(int32, 8)
AIELOOM_NARROW(int32, 16)
AIELOOM_NARROW(int32, 32)
AIELOOM_WIDEN(acc32, 16)
AIELOOM_WIDEN(acc32, 32)
AIELOOM_WIDEN(acc64, 8)
AIELOOM_WIDEN(acc64, 16)
#undef AIELOOM_NARROW
#undef AIELOOM_WIDEN

/// The bytes of two vectors from byte `count` of the first on.
template <typename T, unsigned N>
[[nodiscard]] inline ::aie::vector<T, N> shift_bytes(const ::aie::vector<T, N>& low, const ::aie::vector<T, N>& high, int count) {
  constexpr std::size_t kBytes = sizeof(T) * N;
  std::array<std::byte, 2 * kBytes> both;
  std::memcpy(both.data(), &low, kBytes);
  std::memcpy(both.data() + kBytes, &high, kBytes);
  ::aie::vector<T, N> result;
  std::memcpy(static_cast<void*>(&result), both.data() + static_cast<std::size_t>(count) % (kBytes + 1), kBytes);
  return result;
}

// -- shuffles: T<bits>_<rows>x<columns> transposes a matrix that lies row by row, of elements of so many bits ----------
//
// A matrix of 1024 bits lies in two registers, and lo or hi says which half of the result; a smaller one is the first bits
// of the register. The modes' numbers are those of AMD's public aiev2 headers, because kernels pass numbers too.

enum : int {
  T8_64x2_lo, T8_64x2_hi, T16_32x2_lo, T16_32x2_hi, T32_16x2_lo, T32_16x2_hi, T64_8x2_lo, T64_8x2_hi, T128_4x2_lo,
  T128_4x2_hi, T256_2x2_lo, T256_2x2_hi, T128_2x4_lo, T128_2x4_hi, T64_2x8_lo, T64_2x8_hi, T32_2x16_lo, T32_2x16_hi,
  T16_2x32_lo, T16_2x32_hi, T8_2x64_lo, T8_2x64_hi, T512_1x2_lo, T512_1x2_hi, T16_16x4_lo, T16_16x4_hi, T16_4x16_lo,
  T16_4x16_hi, T16_8x4, T16_4x8, T32_8x4_lo, T32_8x4_hi, T32_4x8_lo, T32_4x8_hi, T32_4x4, T8_8x8, T8_16x4, T8_4x16,
  T16_1x2_flip, T16_4x4, T16_4x2, T16_2x4, T16_8x2, T16_2x8, T16_16x2, T16_2x16, T8_8x4, T8_4x8,
  // Every second element, and its opposite.
  DINTLV_lo_8o16 = T8_64x2_lo, INTLV_lo_8o16 = T8_2x64_lo, DINTLV_lo_16o32 = T16_32x2_lo,
  INTLV_lo_16o32 = T16_2x32_lo, DINTLV_lo_32o64 = T32_16x2_lo, INTLV_lo_32o64 = T32_2x16_lo,
  DINTLV_lo_64o128 = T64_8x2_lo, INTLV_lo_64o128 = T64_2x8_lo, DINTLV_lo_128o256 = T128_4x2_lo,
  INTLV_lo_128o256 = T128_2x4_lo, DINTLV_lo_256o512 = T256_2x2_lo, INTLV_lo_256o512 = T256_2x2_lo,
  DINTLV_lo_512o1024 = T512_1x2_lo, INTLV_lo_512o1024 = T512_1x2_lo, DINTLV_hi_8o16 = T8_64x2_hi,
  INTLV_hi_8o16 = T8_2x64_hi, DINTLV_hi_16o32 = T16_32x2_hi, INTLV_hi_16o32 = T16_2x32_hi,
  DINTLV_hi_32o64 = T32_16x2_hi, INTLV_hi_32o64 = T32_2x16_hi, DINTLV_hi_64o128 = T64_8x2_hi,
  INTLV_hi_64o128 = T64_2x8_hi, DINTLV_hi_128o256 = T128_4x2_hi, INTLV_hi_128o256 = T128_2x4_hi,
  DINTLV_hi_256o512 = T256_2x2_hi, INTLV_hi_256o512 = T256_2x2_hi, DINTLV_hi_512o1024 = T512_1x2_hi,
  INTLV_hi_512o1024 = T512_1x2_hi
};

/// The same modes by the names of the AI Engine-ML Intrinsics User Guide (Vector Operations, Shuffle).
enum : int {
  shuffle_T8_64x2_lo = T8_64x2_lo, shuffle_T8_64x2_hi = T8_64x2_hi, shuffle_T16_32x2_lo = T16_32x2_lo,
  shuffle_T16_32x2_hi = T16_32x2_hi, shuffle_T32_16x2_lo = T32_16x2_lo, shuffle_T32_16x2_hi = T32_16x2_hi,
  shuffle_T64_8x2_lo = T64_8x2_lo, shuffle_T64_8x2_hi = T64_8x2_hi, shuffle_T128_4x2_lo = T128_4x2_lo,
  shuffle_T128_4x2_hi = T128_4x2_hi, shuffle_T256_2x2_lo = T256_2x2_lo, shuffle_T256_2x2_hi = T256_2x2_hi,
  shuffle_T128_2x4_lo = T128_2x4_lo, shuffle_T128_2x4_hi = T128_2x4_hi, shuffle_T64_2x8_lo = T64_2x8_lo,
  shuffle_T64_2x8_hi = T64_2x8_hi, shuffle_T32_2x16_lo = T32_2x16_lo, shuffle_T32_2x16_hi = T32_2x16_hi,
  shuffle_T16_2x32_lo = T16_2x32_lo, shuffle_T16_2x32_hi = T16_2x32_hi, shuffle_T8_2x64_lo = T8_2x64_lo,
  shuffle_T8_2x64_hi = T8_2x64_hi, shuffle_T512_1x2_lo = T512_1x2_lo, shuffle_T512_1x2_hi = T512_1x2_hi,
  shuffle_T16_16x4_lo = T16_16x4_lo, shuffle_T16_16x4_hi = T16_16x4_hi, shuffle_T16_4x16_lo = T16_4x16_lo,
  shuffle_T16_4x16_hi = T16_4x16_hi, shuffle_T16_8x4 = T16_8x4, shuffle_T16_4x8 = T16_4x8,
  shuffle_T32_8x4_lo = T32_8x4_lo, shuffle_T32_8x4_hi = T32_8x4_hi, shuffle_T32_4x8_lo = T32_4x8_lo,
  shuffle_T32_4x8_hi = T32_4x8_hi, shuffle_T32_4x4 = T32_4x4, shuffle_T8_8x8 = T8_8x8, shuffle_T8_16x4 = T8_16x4,
  shuffle_T8_4x16 = T8_4x16, shuffle_T16_1x2_flip = T16_1x2_flip, shuffle_T16_4x4 = T16_4x4,
  shuffle_T16_4x2 = T16_4x2, shuffle_T16_2x4 = T16_2x4, shuffle_T16_8x2 = T16_8x2, shuffle_T16_2x8 = T16_2x8,
  shuffle_T16_16x2 = T16_16x2, shuffle_T16_2x16 = T16_2x16, shuffle_T8_8x4 = T8_8x4, shuffle_T8_4x8 = T8_4x8
};

namespace aie::detail {

struct ShuffleMode {
  unsigned bits, rows, columns, half;
};
inline constexpr ShuffleMode kShuffleModes[] = {
    {8, 64, 2, 0}, {8, 64, 2, 1}, {16, 32, 2, 0}, {16, 32, 2, 1}, {32, 16, 2, 0}, {32, 16, 2, 1}, {64, 8, 2, 0},
    {64, 8, 2, 1}, {128, 4, 2, 0}, {128, 4, 2, 1}, {256, 2, 2, 0}, {256, 2, 2, 1}, {128, 2, 4, 0}, {128, 2, 4, 1},
    {64, 2, 8, 0}, {64, 2, 8, 1}, {32, 2, 16, 0}, {32, 2, 16, 1}, {16, 2, 32, 0}, {16, 2, 32, 1}, {8, 2, 64, 0},
    {8, 2, 64, 1}, {512, 1, 2, 0}, {512, 1, 2, 1}, {16, 16, 4, 0}, {16, 16, 4, 1}, {16, 4, 16, 0}, {16, 4, 16, 1},
    {16, 8, 4, 0}, {16, 4, 8, 0}, {32, 8, 4, 0}, {32, 8, 4, 1}, {32, 4, 8, 0}, {32, 4, 8, 1}, {32, 4, 4, 0},
    {8, 8, 8, 0}, {8, 16, 4, 0}, {8, 4, 16, 0}, {16, 0, 0, 0}, {16, 4, 4, 0}, {16, 4, 2, 0}, {16, 2, 4, 0},
    {16, 8, 2, 0}, {16, 2, 8, 0}, {16, 16, 2, 0}, {16, 2, 16, 0}, {8, 8, 4, 0}, {8, 4, 8, 0}
};

/// 512 bits of the transpose of the bytes of two registers.
inline void transpose_bytes(const std::byte* bytes, std::byte* result, int mode) {
  if (mode < 0 || mode >= int{std::size(kShuffleModes)}) [[unlikely]] {
    aieloom::refuse("aie-mac", "shuffle has modes 0 to 47, this one is none of them", "use a name such as T16_8x4 or DINTLV_lo_16o32");
  }
  const ShuffleMode& m = kShuffleModes[mode];
  const std::size_t size = m.bits / 8;
  if (m.rows == 0) {  // neighbours change places
    for (std::size_t i = 0; i < 64; i += 2 * size) {
      std::memcpy(result + i, bytes + i + size, size);
      std::memcpy(result + i + size, bytes + i, size);
    }
    return;
  }
  const std::size_t count = std::min<std::size_t>(64 / size, m.rows * m.columns);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t to = m.half * count + i;
    std::memcpy(result + i * size, bytes + (to % m.rows * m.columns + to / m.rows) * size, size);
  }
}

}  // namespace aie::detail

template <typename T, unsigned N>
[[nodiscard]] inline ::aie::vector<T, N> shuffle(const ::aie::vector<T, N>& low, const ::aie::vector<T, N>& high, int mode) {
  static_assert(::aie::vector<T, N>::bits() == 512, "shuffle takes registers of 512 bits [UG1583]");
  static_assert(sizeof(::aie::vector<T, N>) == 64);
  std::array<std::byte, 128> both, result{};
  std::memcpy(both.data(), &low, 64);
  std::memcpy(both.data() + 64, &high, 64);
  ::aie::detail::transpose_bytes(both.data(), result.data(), mode);
  ::aie::vector<T, N> shuffled;
  std::memcpy(static_cast<void*>(&shuffled), result.data(), 64);
  return shuffled;
}
/// One register; a vector of 256 bits is the lower half of one.
template <typename T, unsigned N>
[[nodiscard]] inline ::aie::vector<T, N> shuffle(const ::aie::vector<T, N>& v, int mode) {
  if constexpr (::aie::vector<T, N>::bits() == 256) {
    return shuffle(v.template grow<2 * N>(), mode).template extract<N>(0);
  } else {
    return shuffle(v, v, mode);
  }
}
