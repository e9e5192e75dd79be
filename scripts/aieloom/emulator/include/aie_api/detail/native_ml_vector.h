// Vector operations of AIE-ML by intrinsic: comparisons, selections, logic, sums, on registers of 512 bits [UG1583,
// Compare/Select, Bitwise logical, Add/Subtract]. Results of comparisons are words with a bit for each lane.
//
// The names with an underscore give both: sub_lt(a, b, word) is a - b and which lanes have a < b. `sgn` says whether
// the lanes are read as signed numbers, whatever their type.
//
// add, sub, neg, abs, max, min and maxdiff of two vectors are aie::'s, which argument-dependent look-up finds.
#pragma once

#include "aie_api/detail/native_ml.h"

namespace aie::detail {

template <typename T, unsigned N>
concept Register512 = N * element_bits<T> == 512;
template <typename T, unsigned N>
concept IntegerRegister512 = Register512<T, N> && is_one_of<T, int8, uint8, int16, uint16, int32, uint32>;

/// The word of a comparison of N lanes.
template <unsigned N>
using lane_word = std::conditional_t<(N > 32), unsigned long long, unsigned>;

template <unsigned N>
[[nodiscard]] inline lane_word<N> word_of(const mask<N>& m) {
  if constexpr (N > 32) {
    return m.to_uint64();
  } else {
    return m.to_uint32();
  }
}
template <unsigned N>
[[nodiscard]] inline mask<N> mask_of(lane_word<N> word) {
  if constexpr (N > 32) {
    return mask<N>::from_uint64(word);
  } else {
    return mask<N>::from_uint32(word);
  }
}

/// What lt(a, b) gives: the word of UG1583, and the mask that aie::lt gives where a program says `using namespace aie`.
template <unsigned N>
struct Compared : mask<N> {
  explicit Compared(const mask<N>& m) : mask<N>(m) {}
  operator lane_word<N>() const { return word_of<N>(*this); }
  [[nodiscard]] Compared operator~() const { return Compared(mask<N>::operator~()); }
};

/// f of the vectors read as signed or as unsigned numbers.
template <typename F, typename T, unsigned N, typename... More>
[[nodiscard]] inline auto read_as(bool sgn, F f, const vector<T, N>& a, const More&... more) {
  using Signed = std::conditional_t<sizeof(T) == 1, int8, std::conditional_t<sizeof(T) == 2, int16, int32>>;
  using Unsigned = std::conditional_t<sizeof(T) == 1, uint8, std::conditional_t<sizeof(T) == 2, uint16, uint32>>;
  return sgn ? f(a.template cast_to<Signed>(), more.template cast_to<Signed>()...)
             : f(a.template cast_to<Unsigned>(), more.template cast_to<Unsigned>()...);
}

template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N> larger_difference(const vector<T, N>& a, const vector<T, N>& b) {
  return ::aie::select(::aie::zeros<T, N>(), ::aie::sub(a, b), ::aie::lt(b, a));
}
template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N> magnitude(const vector<T, N>& a) {
  if constexpr (std::is_unsigned_v<T>) {
    return a;
  } else {
    return ::aie::abs(a);
  }
}
template <typename T>
inline constexpr bool kReadSigned = !is_one_of<T, uint8, uint16, uint32>;

}  // namespace aie::detail

// Two results: the value, and the word of a comparison.
#define AIELOOM_WITH_WORD(NAME, VALUE, COMPARED)                                                             \
  template <typename T, unsigned N>                                                                          \
    requires ::aie::detail::IntegerRegister512<T, N>                                                           \
  [[nodiscard]] inline ::aie::vector<T, N> NAME(const ::aie::vector<T, N>& a, const ::aie::vector<T, N>& b,        \
                                              bool sgn, ::aie::detail::lane_word<N>& cmp) {                    \
    cmp = ::aie::detail::word_of<N>(::aie::detail::read_as(                                                      \
        sgn, [](const auto& x, const auto& y) { return COMPARED(x, y); }, a, b));                            \
    return ::aie::detail::read_as(                                                                             \
        sgn, [](const auto& x, const auto& y) { return VALUE(x, y).template cast_to<T>(); }, a, b);          \
  }                                                                                                          \
  template <typename T, unsigned N>                                                                          \
    requires ::aie::detail::IntegerRegister512<T, N>                                                           \
  [[nodiscard]] inline ::aie::vector<T, N> NAME(const ::aie::vector<T, N>& a, const ::aie::vector<T, N>& b,        \
                                              ::aie::detail::lane_word<N>& cmp) {                              \
    return NAME(a, b, ::aie::detail::kReadSigned<T>, cmp);                                                     \
  }
