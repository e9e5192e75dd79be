// Native vector and accumulator types, parts of them, conversions between them, and the mode registers [UG1078].
#pragma once

#include "aie_api/detail/convert.h"
#include "aie_api/detail/reshape.h"

// v8float is eight floats; null_v8float() is zero, undef_v8float() undefined, as_v8float(v) the same bits.
#define AIELOOM_NATIVE(T, N)                                                                                    \
  using v##N##T = ::aie::vector<T, N>;                                                                            \
  [[nodiscard]] inline v##N##T null_v##N##T() { return ::aie::zeros<T, N>(); }                                    \
  [[nodiscard]] inline v##N##T undef_v##N##T() { return {}; }                                                   \
  template <typename U, unsigned M>                                                                             \
  [[nodiscard]] inline v##N##T as_v##N##T(const ::aie::vector<U, M>& v) {                                         \
    static_assert(::aie::vector<U, M>::bits() == v##N##T::bits(), "as_v" #N #T ": the vector has another width"); \
    return v.template cast_to<T>();                                                                             \
  }                                                                                                             \
  template <typename Tag, unsigned M>                                                                           \
    requires(::aie::detail::kFloatSumsInVectors && ::aie::detail::tag_info<Tag>.is_float)                         \
  [[nodiscard]] inline v##N##T as_v##N##T(const ::aie::accum<Tag, M>& a) {                                        \
    return as_v##N##T(a.template to_vector<                                                                     \
                      std::conditional_t<::aie::detail::tag_info<Tag>.is_complex, cfloat, float>>());             \
  }
#define AIELOOM_NATIVE_SIZES(T, A, B, C, D) \
  AIELOOM_NATIVE(T, A)                      \
  AIELOOM_NATIVE(T, B)                      \
  AIELOOM_NATIVE(T, C)                      \
  AIELOOM_NATIVE(T, D)
AIELOOM_NATIVE_SIZES(int8, 16, 32, 64, 128)
AIELOOM_NATIVE_SIZES(uint8, 16, 32, 64, 128)
AIELOOM_NATIVE_SIZES(int16, 8, 16, 32, 64)
AIELOOM_NATIVE_SIZES(int32, 4, 8, 16, 32)
AIELOOM_NATIVE_SIZES(float, 4, 8, 16, 32)
AIELOOM_NATIVE_SIZES(cint16, 4, 8, 16, 32)
AIELOOM_NATIVE_SIZES(cint32, 2, 4, 8, 16)
AIELOOM_NATIVE_SIZES(cfloat, 2, 4, 8, 16)
#if __AIE_ARCH__ != 10
AIELOOM_NATIVE_SIZES(uint16, 8, 16, 32, 64)
AIELOOM_NATIVE_SIZES(uint32, 4, 8, 16, 32)
AIELOOM_NATIVE_SIZES(bfloat16, 8, 16, 32, 64)
AIELOOM_NATIVE_SIZES(cbfloat16, 4, 8, 16, 32)
AIELOOM_NATIVE_SIZES(int4, 32, 64, 128, 256)
AIELOOM_NATIVE_SIZES(uint4, 32, 64, 128, 256)
#endif
#undef AIELOOM_NATIVE_SIZES
#undef AIELOOM_NATIVE

#define AIELOOM_NATIVE_SUM(TAG, N)                                                 \
  using v##N##TAG = ::aie::accum<TAG, N>;                                            \
  [[nodiscard]] inline v##N##TAG null_v##N##TAG() { return ::aie::zeros<TAG, N>(); } \
  [[nodiscard]] inline v##N##TAG undef_v##N##TAG() { return {}; }
#if __AIE_ARCH__ == 10
AIELOOM_NATIVE_SUM(acc48, 8)
AIELOOM_NATIVE_SUM(acc48, 16)
AIELOOM_NATIVE_SUM(acc80, 4)
AIELOOM_NATIVE_SUM(acc80, 8)
AIELOOM_NATIVE_SUM(cacc48, 4)
AIELOOM_NATIVE_SUM(cacc48, 8)
AIELOOM_NATIVE_SUM(cacc80, 2)
AIELOOM_NATIVE_SUM(cacc80, 4)
#else
AIELOOM_NATIVE_SUM(acc32, 8)
AIELOOM_NATIVE_SUM(acc32, 16)
AIELOOM_NATIVE_SUM(acc32, 32)
AIELOOM_NATIVE_SUM(acc64, 4)
AIELOOM_NATIVE_SUM(acc64, 8)
AIELOOM_NATIVE_SUM(acc64, 16)
AIELOOM_NATIVE_SUM(accfloat, 8)
AIELOOM_NATIVE_SUM(accfloat, 16)
AIELOOM_NATIVE_SUM(accfloat, 32)
#endif
#undef AIELOOM_NATIVE_SUM

// -- parts: V is 128, W 256, X 512 bits -----------------------------------------------------------------------------

using ::aie::concat;

