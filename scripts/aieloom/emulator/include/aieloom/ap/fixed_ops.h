// Operators between fixed-point numbers and whole ones, with the documented result formats
// [UG1399 C++ arbitrary precision fixed-point types: class methods, operators, and data members].
#ifndef AIELOOM_AP_FIXED_OPS_H
#define AIELOOM_AP_FIXED_OPS_H

#include <algorithm>
#include <concepts>

#include "aieloom/ap/fixed_base.h"

namespace aieloom::ap {

template <int W, int I, bool S, ap_q_mode Q, ap_o_mode O, int N>
constexpr const ap_fixed_base<W, I, S, Q, O, N>& as_fixed(const ap_fixed_base<W, I, S, Q, O, N>& value) {
  return value;
}
template <typename T>
  requires(IntLike<T> || Builtin<T>)
constexpr auto as_fixed(const T& value) {
  const auto& number = as_value(value);
  using Number = std::remove_cvref_t<decltype(number)>;
  return ap_fixed_base<Number::width, Number::width, Number::sign_flag>(number);
}

template <typename T>
concept Exact = FixedLike<T> || IntLike<T> || Builtin<T>;
template <typename A, typename B>
concept FixedOperands = (FixedLike<A> && Exact<B>) || (Exact<A> && FixedLike<B>);

/// Result formats for operands of W1, W2 bits with I1, I2 of them before the point.
template <typename A, typename B>
struct Formats {
  static constexpr int kF1 = A::width - A::iwidth;
  static constexpr int kF2 = B::width - B::iwidth;
  static constexpr int kWhole = std::max(A::iwidth + (B::sign_flag && !A::sign_flag), B::iwidth + (A::sign_flag && !B::sign_flag));
  static constexpr int kBehind = std::max(kF1, kF2);
  static constexpr bool kSign = A::sign_flag || B::sign_flag;
  using Plus = ap_fixed_base<kWhole + 1 + kBehind, kWhole + 1, kSign>;
  using Minus = ap_fixed_base<kWhole + 1 + kBehind, kWhole + 1, true>;
  using Times = ap_fixed_base<A::width + B::width, A::iwidth + B::iwidth, kSign>;
  using Divide = ap_fixed_base<B::sign_flag + A::width + std::max(kF2, 0), B::sign_flag + A::iwidth + kF2, kSign>;
  using Logic = ap_fixed_base<kWhole + kBehind, kWhole, kSign>;
};

/// Both operands in one format, then an operator on whole numbers.
template <typename R, typename A, typename B, typename Op>
constexpr R aligned(const A& a, const B& b, Op op) {
  using Word = Bits<R::width>;
  const auto at = [](const auto& x) {
    constexpr int kShift = R::kFraction - std::remove_cvref_t<decltype(x)>::kFraction;
    return convert<Word>(x.raw()) << kShift;
  };
  return R::from_number(ap_int_base<R::width, R::sign_flag>::from_raw(op(at(a), at(b))));
}

template <typename A, typename B, typename Op>
constexpr bool compare_fixed(const A& a, const B& b, Op op) {
  using Both = typename Formats<A, B>::Plus;
  using Word = Store<(Both::width < 32 ? 32 : Both::width), true>;
  const auto at = [](const auto& x) {
    constexpr int kShift = Both::kFraction - std::remove_cvref_t<decltype(x)>::kFraction;
    return convert<Word>(x.raw()) << kShift;
  };
  return op(at(a), at(b));
}

/// Towards zero, with the dividend's fraction.
template <typename A, typename B>
constexpr auto divide_fixed(const A& a, const B& b) {
  if (b.is_zero()) {
    refuse("ap-divide", "an ap_fixed is divided by zero", "check the divisor first: hardware gives an arbitrary value");
  }
  using R = typename Formats<A, B>::Divide;
  constexpr int kShift = std::max(Formats<A, B>::kF2, 0);
  using Word = Store<std::max(A::width + kShift, B::width) + 2, true>;
  const Word quotient = (convert<Word>(a.raw()) << kShift) / convert<Word>(b.raw());
  return R::from_number(ap_int_base<R::width, R::sign_flag>::from_raw(quotient));
}

}  // namespace aieloom::ap

#define AIELOOM_AP_OPERATOR(op, result)                                                                                  \
  template <typename A, typename B>                                                                                      \
    requires aieloom::ap::FixedOperands<A, B>                                                                            \
  constexpr auto operator op(const A& a, const B& b) {                                                                   \
    const auto& x = aieloom::ap::as_fixed(a);                                                                            \
    const auto& y = aieloom::ap::as_fixed(b);                                                                            \
    using R = typename aieloom::ap::Formats<std::remove_cvref_t<decltype(x)>, std::remove_cvref_t<decltype(y)>>::result; \
    return aieloom::ap::aligned<R>(x, y, [](const auto& p, const auto& q) { return p op q; });                           \
  }
