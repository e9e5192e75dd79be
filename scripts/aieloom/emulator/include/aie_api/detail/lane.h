// Arithmetic on single lanes: products in accumulators, the width they wrap to, what a vector element becomes.
#pragma once

#include "aie_api/detail/config.h"

namespace aie::detail {

/// The unsigned type in which sums of S wrap instead of being undefined.
template <typename S>
struct modular {
  using type = S;
};
template <>
struct modular<std::int32_t> {
  using type = std::uint32_t;
};
template <>
struct modular<std::int64_t> {
  using type = std::uint64_t;
};
template <>
struct modular<int128> {
  using type = uint128;
};
template <typename S>
using modular_t = typename modular<S>::type;

template <typename S>
constexpr S lane_add(S a, S b) {
  return static_cast<S>(static_cast<modular_t<S>>(a) + static_cast<modular_t<S>>(b));
}
template <typename S>
constexpr S lane_sub(S a, S b) {
  return static_cast<S>(static_cast<modular_t<S>>(a) - static_cast<modular_t<S>>(b));
}
template <typename S>
constexpr S lane_mul(S a, S b) {
  return static_cast<S>(static_cast<modular_t<S>>(a) * static_cast<modular_t<S>>(b));
}
template <typename S>
constexpr S lane_neg(S a) {
  if constexpr (std::is_floating_point_v<S>) {
    return -a;
  } else {
    return lane_sub(S{}, a);
  }
}
template <typename S>
constexpr ComplexLane<S> lane_add(ComplexLane<S> a, ComplexLane<S> b) {
  return {lane_add(a.real, b.real), lane_add(a.imag, b.imag)};
}
template <typename S>
constexpr ComplexLane<S> lane_sub(ComplexLane<S> a, ComplexLane<S> b) {
  return {lane_sub(a.real, b.real), lane_sub(a.imag, b.imag)};
}
template <typename S>
constexpr ComplexLane<S> lane_neg(ComplexLane<S> a) {
  return {lane_neg(a.real), lane_neg(a.imag)};
}

/// A real number of an element as plain arithmetic: bfloat16 as float, 4-bit values as int.
template <typename T>
constexpr auto plain(T x) {
  if constexpr (is_bfloat16<T>) {
    return static_cast<float>(x);
  } else if constexpr (is_nibble<T>) {
    return static_cast<int>(x);
  } else {
    return x;
  }
}

/// a * b as an S; small integers are multiplied in 32 bits, which is what SIMD units are good at.
template <typename S, typename A, typename B>
constexpr S real_product(A a, B b) {
  if constexpr (std::is_same_v<S, float>) {
    return static_cast<float>(plain(a)) * static_cast<float>(plain(b));
  } else if constexpr (sizeof(A) + sizeof(B) <= 4 && !(std::is_same_v<A, uint16> && std::is_same_v<B, uint16>)) {
    return static_cast<S>(static_cast<std::int32_t>(plain(a)) * static_cast<std::int32_t>(plain(b)));
  } else {
    return static_cast<S>(static_cast<modular_t<S>>(static_cast<S>(plain(a))) *
                          static_cast<modular_t<S>>(static_cast<S>(plain(b))));
  }
}

/// The lane type of real numbers under L.
template <typename L>
struct real_of {
  using type = L;
};
template <typename S>
struct real_of<ComplexLane<S>> {
  using type = S;
};

/// a * b as an accumulator lane, complex where a factor is.
template <typename L, typename A, typename B>
constexpr L product(A a, B b) {
  using S = typename real_of<L>::type;
  if constexpr (is_complex<A> && is_complex<B>) {
    return {lane_sub(real_product<S>(a.real, b.real), real_product<S>(a.imag, b.imag)),
            lane_add(real_product<S>(a.real, b.imag), real_product<S>(a.imag, b.real))};
  } else if constexpr (is_complex<A>) {
    return {real_product<S>(a.real, b), real_product<S>(a.imag, b)};
  } else if constexpr (is_complex<B>) {
    return {real_product<S>(a, b.real), real_product<S>(a, b.imag)};
  } else {
    return real_product<L>(a, b);
  }
}

/// An element as an accumulator lane.
template <typename L, typename T>
constexpr L widen(T x) {
  if constexpr (is_complex<T>) {
    using S = typename real_of<L>::type;
    return {static_cast<S>(x.real), static_cast<S>(x.imag)};
  } else {
    return static_cast<L>(plain(x));
  }
}

/// Cut a number to the accumulator's width: two's complement, excess high bits are lost.
template <unsigned Bits, typename S>
constexpr S wrap_to(S x) {
  if constexpr (std::is_floating_point_v<S> || Bits >= 8 * sizeof(S)) {
    return x;
  } else {
    using U = modular_t<S>;
    constexpr U sign = U{1} << (Bits - 1);
    return static_cast<S>(((static_cast<U>(x) & (2 * sign - 1)) ^ sign) - sign);
  }
}
template <unsigned Bits, typename S>
constexpr ComplexLane<S> wrap_to(ComplexLane<S> x) {
  return {wrap_to<Bits>(x.real), wrap_to<Bits>(x.imag)};
}

/// x * 2^shift in an accumulator lane.
template <typename S>
constexpr S scale_up(S x, int shift) {
  if constexpr (std::is_floating_point_v<S>) {
    return x;
  } else if (shift >= 0) {
    return shift < int{8 * sizeof(S)} ? static_cast<S>(static_cast<modular_t<S>>(x) << shift) : S{};
  } else {
    return x >> (-shift < int{8 * sizeof(S)} ? -shift : int{8 * sizeof(S)} - 1);
  }
}
template <typename S>
constexpr ComplexLane<S> scale_up(ComplexLane<S> x, int shift) {
  return {scale_up(x.real, shift), scale_up(x.imag, shift)};
}

}  // namespace aie::detail
