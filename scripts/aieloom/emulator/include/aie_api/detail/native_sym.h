// Integer MACs of AIE with the pre-adder: mul4_sym, mac4_sym, mul4_antisym, mul4_sym_ct, mac16_max and so on [UG1078
// Multiply Accumulate: symmetric, vector MAC combined with vector comparisons; UG1079 MAC intrinsics, Options].
//
// Lane l sums over columns c of (x + y) * z, of (x - y) * z, or of max(x, y) * z, min(x, y) * z, max(x - y, 0) * z. x and z are chosen as in native_mac.h; y has x's offsets and
// goes the other way: ybuff[ystart + nibble l - c * xstep]. With _ct the last column has no pair: its number is
// xbuff[xstart + nibble l + mtap]. Data of 16 bits: y has a square of its own instead.
#pragma once

#include "aie_api/detail/native_mac.h"

namespace aie::detail {

/// What the pre-adder makes of a pair of numbers. Its result is one bit wider than they are.
enum class Pair { sum, difference, larger, smaller, excess };

/// What the pre-adder does, and with which sign products are added.
struct Symmetry {
  bool subtract = false;
  Pair pair = Pair::sum;
  bool center = false;  // the last column is the centre tap
};

/// The product of a pair of numbers and a factor.
template <Pair P, typename Lane, typename TX, typename TZ>
[[nodiscard]] inline Lane pair_product(const TX& x, const TX& y, const TZ& factor) {
  const Lane near = product<Lane>(x, factor), far = product<Lane>(y, factor);
  if constexpr (P == Pair::sum) {
    return lane_add(near, far);
  } else if constexpr (P == Pair::difference) {
    return lane_sub(near, far);
  } else {
    static_assert(!is_complex<TX>, "_max, _min and _maxdiff: complex numbers have no order [UG1079]");
    if constexpr (P == Pair::excess) {
      return x > y ? lane_sub(near, far) : Lane{};
    } else {
      return (P == Pair::larger) == (x > y) ? near : far;
    }
  }
}

template <Symmetry S, unsigned Columns, typename Tag, unsigned L, typename TX, unsigned NX, typename TZ, unsigned NZ>
[[nodiscard]] inline accum<Tag, L> symmetric_mac(accum<Tag, L> acc, const vector<TX, NX>& x, const Selection& sx,
                                                 const vector<TX, NX>& y, int ystart, int mtap, const vector<TZ, NZ>& z,
                                                 const Selection& sz) {
  static_assert(NX * element_bits<TX> == 512 || NX * element_bits<TX> == 1024,
                "MAC intrinsics: the X buffer has 512 or 1024 bits [UG1079]");
  static_assert(NZ * element_bits<TZ> == 256, "MAC intrinsics: the Z buffer has 256 bits [UG1079]");
  aieloom::count_mac(1, L * Columns);
  using Lane = lane_type<Tag>;
  for (unsigned l = 0; l < L; ++l) {
    const unsigned offset = nibble(sx.offsets, l);
    for (unsigned c = 0; c < Columns; ++c) {
      const TZ factor = z.lanes_.get(z_index<NZ>(sz, l, c));
      const unsigned step = c * static_cast<unsigned>(sx.step);
      Lane p;
      if (S.center && c + 1 == Columns) {
        p = product<Lane>(x.lanes_.get((static_cast<unsigned>(sx.start + mtap) + offset) % NX), factor);
      } else {
        p = pair_product<S.pair, Lane>(x.lanes_.get((static_cast<unsigned>(sx.start) + offset + step) % NX),
                                       y.lanes_.get((static_cast<unsigned>(ystart) + offset - step) % NX), factor);
      }
      acc.lanes_[l] = S.subtract ? lane_sub(acc.lanes_[l], p) : lane_add(acc.lanes_[l], p);
    }
  }
  return acc;
}

}  // namespace aie::detail