AIELOOM_WITH_WORD(sub_lt, ::aie::sub, ::aie::lt)
AIELOOM_WITH_WORD(sub_ge, ::aie::sub, ::aie::ge)
AIELOOM_WITH_WORD(maxdiff_lt, ::aie::detail::larger_difference, ::aie::lt)
AIELOOM_WITH_WORD(min_ge, ::aie::min, ::aie::ge)
AIELOOM_WITH_WORD(max_lt, ::aie::max, ::aie::lt)
#undef AIELOOM_WITH_WORD

// Maxima and minima of floating point.
template <typename T, unsigned N>
  requires(::aie::detail::Register512<T, N> && ::aie::detail::is_one_of<T, bfloat16, float>)
[[nodiscard]] inline ::aie::vector<T, N> max_lt(const ::aie::vector<T, N>& a, const ::aie::vector<T, N>& b, unsigned& cmp) {
  cmp = ::aie::detail::word_of<N>(::aie::lt(a, b));
  return ::aie::max(a, b);
}
template <typename T, unsigned N>
  requires(::aie::detail::Register512<T, N> && ::aie::detail::is_one_of<T, bfloat16, float>)
[[nodiscard]] inline ::aie::vector<T, N> min_ge(const ::aie::vector<T, N>& a, const ::aie::vector<T, N>& b, unsigned& cmp) {
  cmp = ::aie::detail::word_of<N>(::aie::ge(a, b));
  return ::aie::min(a, b);
}

// One result, of lanes whose sign an argument gives.
#define AIELOOM_OF_SIGN(NAME, VALUE)                                                                             \
  template <typename T, unsigned N>                                                                              \
    requires ::aie::detail::IntegerRegister512<T, N>                                                               \
  [[nodiscard]] inline ::aie::vector<T, N> NAME(const ::aie::vector<T, N>& a, const ::aie::vector<T, N>& b, bool sgn) { \
    return ::aie::detail::read_as(                                                                                 \
        sgn, [](const auto& x, const auto& y) { return VALUE(x, y).template cast_to<T>(); }, a, b);              \
  }
AIELOOM_OF_SIGN(max, ::aie::max)
AIELOOM_OF_SIGN(min, ::aie::min)
AIELOOM_OF_SIGN(maxdiff, ::aie::detail::larger_difference)
#undef AIELOOM_OF_SIGN
template <typename T, unsigned N>
  requires ::aie::detail::IntegerRegister512<T, N>
[[nodiscard]] inline ::aie::vector<T, N> abs(const ::aie::vector<T, N>& a, bool sgn) {
  return ::aie::detail::read_as(
      sgn, [](const auto& x) { return ::aie::detail::magnitude(x).template cast_to<T>(); }, a);
}
template <typename T, unsigned N>
  requires ::aie::detail::IntegerRegister512<T, N>
[[nodiscard]] inline ::aie::vector<T, N> abs_gtz(const ::aie::vector<T, N>& a, bool sgn, ::aie::detail::lane_word<N>& cmp) {
  cmp = ::aie::detail::read_as(
      sgn,
      [](const auto& x) {
        using V = std::remove_cvref_t<decltype(x)>;
        return ::aie::detail::word_of<N>(::aie::gt(x, ::aie::zeros<typename V::value_type, N>()));
      },
      a);
  return abs(a, sgn);
}
template <typename T, unsigned N>
  requires ::aie::detail::IntegerRegister512<T, N>
[[nodiscard]] inline ::aie::vector<T, N> abs_gtz(const ::aie::vector<T, N>& a, ::aie::detail::lane_word<N>& cmp) {
  return abs_gtz(a, ::aie::detail::kReadSigned<T>, cmp);
}
/// Negated, and which lanes are above 0; of signed numbers (no document says how an unsigned one is read).
template <typename T, unsigned N>
  requires ::aie::detail::IntegerRegister512<T, N>
[[nodiscard]] inline ::aie::vector<T, N> neg_gtz(const ::aie::vector<T, N>& a, ::aie::detail::lane_word<N>& cmp) {
  static_assert(std::is_signed_v<T>,
                "neg_gtz of unsigned numbers: no public document says which lanes are above 0 [aie-intrinsic]");
  cmp = ::aie::detail::word_of<N>(::aie::gt(a, ::aie::zeros<T, N>()));
  return ::aie::neg(a);
}

