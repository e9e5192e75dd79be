// hls::print: printf with at most one number, also in hardware simulation [UG1399 printing in HLS].
#pragma once

#include <concepts>
#include <cstdio>

namespace hls {

inline void print(const char* text) { std::printf("%s", text); }

/// `format` has one conversion for an int or a double.
template <typename T_>
  requires(std::same_as<T_, int> || std::same_as<T_, double>)
void print(const char* format, T_ value) {
  std::printf(format, value);
}
inline void print(const char* format, float value) { print(format, static_cast<double>(value)); }

}  // namespace hls
