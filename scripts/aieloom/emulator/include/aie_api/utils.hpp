// Loops as functions, and aie::print: vectors, accumulators and masks on the standard output [aie_api reference, Utilities].
#pragma once

#include "aieloom/macros_begin.h"

#include <cstdio>

#include "aie_api/aie.hpp"
#include "aie_api/detail/loops.h"

namespace aie {

namespace detail {

template <typename T>
inline void print_number(T x) {
  if constexpr (is_complex<T> || requires { x.real; }) {
    print_number(x.real);
    std::printf("+");
    print_number(x.imag);
    std::printf("i");
  } else if constexpr (std::is_same_v<decltype(plain(x)), float>) {
    std::printf("%g", static_cast<double>(plain(x)));
  } else {
    std::printf("%lld", static_cast<long long>(plain(x)));
  }
}

template <typename T, unsigned N>
inline auto lane_of(const vector<T, N>& v, unsigned i) {
  return v.get(i);
}
template <typename Tag, unsigned N>
inline auto lane_of(const ::aie::accum<Tag, N>& a, unsigned i) {
  return a.at(i);
}

inline void print_head(const char* prefix) {
  if (prefix != nullptr) {
    std::printf("%s", prefix);
  }
}
inline void print_tail(bool newline) {
  if (newline) {
    std::printf("\n");
  }
}

}  // namespace detail

/// `prefix` and the lanes, lane 0 first; a line end where `newline` asks for it.
template <typename T, unsigned N>
inline void print(const vector<T, N>& v, bool newline = false, const char* prefix = nullptr) {
  detail::print_head(prefix);
  for (unsigned i = 0; i < N; ++i) {
    detail::print_number(v.get(i));
    std::printf(" ");
  }
  detail::print_tail(newline);
}
template <typename Tag, unsigned N>
inline void print(const ::aie::accum<Tag, N>& a, bool newline = false, const char* prefix = nullptr) {
  detail::print_head(prefix);
  for (unsigned i = 0; i < N; ++i) {
    detail::print_number(a.at(i));
    std::printf(" ");
  }
  detail::print_tail(newline);
}
/// Rows of `columns` lanes, each behind `prefix`.
template <typename M>
inline void print_matrix(const M& m, unsigned columns, const char* prefix = nullptr) {
  for (unsigned i = 0; i < M::size(); ++i) {
    if (i % columns == 0) {
      detail::print_head(prefix);
    }
    detail::print_number(detail::lane_of(m, i));
    std::printf(" ");
    detail::print_tail((i + 1) % columns == 0 || i + 1 == M::size());
  }
}
/// Integers as numbers with `scale` binary digits behind the point.
template <typename T, unsigned N>
inline void print_fixed(const vector<T, N>& v, int scale, bool newline = false, const char* prefix = nullptr) {
  static_assert(!detail::is_float<T> && !detail::is_complex<T>, "aie::print_fixed: integer elements");
  detail::print_head(prefix);
  for (unsigned i = 0; i < N; ++i) {
    std::printf("%g ", __builtin_ldexp(static_cast<double>(detail::plain(v.get(i))), -scale));
  }
  detail::print_tail(newline);
}
template <unsigned N>
inline void print(const mask<N>& m, bool newline = false, const char* prefix = nullptr) {
  detail::print_head(prefix);
  for (unsigned i = 0; i < N; ++i) {
    std::printf("%d ", m.get(i) ? 1 : 0);
  }
  detail::print_tail(newline);
}

}  // namespace aie

#include "aieloom/macros_end.h"