// -- lanes against 0 --------------------------------------------------------------------------------------------------

#define AIELOOM_AGAINST_ZERO(NAME, COMPARED)                                                        \
  template <typename T, unsigned N>                                                                 \
    requires ::aie::detail::IntegerRegister512<T, N>                                                  \
  [[nodiscard]] inline ::aie::detail::lane_word<N> NAME(const ::aie::vector<T, N>& a, bool sgn) {       \
    return ::aie::detail::read_as(                                                                    \
        sgn,                                                                                        \
        [](const auto& x) {                                                                         \
          using V = std::remove_cvref_t<decltype(x)>;                                               \
          return ::aie::detail::word_of<N>(COMPARED(x, ::aie::zeros<typename V::value_type, N>()));     \
        },                                                                                          \
        a);                                                                                         \
  }                                                                                                 \
  template <typename T, unsigned N>                                                                 \
    requires ::aie::detail::IntegerRegister512<T, N>                                                  \
  [[nodiscard]] inline ::aie::detail::lane_word<N> NAME(const ::aie::vector<T, N>& a) {                 \
    return NAME(a, ::aie::detail::kReadSigned<T>);                                                    \
  }                                                                                                 \
  [[nodiscard]] inline unsigned NAME(const v32bfloat16& a) {                                        \
    return COMPARED(a, ::aie::zeros<bfloat16, 32>()).to_uint32();                                     \
  }
AIELOOM_AGAINST_ZERO(ltz, ::aie::lt)
AIELOOM_AGAINST_ZERO(gtz, ::aie::gt)
#undef AIELOOM_AGAINST_ZERO
template <typename T, unsigned N>
  requires ::aie::detail::IntegerRegister512<T, N>
[[nodiscard]] inline ::aie::detail::lane_word<N> eqz(const ::aie::vector<T, N>& a) {
  return ::aie::detail::word_of<N>(::aie::eq(a, ::aie::zeros<T, N>()));
}
/// Which lanes are 0 by their bits; -0 has bits (the public aiev2 headers compare 16 bits).
[[nodiscard]] inline unsigned eqz(const v32bfloat16& a) { return eqz(a.cast_to<int16>()); }

// -- two vectors: as functions of their own, because aie::lt, which gives a mask, is found too -------------------------

#define AIELOOM_COMPARISON(NAME, COMPARED, T, N)                                              \
  [[nodiscard]] inline ::aie::detail::Compared<N> NAME(const v##N##T& a, const v##N##T& b) {    \
    return ::aie::detail::Compared<N>(COMPARED(a, b));                                          \
  }
#define AIELOOM_COMPARISON_OF_SIGN(NAME, COMPARED, T, N)                                                          \
  AIELOOM_COMPARISON(NAME, COMPARED, T, N)                                                                        \
  [[nodiscard]] inline ::aie::detail::lane_word<N> NAME(const v##N##T& a, const v##N##T& b, bool sgn) {             \
    return ::aie::detail::word_of<N>(::aie::detail::read_as(                                                          \
        sgn, [](const auto& x, const auto& y) { return COMPARED(x, y); }, a, b));                                 \
  }
#define AIELOOM_COMPARISONS(T, N)                     \
  AIELOOM_COMPARISON_OF_SIGN(lt, ::aie::lt, T, N)       \
  AIELOOM_COMPARISON_OF_SIGN(le, ::aie::le, T, N)       \
  AIELOOM_COMPARISON_OF_SIGN(gt, ::aie::gt, T, N)       \
  AIELOOM_COMPARISON_OF_SIGN(ge, ::aie::ge, T, N)       \
  AIELOOM_COMPARISON(eq, ::aie::eq, T, N)               \
  AIELOOM_COMPARISON(ne, ::aie::neq, T, N)