#define AIELOOM_PART(LETTER, BITS)                                                                   \
  template <typename T, unsigned N>                                                                  \
  [[nodiscard]] inline auto ext_##LETTER(const ::aie::vector<T, N>& v, int i) {                        \
    return v.template extract<BITS / ::aie::detail::element_bits<T>>(static_cast<unsigned>(i));        \
  }                                                                                                  \
  template <typename T, unsigned N>                                                                  \
  [[nodiscard]] inline ::aie::vector<T, N> upd_##LETTER(                                               \
      ::aie::vector<T, N> v, int i, const ::aie::vector<T, BITS / ::aie::detail::element_bits<T>>& part) { \
    v.insert(static_cast<unsigned>(i), part);                                                        \
    return v;                                                                                        \
  }
AIELOOM_PART(v, 128)
AIELOOM_PART(w, 256)
AIELOOM_PART(x, 512)
#undef AIELOOM_PART

/// A part of an undefined register: wset makes 256 bits, xset 512, yset 1024 [UG1078 Set Vector].
#define AIELOOM_SET(NAME, BITS, LETTER, PART)                                                        \
  template <typename T, unsigned N>                                                                  \
  [[nodiscard]] inline auto NAME(int i, const ::aie::vector<T, N>& part) {                             \
    static_assert(N * ::aie::detail::element_bits<T> == PART, #NAME ": the part has " #PART " bits"); \
    return upd_##LETTER(::aie::vector<T, BITS / ::aie::detail::element_bits<T>>(), i, part);             \
  }
AIELOOM_SET(wset_v, 256, v, 128)
AIELOOM_SET(xset_v, 512, v, 128)
AIELOOM_SET(xset_w, 512, w, 256)
AIELOOM_SET(yset_v, 1024, v, 128)
AIELOOM_SET(yset_w, 1024, w, 256)
AIELOOM_SET(yset_x, 1024, x, 512)
#undef AIELOOM_SET

template <typename T, unsigned N>
[[nodiscard]] inline T ext_elem(const ::aie::vector<T, N>& v, unsigned i) {
  return v.get(i);
}
template <typename T, unsigned N>
[[nodiscard]] inline ::aie::vector<T, N> upd_elem(::aie::vector<T, N> v, unsigned i, std::type_identity_t<T> x) {
  v.set(x, i);
  return v;
}
/// The i-th pair of lanes: AMD's own aie_api (Xilinx/aie_api, max_min of floats) fills a v8float by four of these.
template <unsigned N>
[[nodiscard]] inline ::aie::vector<float, N> upd_elem(::aie::vector<float, N> v, unsigned i, float low, float high) {
  v.set(low, 2 * i);
  v.set(high, 2 * i + 1);
  return v;
}
/// Every lane one place up, x in lane 0.
template <typename T, unsigned N>
[[nodiscard]] inline ::aie::vector<T, N> shft_elem(::aie::vector<T, N> v, std::type_identity_t<T> x) {
  v.push(x);
  return v;
}
template <typename Tag, unsigned N>
[[nodiscard]] inline auto ext_lo(const ::aie::accum<Tag, N>& a) {
  return a.template extract<N / 2>(0);
}
template <typename Tag, unsigned N>
[[nodiscard]] inline auto ext_hi(const ::aie::accum<Tag, N>& a) {
  return a.template extract<N / 2>(1);
}
template <typename Tag, unsigned N>
[[nodiscard]] inline ::aie::accum<Tag, N> upd_lo(::aie::accum<Tag, N> a, const ::aie::accum<Tag, N / 2>& part) {
  return a.insert(0, part);
}
template <typename Tag, unsigned N>
[[nodiscard]] inline ::aie::accum<Tag, N> upd_hi(::aie::accum<Tag, N> a, const ::aie::accum<Tag, N / 2>& part) {
  return a.insert(1, part);
}

// -- shift, round, saturate: b 8, none 16, l 32 bits from 48-bit sums; none 32 bits from 80-bit sums ---------------

namespace aie::detail {
template <typename Tag>
using srs_element =
    std::conditional_t<tag_info<Tag>.is_complex, std::conditional_t<native_bits<Tag> == 80, cint32, cint16>,
                       std::conditional_t<native_bits<Tag> == 80, int32, int16>>;
}  // namespace aie::detail

#if __AIE_ARCH__ == 10
template <typename Tag, unsigned N>
[[nodiscard]] inline auto srs(const ::aie::accum<Tag, N>& a, int shift) {
  return a.template to_vector<::aie::detail::srs_element<Tag>>(shift);
}
template <typename Tag, unsigned N>
[[nodiscard]] inline auto lsrs(const ::aie::accum<Tag, N>& a, int shift) {
  static_assert(::aie::detail::native_bits<Tag> == 48, "lsrs: 48-bit sums to 32 bits; 80-bit sums use srs");
  return a.template to_vector<std::conditional_t<::aie::detail::tag_info<Tag>.is_complex, cint32, int32>>(shift);
}
/// The lower and the upper half of the lanes one by one in turn: 0, N/2, 1, N/2 + 1, ...
template <typename Tag, unsigned N>
[[nodiscard]] inline auto srsI(const ::aie::accum<Tag, N>& a, int shift) {
  const auto v = srs(a, shift);
  const auto [low, high] = ::aie::interleave_zip(v.template extract<N / 2>(0), v.template extract<N / 2>(1), 1);
  return ::aie::concat(low, high);
}
template <typename Tag, unsigned N>
[[nodiscard]] inline auto srs_ilv(const ::aie::accum<Tag, N>& a, int shift) {
  return srsI(a, shift);
}
template <typename Tag, unsigned N>
[[nodiscard]] inline auto bsrs(const ::aie::accum<Tag, N>& a, int shift) {
  static_assert(::aie::detail::native_bits<Tag> == 48, "bsrs: 48-bit sums only");
  return a.template to_vector<int8>(shift);
}
template <typename Tag, unsigned N>
[[nodiscard]] inline auto ubsrs(const ::aie::accum<Tag, N>& a, int shift) {
  static_assert(::aie::detail::native_bits<Tag> == 48, "ubsrs: 48-bit sums only");
  return a.template to_vector<uint8>(shift);
}
/// v * 2^shift as 48-bit sums: v8acc48 ups(v8int32), v16acc48 ups(v16int8), v8cacc48 ups(v8cint16) [UG1078].
template <typename T, unsigned N>
[[nodiscard]] inline auto ups(const ::aie::vector<T, N>& v, int shift) {
  return ::aie::accum<std::conditional_t<::aie::detail::is_complex<T>, cacc48, acc48>, N>(v, shift);
}
/// As 80-bit sums: v8acc80 lups(v8int32).
template <typename T, unsigned N>
[[nodiscard]] inline auto lups(const ::aie::vector<T, N>& v, int shift) {
  static_assert(::aie::detail::number_bits<T> == 32, "lups: 32-bit elements");
  return ::aie::accum<std::conditional_t<::aie::detail::is_complex<T>, cacc80, acc80>, N>(v, shift);
}
template <typename T, unsigned N>
[[nodiscard]] inline auto bups(const ::aie::vector<T, N>& v, int shift) {
  static_assert(::aie::detail::number_bits<T> == 8, "bups: 8-bit elements");
  return ::aie::accum<acc48, N>(v, shift);
}
/// v16int16 unpack(v16uint8): aie::unpack has none, as AIE has no vectors of uint16 [aie_api 2025.1, detail/aie1/vector.hpp].
template <unsigned N>
[[nodiscard]] inline auto unpack(const ::aie::vector<uint8, N>& v) {
  return v.template unpack<int16>();
}
#endif

// -- mode registers -------------------------------------------------------------------------------------------------

#ifndef rnd_floor  // DSPLIB has them all as macros, before these headers or behind them
#if __AIE_ARCH__ == 10
enum : int {
  rnd_floor = 0,
  rnd_ceil = 1,
  rnd_pos_inf = 2,
  rnd_neg_inf = 3,
  rnd_sym_inf = 4,
  rnd_sym_zero = 5,
  rnd_conv_even = 6,
  rnd_conv_odd = 7
};
#else
enum : int {
  rnd_floor = 0,
  rnd_ceil = 1,
  rnd_sym_floor = 2,
  rnd_sym_ceil = 3,
  rnd_neg_inf = 8,
  rnd_pos_inf = 9,
  rnd_sym_zero = 10,
  rnd_sym_inf = 11,
  rnd_conv_even = 12,
  rnd_conv_odd = 13
};
#endif
#endif
inline void set_rnd(int mode) { ::aie::set_rounding(static_cast<::aie::rounding_mode>(mode)); }
[[nodiscard]] inline int get_rnd() { return static_cast<int>(::aie::get_rounding()); }
inline void set_sat() { ::aie::set_saturation(::aie::saturation_mode::saturate); }
inline void set_symsat() { ::aie::set_saturation(::aie::saturation_mode::symmetric); }
inline void clr_sat() { ::aie::set_saturation(::aie::saturation_mode::none); }
[[nodiscard]] inline int get_sat() { return static_cast<int>(::aie::get_saturation()); }

/// x * 2^-shift, and x * 2^shift as an integer.
[[nodiscard]] inline float fix2float(int32 x, int shift = 0) { return ::aie::to_float(x, shift); }
template <typename T, unsigned N>
  requires(std::is_same_v<T, int32> || std::is_same_v<T, int16>)
[[nodiscard]] inline ::aie::vector<float, N> fix2float(const ::aie::vector<T, N>& x, int shift = 0) {
  return ::aie::to_float(x, shift);
}
template <unsigned N>
[[nodiscard]] inline ::aie::vector<int32, N> float2fix(const ::aie::vector<float, N>& x, int shift = 0) {
  return ::aie::to_fixed<int32>(x, shift);
}
[[nodiscard]] inline int32 float2fix(float x, int shift = 0) { return ::aie::to_fixed<int32>(x, shift); }
[[nodiscard]] inline float inv(float x) { return ::aie::inv(x); }
[[nodiscard]] inline float invsqrt(float x) { return ::aie::invsqrt(x); }
