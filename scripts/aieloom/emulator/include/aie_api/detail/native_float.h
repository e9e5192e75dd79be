// Floating point intrinsics of AIE: eight lanes (four complex), each operand chosen by start and offsets [UG1078].
//
// Lane i takes xbuf[(xstart + nibble i of xoffs) mod size] and zbuf[(zstart + nibble i of zoffs) mod size].
#pragma once

#include "aie_api/detail/compare.h"
#include "aie_api/detail/native_types.h"

namespace aie::detail {

/// Number `i` of the 4-bit offsets.
constexpr unsigned nibble(unsigned offsets, unsigned i) { return offsets >> (4 * i) & 15U; }
constexpr unsigned nibble(unsigned low, unsigned high, unsigned i) {
  return i < 8 ? nibble(low, i) : nibble(high, i - 8);
}

template <typename T>
inline constexpr unsigned kFloatLanes = 256 / element_bits<T>;
template <typename T>
using float_lanes = vector<T, kFloatLanes<T>>;

template <typename T, unsigned N>
[[nodiscard]] inline float_lanes<T> choose(const vector<T, N>& v, int start, unsigned offsets) {
  static_assert(is_one_of<T, float, cfloat>, "floating point intrinsics take float or cfloat vectors");
  float_lanes<T> out;
  for (unsigned i = 0; i < kFloatLanes<T>; ++i) {
    out.lanes_.set(i, v.lanes_.get((static_cast<unsigned>(start) + nibble(offsets, i)) % N));
  }
  return out;
}

/// As many lanes of floats as there are of T: real factors of complex numbers.
template <typename T, typename TZ, unsigned N>
[[nodiscard]] inline auto choose_factors(const vector<TZ, N>& v, int start, unsigned offsets) {
  vector<TZ, kFloatLanes<TZ>> lanes = choose(v, start, offsets);
  if constexpr (kFloatLanes<TZ> == kFloatLanes<T>) {
    return lanes;
  } else {
    return lanes.template extract<kFloatLanes<T>>(0);
  }
}
template <typename TX, typename TZ>
concept FloatPair = is_one_of<TX, float, cfloat> && (std::is_same_v<TX, TZ> || std::is_same_v<TZ, float>);

/// acc (+ or -) x * z, product and sum rounded apart.
template <bool Subtract, typename TX, typename TZ>
[[nodiscard]] inline auto float_mac(const auto& acc, const vector<TX, kFloatLanes<TX>>& x,
                                    const vector<TZ, kFloatLanes<TX>>& z) {
  using A = std::remove_cvref_t<decltype(acc)>;
  aieloom::count_mac(1, A::size());
  A out;
  for (unsigned i = 0; i < A::size(); ++i) {
    const auto p = x.lanes_.get(i) * z.lanes_.get(i);
    out.lanes_.set(i, Subtract ? acc.lanes_.get(i) - p : acc.lanes_.get(i) + p);
  }
  return out;
}
template <bool Negate, typename T, typename TZ = T>
[[nodiscard]] inline vector<T, kFloatLanes<T>> float_mul(const vector<T, kFloatLanes<T>>& x,
                                                         const vector<TZ, kFloatLanes<T>>& z) {
  aieloom::count_mac(1, kFloatLanes<T>);
  vector<T, kFloatLanes<T>> out;
  for (unsigned i = 0; i < kFloatLanes<T>; ++i) {
    const T p = x.lanes_.get(i) * z.lanes_.get(i);
    out.lanes_.set(i, Negate ? -p : p);
  }
  return out;
}

}  // namespace aie::detail

