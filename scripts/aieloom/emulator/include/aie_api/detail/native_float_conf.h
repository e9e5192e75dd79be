// fpmul_conf and fpmac_conf: the float unit with every choice open [UG1078; XD100 AI Engine Floating-Point].
//
// The unit has eight lanes of float; complex numbers are pairs of them, so starts and offsets count floats here.
#pragma once

#include "aie_api/detail/native_float.h"

/// Which lanes are subtracted: none, all, the odd ones, the even ones.
enum fp_add_mode : unsigned { fpadd_add, fpadd_sub, fpadd_mixadd, fpadd_mixsub };
/// What becomes of accumulator and product: their sum, the smaller, the larger.
enum fp_compare_mode : unsigned { fpcmp_nrm, fpcmp_lt, fpcmp_ge };

namespace aie::detail {

struct FloatChoices {
  bool ones;          // factors of z are 1
  bool abs;           // of the product
  unsigned add_mode;
  unsigned add_mask;  // bit l: lane l is negated besides
  unsigned compare;
};

template <typename T>
concept FloatElement = is_one_of<T, float, cfloat>;

[[nodiscard]] inline bool subtracts(const FloatChoices& how, unsigned lane) {
  const bool by_mode = how.add_mode == fpadd_sub || (how.add_mode == fpadd_mixadd && lane % 2 == 1) ||
                       (how.add_mode == fpadd_mixsub && lane % 2 == 0);
  return by_mode != ((how.add_mask >> lane & 1U) != 0);
}

/// Lane by lane; bit l of `chosen`: the accumulator was taken.
[[nodiscard]] inline vector<float, 8> configured(const vector<float, 8>* acc, const vector<float, 8>& x,
                                                 const vector<float, 8>& z, const FloatChoices& how, unsigned& chosen) {
  aieloom::count_mac(1, 8);
  vector<float, 8> out;
  chosen = 0;
  for (unsigned l = 0; l < 8; ++l) {
    float p = how.ones ? x.lanes_.get(l) : x.lanes_.get(l) * z.lanes_.get(l);
    p = how.abs ? __builtin_fabsf(p) : p;
    p = subtracts(how, l) ? -p : p;
    const float a = acc != nullptr ? acc->lanes_.get(l) : 0.0F;
    if (how.compare == fpcmp_nrm) {
      out.lanes_.set(l, acc != nullptr ? a + p : p);
    } else {
      const bool keep = how.compare == fpcmp_lt ? a < p : a >= p;
      chosen |= (keep ? 1U : 0U) << l;
      out.lanes_.set(l, keep ? a : p);
    }
  }
  return out;
}

template <typename TX, unsigned NX, typename TZ, unsigned NZ>
[[nodiscard]] inline vector<float, 8> configured(const vector<float, 8>* acc, const vector<TX, NX>& x, int xstart,
                                                 unsigned xoffs, const vector<TZ, NZ>& z, int zstart, unsigned zoffs,
                                                 const FloatChoices& how, unsigned& chosen) {
  return configured(acc, choose(x.template cast_to<float>(), xstart, xoffs),
                    choose(z.template cast_to<float>(), zstart, zoffs), how, chosen);
}

}  // namespace aie::detail

// With one buffer or two; the last argument, which lanes kept the accumulator, may be left out.
#define AIELOOM_CONF(CHOSEN_PARAMETER, CHOSEN)                                                                        \
  template <::aie::detail::FloatElement T, unsigned NX, ::aie::detail::FloatElement TZ, unsigned NZ>                      \
  [[nodiscard]] inline ::aie::vector<T, ::aie::detail::kFloatLanes<T>> fpmac_conf(                                        \
      const ::aie::vector<T, ::aie::detail::kFloatLanes<T>>& acc, const ::aie::vector<T, NX>& xbuf, int xstart,             \
      unsigned xoffs, const ::aie::vector<TZ, NZ>& zbuf, int zstart, unsigned zoffs, bool ones, bool abs,               \
      unsigned addmode, unsigned addmask, unsigned cmpmode CHOSEN_PARAMETER) {                                        \
    [[maybe_unused]] unsigned none = 0;                                                                               \
    const auto start = acc.template cast_to<float>();                                                                 \
    return ::aie::detail::configured(&start, xbuf, xstart, xoffs, zbuf, zstart, zoffs,                                  \
                                   {ones, abs, addmode, addmask, cmpmode}, CHOSEN)                                    \
        .template cast_to<T>();                                                                                       \
  }                                                                                                                   \
  template <::aie::detail::FloatElement T, unsigned NX>                                                                 \
  [[nodiscard]] inline ::aie::vector<T, ::aie::detail::kFloatLanes<T>> fpmac_conf(                                        \
      const ::aie::vector<T, ::aie::detail::kFloatLanes<T>>& acc, const ::aie::vector<T, NX>& xbuf, int xstart,             \
      unsigned xoffs, int zstart, unsigned zoffs, bool ones, bool abs, unsigned addmode, unsigned addmask,            \
      unsigned cmpmode CHOSEN_PARAMETER) {                                                                            \
    [[maybe_unused]] unsigned none = 0;                                                                               \
    const auto start = acc.template cast_to<float>();                                                                 \
    return ::aie::detail::configured(&start, xbuf, xstart, xoffs, xbuf, zstart, zoffs,                                  \
                                   {ones, abs, addmode, addmask, cmpmode}, CHOSEN)                                    \
        .template cast_to<T>();                                                                                       \
  }                                                                                                                   \
  template <::aie::detail::FloatElement T, unsigned NX, ::aie::detail::FloatElement TZ, unsigned NZ>                      \
  [[nodiscard]] inline ::aie::vector<T, ::aie::detail::kFloatLanes<T>> fpmul_conf(                                        \
      const ::aie::vector<T, NX>& xbuf, int xstart, unsigned xoffs, const ::aie::vector<TZ, NZ>& zbuf, int zstart,        \
      unsigned zoffs, bool ones, bool abs, unsigned addmode, unsigned addmask, unsigned cmpmode CHOSEN_PARAMETER) {   \
    [[maybe_unused]] unsigned none = 0;                                                                               \
    return ::aie::detail::configured(nullptr, xbuf, xstart, xoffs, zbuf, zstart, zoffs,                                 \
                                   {ones, abs, addmode, addmask, cmpmode}, CHOSEN)                                    \
        .template cast_to<T>();                                                                                       \
  }                                                                                                                   \
  template <::aie::detail::FloatElement T, unsigned NX>                                                                 \
  [[nodiscard]] inline ::aie::vector<T, ::aie::detail::kFloatLanes<T>> fpmul_conf(                                        \
      const ::aie::vector<T, NX>& xbuf, int xstart, unsigned xoffs, int zstart, unsigned zoffs, bool ones, bool abs,    \
      unsigned addmode, unsigned addmask, unsigned cmpmode CHOSEN_PARAMETER) {                                        \
    [[maybe_unused]] unsigned none = 0;                                                                               \
    return ::aie::detail::configured(nullptr, xbuf, xstart, xoffs, xbuf, zstart, zoffs,                                 \
                                   {ones, abs, addmode, addmask, cmpmode}, CHOSEN)                                    \
        .template cast_to<T>();                                                                                       \
  }
#define AIELOOM_COMMA ,
#define AIELOOM_NOTHING
AIELOOM_CONF(AIELOOM_NOTHING, none)
AIELOOM_CONF(AIELOOM_COMMA unsigned& cmp, cmp)
#undef AIELOOM_CONF
#undef AIELOOM_COMMA
#undef AIELOOM_NOTHING
