// MAC intrinsics of AIE with 8-bit data and coefficients: 128 products a cycle [UG1079 MAC on 8x8 bits; UG1078 8 bit
// Real x 8 bit Real].
//
// Four lanes share a pair of xoffsets: the first nibble e chooses 32 bits at 4 e, the second, o, those at
// 4 (e + o + 1). The eight bytes are a block of four lanes by two columns, of which xsquare permutes the four pairs of
// bytes: e's bytes 0 1, e's 2 3, o's 0 1, o's 2 3; a pair goes to two lanes of one column. A pair of zoffsets
// chooses 16 bits each, for the even and the odd lane of two, which the other two lanes repeat; zsquare permutes these
// four bytes. xstep and zstep lead to the next two columns. All indices wrap. UG1079's two matrix products are tests.
#pragma once

#include "aie_api/detail/native_mac.h"

namespace aie::detail {

template <typename T>
inline constexpr bool is_byte = is_one_of<T, int8, uint8>;

template <typename V>
inline constexpr bool is_byte_vector = false;
template <typename T, unsigned N>
inline constexpr bool is_byte_vector<vector<T, N>> = is_byte<T>;

template <unsigned N>
[[nodiscard]] constexpr unsigned x_byte(const Selection& s, unsigned lane, unsigned column) {
  const unsigned first = nibble(s.offsets, lane / 4 * 2);
  const unsigned second = first + nibble(s.offsets, lane / 4 * 2 + 1) + 1;
  const unsigned chosen = nibble(s.square, lane % 4 / 2 * 2 + column % 2);
  const unsigned byte = 4 * (chosen >= 2 ? second : first) + 2 * (chosen % 2) + lane % 2;
  return (static_cast<unsigned>(s.start) + byte + column / 2 * static_cast<unsigned>(s.step)) % N;
}
template <unsigned N>
[[nodiscard]] constexpr unsigned z_byte(const Selection& s, unsigned lane, unsigned column) {
  const unsigned chosen = nibble(s.square, lane % 2 * 2 + column % 2);
  const unsigned pair = nibble(s.offsets, lane / 4 * 2 + chosen / 2);
  return (static_cast<unsigned>(s.start) + 2 * pair + chosen % 2 + column / 2 * static_cast<unsigned>(s.step)) % N;
}

/// Starts and steps are in bytes, and whole units of what the offsets choose [UG1079].
inline void check_byte_steps(const Selection& x, const Selection& z) {
  if (((x.start | x.step) % 4 | (z.start | z.step) % 2) != 0) [[unlikely]] {
    aieloom::refuse("aie-mac",
                    "MAC intrinsics with 8-bit data: xstart and xstep must be multiples of 4, zstart and zstep of 2",
                    "data are chosen by 32 bits, coefficients by 16; use xsquare and zsquare to move by less");
  }
}

template <bool Subtract, unsigned L, typename TX, unsigned NX, typename TZ>
[[nodiscard]] inline accum<acc48, L> byte_mac(accum<acc48, L> acc, const vector<TX, NX>& x, const Selection& sx,
                                              const vector<TZ, 32>& z, const Selection& sz) {
  static_assert(NX == 64 || NX == 128, "MAC intrinsics: the X buffer has 512 or 1024 bits [UG1078]");
  check_byte_steps(sx, sz);
  constexpr unsigned kColumns = 128 / L;
  aieloom::count_mac(1, L * kColumns);
  for (unsigned l = 0; l < L; ++l) {
    int sum = 0;
    for (unsigned c = 0; c < kColumns; ++c) {
      sum += static_cast<int>(x.lanes_.get(x_byte<NX>(sx, l, c))) * static_cast<int>(z.lanes_.get(z_byte<32>(sz, l, c)));
    }
    acc.lanes_[l] = Subtract ? lane_sub(acc.lanes_[l], static_cast<lane_type<acc48>>(sum))
                             : lane_add(acc.lanes_[l], static_cast<lane_type<acc48>>(sum));
  }
  return acc;
}

}  // namespace aie::detail

#define AIELOOM_BYTE_FORM(NAME, L, ACC_PARAMETER, START, SUBTRACT)                                                \
  template <typename TX, unsigned NX, typename TZ>                                                                \
    requires(::aie::detail::is_byte<TX> && ::aie::detail::is_byte<TZ>)                                                \
  [[nodiscard]] inline v##L##acc48 NAME##L(ACC_PARAMETER const ::aie::vector<TX, NX>& xbuff, int xstart,            \
                                           unsigned xoffsets, int xstep, unsigned xsquare,                        \
                                           const ::aie::vector<TZ, 32>& zbuff, int zstart, unsigned zoffsets,       \
                                           int zstep, unsigned zsquare = 0x3210) {                                \
    return ::aie::detail::byte_mac<SUBTRACT, L>(START, xbuff, {xstart, xoffsets, 0, xstep, xsquare}, zbuff,         \
                                              {zstart, zoffsets, 0, zstep, zsquare});                             \
  }                                                                                                               \
  template <unsigned NX, typename... Rest>                                                                        \
    requires(::aie::detail::is_byte_vector<Rest> || ...)                                                            \
  [[nodiscard]] inline v##L##acc48 NAME##L(ACC_PARAMETER const ::aie::vector<int16, NX>& /*xbuff*/, int /*xstart*/, \
                                           unsigned /*xoffsets*/, const Rest&... /*selection*/) {                 \
    static_assert(sizeof...(Rest) == 0,                                                                           \
                  #NAME #L " of int16 data and 8-bit coefficients: no public document says which lanes it takes " \
                           "[aie-mac]; use aie::mmul, or unpack the coefficients");                               \
    return {};                                                                                                    \
  }
#define AIELOOM_BYTE_FORMS(L)                                                                                     \
  AIELOOM_BYTE_FORM(mul, L, AIELOOM_NOTHING, null_v##L##acc48(), false)                                           \
  AIELOOM_BYTE_FORM(negmul, L, AIELOOM_NOTHING, null_v##L##acc48(), true)                                         \
  AIELOOM_BYTE_FORM(mac, L, [[maybe_unused]] const v##L##acc48& acc AIELOOM_COMMA, acc, false)                                     \
  AIELOOM_BYTE_FORM(msc, L, [[maybe_unused]] const v##L##acc48& acc AIELOOM_COMMA, acc, true)
#define AIELOOM_NOTHING
#define AIELOOM_COMMA ,
AIELOOM_BYTE_FORMS(8)
AIELOOM_BYTE_FORMS(16)
#undef AIELOOM_NOTHING
#undef AIELOOM_COMMA
#undef AIELOOM_BYTE_FORMS
#undef AIELOOM_BYTE_FORM