#define AIELOOM_FLOAT_MAC(NAME, SUBTRACT)                                                         \
  [[nodiscard]] inline v8float NAME(const v8float& acc, const v8float& x, const v8float& z) {     \
    return ::aie::detail::float_mac<SUBTRACT, float, float>(acc, x, z);                             \
  }                                                                                               \
  [[nodiscard]] inline v4cfloat NAME(const v4cfloat& acc, const v4cfloat& x, const v4cfloat& z) { \
    return ::aie::detail::float_mac<SUBTRACT, cfloat, cfloat>(acc, x, z);                           \
  }                                                                                               \
  template <typename T, unsigned N, typename TZ, unsigned M>                                      \
    requires ::aie::detail::FloatPair<T, TZ>                                                        \
  [[nodiscard]] inline auto NAME(const ::aie::vector<T, ::aie::detail::kFloatLanes<T>>& acc,          \
                                 const ::aie::vector<T, N>& xbuf, int xstart, unsigned xoffs,       \
                                 const ::aie::vector<TZ, M>& zbuf, int zstart, unsigned zoffs) {    \
    return ::aie::detail::float_mac<SUBTRACT, T, TZ>(                                               \
        acc, ::aie::detail::choose(xbuf, xstart, xoffs),                                            \
        ::aie::detail::choose_factors<T>(zbuf, zstart, zoffs));                                     \
  }                                                                                               \
  template <typename T, unsigned N>                                                               \
  [[nodiscard]] inline auto NAME(const ::aie::vector<T, ::aie::detail::kFloatLanes<T>>& acc,          \
                                 const ::aie::vector<T, N>& xbuf, int xstart, unsigned xoffs,       \
                                 int ystart, unsigned yoffs) {                                    \
    return ::aie::detail::float_mac<SUBTRACT, T, T>(acc, ::aie::detail::choose(xbuf, xstart, xoffs),  \
                                                  ::aie::detail::choose(xbuf, ystart, yoffs));      \
  }
AIELOOM_FLOAT_MAC(fpmac, false)
AIELOOM_FLOAT_MAC(fpmsc, true)
#undef AIELOOM_FLOAT_MAC

#define AIELOOM_FLOAT_MUL(NAME, NEGATE)                                                       \
  [[nodiscard]] inline v8float NAME(const v8float& x, const v8float& z) {                     \
    return ::aie::detail::float_mul<NEGATE, float>(x, z);                                       \
  }                                                                                           \
  [[nodiscard]] inline v4cfloat NAME(const v4cfloat& x, const v4cfloat& z) {                  \
    return ::aie::detail::float_mul<NEGATE, cfloat>(x, z);                                      \
  }                                                                                           \
  template <typename T, unsigned N, typename TZ, unsigned M>                                  \
    requires ::aie::detail::FloatPair<T, TZ>                                                    \
  [[nodiscard]] inline auto NAME(const ::aie::vector<T, N>& xbuf, int xstart, unsigned xoffs,   \
                                 const ::aie::vector<TZ, M>& zbuf, int zstart,                  \
                                 unsigned zoffs) {                                            \
    return ::aie::detail::float_mul<NEGATE, T, TZ>(                                             \
        ::aie::detail::choose(xbuf, xstart, xoffs),                                             \
        ::aie::detail::choose_factors<T>(zbuf, zstart, zoffs));                                 \
  }                                                                                           \
  /* self-multiplication: both operands from one buffer */                                    \
  template <typename T, unsigned N>                                                           \
  [[nodiscard]] inline auto NAME(const ::aie::vector<T, N>& xbuf, int xstart, unsigned xoffs,   \
                                 int ystart, unsigned yoffs) {                                \
    return ::aie::detail::float_mul<NEGATE, T>(::aie::detail::choose(xbuf, xstart, xoffs),        \
                                             ::aie::detail::choose(xbuf, ystart, yoffs));       \
  }
AIELOOM_FLOAT_MUL(fpmul, false)
AIELOOM_FLOAT_MUL(fpneg_mul, true)
#undef AIELOOM_FLOAT_MUL

// acc and the chosen lanes of xbuf, without a product.
#define AIELOOM_FLOAT_PAIR(NAME, FUNCTION)                                                    \
  template <typename T>                                                                       \
    requires ::aie::detail::is_one_of<T, float, cfloat>                                         \
  [[nodiscard]] inline auto NAME(const ::aie::vector<T, ::aie::detail::kFloatLanes<T>>& acc,      \
                                 const ::aie::vector<T, ::aie::detail::kFloatLanes<T>>& x) {      \
    return FUNCTION(acc, x);                                                                  \
  }                                                                                           \
  template <typename T, unsigned N>                                                           \
  [[nodiscard]] inline auto NAME(const ::aie::vector<T, ::aie::detail::kFloatLanes<T>>& acc,      \
                                 const ::aie::vector<T, N>& xbuf, int xstart, unsigned xoffs) { \
    return FUNCTION(acc, ::aie::detail::choose(xbuf, xstart, xoffs));                           \
  }
