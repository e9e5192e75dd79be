// Shuffles, selections and lane-by-lane operations of AIE on integers [UG1078, reduced lane addressing; UG1079 Data
// Shuffle].
//
// Elements of 32 bits or more: lane i takes xbuf[(xstart + nibble i) mod size]. Elements of 16 bits are chosen in
// pairs, as for MACs; the square permutes each group of four lanes.
#pragma once

#include "aie_api/detail/native_mac.h"

namespace aie::detail {

/// Lane by lane for elements of 32 bits and more.
template <unsigned L, typename T, unsigned N>
[[nodiscard]] inline vector<T, L> choose_lanes(const vector<T, N>& v, int start, unsigned low, unsigned high) {
  static_assert(element_bits<T> >= 32, "this form of shuffle and select takes elements of 32 bits or more");
  aieloom::count_shuffle();
  vector<T, L> out;
  for (unsigned i = 0; i < L; ++i) {
    out.lanes_.set(i, v.lanes_.get((static_cast<unsigned>(start) + nibble(low, high, i)) % N));
  }
  return out;
}

/// 32 lanes of 16 bits: nibble k of the offsets gives lanes 2 k and 2 k + 1; an odd nibble counts from the even one
/// before it, plus one. The square permutes each group of four lanes.
template <unsigned N>
[[nodiscard]] inline vector<int16, 32> choose_pairs(const vector<int16, N>& v, int start, unsigned low, unsigned high,
                                                    unsigned square) {
  if (start % 2 != 0) [[unlikely]] {
    aieloom::refuse("aie-mac", "shuffles of 16-bit elements: the start must be even, data are chosen by 32 bits",
                    "use the square to move by one element");
  }
  aieloom::count_shuffle();
  vector<int16, 32> out;
  for (unsigned i = 0; i < 32; ++i) {
    const unsigned chosen = nibble(square, i % 4);
    const unsigned even = i / 4 * 2;
    unsigned base = nibble(low, high, even);
    if (chosen >= 2) {
      base += nibble(low, high, even + 1) + 1;
    }
    out.lanes_.set(i, v.lanes_.get((static_cast<unsigned>(start) + 2 * base + chosen % 2) % N));
  }
  return out;
}

}  // namespace aie::detail

template <typename T, unsigned N>
[[nodiscard]] inline ::aie::vector<T, 8> shuffle8(const ::aie::vector<T, N>& xbuff, int xstart, unsigned xoffsets) {
  return ::aie::detail::choose_lanes<8>(xbuff, xstart, xoffsets, 0);
}
template <typename T, unsigned N>
[[nodiscard]] inline ::aie::vector<T, 16> shuffle16(const ::aie::vector<T, N>& xbuff, int xstart, unsigned xoffsets,
                                                  unsigned xoffsets_hi) {
  return ::aie::detail::choose_lanes<16>(xbuff, xstart, xoffsets, xoffsets_hi);
}
template <unsigned N>
[[nodiscard]] inline v32int16 shuffle32(const ::aie::vector<int16, N>& xbuff, int xstart, unsigned xoffsets,
                                        unsigned xoffsets_hi, unsigned xsquare) {
  return ::aie::detail::choose_pairs(xbuff, xstart, xoffsets, xoffsets_hi, xsquare);
}