AIELOOM_AP_OPERATOR(+, Plus)
AIELOOM_AP_OPERATOR(-, Minus)
AIELOOM_AP_OPERATOR(&, Logic)
AIELOOM_AP_OPERATOR(|, Logic)
AIELOOM_AP_OPERATOR(^, Logic)
#undef AIELOOM_AP_OPERATOR

template <typename A, typename B>
  requires aieloom::ap::FixedOperands<A, B>
constexpr auto operator*(const A& a, const B& b) {
  const auto& x = aieloom::ap::as_fixed(a);
  const auto& y = aieloom::ap::as_fixed(b);
  using R = typename aieloom::ap::Formats<std::remove_cvref_t<decltype(x)>, std::remove_cvref_t<decltype(y)>>::Times;
  using Word = aieloom::ap::Bits<R::width>;
  return R::from_number(ap_int_base<R::width, R::sign_flag>::from_raw(aieloom::ap::convert<Word>(x.raw()) * aieloom::ap::convert<Word>(y.raw())));
}

template <typename A, typename B>
  requires aieloom::ap::FixedOperands<A, B>
constexpr auto operator/(const A& a, const B& b) {
  return aieloom::ap::divide_fixed(aieloom::ap::as_fixed(a), aieloom::ap::as_fixed(b));
}

#define AIELOOM_AP_COMPARE(op, expression)                                                                             \
  template <typename A, typename B>                                                                                    \
    requires aieloom::ap::FixedOperands<A, B>                                                                          \
  constexpr bool operator op(const A& a, const B& b) {                                                                 \
    return aieloom::ap::compare_fixed(aieloom::ap::as_fixed(a), aieloom::ap::as_fixed(b),                              \
                                      [](const auto& p, const auto& q) { return expression; });                        \
  }                                                                                                                    \
  template <aieloom::ap::FixedLike A, std::floating_point B>                                                           \
  bool operator op(const A& a, B b) {                                                                                  \
    const double p = a.to_double();                                                                                    \
    const double q = b;                                                                                                \
    return expression;                                                                                                 \
  }                                                                                                                    \
  template <std::floating_point A, aieloom::ap::FixedLike B>                                                           \
  bool operator op(A a, const B& b) {                                                                                  \
    const double p = a;                                                                                                \
    const double q = b.to_double();                                                                                    \
    return expression;                                                                                                 \
  }
AIELOOM_AP_COMPARE(==, p == q)
AIELOOM_AP_COMPARE(!=, !(p == q))
AIELOOM_AP_COMPARE(<, p < q)
AIELOOM_AP_COMPARE(>, q < p)
AIELOOM_AP_COMPARE(<=, p < q || p == q)
AIELOOM_AP_COMPARE(>=, q < p || p == q)
#undef AIELOOM_AP_COMPARE

namespace aieloom::ap {
template <typename>
inline constexpr bool kNever = false;
}

// The vendor's headers have no arithmetic between ap_fixed and float [UG1399: the constant is a double]; it says so.
#define AIELOOM_AP_REFUSE(op)                                                                                      \
  template <aieloom::ap::FixedLike A, std::floating_point B>                                                       \
  A operator op(const A& a, B) {                                                                                   \
    static_assert(aieloom::ap::kNever<B>, "ap_fixed " #op " float: there is no such operator; convert one side first, e.g. ap_fixed<16, 2>(0.25)"); \
    return a;                                                                                                      \
  }                                                                                                                \
  template <std::floating_point A, aieloom::ap::FixedLike B>                                                       \
  B operator op(A, const B& b) {                                                                                   \
    static_assert(aieloom::ap::kNever<A>, "float " #op " ap_fixed: there is no such operator; convert one side first, e.g. ap_fixed<16, 2>(0.25)"); \
    return b;                                                                                                      \
  }
AIELOOM_AP_REFUSE(+)
AIELOOM_AP_REFUSE(-)
AIELOOM_AP_REFUSE(*)
AIELOOM_AP_REFUSE(/)
#undef AIELOOM_AP_REFUSE

template <int W, int I, bool S, ap_q_mode Q, ap_o_mode O, int N>
std::ostream& operator<<(std::ostream& out, const ap_fixed_base<W, I, S, Q, O, N>& value) {
  return out << value.to_double();
}

#endif  // AIELOOM_AP_FIXED_OPS_H