AIELOOM_COMPARISONS(int8, 64)
AIELOOM_COMPARISONS(uint8, 64)
AIELOOM_COMPARISONS(int16, 32)
AIELOOM_COMPARISONS(uint16, 32)
AIELOOM_COMPARISONS(int32, 16)
AIELOOM_COMPARISONS(uint32, 16)
#undef AIELOOM_COMPARISONS
#undef AIELOOM_COMPARISON_OF_SIGN
AIELOOM_COMPARISON(lt, ::aie::lt, bfloat16, 32)
AIELOOM_COMPARISON(le, ::aie::le, bfloat16, 32)
AIELOOM_COMPARISON(gt, ::aie::gt, bfloat16, 32)
AIELOOM_COMPARISON(ge, ::aie::ge, bfloat16, 32)
AIELOOM_COMPARISON(eq, ::aie::eq, bfloat16, 32)
AIELOOM_COMPARISON(ne, ::aie::neq, bfloat16, 32)
AIELOOM_COMPARISON(lt, ::aie::lt, float, 16)
AIELOOM_COMPARISON(gt, ::aie::gt, float, 16)
AIELOOM_COMPARISON(ge, ::aie::ge, float, 16)
#undef AIELOOM_COMPARISON

/// Lane i of a where bit i is 0, of b where it is 1.
template <typename T, unsigned N>
  requires ::aie::detail::Register512<T, N>
[[nodiscard]] inline ::aie::vector<T, N> sel(const ::aie::vector<T, N>& a, const ::aie::vector<T, N>& b,
                                           ::aie::detail::lane_word<N> select) {
  return ::aie::select(a, b, ::aie::detail::mask_of<N>(select));
}
/// a + b where bit i is 0, a - b where it is 1.
template <typename T, unsigned N>
  requires ::aie::detail::IntegerRegister512<T, N>
[[nodiscard]] inline ::aie::vector<T, N> addsub(const ::aie::vector<T, N>& a, const ::aie::vector<T, N>& b,
                                              ::aie::detail::lane_word<N> subtract) {
  return sel(::aie::add(a, b), ::aie::sub(a, b), subtract);
}

// -- bits -------------------------------------------------------------------------------------------------------------

namespace aie::detail {
/// The lanes as integers of their width, for operations on bits.
template <typename T, unsigned N>
[[nodiscard]] inline auto bits_of(const vector<T, N>& v) {
  if constexpr (std::is_same_v<T, bfloat16>) {
    return v.template cast_to<int16>();
  } else {
    return v;
  }
}
}  // namespace aie::detail

#define AIELOOM_LOGIC(NAME, FUNCTION)                                                                            \
  template <typename T, unsigned N>                                                                              \
    requires(::aie::detail::IntegerRegister512<T, N> || std::is_same_v<::aie::vector<T, N>, v32bfloat16>)            \
  [[nodiscard]] inline ::aie::vector<T, N> NAME(const ::aie::vector<T, N>& a, const ::aie::vector<T, N>& b) {          \
    return FUNCTION(::aie::detail::bits_of(a), ::aie::detail::bits_of(b)).template cast_to<T>();                     \
  }
AIELOOM_LOGIC(band, ::aie::bit_and)
AIELOOM_LOGIC(bor, ::aie::bit_or)
AIELOOM_LOGIC(bxor, ::aie::bit_xor)
#undef AIELOOM_LOGIC
template <typename T, unsigned N>
  requires(::aie::detail::IntegerRegister512<T, N> || std::is_same_v<::aie::vector<T, N>, v32bfloat16>)
[[nodiscard]] inline ::aie::vector<T, N> bneg(const ::aie::vector<T, N>& a) {
  return ::aie::bit_not(::aie::detail::bits_of(a)).template cast_to<T>();
}
/// The bits inverted, and which lanes are below 0.
template <typename T, unsigned N>
  requires ::aie::detail::IntegerRegister512<T, N>
[[nodiscard]] inline ::aie::vector<T, N> bneg_ltz(const ::aie::vector<T, N>& a, bool sgn, ::aie::detail::lane_word<N>& cmp) {
  cmp = ltz(a, sgn);
  return bneg(a);
}
template <typename T, unsigned N>
  requires ::aie::detail::IntegerRegister512<T, N>
[[nodiscard]] inline ::aie::vector<T, N> bneg_ltz(const ::aie::vector<T, N>& a, ::aie::detail::lane_word<N>& cmp) {
  return bneg_ltz(a, ::aie::detail::kReadSigned<T>, cmp);
}

// -- shifts by elements, and insertion at either end -------------------------------------------------------------------

/// The elements of a and b from element `count` of a on.
template <typename T, unsigned N>
  requires(::aie::detail::Register512<T, N> && ::aie::detail::element_bits<T> >= 8)
