// Making vectors and moving their lanes [aie_api reference, Initialization, Reshaping; facts (b), creation and
// reshaping].
#pragma once

#include <tuple>

#include "aie_api/detail/mask.h"
#include "aie_api/detail/operand.h"

namespace aie {

namespace detail {

/// out[i] = v[index(i)].
template <typename T, unsigned N, typename F>
[[nodiscard]] inline vector<T, N> permute(const vector<T, N>& v, F index) {
  aieloom::count_shuffle();
  vector<T, N> out;
  for (unsigned i = 0; i < N; ++i) {
    out.lanes_.set(i, v.lanes_.get(index(i)));
  }
  return out;
}

inline void check_amount(unsigned n, unsigned lanes, const char* what) {
  if (n > lanes) [[unlikely]] {
    char text[96];
    __builtin_snprintf(text, sizeof text, "%s by %u, but the vector has %u elements", what, n, lanes);
    aieloom::refuse("aie-shuffle", text, "shift by at most the number of elements");
  }
}

inline void check_step(unsigned step, unsigned most, const char* what) {
  if (!is_power_of_two(step) || step > most) [[unlikely]] {
    char text[112];
    __builtin_snprintf(text, sizeof text, "%s: the step is %u, it must be a power of two of at most %u", what, step,
                       most);
    aieloom::refuse("aie-shuffle", text, "choose a legal step");
  }
}

}  // namespace detail

/// Zero as an element.
template <typename T>
[[nodiscard]] constexpr T zero() {
  return T{};
}

/// All lanes zero: zeros<T, N>() a vector, zeros<Tag, N>() an accumulator.
template <typename T, unsigned N = detail::kNativeLanes<T>>
[[nodiscard]] inline auto zeros() {
  if constexpr (detail::is_tag<T>) {
    accum<T, N> out;
    __builtin_memset(&out.lanes_, 0, sizeof out.lanes_);
    return out;
  } else {
    vector<T, N> out;
    __builtin_memset(&out.lanes_, 0, sizeof out.lanes_);
    return out;
  }
}

namespace detail {
/// The type that was asked for, or the number's own.
template <typename T, typename X>
struct broadcast_type {
  using type = T;
};
template <typename X>
struct broadcast_type<void, X> {
  using type = element_t<X>;
};
}  // namespace detail

/// The same number in every lane; of its own type, and as many as a register has, where nothing else is said.
template <typename T = void, unsigned N = 0, typename X>
[[nodiscard]] inline auto broadcast(const X& x) {
  using E = typename detail::broadcast_type<T, X>::type;
  constexpr unsigned lanes = N == 0 ? detail::kNativeLanes<E> : N;
  static_assert(std::convertible_to<X, E>, "aie::broadcast: a number, or an element of a vector");
  return detail::fill_lanes<E, lanes>(static_cast<E>(x));
}
template <unsigned N, typename X>
[[nodiscard]] inline auto broadcast(const X& x) {
  return detail::operand_vector<detail::element_t<X>, N>(x);
}

/// A complex number by its parts: broadcast<cint16, 8>({1, 2}).
template <typename T, unsigned N>
  requires detail::is_complex<T>
[[nodiscard]] inline vector<T, N> broadcast(const std::remove_cvref_t<decltype(T::real)> (&parts)[2]) {
  return detail::fill_lanes<T, N>(T{parts[0], parts[1]});
}

/// The parts one after another, the first in the low lanes.
template <Vector V, Vector... Others>
  requires((std::is_same_v<Others, V> && ...) && sizeof...(Others) > 0)
[[nodiscard]] inline auto concat(const V& first, const Others&... others) {
  static_assert(detail::is_power_of_two(1 + sizeof...(Others)), "aie::concat: two, four or eight equal parts");
  vector<typename V::value_type, V::size() * (1 + sizeof...(Others))> out;
  unsigned i = 0;
  out.insert(i++, first);
  (out.insert(i++, others), ...);
  return out;
}
template <Accum A, Accum... Others>
  requires((std::is_same_v<Others, A> && ...) && sizeof...(Others) > 0)
[[nodiscard]] inline auto concat(const A& first, const Others&... others) {
  static_assert(detail::is_power_of_two(1 + sizeof...(Others)), "aie::concat: two, four or eight equal parts");
  accum<typename A::value_type, A::size() * (1 + sizeof...(Others))> out;
  unsigned i = 0;
  out.insert(i++, first);
  (out.insert(i++, others), ...);
  return out;
}

/// The parts in a tuple, a pair or an array.
template <typename Tuple>
  requires requires { std::tuple_size<Tuple>::value; }
[[nodiscard]] inline auto concat(const Tuple& parts) {
  return std::apply([](const auto&... part) { return concat(part...); }, parts);
}
/// The same; no part of the API, and AMD's DSPLIB calls it.
template <typename T, unsigned N, typename... Others>
[[nodiscard]] inline auto concat_vector(const vector<T, N>& first, const Others&... others) {
  return concat(first, others...);
}

/// The same bits as elements of type U.
template <typename U, Vector V>
[[nodiscard]] inline auto vector_cast(const V& v) {
  return v.template cast_to<U>();
}

// -- shuffles: by n lanes up (to higher numbers) or down --------------------------------------------------------

/// out[i + n] = v[i]; the lowest n lanes are undefined.
template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N> shuffle_up(const vector<T, N>& v, unsigned n) {
  detail::check_amount(n, N, "aie::shuffle_up");
  aieloom::count_shuffle();
  vector<T, N> out;
  for (unsigned i = n; i < N; ++i) {
    out.lanes_.set(i, v.lanes_.get(i - n));
  }
  return out;
}
/// out[i] = v[i + n]; the highest n lanes are undefined.
template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N> shuffle_down(const vector<T, N>& v, unsigned n) {
  detail::check_amount(n, N, "aie::shuffle_down");
  aieloom::count_shuffle();
  vector<T, N> out;
  for (unsigned i = n; i < N; ++i) {
    out.lanes_.set(i - n, v.lanes_.get(i));
  }
  return out;
}
/// shuffle_up whose low lanes come from the top of `fill`.
template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N> shuffle_up_fill(const vector<T, N>& v, const vector<T, N>& fill, unsigned n) {
  detail::check_amount(n, N, "aie::shuffle_up_fill");
  vector<T, N> out = shuffle_up(v, n);
  for (unsigned i = 0; i < n; ++i) {
    out.lanes_.set(i, fill.lanes_.get(N - n + i));
  }
  return out;
}
/// shuffle_down whose high lanes come from the bottom of `fill`.
template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N> shuffle_down_fill(const vector<T, N>& v, const vector<T, N>& fill, unsigned n) {
  detail::check_amount(n, N, "aie::shuffle_down_fill");
  vector<T, N> out = shuffle_down(v, n);
  for (unsigned i = 0; i < n; ++i) {
    out.lanes_.set(N - n + i, fill.lanes_.get(i));
  }
  return out;
}
/// out[(i + n) mod N] = v[i].
template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N> shuffle_up_rotate(const vector<T, N>& v, unsigned n) {
  return detail::permute(v, [n](unsigned i) { return (i - n) % N; });
}
template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N> shuffle_down_rotate(const vector<T, N>& v, unsigned n) {
  return detail::permute(v, [n](unsigned i) { return (i + n) % N; });
}
/// Vacated lanes repeat the lane at the end they come from.
template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N> shuffle_up_replicate(const vector<T, N>& v, unsigned n) {
  detail::check_amount(n, N, "aie::shuffle_up_replicate");
  return detail::permute(v, [n](unsigned i) { return i < n ? 0 : i - n; });
}
template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N> shuffle_down_replicate(const vector<T, N>& v, unsigned n) {
  detail::check_amount(n, N, "aie::shuffle_down_replicate");
  return detail::permute(v, [n](unsigned i) { return i + n < N ? i + n : N - 1; });
}

template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N> reverse(const vector<T, N>& v) {
  return detail::permute(v, [](unsigned i) { return N - 1 - i; });
}

/// v as rows x cols, row-major -> cols x rows, row-major.
template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N> transpose(const vector<T, N>& v, unsigned rows, unsigned cols) {
  if (rows * cols != N) [[unlikely]] {
    char text[96];
    __builtin_snprintf(text, sizeof text, "aie::transpose: %u rows x %u columns, but the vector has %u elements", rows,
                       cols, N);
    aieloom::refuse("aie-shuffle", text, "rows times columns must be the vector's size");
  }
  return detail::permute(v, [rows, cols](unsigned i) { return i % rows * cols + i / rows; });
}

// -- between two vectors ----------------------------------------------------------------------------------------

/// Chunks of `step` lanes of a and b in turn; the result is twice as long, in two vectors.
template <typename T, unsigned N>
[[nodiscard]] inline std::pair<vector<T, N>, vector<T, N>> interleave_zip(const vector<T, N>& a, const vector<T, N>& b,
                                                                          unsigned step) {
  detail::check_step(step, N, "aie::interleave_zip");
  aieloom::count_shuffle(2);
  std::pair<vector<T, N>, vector<T, N>> out;
  for (unsigned i = 0; i < 2 * N; ++i) {
    const unsigned chunk = i / step;
    const unsigned from = chunk / 2 * step + i % step;
    const T x = chunk % 2 == 0 ? a.lanes_.get(from) : b.lanes_.get(from);
    (i < N ? out.first : out.second).lanes_.set(i % N, x);
  }
  return out;
}

/// Even chunks of a, then of b; odd chunks of a, then of b.
template <typename T, unsigned N>
[[nodiscard]] inline std::pair<vector<T, N>, vector<T, N>> interleave_unzip(const vector<T, N>& a,
                                                                            const vector<T, N>& b, unsigned step = 1) {
  detail::check_step(step, N, "aie::interleave_unzip");
  aieloom::count_shuffle(2);
  std::pair<vector<T, N>, vector<T, N>> out;
  for (unsigned i = 0; i < 2 * N; ++i) {
    const unsigned chunk = i / step;
    const unsigned to = chunk / 2 * step + i % step;
    const T x = i < N ? a.lanes_.get(i) : b.lanes_.get(i - N);
    (chunk % 2 == 0 ? out.first : out.second).lanes_.set(to, x);
  }
  return out;
}

namespace detail {
template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N / 2> filter(const vector<T, N>& v, unsigned step, unsigned odd, const char* what) {
  check_step(step, N / 2, what);
  aieloom::count_shuffle();
  vector<T, N / 2> out;
  for (unsigned i = 0; i < N / 2; ++i) {
    out.lanes_.set(i, v.lanes_.get(i / step * 2 * step + odd * step + i % step));
  }
  return out;
}
}  // namespace detail

/// Chunks 0, 2, 4, ... of `step` lanes.
template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N / 2> filter_even(const vector<T, N>& v, unsigned step = 1) {
  return detail::filter(v, step, 0, "aie::filter_even");
}
/// Chunks 1, 3, 5, ... of `step` lanes.
template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N / 2> filter_odd(const vector<T, N>& v, unsigned step = 1) {
  return detail::filter(v, step, 1, "aie::filter_odd");
}

/// Lane i of a where bit i is 0, of b where it is 1; either may be a number.
template <typename A, typename B, unsigned N>
[[nodiscard]] inline auto select(const A& a, const B& b, const mask<N>& m) {
  using T = std::conditional_t<(detail::lanes_of<A> > 0), detail::element_t<A>, detail::element_t<B>>;
  const auto& va = detail::operand_vector<T, N>(a);
  const auto& vb = detail::operand_vector<T, N>(b);
  vector<T, N> out;
  for (unsigned i = 0; i < N; ++i) {
    out.lanes_.set(i, m.bit(i) ? vb.lanes_.get(i) : va.lanes_.get(i));
  }
  return out;
}

// -- integer elements of the next size --------------------------------------------------------------------------

namespace detail {

template <typename T>
struct sibling {  // next smaller and larger types, of the same signedness
  using smaller = void;
  using larger = void;
};
#define AIELOOM_SIBLING(T, SMALL, LARGE) \
  template <>                            \
  struct sibling<T> {                    \
    using smaller = SMALL;               \
    using larger = LARGE;                \
  };
#if __AIE_ARCH__ == 10
AIELOOM_SIBLING(int8, void, int16)
AIELOOM_SIBLING(uint8, void, int16)
AIELOOM_SIBLING(int16, int8, void)
#else
AIELOOM_SIBLING(int4, void, int8)
AIELOOM_SIBLING(uint4, void, uint8)
AIELOOM_SIBLING(int8, int4, int16)
AIELOOM_SIBLING(uint8, uint4, uint16)
AIELOOM_SIBLING(int16, int8, int32)
AIELOOM_SIBLING(uint16, uint8, uint32)
AIELOOM_SIBLING(int32, int16, void)
AIELOOM_SIBLING(uint32, uint16, void)
#endif
#undef AIELOOM_SIBLING

/// Signed or unsigned reading of a value that a vector holds.
template <typename T>
constexpr std::int64_t read_as(T x, bool is_signed) {
  const auto value = static_cast<std::int64_t>(plain(x));
  constexpr unsigned bits = element_bits<T>;
  const auto low = static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << bits) - 1);
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return static_cast<std::int64_t>(is_signed ? (low ^ sign) - sign : low);
}