AIELOOM_FLOAT_PAIR(fpadd, ::aie::add)
AIELOOM_FLOAT_PAIR(fpsub, ::aie::sub)
AIELOOM_FLOAT_PAIR(fpmax, ::aie::max)
AIELOOM_FLOAT_PAIR(fpmin, ::aie::min)
#undef AIELOOM_FLOAT_PAIR

/// Bit i: lane i of acc is below (not below) the chosen lane of xbuf.
template <unsigned N>
[[nodiscard]] inline unsigned fplt(const v8float& acc, const ::aie::vector<float, N>& xbuf, int xstart, unsigned xoffs) {
  return ::aie::lt(acc, ::aie::detail::choose(xbuf, xstart, xoffs)).to_uint32();
}
template <unsigned N>
[[nodiscard]] inline unsigned fpge(const v8float& acc, const ::aie::vector<float, N>& xbuf, int xstart, unsigned xoffs) {
  return ::aie::ge(acc, ::aie::detail::choose(xbuf, xstart, xoffs)).to_uint32();
}

[[nodiscard]] inline v8float fpneg(const v8float& x) { return ::aie::neg(x); }
[[nodiscard]] inline v8float fpabs(const v8float& x) { return ::aie::abs(x); }
template <typename T, unsigned N>
[[nodiscard]] inline auto fpneg(const ::aie::vector<T, N>& xbuf, int xstart, unsigned xoffs) {
  return ::aie::neg(::aie::detail::choose(xbuf, xstart, xoffs));
}
template <unsigned N>
[[nodiscard]] inline v8float fpabs(const ::aie::vector<float, N>& xbuf, int xstart, unsigned xoffs) {
  return ::aie::abs(::aie::detail::choose(xbuf, xstart, xoffs));
}
template <typename T, unsigned N>
[[nodiscard]] inline auto fpshuffle(const ::aie::vector<T, N>& xbuf, int xstart, unsigned xoffs) {
  return ::aie::detail::choose(xbuf, xstart, xoffs);
}
/// Sixteen lanes (eight of cfloat), by offsets for the lower and the upper half.
template <typename T, unsigned N>
[[nodiscard]] inline auto fpshuffle16(const ::aie::vector<T, N>& xbuf, int xstart, unsigned xoffs, unsigned xoffs_hi) {
  return ::aie::concat(::aie::detail::choose(xbuf, xstart, xoffs), ::aie::detail::choose(xbuf, xstart, xoffs_hi));
}
template <unsigned N>
[[nodiscard]] inline v16float fpselect16(unsigned select, const ::aie::vector<float, N>& xbuf, int xstart, unsigned xoffs,
                                         unsigned xoffs_hi, int ystart, unsigned yoffs, unsigned yoffs_hi) {
  return ::aie::select(fpshuffle16(xbuf, xstart, xoffs, xoffs_hi), fpshuffle16(xbuf, ystart, yoffs, yoffs_hi),
                     ::aie::mask<16>::from_uint32(select));
}
template <unsigned N>
[[nodiscard]] inline v16float fpselect16(unsigned select, const ::aie::vector<float, N>& xbuf, int xstart, unsigned xoffs,
                                         unsigned xoffs_hi, const ::aie::vector<float, N>& ybuf, int ystart,
                                         unsigned yoffs, unsigned yoffs_hi) {
  return ::aie::select(fpshuffle16(xbuf, xstart, xoffs, xoffs_hi), fpshuffle16(ybuf, ystart, yoffs, yoffs_hi),
                     ::aie::mask<16>::from_uint32(select));
}
/// Lane i from the first choice where bit i of `select` is 0, from the second where it is 1.
template <unsigned N>
[[nodiscard]] inline v8float fpselect(unsigned select, const ::aie::vector<float, N>& xbuf, int xstart, unsigned xoffs,
                                      int ystart, unsigned yoffs) {
  return ::aie::select(::aie::detail::choose(xbuf, xstart, xoffs), ::aie::detail::choose(xbuf, ystart, yoffs),
                     ::aie::mask<8>::from_uint32(select));
}