[[nodiscard]] inline ::aie::vector<T, N> shift(const ::aie::vector<T, N>& a, const ::aie::vector<T, N>& b, unsigned count) {
  return shift_bytes(a, b, static_cast<int>(count * sizeof(T)));
}
/// Every element one place down, s in the last place; every element one place up, s in the first.
template <typename T, unsigned N>
  requires(::aie::detail::Register512<T, N> && ::aie::detail::element_bits<T> >= 8)
[[nodiscard]] inline ::aie::vector<T, N> shiftl_elem(const ::aie::vector<T, N>& v, std::type_identity_t<T> s) {
  return shift(v, ::aie::broadcast<T, N>(s), 1);
}
template <typename T, unsigned N>
  requires(::aie::detail::Register512<T, N> && ::aie::detail::element_bits<T> >= 8)
[[nodiscard]] inline ::aie::vector<T, N> shiftr_elem(const ::aie::vector<T, N>& v, std::type_identity_t<T> s) {
  return shift(::aie::broadcast<T, N>(s), v, N - 1);
}
/// One element replaced.
template <typename T, unsigned N>
  requires ::aie::detail::Register512<T, N>
[[nodiscard]] inline ::aie::vector<T, N> insert(::aie::vector<T, N> v, int i, std::type_identity_t<T> x) {
  v.set(x, static_cast<unsigned>(i) % N);
  return v;
}
/// One element, read as a signed or an unsigned number.
template <typename T, unsigned N>
  requires ::aie::detail::IntegerRegister512<T, N>
[[nodiscard]] inline int ext_elem(const ::aie::vector<T, N>& v, int i, int sign) {
  return ::aie::detail::read_as(
      sign != 0, [i](const auto& x) { return static_cast<int>(x.get(static_cast<unsigned>(i) % N)); }, v);
}

// -- broadcasts: broadcast_s16(x) is v32int16 --------------------------------------------------------------------------

#define AIELOOM_BROADCAST(SUFFIX, T, N)                                                                          \
  [[nodiscard]] inline v##N##T broadcast_##SUFFIX(std::type_identity_t<T> x) { return ::aie::broadcast<T, N>(x); } \
  [[nodiscard]] inline v##N##T broadcast_zero_##SUFFIX() { return ::aie::zeros<T, N>(); }                          \
  [[nodiscard]] inline v##N##T broadcast_one_##SUFFIX() { return ::aie::broadcast<T, N>(T(1)); }
AIELOOM_BROADCAST(s8, int8, 64)
AIELOOM_BROADCAST(s16, int16, 32)
AIELOOM_BROADCAST(s32, int32, 16)
AIELOOM_BROADCAST(u8, uint8, 64)
AIELOOM_BROADCAST(u16, uint16, 32)
AIELOOM_BROADCAST(u32, uint32, 16)
AIELOOM_BROADCAST(bfloat16, bfloat16, 32)
AIELOOM_BROADCAST(float, float, 16)
AIELOOM_BROADCAST(c16, cint16, 16)
AIELOOM_BROADCAST(c32, cint32, 8)
#undef AIELOOM_BROADCAST
// 64 bits at a time, lower half first.
[[nodiscard]] inline v16int32 broadcast_s64(long long x) {
  v16int32 v;
  for (unsigned i = 0; i < 16; ++i) {
    v.set(static_cast<int32>(static_cast<unsigned long long>(x) >> (i % 2 * 32)), i);
  }
  return v;
}
[[nodiscard]] inline v16uint32 broadcast_u64(unsigned long long x) {
  return broadcast_s64(static_cast<long long>(x)).cast_to<uint32>();
}

// -- accumulators ------------------------------------------------------------------------------------------------------

#define AIELOOM_SUMS(TAG, N)                                                                                 \
  [[nodiscard]] inline v##N##TAG add(const v##N##TAG& a, const v##N##TAG& b) { return ::aie::add(a, b); }      \
  [[nodiscard]] inline v##N##TAG sub(const v##N##TAG& a, const v##N##TAG& b) { return ::aie::sub(a, b); }      \
  [[nodiscard]] inline v##N##TAG neg(const v##N##TAG& a) { return ::aie::sub(null_v##N##TAG(), a); }           \
  [[nodiscard]] inline v##N##TAG negadd(const v##N##TAG& a, const v##N##TAG& b) { return neg(add(a, b)); }   \
  [[nodiscard]] inline v##N##TAG broadcast_zero_to_v##N##TAG() { return null_v##N##TAG(); }
