// What headers of PL kernels ask of types: Vitis HLS compiles kernels as C++14, and so does the emulator, so these headers have
// neither concepts nor the library of C++17. They are system headers there: `if constexpr` and inline variables go by extension.
#pragma once

#include <cstddef>
#include <type_traits>

namespace aieloom {

template <typename...>
struct Ignore {
  using type = void;
};
/// void when all of the types are well-formed.
template <typename... T_>
using Void = typename Ignore<T_...>::type;

/// A type without reference, const and volatile.
template <typename T_>
using Plain = std::remove_cv_t<std::remove_reference_t<T_>>;

/// What a template takes part for.
template <bool Holds_>
using If = std::enable_if_t<Holds_, int>;

template <typename>
inline constexpr bool kNever = false;

constexpr int largest(int a, int b) { return a > b ? a : b; }
constexpr int smallest(int a, int b) { return a < b ? a : b; }

#if __cplusplus >= 201703L
using Byte = std::byte;
#else
using Byte = unsigned char;
#endif

}  // namespace aieloom
