// Comparisons to masks, and reductions of a vector to a number [aie_api reference, Comparison, Reduction].
#pragma once

#include "aie_api/detail/arithmetic.h"
#include "aie_api/detail/mask.h"

namespace aie {

namespace detail {

template <bool Ordered, typename A, typename B, typename F>
[[nodiscard]] inline auto compare(const A& a, const B& b, F f) {
  using T = typename Common<A, B>::type;
  constexpr unsigned N = Common<A, B>::size;
  if constexpr (Ordered) {
    static_assert(is_ordered<T>, "complex numbers have no order");
  }
  const auto& va = operand_vector<T, N>(a);
  const auto& vb = operand_vector<T, N>(b);
  mask<N> out;
  for (unsigned word = 0; word < (N + 63) / 64; ++word) {
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < 64 && word * 64 + i < N; ++i) {
      const bool set = f(plain(va.lanes_.get(word * 64 + i)), plain(vb.lanes_.get(word * 64 + i)));
      bits |= std::uint64_t{set} << i;
    }
    out.put_word(word, bits);
  }
  return out;
}

/// Halve by adding (or ...) lane i and lane i + half until one is left; floats round in that order.
template <typename T, unsigned N, typename F>
[[nodiscard]] inline T reduce(const vector<T, N>& v, F f) {
  aieloom::count_shuffle(static_cast<unsigned>(__builtin_ctz(N)));
  vector<T, N> rest = v;
  for (unsigned half = N / 2; half > 0; half /= 2) {
    for (unsigned i = 0; i < half; ++i) {
      rest.lanes_.set(i, f(rest.lanes_.get(i), rest.lanes_.get(i + half)));
    }
  }
  return rest.lanes_.get(0);
}

}  // namespace detail

template <typename A, typename B>
  requires detail::VectorPair<A, B>
[[nodiscard]] inline auto lt(const A& a, const B& b) {
  return detail::compare<true>(a, b, [](auto x, auto y) { return x < y; });
}
template <typename A, typename B>
  requires detail::VectorPair<A, B>
[[nodiscard]] inline auto le(const A& a, const B& b) {
  return detail::compare<true>(a, b, [](auto x, auto y) { return x <= y; });
}
template <typename A, typename B>
  requires detail::VectorPair<A, B>
[[nodiscard]] inline auto gt(const A& a, const B& b) {
  return detail::compare<true>(a, b, [](auto x, auto y) { return x > y; });
}
template <typename A, typename B>
  requires detail::VectorPair<A, B>
[[nodiscard]] inline auto ge(const A& a, const B& b) {
  return detail::compare<true>(a, b, [](auto x, auto y) { return x >= y; });
}
template <typename A, typename B>
  requires detail::VectorPair<A, B>
[[nodiscard]] inline auto eq(const A& a, const B& b) {
  return detail::compare<false>(a, b, [](auto x, auto y) { return x == y; });
}
template <typename A, typename B>
  requires detail::VectorPair<A, B>
[[nodiscard]] inline auto neq(const A& a, const B& b) {
  return detail::compare<false>(a, b, [](auto x, auto y) { return !(x == y); });
}
/// Whether all lanes are equal.
template <typename A, typename B>
  requires detail::VectorPair<A, B>
[[nodiscard]] inline bool equal(const A& a, const B& b) {
  return eq(a, b).full();
}
/// Whether any lane differs.
template <typename A, typename B>
  requires detail::VectorPair<A, B>
[[nodiscard]] inline bool not_equal(const A& a, const B& b) {
  return !equal(a, b);
}

/// max(a, b), and where b was taken: select(a, b, mask) is the maximum.
template <typename A, typename B>
  requires detail::VectorPair<A, B>
[[nodiscard]] inline auto max_cmp(const A& a, const B& b) {
  return std::tuple{max(a, b), lt(a, b)};
}
template <typename A, typename B>
  requires detail::VectorPair<A, B>
[[nodiscard]] inline auto min_cmp(const A& a, const B& b) {
  return std::tuple{min(a, b), gt(a, b)};
}

/// The sum of all lanes; wraps like add().
template <typename T, unsigned N>
[[nodiscard]] inline T reduce_add(const vector<T, N>& v) {
  return detail::reduce(v, [](T x, T y) { return detail::wrapping_add(x, y); });
}
template <typename T, unsigned N>
[[nodiscard]] inline T reduce_min(const vector<T, N>& v) {
  static_assert(detail::is_ordered<T>, "complex numbers have no order");
  return detail::reduce(v, [](T x, T y) { return detail::plain(y) < detail::plain(x) ? y : x; });
}
template <typename T, unsigned N>
[[nodiscard]] inline T reduce_max(const vector<T, N>& v) {
  static_assert(detail::is_ordered<T>, "complex numbers have no order");
  return detail::reduce(v, [](T x, T y) { return detail::plain(x) < detail::plain(y) ? y : x; });
}
/// The product of all lanes; floating point only.
template <typename T, unsigned N>
[[nodiscard]] inline T reduce_mul(const vector<T, N>& v) {
  static_assert(detail::is_float<T>, "aie::reduce_mul: floating point elements only");
  return detail::reduce(v, [](T x, T y) { return T(x * y); });
}
/// The sums of up to four vectors in the first lanes of one; the other lanes are undefined.
template <typename T, unsigned N, typename... Others>
[[nodiscard]] inline vector<T, N> reduce_add_v(const vector<T, N>& first, const Others&... others) {
  static_assert(sizeof...(Others) <= 3, "aie::reduce_add_v: at most four vectors");
  static_assert((std::is_same_v<Others, vector<T, N>> && ...), "aie::reduce_add_v: vectors of one type and size");
  vector<T, N> out;
  unsigned i = 0;
  out.set(reduce_add(first), i);
  (out.set(reduce_add(others), ++i), ...);
  return out;
}

}  // namespace aie
