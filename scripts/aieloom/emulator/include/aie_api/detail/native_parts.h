// MACs of AIE on conjugates and magnitudes: mul4_c, mac8_cn, msc4_sym_nc, mac16_abs [UG1078; UG1079 MAC intrinsics, Options:
// _c conjugates the only complex buffer, _cc both, _cn the X (and Y) buffer, _nc the Z buffer; _abs takes X's magnitudes].
//
// Both are a difference of two plain MACs, exact also where -x has no place in x's type: conj(x) z is Re(x) z - i Im(x) z, and
// |x| z is max(x, 0) z - min(x, 0) z.
#pragma once

#include "aie_api/detail/native_mac8.h"
#include "aie_api/detail/native_sym.h"

namespace aie::detail {

template <typename X>
inline constexpr bool is_lanes = false;
template <typename T, unsigned N>
inline constexpr bool is_lanes<vector<T, N>> = true;

/// The part that is added and the part that is subtracted of one buffer.
struct ConjugateParts {
  template <bool Second, typename T, unsigned N>
  [[nodiscard]] static vector<T, N> of(const vector<T, N>& v) {
    if constexpr (!is_complex<T>) {
      static_assert(!Second, "the conjugate of a real buffer [UG1079]");
      return v;
    } else {
      vector<T, N> part;
      for (unsigned i = 0; i < N; ++i) {
        const T x = v.lanes_.get(i);
        part.lanes_.set(i, Second ? T{0, x.imag} : T{x.real, 0});
      }
      return part;
    }
  }
};
struct MagnitudeParts {
  template <bool Second, typename T, unsigned N>
  [[nodiscard]] static vector<T, N> of(const vector<T, N>& v) {
    static_assert(!is_complex<T>, "_abs: a complex number's magnitude is no integer [UG1079]");
    vector<T, N> part;
    for (unsigned i = 0; i < N; ++i) {
      const T x = v.lanes_.get(i);
      part.lanes_.set(i, (x < 0) == Second ? x : T{});
    }
    return part;
  }
};

/// f of the arguments, where a part stands for the last buffer (Z) or for the buffers before it (X and Y).
template <typename Parts, bool OfZ, bool Second, typename F, typename... A>
[[nodiscard]] inline auto with_part(F f, const A&... a) {
  constexpr std::size_t last = [] {
    const bool lanes[] = {is_lanes<A>...};
    std::size_t found = 0;
    for (std::size_t i = 0; i < sizeof...(A); ++i) {
      found = lanes[i] ? i : found;
    }
    return found;
  }();
  const auto one = [&]<std::size_t I, typename X>(std::integral_constant<std::size_t, I>, const X& x) {
    if constexpr (is_lanes<X> && OfZ == (I == last)) {
      return Parts::template of<Second>(x);
    } else {
      return x;
    }
  };
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return f(one(std::integral_constant<std::size_t, I>{}, a)...);
  }(std::index_sequence_for<A...>{});
}
/// Whether the X buffer, the first of the arguments that is one, is complex.
template <typename... A>
consteval bool x_is_complex() {
  bool found = false, complex = false;
  const auto look = [&]<typename X>(const X*) {
    if constexpr (is_lanes<X>) {
      complex = found ? complex : is_complex<typename X::value_type>;
      found = true;
    }
  };
  (look(static_cast<const A*>(nullptr)), ...);
  return complex;
}

}  // namespace aie::detail

// START is mul, negmul, mac or msc, THEN what subtracts its products: msc or mac.
#define AIELOOM_BY_PARTS(NAME, PARTS, OF_Z, START, THEN)                                                            \
  template <typename... A>                                                                                          \
  [[nodiscard]] inline auto NAME(const A&... a) {                                                                   \
    const auto first = ::aie::detail::with_part<::aie::detail::PARTS, OF_Z, false>(                                    \
        [](const auto&... given) { return START(given...); }, a...);                                                \
    return ::aie::detail::with_part<::aie::detail::PARTS, OF_Z, true>(                                                 \
        [&](const auto&... given) { return THEN(first, given...); }, a...);                                         \
  }