// One buffer or two; one column leaves out both steps.
#define AIELOOM_SYM_FORMS(NAME, L, WIDE, ACC_PARAMETER, START, SUBTRACT, PAIR)                                      \
  template <typename TX, unsigned NX, typename TZ, unsigned NZ>                                                     \
    requires(::aie::detail::SumFits<TX, TZ, WIDE> && ::aie::detail::element_bits<TX> >= 32 &&                           \
             ::aie::detail::macs_per_cycle<TX, TZ>() >= 2 * L)                                                        \
  [[nodiscard]] inline auto NAME(ACC_PARAMETER const ::aie::vector<TX, NX>& xbuff, int xstart, unsigned xoffsets,     \
                                 int xstep, int ystart, const ::aie::vector<TZ, NZ>& zbuff, int zstart,               \
                                 unsigned zoffsets, int zstep) {                                                    \
    return ::aie::detail::symmetric_mac<::aie::detail::Symmetry{SUBTRACT, ::aie::detail::Pair::PAIR, false},                                 \
                                      ::aie::detail::macs_per_cycle<TX, TZ>() / L>(                                   \
        START, xbuff, {xstart, xoffsets, 0, xstep}, xbuff, ystart, 0, zbuff, {zstart, zoffsets, 0, zstep});         \
  }                                                                                                                 \
  template <typename TX, unsigned NX, typename TZ, unsigned NZ>                                                     \
    requires(::aie::detail::SumFits<TX, TZ, WIDE> && ::aie::detail::element_bits<TX> >= 32 &&                           \
             ::aie::detail::macs_per_cycle<TX, TZ>() >= 2 * L)                                                        \
  [[nodiscard]] inline auto NAME(ACC_PARAMETER const ::aie::vector<TX, NX>& xbuff, int xstart, unsigned xoffsets,     \
                                 int xstep, const ::aie::vector<TX, NX>& ybuff, int ystart,                           \
                                 const ::aie::vector<TZ, NZ>& zbuff, int zstart, unsigned zoffsets, int zstep) {      \
    return ::aie::detail::symmetric_mac<::aie::detail::Symmetry{SUBTRACT, ::aie::detail::Pair::PAIR, false},                                 \
                                      ::aie::detail::macs_per_cycle<TX, TZ>() / L>(                                   \
        START, xbuff, {xstart, xoffsets, 0, xstep}, ybuff, ystart, 0, zbuff, {zstart, zoffsets, 0, zstep});         \
  }                                                                                                                 \
  template <typename TX, unsigned NX, typename TZ, unsigned NZ>                                                     \
    requires(::aie::detail::SumFits<TX, TZ, WIDE> && ::aie::detail::element_bits<TX> >= 32 &&                           \
             ::aie::detail::macs_per_cycle<TX, TZ>() == L)                                                            \
  [[nodiscard]] inline auto NAME(ACC_PARAMETER const ::aie::vector<TX, NX>& xbuff, int xstart, unsigned xoffsets,     \
                                 int ystart, const ::aie::vector<TZ, NZ>& zbuff, int zstart, unsigned zoffsets) {     \
    return ::aie::detail::symmetric_mac<::aie::detail::Symmetry{SUBTRACT, ::aie::detail::Pair::PAIR, false}, 1>(                             \
        START, xbuff, {xstart, xoffsets, 0, 0}, xbuff, ystart, 0, zbuff, {zstart, zoffsets, 0, 0});                 \
  }                                                                                                                 \
  template <typename TX, unsigned NX, typename TZ, unsigned NZ>                                                     \
    requires(::aie::detail::SumFits<TX, TZ, WIDE> && ::aie::detail::element_bits<TX> >= 32 &&                           \
             ::aie::detail::macs_per_cycle<TX, TZ>() == L)                                                            \
  [[nodiscard]] inline auto NAME(ACC_PARAMETER const ::aie::vector<TX, NX>& xbuff, int xstart, unsigned xoffsets,     \
                                 const ::aie::vector<TX, NX>& ybuff, int ystart, const ::aie::vector<TZ, NZ>& zbuff,    \
                                 int zstart, unsigned zoffsets) {                                                   \
    return ::aie::detail::symmetric_mac<::aie::detail::Symmetry{SUBTRACT, ::aie::detail::Pair::PAIR, false}, 1>(                             \
        START, xbuff, {xstart, xoffsets, 0, 0}, ybuff, ystart, 0, zbuff, {zstart, zoffsets, 0, 0});                 \
  }
