// hls::print: printf with at most one number, also in hardware simulation [UG1399 printing in HLS].
#pragma once

#include <cstdio>
#include <type_traits>

#include "aieloom/traits.h"

namespace hls {

inline void print(const char* text) { std::printf("%s", text); }

/// `format` has one conversion for an int or a double.
template <typename T_, aieloom::If<std::is_same<T_, int>::value || std::is_same<T_, double>::value> = 0>
void print(const char* format, T_ value) {
  std::printf(format, value);
}
inline void print(const char* format, float value) { print(format, static_cast<double>(value)); }

}  // namespace hls