#define AIELOOM_BY_PARTS_ONTO(NAME, PARTS, OF_Z, START, THEN)                                                       \
  template <typename Tag, unsigned L, typename... A>                                                                \
  [[nodiscard]] inline auto NAME(const ::aie::accum<Tag, L>& acc, const A&... a) {                                    \
    const auto first = ::aie::detail::with_part<::aie::detail::PARTS, OF_Z, false>(                                    \
        [&](const auto&... given) { return START(acc, given...); }, a...);                                          \
    return ::aie::detail::with_part<::aie::detail::PARTS, OF_Z, true>(                                                 \
        [&](const auto&... given) { return THEN(first, given...); }, a...);                                         \
  }
#define AIELOOM_FOUR(PREFIX, LANES, SUFFIX, PARTS, OF_Z, BEHIND)                                                     \
  AIELOOM_BY_PARTS(PREFIX##mul##LANES##BEHIND, PARTS, OF_Z, PREFIX##mul##LANES##SUFFIX, PREFIX##msc##LANES##SUFFIX)  \
  AIELOOM_BY_PARTS(PREFIX##negmul##LANES##BEHIND, PARTS, OF_Z, PREFIX##negmul##LANES##SUFFIX,                        \
                   PREFIX##mac##LANES##SUFFIX)                                                                       \
  AIELOOM_BY_PARTS_ONTO(PREFIX##mac##LANES##BEHIND, PARTS, OF_Z, PREFIX##mac##LANES##SUFFIX,                         \
                        PREFIX##msc##LANES##SUFFIX)                                                                  \
  AIELOOM_BY_PARTS_ONTO(PREFIX##msc##LANES##BEHIND, PARTS, OF_Z, PREFIX##msc##LANES##SUFFIX,                         \
                        PREFIX##mac##LANES##SUFFIX)
// The only complex buffer.
#define AIELOOM_ONLY(NAME)                                                                            \
  template <typename... A>                                                                            \
  [[nodiscard]] inline auto NAME##_c(const A&... a) {                                                 \
    if constexpr (::aie::detail::x_is_complex<A...>()) {                                                \
      return NAME##_cn(a...);                                                                         \
    } else {                                                                                          \
      return NAME##_nc(a...);                                                                         \
    }                                                                                                 \
  }
#define AIELOOM_CONJUGATES(PREFIX, LANES, SUFFIX)                                                     \
  AIELOOM_FOUR(PREFIX, LANES, SUFFIX, ConjugateParts, false, SUFFIX##_cn)                             \
  AIELOOM_FOUR(PREFIX, LANES, SUFFIX, ConjugateParts, true, SUFFIX##_nc)                              \
  AIELOOM_FOUR(PREFIX, LANES, SUFFIX##_nc, ConjugateParts, false, SUFFIX##_cc)                        \
  AIELOOM_ONLY(PREFIX##mul##LANES##SUFFIX)                                                            \
  AIELOOM_ONLY(PREFIX##negmul##LANES##SUFFIX)                                                         \
  AIELOOM_ONLY(PREFIX##mac##LANES##SUFFIX)                                                            \
  AIELOOM_ONLY(PREFIX##msc##LANES##SUFFIX)
#define AIELOOM_CONJUGATE_LANES(PREFIX, LANES)             \
  AIELOOM_CONJUGATES(PREFIX, LANES, )                      \
  AIELOOM_CONJUGATES(PREFIX, LANES, _sym)                  \
  AIELOOM_CONJUGATES(PREFIX, LANES, _antisym)              \
  AIELOOM_CONJUGATES(PREFIX, LANES, _sym_ct)               \
  AIELOOM_CONJUGATES(PREFIX, LANES, _antisym_ct)           \
  AIELOOM_FOUR(PREFIX, LANES, , MagnitudeParts, false, _abs)
AIELOOM_CONJUGATE_LANES(, 4)
AIELOOM_CONJUGATE_LANES(, 8)
AIELOOM_CONJUGATE_LANES(l, 2)
AIELOOM_CONJUGATE_LANES(l, 4)
AIELOOM_CONJUGATE_LANES(l, 8)
AIELOOM_FOUR(, 16, , MagnitudeParts, false, _abs)
// Magnitudes of X and the conjugate of a complex Z, and of the pairs that are compared.
#define AIELOOM_COMPARED_LANES(PREFIX, LANES, SUFFIX)                                 \
  AIELOOM_FOUR(PREFIX, LANES, SUFFIX, ConjugateParts, true, SUFFIX##_c)
AIELOOM_COMPARED_LANES(, 4, _abs)
AIELOOM_COMPARED_LANES(, 8, _abs)
AIELOOM_COMPARED_LANES(l, 2, _abs)
AIELOOM_COMPARED_LANES(l, 4, _abs)
#define AIELOOM_COMPARED_KINDS(SUFFIX)       \
  AIELOOM_COMPARED_LANES(, 4, SUFFIX)        \
  AIELOOM_COMPARED_LANES(, 8, SUFFIX)        \
  AIELOOM_COMPARED_LANES(l, 2, SUFFIX)       \
  AIELOOM_COMPARED_LANES(l, 4, SUFFIX)
AIELOOM_COMPARED_KINDS(_max)
AIELOOM_COMPARED_KINDS(_min)
AIELOOM_COMPARED_KINDS(_maxdiff)
#undef AIELOOM_COMPARED_KINDS
#undef AIELOOM_COMPARED_LANES
#undef AIELOOM_CONJUGATE_LANES
#undef AIELOOM_CONJUGATES
#undef AIELOOM_FOUR
#undef AIELOOM_BY_PARTS
#undef AIELOOM_BY_PARTS_ONTO

// Floating point: signs are exact, so that buffers are conjugated, and products and sums made positive, as they are.
namespace aie::detail {
struct Conjugate {
  template <bool Second, typename T, unsigned N>
  [[nodiscard]] static vector<T, N> of(const vector<T, N>& v) {
    if constexpr (is_complex<T>) {
      return ::aie::conj(v);
    } else {
      return v;
    }
  }
};

/// f of the arguments, X (and Y) or Z conjugated, or both. Where X and Z are chosen from one buffer (xbuf, xstart, xoffs, zstart,
/// zoffs), it stands in the place of each.
template <bool OfX, bool OfZ, typename F, typename... A>
[[nodiscard]] inline auto conjugated(F f, const A&... a) {
  if constexpr (sizeof...(A) == 5 && (... + is_lanes<A>) == 1) {
    return [&](const auto& x, int xs, unsigned xo, int zs, unsigned zo) {
      return conjugated<OfX, OfZ>(f, x, xs, xo, x, zs, zo);
    }(a...);
  } else if constexpr (OfX) {
    return with_part<Conjugate, false, false>([&](const auto&... given) { return conjugated<false, OfZ>(f, given...); }, a...);
  } else if constexpr (OfZ) {
    return with_part<Conjugate, true, false>(f, a...);
  } else {
    return f(a...);
  }
}
}  // namespace aie::detail

#define AIELOOM_FLOAT_CONJUGATE(NAME, BEHIND, OF_X, OF_Z)                                                            \
  template <typename... A>                                                                                           \
  [[nodiscard]] inline auto NAME##BEHIND(const A&... a) {                                                            \
    return ::aie::detail::conjugated<OF_X, OF_Z>([](const auto&... given) { return NAME(given...); }, a...);         \
  }
#define AIELOOM_FLOAT_CONJUGATE_ONTO(NAME, BEHIND, OF_X, OF_Z)                                                       \
  template <typename Acc, typename... A>                                                                             \
  [[nodiscard]] inline auto NAME##BEHIND(const Acc& acc, const A&... a) {                                            \
    return ::aie::detail::conjugated<OF_X, OF_Z>([&](const auto&... given) { return NAME(acc, given...); }, a...);   \
  }
#define AIELOOM_FLOAT_CONJUGATES(NAME, KIND)      \
  KIND(NAME, _cn, true, false)                    \
  KIND(NAME, _nc, false, true)                    \
  KIND(NAME, _cc, true, true)
AIELOOM_FLOAT_CONJUGATES(fpmul, AIELOOM_FLOAT_CONJUGATE)
AIELOOM_FLOAT_CONJUGATES(fpneg_mul, AIELOOM_FLOAT_CONJUGATE)
AIELOOM_FLOAT_CONJUGATES(fpmac, AIELOOM_FLOAT_CONJUGATE_ONTO)
AIELOOM_FLOAT_CONJUGATES(fpmsc, AIELOOM_FLOAT_CONJUGATE_ONTO)
#undef AIELOOM_FLOAT_CONJUGATES
#undef AIELOOM_FLOAT_CONJUGATE
#undef AIELOOM_FLOAT_CONJUGATE_ONTO
AIELOOM_ONLY(fpmul)
AIELOOM_ONLY(fpneg_mul)
#undef AIELOOM_ONLY
// The accumulator comes first, and is not what is looked at.
#define AIELOOM_ONLY_ONTO(NAME)                                     \
  template <typename Acc, typename... A>                            \
  [[nodiscard]] inline auto NAME##_c(const Acc& acc, const A&... a) { \
    if constexpr (::aie::detail::x_is_complex<A...>()) {            \
      return NAME##_cn(acc, a...);                                  \
    } else {                                                        \
      return NAME##_nc(acc, a...);                                  \
    }                                                               \
  }
AIELOOM_ONLY_ONTO(fpmac)
AIELOOM_ONLY_ONTO(fpmsc)
#undef AIELOOM_ONLY_ONTO

/// Magnitudes of products: |x z|, -|x z|, acc + |x z|, acc - |x z|; of real numbers.
template <typename... A>
[[nodiscard]] inline v8float fpabs_mul(const A&... a) {
  return ::aie::abs(fpmul(a...));
}
template <typename... A>
[[nodiscard]] inline v8float fpneg_abs_mul(const A&... a) {
  return ::aie::neg(fpabs_mul(a...));
}
template <typename... A>
[[nodiscard]] inline v8float fpmac_abs(const v8float& acc, const A&... a) {
  return ::aie::add(acc, fpabs_mul(a...));
}
template <typename... A>
[[nodiscard]] inline v8float fpmsc_abs(const v8float& acc, const A&... a) {
  return ::aie::sub(acc, fpabs_mul(a...));
}
/// acc against the magnitudes of x, of a whole vector or of chosen lanes.
#define AIELOOM_FLOAT_MAGNITUDE(NAME, RESULT)                                        \
  template <typename... A>                                                           \
  [[nodiscard]] inline RESULT NAME##_abs(const v8float& acc, const A&... x) {        \
    return NAME(acc, fpabs(x...), 0, 0x76543210);                                    \
  }
AIELOOM_FLOAT_MAGNITUDE(fpadd, v8float)
AIELOOM_FLOAT_MAGNITUDE(fpsub, v8float)
AIELOOM_FLOAT_MAGNITUDE(fpmax, v8float)
AIELOOM_FLOAT_MAGNITUDE(fpmin, v8float)
AIELOOM_FLOAT_MAGNITUDE(fplt, unsigned)
AIELOOM_FLOAT_MAGNITUDE(fpge, unsigned)
#undef AIELOOM_FLOAT_MAGNITUDE
template <typename... A>
[[nodiscard]] inline v8float fpneg_abs(const A&... x) {
  return ::aie::neg(fpabs(x...));
}
