// Sums and differences of accumulators. Those of native types (v16acc32, ...) are the compiler's own, so that published
// kernels write acc + acc and acc + vector without `using namespace aie::operators`; vectors need it. AIE adds no accumulators but
// those of floats.
#pragma once

#include "aie_api/detail/arithmetic.h"

namespace aie::operators {

template <typename Tag, unsigned N, typename B>
  requires requires(const accum<Tag, N>& a, const B& b) { ::aie::add(a, b); }
[[nodiscard]] inline auto operator+(const accum<Tag, N>& a, const B& b) {
  return ::aie::add(a, b);
}
template <typename Tag, unsigned N, typename B>
  requires requires(const accum<Tag, N>& a, const B& b) { ::aie::sub(a, b); }
[[nodiscard]] inline auto operator-(const accum<Tag, N>& a, const B& b) {
  return ::aie::sub(a, b);
}
template <typename Tag, unsigned N>
  requires detail::AddsAccums<Tag>
[[nodiscard]] inline auto operator-(const accum<Tag, N>& a) {
  return ::aie::neg(a);
}
template <typename Tag, unsigned N, typename B>
  requires requires(const accum<Tag, N>& a, const B& b) { ::aie::add(a, b); }
inline accum<Tag, N>& operator+=(accum<Tag, N>& a, const B& b) {
  return a = ::aie::add(a, b);
}
template <typename Tag, unsigned N, typename B>
  requires requires(const accum<Tag, N>& a, const B& b) { ::aie::sub(a, b); }
inline accum<Tag, N>& operator-=(accum<Tag, N>& a, const B& b) {
  return a = ::aie::sub(a, b);
}

}  // namespace aie::operators

using ::aie::operators::operator+;
using ::aie::operators::operator-;
using ::aie::operators::operator+=;
using ::aie::operators::operator-=;
