// Integer MAC intrinsics of AIE: lanes and columns addressed by start, offsets, step and square [UG1079 MAC
// intrinsics].
//
// Lane l sums over columns c of x * z. z: zbuf[zstart + nibble l of zoffsets + c * zstep]. x with elements of 32 bits
// or more: xbuf[xstart + nibble l + c * xstep]. x with 16-bit elements is chosen by 32 bits: an even lane's nibble e
// gives the pair at 2 e, the odd lane's nibble o the pair at 2 (e + o + 1); a pair serves two columns, xstep leads to
// the next two; xsquare then permutes the four numbers of two lanes and two columns. All indices wrap.
#pragma once

#include "aie_api/detail/native_float.h"

namespace aie::detail {

/// The parameters that choose lanes of one buffer.
struct Selection {
  int start = 0;
  unsigned offsets = 0;
  unsigned offsets_hi = 0;
  int step = 0;
  unsigned square = 0x3210;
};

template <typename T, unsigned N>
[[nodiscard]] constexpr unsigned x_index(const Selection& s, unsigned lane, unsigned column) {
  if constexpr (element_bits<T> >= 32) {
    return (static_cast<unsigned>(s.start) + nibble(s.offsets, s.offsets_hi, lane) +
            column * static_cast<unsigned>(s.step)) %
           N;
  } else {
    const unsigned even = lane / 2 * 2;
    const unsigned chosen =
        nibble(s.square, lane % 2 * 2 + column % 2);  // of: even lane's pair 0 1, odd lane's pair 2 3
    unsigned base = nibble(s.offsets, s.offsets_hi, even);
    if (chosen >= 2) {
      base += nibble(s.offsets, s.offsets_hi, even + 1) + 1;
    }
    return (static_cast<unsigned>(s.start) + 2 * base + chosen % 2 + column / 2 * static_cast<unsigned>(s.step)) % N;
  }
}
template <unsigned N>
[[nodiscard]] constexpr unsigned z_index(const Selection& s, unsigned lane, unsigned column) {
  return (static_cast<unsigned>(s.start) + nibble(s.offsets, s.offsets_hi, lane) +
          column * static_cast<unsigned>(s.step)) %
         N;
}

/// acc (+ or -)= the sums over Columns products.
template <bool Subtract, unsigned Columns, typename Tag, unsigned L, typename TX, unsigned NX, typename TZ, unsigned NZ>
[[nodiscard]] inline accum<Tag, L> select_mac(accum<Tag, L> acc, const vector<TX, NX>& x, const Selection& sx,
                                              const vector<TZ, NZ>& z, const Selection& sz) {
  static_assert(NX * element_bits<TX> == 512 || NX * element_bits<TX> == 1024,
                "MAC intrinsics: the X buffer has 512 or 1024 bits [UG1079]");
  static_assert(NZ * element_bits<TZ> == 256, "MAC intrinsics: the Z buffer has 256 bits [UG1079]");
  if constexpr (element_bits<TX> < 32) {
    if ((sx.start | sx.step) % 2 != 0) [[unlikely]] {
      aieloom::refuse("aie-mac",
                      "MAC intrinsics with 16-bit data: xstart and xstep must be even, data are chosen by 32 bits",
                      "use an even xstart and xsquare to move by one element");
    }
  }
  aieloom::count_mac(1, L * Columns);
  using Lane = lane_type<Tag>;
  for (unsigned l = 0; l < L; ++l) {
    for (unsigned c = 0; c < Columns; ++c) {
      const Lane p = product<Lane>(x.lanes_.get(x_index<TX, NX>(sx, l, c)), z.lanes_.get(z_index<NZ>(sz, l, c)));
      acc.lanes_[l] = Subtract ? lane_sub(acc.lanes_[l], p) : lane_add(acc.lanes_[l], p);
    }
  }
  return acc;
}

/// Products per cycle of a pair of element types divided by the lanes: the columns of an intrinsic.
template <typename TX, typename TZ>
consteval unsigned macs_per_cycle() {
  constexpr unsigned x = number_bits<TX>, z = number_bits<TZ>;
  constexpr unsigned real = x + z <= 32 ? 32 : x + z <= 48 ? 16 : 8;
  return real / ((is_complex<TX> ? 2 : 1) * (is_complex<TZ> ? 2 : 1));
}
template <typename TX, typename TZ, bool Wide>
using intrinsic_tag = typename tag_of_bits<Wide ? 80 : 48, is_complex<TX> || is_complex<TZ>, false>::type;

template <typename TX, typename TZ>
concept IntegerPair = !is_float<TX> && !is_float<TZ> && number_bits<TX> >= 16 && number_bits<TZ> >= 16;

/// 48-bit sums take products of up to 48 bits, 80-bit sums (l...) those from 48 bits.
template <typename TX, typename TZ, bool Wide>
concept SumFits =
    IntegerPair<TX, TZ> && (Wide ? number_bits<TX> + number_bits<TZ> >= 48 : number_bits<TX> + number_bits<TZ> <= 48);

}  // namespace aie::detail