#define AIELOOM_SYM_CENTER(NAME, L, WIDE, ACC_PARAMETER, START, SUBTRACT, PAIR) \
  /* two columns are a pair and the centre, without a step */                                                       \
  template <typename TX, unsigned NX, typename TZ, unsigned NZ>                                                     \
    requires(::aie::detail::SumFits<TX, TZ, WIDE> && ::aie::detail::element_bits<TX> >= 32 &&                           \
             ::aie::detail::macs_per_cycle<TX, TZ>() == 2 * L)                                                        \
  [[nodiscard]] inline auto NAME##_ct(ACC_PARAMETER const ::aie::vector<TX, NX>& xbuff, int xstart,                   \
                                      unsigned xoffsets, int ystart, int mtap,                                      \
                                      const ::aie::vector<TZ, NZ>& zbuff, int zstart, unsigned zoffsets, int zstep) { \
    return ::aie::detail::symmetric_mac<::aie::detail::Symmetry{SUBTRACT, ::aie::detail::Pair::PAIR, true},                                  \
                                      ::aie::detail::macs_per_cycle<TX, TZ>() / L>(                                   \
        START, xbuff, {xstart, xoffsets, 0, 0}    , xbuff, ystart, mtap, zbuff, {zstart, zoffsets, 0, zstep});      \
  }                                                                                                                 \
  template <typename TX, unsigned NX, typename TZ, unsigned NZ>                                                     \
    requires(::aie::detail::SumFits<TX, TZ, WIDE> && ::aie::detail::element_bits<TX> >= 32 &&                           \
             ::aie::detail::macs_per_cycle<TX, TZ>() == 2 * L)                                                        \
  [[nodiscard]] inline auto NAME##_ct(ACC_PARAMETER const ::aie::vector<TX, NX>& xbuff, int xstart,                   \
                                      unsigned xoffsets, const ::aie::vector<TX, NX>& ybuff, int ystart,              \
                                      int mtap, const ::aie::vector<TZ, NZ>& zbuff, int zstart, unsigned zoffsets,    \
                                      int zstep) {                                                                  \
    return ::aie::detail::symmetric_mac<::aie::detail::Symmetry{SUBTRACT, ::aie::detail::Pair::PAIR, true},                                  \
                                      ::aie::detail::macs_per_cycle<TX, TZ>() / L>(                                   \
        START, xbuff, {xstart, xoffsets, 0, 0}    , ybuff, ystart, mtap, zbuff, {zstart, zoffsets, 0, zstep});      \
  }                                                                                                                 \
  /* more */                                                                                                        \
  template <typename TX, unsigned NX, typename TZ, unsigned NZ>                                                     \
    requires(::aie::detail::SumFits<TX, TZ, WIDE> && ::aie::detail::element_bits<TX> >= 32 &&                           \
             ::aie::detail::macs_per_cycle<TX, TZ>() >= 4 * L)                                                        \
  [[nodiscard]] inline auto NAME##_ct(ACC_PARAMETER const ::aie::vector<TX, NX>& xbuff, int xstart,                   \
                                      unsigned xoffsets, int xstep, int ystart, int mtap,                           \
                                      const ::aie::vector<TZ, NZ>& zbuff, int zstart, unsigned zoffsets, int zstep) { \
    return ::aie::detail::symmetric_mac<::aie::detail::Symmetry{SUBTRACT, ::aie::detail::Pair::PAIR, true},                                  \
                                      ::aie::detail::macs_per_cycle<TX, TZ>() / L>(                                   \
        START, xbuff, {xstart, xoffsets, 0, xstep}, xbuff, ystart, mtap, zbuff, {zstart, zoffsets, 0, zstep});      \
  }                                                                                                                 \
  template <typename TX, unsigned NX, typename TZ, unsigned NZ>                                                     \
    requires(::aie::detail::SumFits<TX, TZ, WIDE> && ::aie::detail::element_bits<TX> >= 32 &&                           \
             ::aie::detail::macs_per_cycle<TX, TZ>() >= 4 * L)                                                        \
  [[nodiscard]] inline auto NAME##_ct(ACC_PARAMETER const ::aie::vector<TX, NX>& xbuff, int xstart,                   \
                                      unsigned xoffsets, int xstep, const ::aie::vector<TX, NX>& ybuff, int ystart,   \
                                      int mtap, const ::aie::vector<TZ, NZ>& zbuff, int zstart, unsigned zoffsets,    \
                                      int zstep) {                                                                  \
    return ::aie::detail::symmetric_mac<::aie::detail::Symmetry{SUBTRACT, ::aie::detail::Pair::PAIR, true},                                  \
                                      ::aie::detail::macs_per_cycle<TX, TZ>() / L>(                                   \
        START, xbuff, {xstart, xoffsets, 0, xstep}, ybuff, ystart, mtap, zbuff, {zstart, zoffsets, 0, zstep});      \
  }
