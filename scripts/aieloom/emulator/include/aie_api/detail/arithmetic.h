// Arithmetic lane by lane [aie_api reference, Arithmetic; facts (b)]. Sums of vectors wrap; products go to
// accumulators.
#pragma once

#include "aie_api/detail/operand.h"
#include "aie_api/detail/reshape.h"

namespace aie {

namespace detail {

/// A vector operand, or a lazy operation on one.
template <typename X>
inline constexpr bool is_vector_operand = (lanes_of<X> > 0) && is_element<element_t<X>>;
/// Something that can stand beside a vector operand.
template <typename X>
inline constexpr bool is_operand = is_element<element_t<X>>;
template <typename A, typename B>
concept VectorPair = (is_vector_operand<A> || is_vector_operand<B>) && is_operand<A> && is_operand<B>;
/// The same where a number may only stand first.
template <typename A, typename B>
concept VectorLast = is_operand<A> && is_vector_operand<B>;

/// The vector type that two operands of one elementwise operation agree on.
template <typename A, typename B>
struct Common {
  static constexpr unsigned size = lanes_of<A> > 0 ? lanes_of<A> : lanes_of<B>;
  using type = std::conditional_t<(lanes_of<A> > 0), element_t<A>, element_t<B>>;
};

/// out[i] = f(a[i], b[i]) where either may be a number.
template <typename A, typename B, typename F>
[[nodiscard]] inline auto zip_lanes(const A& a, const B& b, F f) {
  using T = typename Common<A, B>::type;
  constexpr unsigned N = Common<A, B>::size;
  const auto& va = operand_vector<T, N>(a);
  const auto& vb = operand_vector<T, N>(b);
  vector<T, N> out{Uninitialised{}};
  if constexpr (is_nibble<T>) {
    out = vector<T, N>();
    for (unsigned i = 0; i < N; ++i) {
      out.lanes_.set(i, f(va.lanes_.get(i), vb.lanes_.get(i)));
    }
  } else {
    for (unsigned i = 0; i < N; ++i) {
      out.lanes_.at[i] = f(va.lanes_.at[i], vb.lanes_.at[i]);
    }
  }
  return out;
}

template <typename T>
constexpr T wrapping_add(T a, T b) {
  if constexpr (is_complex<T>) {
    return a + b;
  } else if constexpr (is_float<T>) {
    return T(plain(a) + plain(b));
  } else {
    return T(static_cast<T>(static_cast<std::uint32_t>(plain(a)) + static_cast<std::uint32_t>(plain(b))));
  }
}
template <typename T>
constexpr T wrapping_sub(T a, T b) {
  if constexpr (is_complex<T>) {
    return a - b;
  } else if constexpr (is_float<T>) {
    return T(plain(a) - plain(b));
  } else {
    return T(static_cast<T>(static_cast<std::uint32_t>(plain(a)) - static_cast<std::uint32_t>(plain(b))));
  }
}
template <typename T>
constexpr T clamp_to(std::int64_t x) {
  const Range range = saturation_range(element_bits<T>, is_signed_element<T>, Saturation::kSaturate);
  return static_cast<T>(x < range.low ? range.low : x > range.high ? range.high : x);
}

template <typename T>
inline constexpr bool is_ordered = !is_complex<T>;

/// Whether accumulators can be added to each other: the adder of AIE takes products alone, a vector's lanes among them, and its sums of floats are
/// vectors [UG1078].
template <typename Tag>
concept AddsAccums = !kFirst || tag_info<Tag>.is_float;

/// out[i] = f(a[i], b[i]).
template <typename Tag, unsigned N, typename F>
[[nodiscard]] inline accum<Tag, N> zip_sums(const accum<Tag, N>& a, const accum<Tag, N>& b, F f) {
  accum<Tag, N> out;
  for (unsigned i = 0; i < N; ++i) {
    out.lanes_[i] = f(a.lanes_[i], b.lanes_[i]);
  }
  return out;
}

}  // namespace detail

// -- sums ---------------------------------------------------------------------------------------------------------

/// a + b; wraps.
template <typename A, typename B>
  requires detail::VectorPair<A, B>
[[nodiscard]] inline auto add(const A& a, const B& b) {
  return detail::zip_lanes(a, b, [](auto x, auto y) { return detail::wrapping_add(x, y); });
}
template <typename A, typename B>
  requires detail::VectorPair<A, B>
[[nodiscard]] inline auto sub(const A& a, const B& b) {
  return detail::zip_lanes(a, b, [](auto x, auto y) { return detail::wrapping_sub(x, y); });
}
template <typename Tag, unsigned N>
  requires detail::AddsAccums<Tag>
[[nodiscard]] inline accum<Tag, N> add(const accum<Tag, N>& a, const accum<Tag, N>& b) {
  return detail::zip_sums(a, b, [](auto x, auto y) { return detail::lane_add(x, y); });
}
template <typename Tag, unsigned N>
  requires detail::AddsAccums<Tag>
[[nodiscard]] inline accum<Tag, N> sub(const accum<Tag, N>& a, const accum<Tag, N>& b) {
  return detail::zip_sums(a, b, [](auto x, auto y) { return detail::lane_sub(x, y); });
}
/// acc + b * 2^shift.
template <typename Tag, unsigned N, typename B>
  requires(detail::is_operand<B> && (detail::lanes_of<B> == 0 || detail::lanes_of<B> == N))
[[nodiscard]] inline accum<Tag, N> add(const accum<Tag, N>& a, const B& b, int shift = 0) {
  const accum<Tag, N> wide(detail::operand_vector<detail::element_t<B>, N>(b), shift);
  return detail::zip_sums(a, wide, [](auto x, auto y) { return detail::lane_add(x, y); });
}
template <typename Tag, unsigned N, typename B>
  requires(detail::is_operand<B> && (detail::lanes_of<B> == 0 || detail::lanes_of<B> == N))
[[nodiscard]] inline accum<Tag, N> sub(const accum<Tag, N>& a, const B& b, int shift = 0) {
  const accum<Tag, N> wide(detail::operand_vector<detail::element_t<B>, N>(b), shift);
  return detail::zip_sums(a, wide, [](auto x, auto y) { return detail::lane_sub(x, y); });
}

/// a + b, held at the ends of the type's range.
template <typename A, typename B>
  requires detail::VectorPair<A, B>
[[nodiscard]] inline auto saturating_add(const A& a, const B& b) {
  using T = typename detail::Common<A, B>::type;
  static_assert(detail::is_integer<T>, "shifts, bit operations and saturating sums are for integer elements");
  return detail::zip_lanes(a, b, [](T x, T y) { return detail::clamp_to<T>(std::int64_t{x} + y); });
}
template <typename A, typename B>
  requires detail::VectorPair<A, B>
[[nodiscard]] inline auto saturating_sub(const A& a, const B& b) {
  using T = typename detail::Common<A, B>::type;
  static_assert(detail::is_integer<T>, "shifts, bit operations and saturating sums are for integer elements");
  return detail::zip_lanes(a, b, [](T x, T y) { return detail::clamp_to<T>(std::int64_t{x} - y); });
}

template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N> neg(const vector<T, N>& v) {
  return detail::map_lanes(v, [](T x) { return detail::negated(x); });
}
template <typename Tag, unsigned N>
  requires detail::AddsAccums<Tag>
[[nodiscard]] inline accum<Tag, N> neg(const accum<Tag, N>& a) {
  accum<Tag, N> out;
  for (unsigned i = 0; i < N; ++i) {
    out.lanes_[i] = detail::lane_neg(a.lanes_[i]);
  }
  return out;
}
template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N> abs(const vector<T, N>& v) {
  static_assert(detail::is_ordered<T>, "complex numbers have no order");
  return detail::map_lanes(v, [](T x) { return detail::absolute(x); });
}
template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N> conj(const vector<T, N>& v) {
  static_assert(detail::is_complex<T>, "aie::conj: complex elements only");
  return detail::map_lanes(v, [](T x) { return detail::conjugated(x); });
}

template <typename A, typename B>
  requires detail::VectorPair<A, B>
[[nodiscard]] inline auto min(const A& a, const B& b) {
  static_assert(detail::is_ordered<typename detail::Common<A, B>::type>, "complex numbers have no order");
  return detail::zip_lanes(a, b, [](auto x, auto y) { return detail::plain(y) < detail::plain(x) ? y : x; });
}
template <typename A, typename B>
  requires detail::VectorPair<A, B>
[[nodiscard]] inline auto max(const A& a, const B& b) {
  static_assert(detail::is_ordered<typename detail::Common<A, B>::type>, "complex numbers have no order");
  return detail::zip_lanes(a, b, [](auto x, auto y) { return detail::plain(x) < detail::plain(y) ? y : x; });
}
/// a - b where a is larger, else 0.
template <typename A, typename B>
  requires detail::VectorPair<A, B>
[[nodiscard]] inline auto maxdiff(const A& a, const B& b) {
  using T = typename detail::Common<A, B>::type;
  static_assert(detail::is_ordered<T>, "complex numbers have no order");
  return detail::zip_lanes(
      a, b, [](T x, T y) { return detail::plain(x) > detail::plain(y) ? detail::wrapping_sub(x, y) : T(0); });
}
/// v held between two numbers or lane-wise bounds.
template <typename T, unsigned N, typename Low, typename High>
[[nodiscard]] inline vector<T, N> clamp(const vector<T, N>& v, const Low& low, const High& high) {
  return min(max(v, low), high);
}

// -- bits -----------------------------------------------------------------------------------------------------------

namespace detail {
inline void check_bit_shift(unsigned shift, unsigned bits, const char* what) {
  if (shift >= bits) [[unlikely]] {
    char text[96];
    __builtin_snprintf(text, sizeof text, "%s by %u bits, but the elements have %u", what, shift, bits);
    aieloom::refuse("aie-shift", text, "shift by less than the element's width");
  }
}
}  // namespace detail

/// Arithmetic shift right.
template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N> downshift(const vector<T, N>& v, unsigned shift) {
  static_assert(!detail::is_float<T>, "aie::downshift: integer elements only");
  detail::check_bit_shift(shift, detail::number_bits<T>, "aie::downshift");
  return detail::map_lanes(v, [shift](T x) {
    if constexpr (detail::is_complex<T>) {
      return T(static_cast<decltype(x.real)>(x.real >> shift), static_cast<decltype(x.real)>(x.imag >> shift));
    } else {
      return T(static_cast<T>(detail::plain(x) >> shift));
    }
  });
}
template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N> upshift(const vector<T, N>& v, unsigned shift) {
  static_assert(!detail::is_float<T>, "aie::upshift: integer elements only");
  detail::check_bit_shift(shift, detail::number_bits<T>, "aie::upshift");
  return detail::map_lanes(v, [shift](T x) {
    if constexpr (detail::is_complex<T>) {
      using R = decltype(x.real);
      return T(static_cast<R>(static_cast<std::uint32_t>(x.real) << shift),
               static_cast<R>(static_cast<std::uint32_t>(x.imag) << shift));
    } else {
      return T(static_cast<T>(static_cast<std::uint32_t>(detail::plain(x)) << shift));
    }
  });
}
/// Shift right that fills with zeros.
template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N> logical_downshift(const vector<T, N>& v, unsigned shift) {
  static_assert(detail::is_integer<T>, "shifts, bit operations and saturating sums are for integer elements");
  detail::check_bit_shift(shift, detail::element_bits<T>, "aie::logical_downshift");
  return detail::map_lanes(v, [shift](T x) { return T(static_cast<T>(detail::read_as(x, false) >> shift)); });
}

template <typename A, typename B>
  requires detail::VectorLast<A, B>
[[nodiscard]] inline auto bit_and(const A& a, const B& b) {
  using T = typename detail::Common<A, B>::type;
  static_assert(detail::is_integer<T>, "shifts, bit operations and saturating sums are for integer elements");
  return detail::zip_lanes(a, b, [](T x, T y) { return T(static_cast<T>(detail::plain(x) & detail::plain(y))); });
}
template <typename A, typename B>
  requires detail::VectorLast<A, B>
[[nodiscard]] inline auto bit_or(const A& a, const B& b) {
  using T = typename detail::Common<A, B>::type;
  static_assert(detail::is_integer<T>, "shifts, bit operations and saturating sums are for integer elements");
  return detail::zip_lanes(a, b, [](T x, T y) { return T(static_cast<T>(detail::plain(x) | detail::plain(y))); });
}
template <typename A, typename B>
  requires detail::VectorLast<A, B>
[[nodiscard]] inline auto bit_xor(const A& a, const B& b) {
  using T = typename detail::Common<A, B>::type;
  static_assert(detail::is_integer<T>, "shifts, bit operations and saturating sums are for integer elements");
  return detail::zip_lanes(a, b, [](T x, T y) { return T(static_cast<T>(detail::plain(x) ^ detail::plain(y))); });
}
template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N> bit_not(const vector<T, N>& v) {
  static_assert(detail::is_integer<T>, "shifts, bit operations and saturating sums are for integer elements");
  return detail::map_lanes(v, [](T x) { return T(static_cast<T>(~detail::plain(x))); });
}

/// The conjugate, the real and the imaginary part of one complex number.
template <typename T>
  requires detail::is_complex<T>
[[nodiscard]] inline T conj(T x) {
  return detail::conjugated(x);
}
template <typename T>
  requires detail::is_complex<T>
[[nodiscard]] constexpr auto real(T x) {
  return x.real;
}
template <typename T>
  requires detail::is_complex<T>
[[nodiscard]] constexpr auto imag(T x) {
  return x.imag;
}
/// The real, the imaginary part of every lane.
template <typename T, unsigned N>
  requires detail::is_complex<T>
[[nodiscard]] inline auto real(const vector<T, N>& v) {
  vector<std::remove_cvref_t<decltype(T::real)>, N> out;
  for (unsigned i = 0; i < N; ++i) {
    out.lanes_.set(i, v.lanes_.get(i).real);
  }
  return out;
}
template <typename T, unsigned N>
  requires detail::is_complex<T>
[[nodiscard]] inline auto imag(const vector<T, N>& v) {
  vector<std::remove_cvref_t<decltype(T::imag)>, N> out;
  for (unsigned i = 0; i < N; ++i) {
    out.lanes_.set(i, v.lanes_.get(i).imag);
  }
  return out;
}

// A vector of integers is a native vector, and these have + and - of their own: published kernels add aie::vectors without
// aie::operators (Vitis Tutorials, AIE performance analysis).
template <typename T, unsigned N>
  requires(!detail::is_float<T>)
[[nodiscard]] inline vector<T, N> operator+(const vector<T, N>& a, const vector<T, N>& b) {
  return add(a, b);
}
template <typename T, unsigned N>
  requires(!detail::is_float<T>)
[[nodiscard]] inline vector<T, N> operator-(const vector<T, N>& a, const vector<T, N>& b) {
  return sub(a, b);
}

}  // namespace aie