template <unsigned N>
[[nodiscard]] inline v8float fpselect(unsigned select, const ::aie::vector<float, N>& xbuf, int xstart, unsigned xoffs,
                                      const ::aie::vector<float, N>& ybuf, int ystart, unsigned yoffs) {
  return ::aie::select(::aie::detail::choose(xbuf, xstart, xoffs), ::aie::detail::choose(ybuf, ystart, yoffs),
                     ::aie::mask<8>::from_uint32(select));
}
/// Eight lanes of either type.
template <typename T, unsigned N>
[[nodiscard]] inline ::aie::vector<T, 8> fpshuffle8(const ::aie::vector<T, N>& xbuf, int xstart, unsigned xoffs) {
  static_assert(::aie::detail::is_one_of<T, float, cfloat>, "fpshuffle8: float or cfloat");
  ::aie::vector<T, 8> out;
  for (unsigned i = 0; i < 8; ++i) {
    out.lanes_.set(i, xbuf.lanes_.get((static_cast<unsigned>(xstart) + ::aie::detail::nibble(xoffs, i)) % N));
  }
  return out;
}
/// The second choice: of a buffer of its own, or of the first one's.
template <typename T, unsigned N>
[[nodiscard]] inline ::aie::vector<T, 8> fpselect8(unsigned select, const ::aie::vector<T, N>& xbuf, int xstart,
                                                 unsigned xoffs, const ::aie::vector<T, N>& ybuf, int ystart,
                                                 unsigned yoffs) {
  const auto bits = ::aie::mask<8>::from_uint32(select);
  return ::aie::select(fpshuffle8(xbuf, xstart, xoffs), fpshuffle8(ybuf, ystart, yoffs), bits);
}
template <typename T, unsigned N>
[[nodiscard]] inline ::aie::vector<T, 8> fpselect8(unsigned select, const ::aie::vector<T, N>& xbuf, int xstart,
                                                 unsigned xoffs, int ystart, unsigned yoffs) {
  return fpselect8(select, xbuf, xstart, xoffs, xbuf, ystart, yoffs);
}

// On AIE the accumulators of floats are vector registers: what takes a v8float takes an accum<accfloat, 8>.
namespace aie::detail {

template <typename X>
inline constexpr bool is_float_sum = false;
template <unsigned N>
inline constexpr bool is_float_sum<accum<accfloat, N>> = true;
template <unsigned N>
inline constexpr bool is_float_sum<accum<caccfloat, N>> = true;

template <typename X>
[[nodiscard]] inline auto as_registers(const X& x) {
  if constexpr (is_float_sum<X>) {
    return x.template to_vector<std::conditional_t<is_float_sum<X> && tag_info<typename X::value_type>.is_complex, cfloat, float>>();
  } else {
    return x;
  }
}

}  // namespace aie::detail

#define AIELOOM_OF_SUMS(NAME)                                                                                     \
  template <typename First, typename... Rest>                                                                     \
    requires(::aie::detail::is_float_sum<First> || (::aie::detail::is_float_sum<Rest> || ...))                        \
  [[nodiscard]] inline auto NAME(const First& first, const Rest&... rest) {                                       \
    return NAME(::aie::detail::as_registers(first), ::aie::detail::as_registers(rest)...);                            \
  }
AIELOOM_OF_SUMS(fpmac)
AIELOOM_OF_SUMS(fpmsc)
AIELOOM_OF_SUMS(fpmul)
AIELOOM_OF_SUMS(fpadd)
AIELOOM_OF_SUMS(fpsub)
AIELOOM_OF_SUMS(fpmax)
AIELOOM_OF_SUMS(fpmin)
AIELOOM_OF_SUMS(fplt)
AIELOOM_OF_SUMS(fpge)
AIELOOM_OF_SUMS(fpneg)
AIELOOM_OF_SUMS(fpabs)
AIELOOM_OF_SUMS(fpshuffle)
AIELOOM_OF_SUMS(fpselect)
AIELOOM_OF_SUMS(ext_v)
AIELOOM_OF_SUMS(ext_w)
AIELOOM_OF_SUMS(ext_elem)
#undef AIELOOM_OF_SUMS
