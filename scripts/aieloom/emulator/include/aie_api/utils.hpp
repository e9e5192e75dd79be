// aie::print: vectors, accumulators and masks on the standard output [aie_api reference, Utilities].
#ifndef AIE_API_UTILS_HPP
#define AIE_API_UTILS_HPP

#include <cstdio>

#include "aie_api/aie.hpp"

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
inline void print(const accum<Tag, N>& a, bool newline = false, const char* prefix = nullptr) {
  detail::print_head(prefix);
  for (unsigned i = 0; i < N; ++i) {
    detail::print_number(a.at(i));
    std::printf(" ");
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

#endif  // AIE_API_UTILS_HPP
