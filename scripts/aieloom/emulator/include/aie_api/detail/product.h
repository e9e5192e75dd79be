// Products of vectors, in accumulators: mul, mac, msc, negmul, squares, accumulate [aie_api reference, Multiplication].
#pragma once

#include "aie_api/detail/arithmetic.h"

namespace aie {

namespace detail {

template <typename A, typename B>
consteval void check_factors() {
  static_assert(
      can_multiply<A, B>,
      "aie::mul: integers multiply integers, float float and bfloat16 bfloat16; convert one of the operands [aie-mul]");
}

/// Issue slots of an elementwise product: MACs per cycle of the pair of types (AM009; AM020).
template <typename A, typename B>
consteval unsigned elementwise_rate() {
  constexpr unsigned a = number_bits<A>, b = number_bits<B>;
  if (is_float<A>) {
    return is_brain<A> ? 16 : kFloatMacs;
  }
  return kMacs / (a + b <= 32 ? 1 : a + b <= 48 ? 2 : 4);
}

/// acc[i] (+ or -)= a[i] * b[i].
template <bool Subtract, typename Tag, unsigned N, typename TA, typename TB>
inline void multiply_lanes(accum<Tag, N>& acc, const vector<TA, N>& a, const vector<TB, N>& b) {
  aieloom::count_mac((N + elementwise_rate<TA, TB>() - 1) / elementwise_rate<TA, TB>(), N);
  using L = lane_type<Tag>;
  for (unsigned i = 0; i < N; ++i) {
    const L p = product<L>(a.lanes_.get(i), b.lanes_.get(i));
    acc.lanes_[i] = Subtract ? lane_sub(acc.lanes_[i], p) : lane_add(acc.lanes_[i], p);
  }
}
/// acc[i] = a[i] * b[i], or its negative.
template <bool Negate, typename Tag, unsigned N, typename TA, typename TB>
[[nodiscard]] inline accum<Tag, N> product_lanes(const vector<TA, N>& a, const vector<TB, N>& b) {
  aieloom::count_mac((N + elementwise_rate<TA, TB>() - 1) / elementwise_rate<TA, TB>(), N);
  using L = lane_type<Tag>;
  accum<Tag, N> acc;
  for (unsigned i = 0; i < N; ++i) {
    const L p = product<L>(a.lanes_.get(i), b.lanes_.get(i));
    acc.lanes_[i] = Negate ? lane_neg(p) : p;
  }
  return acc;
}

/// op_neg of a factor becomes a negated product: exact for the lowest number and for unsigned elements too.
template <typename X>
inline constexpr bool is_negated = false;
template <typename P>
inline constexpr bool is_negated<unary_op<P, Operation::Neg>> = true;
template <typename T, unsigned N, typename X>
[[nodiscard]] inline decltype(auto) factor_vector(const X& x) {
  if constexpr (is_negated<X>) {
    return operand_vector<T, N>(x.parent);
  } else {
    return operand_vector<T, N>(x);
  }
}

template <bool Negate, typename Tag, typename A, typename B>
[[nodiscard]] inline auto multiply(const A& a, const B& b) {
  using TA = element_t<A>;
  using TB = element_t<B>;
  check_factors<TA, TB>();
  constexpr unsigned N = Common<A, B>::size;
  if constexpr (can_multiply<TA, TB>) {
    using To = resolved_tag<Tag, TA, TB>;
    constexpr bool flip = is_negated<A> != is_negated<B>;
    return product_lanes<Negate != flip, To>(factor_vector<TA, N>(a), factor_vector<TB, N>(b));
  }
}
template <bool Subtract, typename Acc, typename A, typename B>
[[nodiscard]] inline auto multiply_onto(const Acc& start, const A& a, const B& b) {
  using TA = element_t<A>;
  using TB = element_t<B>;
  check_factors<TA, TB>();
  using Operand = AccumOperand<Acc>;
  auto acc = Operand::start(start);
  check_defined(acc, "aie::mac");
  constexpr unsigned N = decltype(acc)::size();
  constexpr TagInfo info = tag_info<typename decltype(acc)::value_type>;
  static_assert(info.is_float == is_float<TA>,
                "aie::mac: the accumulator is of another kind than the product [aie-mul]");
  static_assert(info.is_complex == (is_complex<TA> || is_complex<TB>),
                "aie::mac: complex products need a complex accumulator, real ones a real one [aie-mul]");
  constexpr bool flip = is_negated<A> != is_negated<B>;
  multiply_lanes<(Subtract != Operand::subtract) != flip>(acc, factor_vector<TA, N>(a), factor_vector<TB, N>(b));
  return acc;
}

}  // namespace detail

/// a * b in an accumulator.
template <typename Tag = accauto, typename A, typename B>
  requires detail::VectorPair<A, B>
[[nodiscard]] inline auto mul(const A& a, const B& b) {
  return detail::multiply<false, Tag>(a, b);
}
/// -(a * b).
template <typename Tag = accauto, typename A, typename B>
  requires detail::VectorPair<A, B>
[[nodiscard]] inline auto negmul(const A& a, const B& b) {
  return detail::multiply<true, Tag>(a, b);
}
/// acc + a * b, in acc's width.
template <typename Acc, typename A, typename B>
  requires detail::VectorPair<A, B>
[[nodiscard]] inline auto mac(const Acc& acc, const A& a, const B& b) {
  return detail::multiply_onto<false>(acc, a, b);
}
/// acc - a * b.
template <typename Acc, typename A, typename B>
  requires detail::VectorPair<A, B>
[[nodiscard]] inline auto msc(const Acc& acc, const A& a, const B& b) {
  return detail::multiply_onto<true>(acc, a, b);
}
template <typename Tag = accauto, typename T, unsigned N>
[[nodiscard]] inline auto mul_square(const vector<T, N>& v) {
  return mul<Tag>(v, v);
}
template <typename Acc, typename T, unsigned N>
[[nodiscard]] inline auto mac_square(const Acc& acc, const vector<T, N>& v) {
  return mac(acc, v, v);
}
template <typename Acc, typename T, unsigned N>
[[nodiscard]] inline auto msc_square(const Acc& acc, const vector<T, N>& v) {
  return msc(acc, v, v);
}
/// |x|^2, cut to the width of x's parts.
template <typename T>
  requires detail::is_complex<T>
[[nodiscard]] inline auto abs_square(const T& x) {
  using R = decltype(T::real);
  using W = std::conditional_t<detail::is_float<T>, float, std::uint64_t>;
  const W a = static_cast<W>(x.real), b = static_cast<W>(x.imag);
  return static_cast<R>(a * a + b * b);
}
/// |v|^2 of complex elements, real; of integers shifted down as by to_vector.
template <typename To = void, typename T, unsigned N>
[[nodiscard]] inline auto abs_square(const vector<T, N>& v, int shift = 0) {
  static_assert(detail::is_complex<T>, "aie::abs_square: complex elements only");
  using R = decltype(T::real);
  using Out = std::conditional_t<!std::is_void_v<To>, To, std::conditional_t<detail::is_float<T>, float, int32>>;
  using Tag = detail::resolved_tag<accauto, R, R>;
  using L = detail::lane_type<Tag>;
  accum<Tag, N> acc;
  for (unsigned i = 0; i < N; ++i) {
    const T x = v.lanes_.get(i);
    acc.lanes_[i] = detail::lane_add(detail::product<L>(x.real, x.real), detail::product<L>(x.imag, x.imag));
  }
  return acc.template to_vector<Out>(shift);
}

/// Sum over i of coeff[start + i] * d_i, Lanes at a time.
template <unsigned Lanes, typename Tag = accauto, typename TC, unsigned NC, typename TD, typename... Data>
[[nodiscard]] inline auto accumulate(const vector<TC, NC>& coeff, unsigned start, const vector<TD, Lanes>& first,
                                     const Data&... data) {
  static_assert(NC * detail::element_bits<TC> <= detail::kCoefficientBits,
                "aie::accumulate: at most 256 bits of coefficients on AIE, 512 on AIE-ML");
  detail::check_index(start + sizeof...(Data), NC, "aie::accumulate: coefficients");
  auto acc = mul<Tag>(first, coeff.get(start));
  unsigned i = start;
  ((acc = mac(acc, data, coeff.get(++i))), ...);
  return acc;
}
/// The same from the first coefficient on.
template <unsigned Lanes, typename Tag = accauto, typename TC, unsigned NC, typename TD, typename... Data>
[[nodiscard]] inline auto accumulate(const vector<TC, NC>& coeff, const vector<TD, Lanes>& first, const Data&... data) {
  return accumulate<Lanes, Tag>(coeff, 0U, first, data...);
}
/// The same onto an accumulator.
template <unsigned Lanes, typename Acc, typename TC, unsigned NC, typename... Data>
  requires(detail::is_accum<Acc> || detail::is_op<Acc>)
[[nodiscard]] inline auto accumulate(const Acc& start_from, const vector<TC, NC>& coeff, unsigned start,
                                     const Data&... data) {
  static_assert(NC * detail::element_bits<TC> <= detail::kCoefficientBits,
                "aie::accumulate: at most 256 bits of coefficients on AIE, 512 on AIE-ML");
  detail::check_index(start + sizeof...(Data) - 1, NC, "aie::accumulate: coefficients");
  auto acc = detail::AccumOperand<Acc>::start(start_from);
  static_assert(decltype(acc)::size() == Lanes, "aie::accumulate: the accumulator has another number of lanes");
  unsigned i = start;
  ((acc = mac(acc, data, coeff.get(i++))), ...);
  return acc;
}

}  // namespace aie