AIELOOM_SUMS(acc32, 16)
AIELOOM_SUMS(acc32, 32)
AIELOOM_SUMS(acc64, 8)
AIELOOM_SUMS(acc64, 16)
AIELOOM_SUMS(accfloat, 16)
AIELOOM_SUMS(accfloat, 32)
#undef AIELOOM_SUMS
[[nodiscard]] inline v32acc32 clr32() { return null_v32acc32(); }
[[nodiscard]] inline v16acc64 clr16() { return null_v16acc64(); }

// -- sums to vectors and back by the old names: s to or from a quarter (half) of a sum's bits, l to or from half (all) --

namespace aie::detail {

/// f() in other modes of the registers.
template <typename F>
[[nodiscard]] inline auto in_modes(int saturation, int rounding, F f) {
  const auto sat = ::aie::get_saturation();
  const auto rnd = ::aie::get_rounding();
  ::aie::set_saturation(static_cast<::aie::saturation_mode>(saturation));
  ::aie::set_rounding(static_cast<::aie::rounding_mode>(rounding));
  const auto result = f();
  ::aie::set_saturation(sat);
  ::aie::set_rounding(rnd);
  return result;
}

}  // namespace aie::detail

#define AIELOOM_NARROWED(NAME, T, N, TAG, SIGN)                                                                    \
  [[nodiscard]] inline v##N##T NAME(const v##N##TAG& a, int shift, int sign = SIGN) {                              \
    return ::aie::detail::narrow<T>(a, shift, sign);                                                                 \
  }                                                                                                                \
  [[nodiscard]] inline v##N##T NAME##_conf(const v##N##TAG& a, int shift, int sign, int sat, int rnd) {            \
    return ::aie::detail::in_modes(sat, rnd, [&] { return NAME(a, shift, sign); });                                  \
  }                                                                                                                \
  [[nodiscard]] inline v##N##T NAME##_conf(const v##N##TAG& a, int shift, int sat, int rnd) {                      \
    return NAME##_conf(a, shift, SIGN, sat, rnd);                                                                  \
  }
AIELOOM_NARROWED(ssrs, int8, 32, acc32, 1)
AIELOOM_NARROWED(ussrs, uint8, 32, acc32, 0)
AIELOOM_NARROWED(ssrs, int16, 16, acc64, 1)
AIELOOM_NARROWED(ussrs, uint16, 16, acc64, 0)
AIELOOM_NARROWED(lsrs, int16, 32, acc32, 1)
AIELOOM_NARROWED(ulsrs, uint16, 32, acc32, 0)
AIELOOM_NARROWED(lsrs, int16, 16, acc32, 1)
AIELOOM_NARROWED(ulsrs, uint16, 16, acc32, 0)
AIELOOM_NARROWED(lsrs, int32, 16, acc64, 1)
AIELOOM_NARROWED(ulsrs, uint32, 16, acc64, 0)
AIELOOM_NARROWED(lsrs, int32, 8, acc64, 1)
AIELOOM_NARROWED(ulsrs, uint32, 8, acc64, 0)
#undef AIELOOM_NARROWED

#define AIELOOM_WIDENED(NAME, TAG, N, T)                                                               \
  [[nodiscard]] inline v##N##TAG NAME(const v##N##T& v, int shift) { return v##N##TAG(v, shift); }     \
  [[nodiscard]] inline v##N##TAG NAME(const v##N##T& v, int shift, int sign) {                         \
    return ::aie::detail::widen<TAG>(v, shift, sign);                                                    \
  }
#define AIELOOM_WIDENED_SIGNS(NAME, TAG, N, T) AIELOOM_WIDENED(NAME, TAG, N, T) AIELOOM_WIDENED(NAME, TAG, N, u##T)
AIELOOM_WIDENED_SIGNS(sups, acc32, 32, int8)
AIELOOM_WIDENED_SIGNS(sups, acc32, 16, int16)
AIELOOM_WIDENED_SIGNS(sups, acc32, 32, int16)
AIELOOM_WIDENED_SIGNS(lups, acc64, 8, int32)
AIELOOM_WIDENED_SIGNS(lups, acc64, 16, int16)
AIELOOM_WIDENED_SIGNS(lups, acc64, 16, int32)
#undef AIELOOM_WIDENED_SIGNS
#undef AIELOOM_WIDENED
/// v * 2^shift as an integer, a number of the vector unit.
[[nodiscard]] inline v16int32 bfloat16_to_int(const v16bfloat16& v, int shift) { return ::aie::to_fixed<int32>(v, shift); }