template <typename U, typename T, unsigned N>
[[nodiscard]] inline vector<U, N> pack_to(const vector<T, N>& v, bool is_signed) {
  const Conversion narrow(0, element_bits<U>, is_signed);
  vector<U, N> out;
  for (unsigned i = 0; i < N; ++i) {
    out.lanes_.set(i, static_cast<U>(static_cast<int>(narrow(static_cast<std::int64_t>(plain(v.lanes_.get(i)))))));
  }
  return out;
}
}  // namespace detail

template <typename T, unsigned N>
template <typename U>
auto vector<T, N>::pack_sign(bool is_signed) const {
  using To = std::conditional_t<std::is_void_v<U>, typename detail::sibling<T>::smaller, U>;
  static_assert(
      !std::is_void_v<To>,
      "aie::vector::pack: the architecture has no smaller integer elements (AIE: 16 to 8 bits; AIE-ML: down to 4)");
  static_assert(2 * detail::element_bits<To> == detail::element_bits<T>, "aie::vector::pack: only to half the size");
  return detail::pack_to<To>(*this, is_signed);
}
template <typename T, unsigned N>
template <typename U>
auto vector<T, N>::pack() const {
  using To = std::conditional_t<std::is_void_v<U>, typename detail::sibling<T>::smaller, U>;
  return pack_sign<To>(detail::is_signed_element<To>);
}
template <typename T, unsigned N>
template <typename U>
auto vector<T, N>::unpack_sign(bool is_signed) const {
  using To = std::conditional_t<std::is_void_v<U>, typename detail::sibling<T>::larger, U>;
  static_assert(
      !std::is_void_v<To>,
      "aie::vector::unpack: the architecture has no larger integer elements (AIE: 8 to 16 bits; AIE-ML: up to 32)");
  static_assert(2 * detail::element_bits<T> == detail::element_bits<To>, "aie::vector::unpack: only to twice the size");
  vector<To, N> out;
  for (unsigned i = 0; i < N; ++i) {
    out.lanes_.set(i, static_cast<To>(detail::read_as(lanes_.get(i), is_signed)));
  }
  return out;
}
template <typename T, unsigned N>
template <typename U>
auto vector<T, N>::unpack() const {
  return unpack_sign<U>(detail::is_signed_element<T>);
}

template <typename U = void, typename T, unsigned N>
[[nodiscard]] inline auto pack(const vector<T, N>& v) {
  return v.template pack<U>();
}
template <typename U = void, typename T, unsigned N>
  requires(!detail::kFirst || detail::is_signed_element<T>)
[[nodiscard]] inline auto unpack(const vector<T, N>& v) {
  return v.template unpack<U>();
}

// The vendor's FFT uses these two inside aie::detail; the API's reference has no such functions.
template <typename... Given>
void interleave_butterfly(Given&&...) {
  static_assert(sizeof(void (*)(Given...)) == 0,
                "aie::interleave_butterfly is no function of the API; use interleave_zip or _unzip");
}
template <typename... Given>
void interleave_crossover(Given&&...) {
  static_assert(sizeof(void (*)(Given...)) == 0,
                "aie::interleave_crossover is no function of the API; use interleave_zip or _unzip");
}

}  // namespace aie
