// aie::operators: + - & | ^ ~ << >> and comparisons on vectors and accumulators, for `using namespace aie::operators`.
#pragma once

#include "aieloom/macros_begin.h"

#include "aie_api/aie.hpp"

namespace aie::operators {

#define AIELOOM_OPERATOR(SYMBOL, FUNCTION)                            \
  template <typename A, typename B>                                   \
    requires detail::VectorPair<A, B>                                 \
  [[nodiscard]] inline auto operator SYMBOL(const A& a, const B& b) { \
    return FUNCTION(a, b);                                            \
  }
AIELOOM_OPERATOR(+, ::aie::add)
AIELOOM_OPERATOR(-, ::aie::sub)
AIELOOM_OPERATOR(<, ::aie::lt)
AIELOOM_OPERATOR(<=, ::aie::le)
AIELOOM_OPERATOR(>, ::aie::gt)
AIELOOM_OPERATOR(>=, ::aie::ge)
AIELOOM_OPERATOR(==, ::aie::eq)
AIELOOM_OPERATOR(!=, ::aie::neq)
#undef AIELOOM_OPERATOR

#define AIELOOM_OPERATOR(SYMBOL, FUNCTION)                            \
  template <typename A, typename B>                                   \
    requires detail::VectorLast<A, B>                                 \
  [[nodiscard]] inline auto operator SYMBOL(const A& a, const B& b) { \
    return FUNCTION(a, b);                                            \
  }
AIELOOM_OPERATOR(&, ::aie::bit_and)
AIELOOM_OPERATOR(|, ::aie::bit_or)
AIELOOM_OPERATOR(^, ::aie::bit_xor)
#undef AIELOOM_OPERATOR

template <typename T, unsigned N>
[[nodiscard]] inline auto operator-(const vector<T, N>& v) {
  return ::aie::neg(v);
}
template <typename T, unsigned N>
[[nodiscard]] inline auto operator~(const vector<T, N>& v) {
  return ::aie::bit_not(v);
}
template <typename T, unsigned N>
[[nodiscard]] inline auto operator<<(const vector<T, N>& v, unsigned shift) {
  return ::aie::upshift(v, shift);
}
template <typename T, unsigned N>
[[nodiscard]] inline auto operator>>(const vector<T, N>& v, unsigned shift) {
  return ::aie::downshift(v, shift);
}
template <typename T, unsigned N, typename B>
inline vector<T, N>& operator+=(vector<T, N>& a, const B& b) {
  return a = ::aie::add(a, b);
}
template <typename T, unsigned N, typename B>
inline vector<T, N>& operator-=(vector<T, N>& a, const B& b) {
  return a = ::aie::sub(a, b);
}

}  // namespace aie::operators

#include "aieloom/macros_end.h"