/// Lane i from the first choice where bit i of `select` is 0, from the second where it is 1.
template <typename T, unsigned N>
[[nodiscard]] inline ::aie::vector<T, 8> select8(unsigned select, const ::aie::vector<T, N>& xbuff, int xstart,
                                               unsigned xoffsets, int ystart, unsigned yoffsets) {
  return ::aie::select(shuffle8(xbuff, xstart, xoffsets), shuffle8(xbuff, ystart, yoffsets),
                     ::aie::mask<8>::from_uint32(select));
}
template <typename T, unsigned N>
[[nodiscard]] inline ::aie::vector<T, 8> select8(unsigned select, const ::aie::vector<T, N>& xbuff, int xstart,
                                               unsigned xoffsets, const ::aie::vector<T, N>& ybuff, int ystart,
                                               unsigned yoffsets) {
  return ::aie::select(shuffle8(xbuff, xstart, xoffsets), shuffle8(ybuff, ystart, yoffsets),
                     ::aie::mask<8>::from_uint32(select));
}
template <typename T, unsigned N>
[[nodiscard]] inline ::aie::vector<T, 16> select16(unsigned select, const ::aie::vector<T, N>& xbuff, int xstart,
                                                 unsigned xoffsets, unsigned xoffsets_hi, int ystart, unsigned yoffsets,
                                                 unsigned yoffsets_hi) {
  return ::aie::select(shuffle16(xbuff, xstart, xoffsets, xoffsets_hi), shuffle16(xbuff, ystart, yoffsets, yoffsets_hi),
                     ::aie::mask<16>::from_uint32(select));
}
template <typename T, unsigned N>
[[nodiscard]] inline ::aie::vector<T, 16> select16(unsigned select, const ::aie::vector<T, N>& xbuff, int xstart,
                                                 unsigned xoffsets, unsigned xoffsets_hi,
                                                 const ::aie::vector<T, N>& ybuff, int ystart, unsigned yoffsets,
                                                 unsigned yoffsets_hi) {
  return ::aie::select(shuffle16(xbuff, xstart, xoffsets, xoffsets_hi), shuffle16(ybuff, ystart, yoffsets, yoffsets_hi),
                     ::aie::mask<16>::from_uint32(select));
}
template <unsigned N>
[[nodiscard]] inline v32int16 select32(unsigned select, const ::aie::vector<int16, N>& xbuff, int xstart,
                                       unsigned xoffsets, unsigned xoffsets_hi, unsigned xsquare, int ystart,
                                       unsigned yoffsets, unsigned yoffsets_hi, unsigned ysquare) {
  return ::aie::select(shuffle32(xbuff, xstart, xoffsets, xoffsets_hi, xsquare),
                     shuffle32(xbuff, ystart, yoffsets, yoffsets_hi, ysquare), ::aie::mask<32>::from_uint32(select));
}

/// Whole vectors, lane by lane.
#define AIELOOM_SELECT(L)                                                                       \
  template <typename T>                                                                         \
  [[nodiscard]] inline ::aie::vector<T, L> select##L(unsigned select, const ::aie::vector<T, L>& x, \
                                                   const ::aie::vector<T, L>& y) {                \
    return ::aie::select(x, y, ::aie::mask<L>::from_uint32(select));                                \
  }
AIELOOM_SELECT(8)
AIELOOM_SELECT(16)
AIELOOM_SELECT(32)
#undef AIELOOM_SELECT

// Lane by lane, with the number of lanes in the name: max32(a, b) on 32 elements of 16 bits, ...
#define AIELOOM_LANES(NAME, FUNCTION, L)                                                                   \
  template <typename T>                                                                                    \
  [[nodiscard]] inline ::aie::vector<T, L> NAME##L(const ::aie::vector<T, L>& a, const ::aie::vector<T, L>& b) { \
    return FUNCTION(a, b);                                                                                 \
  }
#define AIELOOM_LANE_SIZES(NAME, FUNCTION) \
  AIELOOM_LANES(NAME, FUNCTION, 8) AIELOOM_LANES(NAME, FUNCTION, 16) AIELOOM_LANES(NAME, FUNCTION, 32)