// Each of mul, mac, msc, negmul with L lanes. The argument lists are the vendor's: with two or more columns both
// steps, with one column none; xsquare where x has 16-bit elements; hi offsets with 16 lanes.
#define AIELOOM_MAC_FORMS(NAME, L, WIDE, ACC_PARAMETER, START, SUBTRACT)                                        \
  template <typename TX, unsigned NX, typename TZ, unsigned NZ>                                                 \
    requires(::aie::detail::SumFits<TX, TZ, WIDE> && ::aie::detail::element_bits<TX> >= 32 &&                       \
             ::aie::detail::macs_per_cycle<TX, TZ>() >= 2 * L)                                                    \
  [[nodiscard]] inline auto NAME(ACC_PARAMETER const ::aie::vector<TX, NX>& xbuff, int xstart, unsigned xoffsets, \
                                 int xstep, const ::aie::vector<TZ, NZ>& zbuff, int zstart, unsigned zoffsets,    \
                                 int zstep) {                                                                   \
    return ::aie::detail::select_mac<SUBTRACT, ::aie::detail::macs_per_cycle<TX, TZ>() / L>(                        \
        START, xbuff, {xstart, xoffsets, 0, xstep}, zbuff, {zstart, zoffsets, 0, zstep});                       \
  }                                                                                                             \
  template <typename TX, unsigned NX, typename TZ, unsigned NZ>                                                 \
    requires(::aie::detail::SumFits<TX, TZ, WIDE> && ::aie::detail::element_bits<TX> >= 32 &&                       \
             ::aie::detail::macs_per_cycle<TX, TZ>() == L)                                                        \
  [[nodiscard]] inline auto NAME(ACC_PARAMETER const ::aie::vector<TX, NX>& xbuff, int xstart, unsigned xoffsets, \
                                 const ::aie::vector<TZ, NZ>& zbuff, int zstart, unsigned zoffsets) {             \
    return ::aie::detail::select_mac<SUBTRACT, 1>(START, xbuff, {xstart, xoffsets, 0, 0}, zbuff,                  \
                                                {zstart, zoffsets, 0, 0});                                      \
  }                                                                                                             \
  template <typename TX, unsigned NX, typename TZ, unsigned NZ>                                                 \
    requires(::aie::detail::IntegerPair<TX, TZ> && std::is_same_v<TX, int16> &&                                   \
             ::aie::detail::macs_per_cycle<TX, TZ>() == 4 * L)                                                    \
  [[nodiscard]] inline auto NAME(ACC_PARAMETER const ::aie::vector<TX, NX>& xbuff, int xstart, unsigned xoffsets, \
                                 int xstep, unsigned xsquare, const ::aie::vector<TZ, NZ>& zbuff, int zstart,     \
                                 unsigned zoffsets, int zstep) {                                                \
    return ::aie::detail::select_mac<SUBTRACT, ::aie::detail::macs_per_cycle<TX, TZ>() / L>(                        \
        START, xbuff, {xstart, xoffsets, 0, xstep, xsquare}, zbuff, {zstart, zoffsets, 0, zstep});              \
  }
#define AIELOOM_MAC16_FORM(NAME, ACC_PARAMETER, START, SUBTRACT)                                                   \
  template <unsigned NX>                                                                                           \
  [[nodiscard]] inline auto NAME(ACC_PARAMETER const ::aie::vector<int16, NX>& xbuff, int xstart, unsigned xoffsets, \
                                 unsigned xoffsets_hi, unsigned xsquare, const v16int16& zbuff, int zstart,        \
                                 unsigned zoffsets, unsigned zoffsets_hi, int zstep) {                             \
    return ::aie::detail::select_mac<SUBTRACT, 2>(START, xbuff, {xstart, xoffsets, xoffsets_hi, 0, xsquare}, zbuff,  \
                                                {zstart, zoffsets, zoffsets_hi, zstep});                           \
  }
#define AIELOOM_ACC(L, WIDE) const ::aie::accum<::aie::detail::intrinsic_tag<TX, TZ, WIDE>, L>&acc,
#define AIELOOM_ZERO(L, WIDE) ::aie::zeros<::aie::detail::intrinsic_tag<TX, TZ, WIDE>, L>()
#define AIELOOM_NOTHING
#define AIELOOM_MAC_FAMILY(PREFIX, L, WIDE)                                                 \
  AIELOOM_MAC_FORMS(PREFIX##mac##L, L, WIDE, AIELOOM_ACC(L, WIDE), acc, false)              \
  AIELOOM_MAC_FORMS(PREFIX##msc##L, L, WIDE, AIELOOM_ACC(L, WIDE), acc, true)               \
  AIELOOM_MAC_FORMS(PREFIX##mul##L, L, WIDE, AIELOOM_NOTHING, AIELOOM_ZERO(L, WIDE), false) \
  AIELOOM_MAC_FORMS(PREFIX##negmul##L, L, WIDE, AIELOOM_NOTHING, AIELOOM_ZERO(L, WIDE), true)
AIELOOM_MAC_FAMILY(, 4, false)
AIELOOM_MAC_FAMILY(, 8, false)
AIELOOM_MAC_FAMILY(l, 2, true)
AIELOOM_MAC_FAMILY(l, 4, true)
AIELOOM_MAC_FAMILY(l, 8, true)
#define AIELOOM_COMMA ,
AIELOOM_MAC16_FORM(mac16, const v16acc48& acc AIELOOM_COMMA, acc, false)
AIELOOM_MAC16_FORM(msc16, const v16acc48& acc AIELOOM_COMMA, acc, true)
AIELOOM_MAC16_FORM(mul16, AIELOOM_NOTHING, null_v16acc48(), false)
AIELOOM_MAC16_FORM(negmul16, AIELOOM_NOTHING, null_v16acc48(), true)
#undef AIELOOM_COMMA
#undef AIELOOM_MAC_FAMILY
#undef AIELOOM_MAC_FORMS
#undef AIELOOM_MAC16_FORM
#undef AIELOOM_ACC
#undef AIELOOM_ZERO
#undef AIELOOM_NOTHING