#define AIELOOM_ACC(L, WIDE) const ::aie::accum<::aie::detail::intrinsic_tag<TX, TZ, WIDE>, L>&acc,
#define AIELOOM_ZERO(L, WIDE) ::aie::zeros<::aie::detail::intrinsic_tag<TX, TZ, WIDE>, L>()
#define AIELOOM_NOTHING
#define AIELOOM_SYM_FAMILY(PREFIX, L, WIDE, SUFFIX, PAIR)                                                   \
  AIELOOM_SYM_FORMS(PREFIX##mac##L##SUFFIX, L, WIDE, AIELOOM_ACC(L, WIDE), acc, false, PAIR)                \
  AIELOOM_SYM_FORMS(PREFIX##msc##L##SUFFIX, L, WIDE, AIELOOM_ACC(L, WIDE), acc, true, PAIR)                 \
  AIELOOM_SYM_FORMS(PREFIX##mul##L##SUFFIX, L, WIDE, AIELOOM_NOTHING, AIELOOM_ZERO(L, WIDE), false, PAIR)   \
  AIELOOM_SYM_FORMS(PREFIX##negmul##L##SUFFIX, L, WIDE, AIELOOM_NOTHING, AIELOOM_ZERO(L, WIDE), true, PAIR)
#define AIELOOM_CENTER_FAMILY(PREFIX, L, WIDE, SUFFIX, PAIR)                                                 \
  AIELOOM_SYM_CENTER(PREFIX##mac##L##SUFFIX, L, WIDE, AIELOOM_ACC(L, WIDE), acc, false, PAIR)                \
  AIELOOM_SYM_CENTER(PREFIX##msc##L##SUFFIX, L, WIDE, AIELOOM_ACC(L, WIDE), acc, true, PAIR)                 \
  AIELOOM_SYM_CENTER(PREFIX##mul##L##SUFFIX, L, WIDE, AIELOOM_NOTHING, AIELOOM_ZERO(L, WIDE), false, PAIR)   \
  AIELOOM_SYM_CENTER(PREFIX##negmul##L##SUFFIX, L, WIDE, AIELOOM_NOTHING, AIELOOM_ZERO(L, WIDE), true, PAIR)
#define AIELOOM_SYM_LANES(PREFIX, L, WIDE)                      \
  AIELOOM_SYM_FAMILY(PREFIX, L, WIDE, _sym, sum)                \
  AIELOOM_SYM_FAMILY(PREFIX, L, WIDE, _antisym, difference)     \
  AIELOOM_CENTER_FAMILY(PREFIX, L, WIDE, _sym, sum)             \
  AIELOOM_CENTER_FAMILY(PREFIX, L, WIDE, _antisym, difference)  \
  AIELOOM_SYM_FAMILY(PREFIX, L, WIDE, _max, larger)             \
  AIELOOM_SYM_FAMILY(PREFIX, L, WIDE, _min, smaller)            \
  AIELOOM_SYM_FAMILY(PREFIX, L, WIDE, _maxdiff, excess)
AIELOOM_SYM_LANES(, 4, false)
AIELOOM_SYM_LANES(, 8, false)
AIELOOM_SYM_LANES(l, 2, true)
AIELOOM_SYM_LANES(l, 4, true)
AIELOOM_SYM_LANES(l, 8, true)
#undef AIELOOM_SYM_LANES
#undef AIELOOM_SYM_FAMILY
#undef AIELOOM_CENTER_FAMILY
#undef AIELOOM_SYM_CENTER
#undef AIELOOM_SYM_FORMS
#undef AIELOOM_ACC
#undef AIELOOM_ZERO

namespace aie::detail {

/// L lanes of 16-bit numbers: x and y are chosen as mac8 and mac16 choose x, each with its start and its square; y's
/// columns go the other way.
template <Symmetry S, unsigned L, unsigned N>
[[nodiscard]] inline accum<acc48, L> symmetric_mac_16(accum<acc48, L> acc, const vector<int16, N>& x,
                                                      const Selection& sx, const vector<int16, N>& y, int ystart,
                                                      unsigned ysquare, const v16int16& z, const Selection& sz) {
  if ((sx.start | ystart | sx.step) % 2 != 0) [[unlikely]] {
    aieloom::refuse("aie-mac",
                    "MAC intrinsics with 16-bit data: xstart, ystart and xstep must be even, data are chosen by 32 bits",
                    "use even starts, xsquare and ysquare to move by one element");
  }
  aieloom::count_mac(1, 32);
  const Selection sy{ystart, sx.offsets, sx.offsets_hi, -sx.step, ysquare};
  using Lane = lane_type<acc48>;
  for (unsigned l = 0; l < L; ++l) {
    for (unsigned c = 0; c < 32 / L; ++c) {
      const int16 factor = z.lanes_.get(z_index<16>(sz, l, c));
      const Lane p = pair_product<S.pair, Lane>(x.lanes_.get(x_index<int16, N>(sx, l, c)),
                                                y.lanes_.get(x_index<int16, N>(sy, l, c)), factor);
      acc.lanes_[l] = S.subtract ? lane_sub(acc.lanes_[l], p) : lane_add(acc.lanes_[l], p);
    }
  }
  return acc;
}

}  // namespace aie::detail

// 16 lanes of two columns, with offsets for both halves; 8 lanes of four columns, with a step.
#define AIELOOM_SYM_16(NAME, ACC_PARAMETER, START, SUBTRACT, PAIR)                                                    \
  template <unsigned N>                                                                                               \
  [[nodiscard]] inline v16acc48 NAME(ACC_PARAMETER const ::aie::vector<int16, N>& xbuff, int xstart,                    \
      unsigned xoffsets, unsigned xoffsets_hi, unsigned xsquare, int ystart,                                          \
      unsigned ysquare, const v16int16& zbuff, int zstart, unsigned zoffsets, unsigned zoffsets_hi, int zstep) {      \
    return ::aie::detail::symmetric_mac_16<::aie::detail::Symmetry{SUBTRACT, ::aie::detail::Pair::PAIR, false}, 16>(                           \
        START, xbuff, {xstart, xoffsets, xoffsets_hi, 0, xsquare}, xbuff, ystart, ysquare, zbuff, {zstart, zoffsets, zoffsets_hi, zstep});\
  }                                                                                                                   \
  template <unsigned N>                                                                                               \
  [[nodiscard]] inline v16acc48 NAME(ACC_PARAMETER const ::aie::vector<int16, N>& xbuff, int xstart,                    \
      unsigned xoffsets, unsigned xoffsets_hi, unsigned xsquare, const ::aie::vector<int16, N>& ybuff, int ystart,      \
      unsigned ysquare, const v16int16& zbuff, int zstart, unsigned zoffsets, unsigned zoffsets_hi, int zstep) {      \
    return ::aie::detail::symmetric_mac_16<::aie::detail::Symmetry{SUBTRACT, ::aie::detail::Pair::PAIR, false}, 16>(                           \
        START, xbuff, {xstart, xoffsets, xoffsets_hi, 0, xsquare}, ybuff, ystart, ysquare, zbuff, {zstart, zoffsets, zoffsets_hi, zstep});\
  }
#define AIELOOM_SYM_8(NAME, ACC_PARAMETER, START, SUBTRACT, PAIR)                                                     \
  template <unsigned N>                                                                                               \
  [[nodiscard]] inline v8acc48 NAME(ACC_PARAMETER const ::aie::vector<int16, N>& xbuff, int xstart,                     \
      unsigned xoffsets, int xstep, unsigned xsquare, int ystart,                                                     \
      unsigned ysquare, const v16int16& zbuff, int zstart, unsigned zoffsets, int zstep) {                            \
    return ::aie::detail::symmetric_mac_16<::aie::detail::Symmetry{SUBTRACT, ::aie::detail::Pair::PAIR, false}, 8>(                            \
        START, xbuff, {xstart, xoffsets, 0, xstep, xsquare}, xbuff, ystart, ysquare, zbuff, {zstart, zoffsets, 0, zstep});\
  }                                                                                                                   \
  template <unsigned N>                                                                                               \
  [[nodiscard]] inline v8acc48 NAME(ACC_PARAMETER const ::aie::vector<int16, N>& xbuff, int xstart,                     \
      unsigned xoffsets, int xstep, unsigned xsquare, const ::aie::vector<int16, N>& ybuff, int ystart,                 \
      unsigned ysquare, const v16int16& zbuff, int zstart, unsigned zoffsets, int zstep) {                            \
    return ::aie::detail::symmetric_mac_16<::aie::detail::Symmetry{SUBTRACT, ::aie::detail::Pair::PAIR, false}, 8>(                            \
        START, xbuff, {xstart, xoffsets, 0, xstep, xsquare}, ybuff, ystart, ysquare, zbuff, {zstart, zoffsets, 0, zstep});\
  }
#define AIELOOM_ACC(L) const v##L##acc48 &acc,
#define AIELOOM_SYM_16_FAMILY(L, SUFFIX, PAIR)                                               \
  AIELOOM_SYM_##L(mac##L##SUFFIX, AIELOOM_ACC(L), acc, false, PAIR)                          \
  AIELOOM_SYM_##L(msc##L##SUFFIX, AIELOOM_ACC(L), acc, true, PAIR)                           \
  AIELOOM_SYM_##L(mul##L##SUFFIX, AIELOOM_NOTHING, null_v##L##acc48(), false, PAIR)          \
  AIELOOM_SYM_##L(negmul##L##SUFFIX, AIELOOM_NOTHING, null_v##L##acc48(), true, PAIR)
AIELOOM_SYM_16_FAMILY(16, _sym, sum)
AIELOOM_SYM_16_FAMILY(16, _antisym, difference)
AIELOOM_SYM_16_FAMILY(16, _max, larger)
AIELOOM_SYM_16_FAMILY(16, _min, smaller)
AIELOOM_SYM_16_FAMILY(16, _maxdiff, excess)
AIELOOM_SYM_16_FAMILY(8, _sym, sum)
AIELOOM_SYM_16_FAMILY(8, _antisym, difference)
AIELOOM_SYM_16_FAMILY(8, _max, larger)
AIELOOM_SYM_16_FAMILY(8, _min, smaller)
AIELOOM_SYM_16_FAMILY(8, _maxdiff, excess)
#undef AIELOOM_SYM_8
#undef AIELOOM_SYM_16_FAMILY
#undef AIELOOM_SYM_16
#undef AIELOOM_ACC
#undef AIELOOM_NOTHING
