// Operands as the vendor allows them: vectors, numbers, elements of vectors, and each wrapped in a lazy operation
// (op_neg, op_conj, op_abs, op_sign, ...; op_add, op_sub, op_zero for accumulators) [aie_api reference, Lazy
// Operations].
#pragma once

#include "aie_api/detail/accum.h"

namespace aie {

enum class Operation { None, Neg, Conj, Abs, Sign, Acc_Add, Acc_Sub, Zero };

/// A vector, number or accumulator with something to be done on the way into a multiplication.
template <typename Parent, Operation Op>
struct unary_op {
  using parent_type = Parent;
  using value_type = typename detail::scalar_of<Parent>::type;
  Parent parent;
  bool flag = true;  // op_sign: treat as signed; op_zero: make it zero
};

/// The larger or smaller of two operands, lane by lane, on the way into a multiplication.
template <typename Parent1, typename Parent2, bool IsMax>
struct binary_op {
  using value_type = typename detail::scalar_of<Parent1>::type;
  Parent1 parent1;
  Parent2 parent2;
};

namespace detail {

template <typename X>
inline constexpr bool is_op = false;
template <typename P, Operation Op>
inline constexpr bool is_op<unary_op<P, Op>> = true;
template <typename P1, typename P2, bool IsMax>
inline constexpr bool is_op<binary_op<P1, P2, IsMax>> = true;
template <typename X>
inline constexpr bool is_binary_op = false;
template <typename P1, typename P2, bool IsMax>
inline constexpr bool is_binary_op<binary_op<P1, P2, IsMax>> = true;

template <typename T>
constexpr T negated(T x) {
  if constexpr (is_one_of<T, float, cfloat, cint16, cint32>) {
    return -x;
  } else if constexpr (is_cbfloat16<T>) {
    return {negated(x.real), negated(x.imag)};
  } else if constexpr (is_bfloat16<T>) {
    T out = x;
    out.bits = static_cast<std::uint16_t>(x.bits ^ 0x8000U);
    return out;
  } else if constexpr (is_nibble<T>) {
    return T(-static_cast<int>(x));
  } else {
    return static_cast<T>(0U - static_cast<std::make_unsigned_t<T>>(x));
  }
}

template <typename T>
constexpr T conjugated(T x) {
  if constexpr (is_complex<T>) {
    return T{x.real, static_cast<decltype(x.imag)>(negated(x.imag))};
  } else {
    return x;
  }
}

template <typename T>
constexpr T absolute(T x) {
  if constexpr (is_bfloat16<T>) {
    x.bits &= 0x7fffU;
    return x;
  } else if constexpr (std::is_floating_point_v<T>) {
    return __builtin_fabsf(x);
  } else if constexpr (is_signed_element<T>) {
    return plain(x) < 0 ? negated(x) : x;
  } else {
    return x;
  }
}

/// The element type of an operand.
template <typename X>
struct element_of {
  using type = X;
};
template <typename T, unsigned N>
struct element_of<vector<T, N>> {
  using type = T;
};
template <typename T, unsigned N>
struct element_of<vector_elem_ref<T, N>> {
  using type = T;
};
template <typename P, Operation Op>
struct element_of<unary_op<P, Op>> : element_of<P> {};
template <typename P1, typename P2, bool IsMax>
struct element_of<binary_op<P1, P2, IsMax>> : element_of<P1> {};
template <typename X>
using element_t = typename element_of<std::remove_cvref_t<X>>::type;

/// The number of lanes of an operand; 0 for numbers, which fit any.
template <typename X>
inline constexpr unsigned lanes_of = 0;
template <typename T, unsigned N>
inline constexpr unsigned lanes_of<vector<T, N>> = N;
template <typename Tag, unsigned N>
inline constexpr unsigned lanes_of<accum<Tag, N>> = N;
template <typename P, Operation Op>
inline constexpr unsigned lanes_of<unary_op<P, Op>> = lanes_of<P>;
template <typename P1, typename P2, bool IsMax>
inline constexpr unsigned lanes_of<binary_op<P1, P2, IsMax>> = lanes_of<P1> > lanes_of<P2> ? lanes_of<P1> : lanes_of<P2>;

template <typename T, unsigned N, typename F>
[[nodiscard]] inline vector<T, N> map_lanes(const vector<T, N>& v, F f) {
  vector<T, N> out;
  for (unsigned i = 0; i < N; ++i) {
    out.lanes_.set(i, f(v.lanes_.get(i)));
  }
  return out;
}

/// The same number in N lanes.
template <typename T, unsigned N>
[[nodiscard]] inline vector<T, N> fill_lanes(T value) {
  vector<T, N> out;
  for (unsigned i = 0; i < N; ++i) {
    out.lanes_.set(i, value);
  }
  return out;
}

template <typename P, Operation Op, typename T, unsigned N>
[[nodiscard]] inline vector<T, N> apply(const unary_op<P, Op>&, const vector<T, N>& v);
template <typename T, unsigned N, typename P1, typename P2, bool IsMax>
[[nodiscard]] inline vector<T, N> larger_or_smaller(const binary_op<P1, P2, IsMax>& op);

/// An operand as N lanes of T: numbers in every lane, lazy operations done. Numbers must be T's: nothing is converted.
/// A vector is returned as it is, not copied.
template <typename T, unsigned N, typename X>
[[nodiscard]] inline std::conditional_t<is_vector<X>, const X&, vector<T, N>> operand_vector(const X& x) {
  if constexpr (is_vector<X>) {
    static_assert(std::is_same_v<typename X::value_type, T>,
                  "an operand's elements have another type than this operation takes");
    static_assert(X::size() == N, "an operand has another number of elements than this operation takes");
    return x;
  } else if constexpr (is_binary_op<X>) {
    return larger_or_smaller<T, N>(x);
  } else if constexpr (is_op<X>) {
    return apply(x, operand_vector<T, N>(x.parent));
  } else {
    static_assert(
        std::is_same_v<element_t<X>, T>,
        "a number used with a vector must have the vector's element type: write int16(1), 1.0f, ... [aie-operand]");
    return fill_lanes<T, N>(static_cast<T>(x));
  }
}

template <typename T, unsigned N, typename P1, typename P2, bool IsMax>
[[nodiscard]] inline vector<T, N> larger_or_smaller(const binary_op<P1, P2, IsMax>& op) {
  const vector<T, N> a = operand_vector<T, N>(op.parent1);
  const vector<T, N> b = operand_vector<T, N>(op.parent2);
  vector<T, N> out;
  for (unsigned i = 0; i < N; ++i) {
    const T x = a.lanes_.get(i), y = b.lanes_.get(i);
    out.lanes_.set(i, (plain(x) < plain(y)) == IsMax ? y : x);
  }
  return out;
}

template <typename P, Operation Op, typename T, unsigned N>
[[nodiscard]] inline vector<T, N> apply(const unary_op<P, Op>&, const vector<T, N>& v) {
  static_assert(Op != Operation::Acc_Add && Op != Operation::Acc_Sub && Op != Operation::Zero,
                "op_add, op_sub and op_zero are for accumulators");
  if constexpr (Op == Operation::Neg) {
    return map_lanes(v, [](T x) { return negated(x); });
  } else if constexpr (Op == Operation::Conj) {
    return map_lanes(v, [](T x) { return conjugated(x); });
  } else if constexpr (Op == Operation::Abs) {
    return map_lanes(v, [](T x) { return absolute(x); });
  } else {
    return v;
  }
}

}  // namespace detail

template <typename T>
[[nodiscard]] inline unary_op<T, Operation::None> op_none(const T& x) {
  return {x};
}
template <typename T>
[[nodiscard]] inline unary_op<T, Operation::Neg> op_neg(const T& x) {
  return {x};
}
template <typename T>
[[nodiscard]] inline unary_op<T, Operation::Abs> op_abs(const T& x) {
  static_assert(!detail::is_complex<detail::element_t<T>>, "aie::op_abs: real elements only");
  return {x};
}
template <typename T>
[[nodiscard]] inline unary_op<T, Operation::Conj> op_conj(const T& x) {
  static_assert(detail::is_complex<detail::element_t<T>>, "aie::op_conj: complex elements only");
  return {x};
}
template <typename A, typename B>
[[nodiscard]] inline binary_op<A, B, true> op_max(const A& a, const B& b) {
  static_assert(!detail::is_complex<detail::element_t<A>>, "aie::op_max: real elements only");
  static_assert(!detail::is_op<A> && !detail::is_op<B>, "aie::op_max: vectors and numbers, not lazy operations");
  static_assert(std::is_same_v<detail::element_t<A>, detail::element_t<B>>, "aie::op_max: two operands of one type");
  return {a, b};
}
template <typename A, typename B>
[[nodiscard]] inline binary_op<A, B, false> op_min(const A& a, const B& b) {
  static_assert(!detail::is_complex<detail::element_t<A>>, "aie::op_min: real elements only");
  static_assert(!detail::is_op<A> && !detail::is_op<B>, "aie::op_min: vectors and numbers, not lazy operations");
  static_assert(std::is_same_v<detail::element_t<A>, detail::element_t<B>>, "aie::op_min: two operands of one type");
  return {a, b};
}
/// Elements of 8 bits read as signed or not.
template <typename T>
[[nodiscard]] inline unary_op<T, Operation::Sign> op_sign(const T& x, bool is_signed) {
  return {x, is_signed};
}
template <Accum A>
[[nodiscard]] inline unary_op<A, Operation::Acc_Add> op_add(const A& acc) {
  return {acc};
}
template <Accum A>
[[nodiscard]] inline unary_op<A, Operation::Acc_Sub> op_sub(const A& acc) {
  return {acc};
}
/// Start from zero instead of acc where `zero` is true.
template <Accum A>
[[nodiscard]] inline unary_op<A, Operation::Zero> op_zero(const A& acc, bool zero = true) {
  return {acc, zero};
}

namespace detail {

/// An accumulator operand: where the sum starts, and whether products are subtracted.
template <typename X>
struct AccumOperand {
  using type = X;
  static constexpr bool subtract = false;
  static const X& start(const X& acc) { return acc; }
};
template <typename P>
struct AccumOperand<unary_op<P, Operation::None>> : AccumOperand<P> {
  static const P& start(const unary_op<P, Operation::None>& op) { return op.parent; }
};
template <typename P>
struct AccumOperand<unary_op<P, Operation::Acc_Add>> : AccumOperand<P> {
  static const P& start(const unary_op<P, Operation::Acc_Add>& op) { return op.parent; }
};
template <typename P>
struct AccumOperand<unary_op<P, Operation::Acc_Sub>> : AccumOperand<P> {
  static constexpr bool subtract = true;
  static const P& start(const unary_op<P, Operation::Acc_Sub>& op) { return op.parent; }
};
template <typename P>
struct AccumOperand<unary_op<P, Operation::Zero>> : AccumOperand<P> {
  static P start(const unary_op<P, Operation::Zero>& op) {
    P acc = op.parent;
    if (op.flag) {
      __builtin_memset(&acc.lanes_, 0, sizeof acc.lanes_);
    }
    return acc;
  }
};

}  // namespace detail

}  // namespace aie