AIELOOM_LANE_SIZES(add, ::aie::add)
AIELOOM_LANE_SIZES(sub, ::aie::sub)
AIELOOM_LANE_SIZES(max, ::aie::max)
AIELOOM_LANE_SIZES(min, ::aie::min)
AIELOOM_LANE_SIZES(maxdiff, ::aie::maxdiff)
#undef AIELOOM_LANE_SIZES
#undef AIELOOM_LANES
// The same of chosen lanes, of one buffer or of two [UG1078, reduced lane addressing].
#define AIELOOM_CHOSEN(NAME, FUNCTION)                                                                                 \
  template <unsigned N>                                                                                                \
  [[nodiscard]] inline auto NAME##32(const ::aie::vector<int16, N>& xbuff, int xstart, unsigned xoffsets,                \
                                     unsigned xoffsets_hi, unsigned xsquare, int ystart, unsigned yoffsets,            \
                                     unsigned yoffsets_hi, unsigned ysquare) {                                         \
    return FUNCTION(shuffle32(xbuff, xstart, xoffsets, xoffsets_hi, xsquare),                                          \
                    shuffle32(xbuff, ystart, yoffsets, yoffsets_hi, ysquare));                                         \
  }                                                                                                                    \
  template <unsigned N>                                                                                                \
  [[nodiscard]] inline auto NAME##32(const ::aie::vector<int16, N>& xbuff, int xstart, unsigned xoffsets,                \
                                     unsigned xoffsets_hi, unsigned xsquare, const ::aie::vector<int16, N>& ybuff,       \
                                     int ystart, unsigned yoffsets, unsigned yoffsets_hi, unsigned ysquare) {          \
    return FUNCTION(shuffle32(xbuff, xstart, xoffsets, xoffsets_hi, xsquare),                                          \
                    shuffle32(ybuff, ystart, yoffsets, yoffsets_hi, ysquare));                                         \
  }                                                                                                                    \
  template <typename T, unsigned N>                                                                                    \
  [[nodiscard]] inline auto NAME##16(const ::aie::vector<T, N>& xbuff, int xstart, unsigned xoffsets,                    \
                                     unsigned xoffsets_hi, int ystart, unsigned yoffsets, unsigned yoffsets_hi) {      \
    return FUNCTION(shuffle16(xbuff, xstart, xoffsets, xoffsets_hi), shuffle16(xbuff, ystart, yoffsets, yoffsets_hi)); \
  }                                                                                                                    \
  template <typename T, unsigned N>                                                                                    \
  [[nodiscard]] inline auto NAME##16(const ::aie::vector<T, N>& xbuff, int xstart, unsigned xoffsets,                    \
                                     unsigned xoffsets_hi, const ::aie::vector<T, N>& ybuff, int ystart,                 \
                                     unsigned yoffsets, unsigned yoffsets_hi) {                                        \
    return FUNCTION(shuffle16(xbuff, xstart, xoffsets, xoffsets_hi), shuffle16(ybuff, ystart, yoffsets, yoffsets_hi)); \
  }                                                                                                                    \
  template <typename T, unsigned N>                                                                                    \
  [[nodiscard]] inline auto NAME##8(const ::aie::vector<T, N>& xbuff, int xstart, unsigned xoffsets, int ystart,         \
                                    unsigned yoffsets) {                                                               \
    return FUNCTION(shuffle8(xbuff, xstart, xoffsets), shuffle8(xbuff, ystart, yoffsets));                             \
  }
AIELOOM_CHOSEN(add, ::aie::add)
AIELOOM_CHOSEN(sub, ::aie::sub)
AIELOOM_CHOSEN(max, ::aie::max)
AIELOOM_CHOSEN(min, ::aie::min)
AIELOOM_CHOSEN(maxdiff, ::aie::maxdiff)
// The same with the word of lanes of which y was taken, as aie::max_cmp gives it (Xilinx/aie_api makes it of these).
#define AIELOOM_MAXIMUM_WORD(NAME, FUNCTION)                                                                           \
  template <unsigned N>                                                                                                \
  [[nodiscard]] inline v32int16 NAME##32(const ::aie::vector<int16, N>& xbuff, int xstart, unsigned xoffsets,            \
                                         unsigned xoffsets_hi, unsigned xsquare, int ystart, unsigned yoffsets,        \
                                         unsigned yoffsets_hi, unsigned ysquare, unsigned& cmp) {                      \
    return NAME##32(xbuff, xstart, xoffsets, xoffsets_hi, xsquare, xbuff, ystart, yoffsets, yoffsets_hi, ysquare, cmp); \
  }                                                                                                                    \
  template <unsigned N>                                                                                                \
  [[nodiscard]] inline v32int16 NAME##32(const ::aie::vector<int16, N>& xbuff, int xstart, unsigned xoffsets,            \
                                         unsigned xoffsets_hi, unsigned xsquare, const ::aie::vector<int16, N>& ybuff,   \
                                         int ystart, unsigned yoffsets, unsigned yoffsets_hi, unsigned ysquare,        \
                                         unsigned& cmp) {                                                              \
    const auto [value, taken] = FUNCTION(shuffle32(xbuff, xstart, xoffsets, xoffsets_hi, xsquare),                     \
                                         shuffle32(ybuff, ystart, yoffsets, yoffsets_hi, ysquare));                    \
    cmp = taken.to_uint32();                                                                                           \
    return value;                                                                                                      \
  }                                                                                                                    \
  template <unsigned N>                                                                                                \
  [[nodiscard]] inline v16int32 NAME##16(const ::aie::vector<int32, N>& xbuff, int xstart, unsigned xoffsets,            \
                                         unsigned xoffsets_hi, const ::aie::vector<int32, N>& ybuff, int ystart,         \
                                         unsigned yoffsets, unsigned yoffsets_hi, unsigned& cmp) {                     \
    const auto [value, taken] = FUNCTION(shuffle16(xbuff, xstart, xoffsets, xoffsets_hi),                              \
                                         shuffle16(ybuff, ystart, yoffsets, yoffsets_hi));                             \
    cmp = taken.to_uint32();                                                                                           \
    return value;                                                                                                      \
  }                                                                                                                    \
  template <unsigned N>                                                                                                \
  [[nodiscard]] inline v16int32 NAME##16(const ::aie::vector<int32, N>& xbuff, int xstart, unsigned xoffsets,            \
                                         unsigned xoffsets_hi, int ystart, unsigned yoffsets, unsigned yoffsets_hi,    \
                                         unsigned& cmp) {                                                              \
    return NAME##16(xbuff, xstart, xoffsets, xoffsets_hi, xbuff, ystart, yoffsets, yoffsets_hi, cmp);                  \
  }
AIELOOM_MAXIMUM_WORD(maxcmp, ::aie::max_cmp)
AIELOOM_MAXIMUM_WORD(mincmp, ::aie::min_cmp)
#undef AIELOOM_MAXIMUM_WORD
// Comparisons give a word with a bit for each lane [UG1078, Vector Compare].
#define AIELOOM_COMPARED(NAME, FUNCTION)                                                                           \
  namespace aie::detail {                                                                                \
  template <typename T, unsigned N>                                                                      \
  [[nodiscard]] inline unsigned NAME##_word(const vector<T, N>& a, const vector<T, N>& b) {              \
    return ::aie::FUNCTION(a, b).to_uint32();                                                                  \
  }                                                                                                      \
  }                                                                                                      \
  [[nodiscard]] inline unsigned NAME##16(const v16int32& a, const v16int32& b) {                         \
    return ::aie::detail::NAME##_word(a, b);                                                               \
  }                                                                                                      \
  [[nodiscard]] inline unsigned NAME##32(const v32int16& a, const v32int16& b) {                         \
    return ::aie::detail::NAME##_word(a, b);                                                               \
  }                                                                                                      \
  AIELOOM_CHOSEN(NAME, ::aie::detail::NAME##_word)
AIELOOM_COMPARED(eq, eq)
AIELOOM_COMPARED(ge, ge)
AIELOOM_COMPARED(gt, gt)
AIELOOM_COMPARED(le, le)
AIELOOM_COMPARED(lt, lt)
AIELOOM_COMPARED(ne, neq)
#undef AIELOOM_COMPARED
#undef AIELOOM_CHOSEN
#define AIELOOM_ABS(L)                                                        \
  template <typename T>                                                       \
  [[nodiscard]] inline ::aie::vector<T, L> abs##L(const ::aie::vector<T, L>& a) { \
    return ::aie::abs(a);                                                       \
  }
AIELOOM_ABS(8)
AIELOOM_ABS(16)
AIELOOM_ABS(32)
#undef AIELOOM_ABS
template <unsigned N>
[[nodiscard]] inline v32int16 abs32(const ::aie::vector<int16, N>& xbuff, int xstart, unsigned xoffsets,
                                    unsigned xoffsets_hi, unsigned xsquare) {
  return ::aie::abs(shuffle32(xbuff, xstart, xoffsets, xoffsets_hi, xsquare));
}
template <unsigned N>
[[nodiscard]] inline v16int32 abs16(const ::aie::vector<int32, N>& xbuff, int xstart, unsigned xoffsets,
                                    unsigned xoffsets_hi) {
  return ::aie::abs(shuffle16(xbuff, xstart, xoffsets, xoffsets_hi));
}
