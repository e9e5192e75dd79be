// Operators between arbitrary precision integers, their parts and C++ integers, with the documented result widths
// [UG1399 C++ arbitrary precision integer types: class methods and operators].
#ifndef AIELOOM_AP_INT_OPS_H
#define AIELOOM_AP_INT_OPS_H

#include <concepts>

#include "aieloom/ap/int_ref.h"

namespace aieloom::ap {

/// Result widths for operands of W1 and W2 bits with signs S1 and S2.
template <int W1, bool S1, int W2, bool S2>
struct Widths {
  static constexpr int kCommon = (W1 + (S2 && !S1)) > (W2 + (S1 && !S2)) ? (W1 + (S2 && !S1)) : (W2 + (S1 && !S2));
  static constexpr bool kSign = S1 || S2;
  using Plus = ap_int_base<kCommon + 1, kSign>;
  using Minus = ap_int_base<kCommon + 1, true>;
  using Times = ap_int_base<W1 + W2, kSign>;
  using Divide = ap_int_base<W1 + S2, kSign>;
  using Modulo = ap_int_base<(W1 < W2 + (!S2 && S1) ? W1 : W2 + (!S2 && S1)), S1>;
  using Logic = ap_int_base<kCommon, kSign>;
};

template <typename A, typename B>
using WidthsOf = Widths<A::width, A::sign_flag, B::width, B::sign_flag>;

template <typename R, typename A, typename B, typename Op>
constexpr R compute(const A& a, const B& b, Op op) {
  using Word = Bits<R::width>;
  return R::from_raw(op(convert<Word>(a.raw()), convert<Word>(b.raw())));
}

/// Operands of a division or a comparison, in a type that holds both with their signs.
template <typename A, typename B, typename Op>
constexpr auto compare(const A& a, const B& b, Op op) {
  using Both = typename WidthsOf<A, B>::Logic;
  using Word = Store<(Both::width < 32 ? 32 : Both::width), Both::sign_flag>;
  return op(convert<Word>(a.raw()), convert<Word>(b.raw()));
}

template <typename B>
constexpr void check_divisor(const B& b) {
  if (!b.to_bool()) {
    refuse("ap-divide", "an ap_int is divided by zero", "check the divisor first: hardware gives an arbitrary value");
  }
}

template <typename A, typename B>
constexpr auto divide(const A& a, const B& b) {
  check_divisor(b);
  using R = typename WidthsOf<A, B>::Divide;
  using Word = typename WidthsOf<A, B>::Plus;  // one bit more: the smallest number divided by -1
  return R::from_raw(convert<Store<(Word::width < 32 ? 32 : Word::width), Word::sign_flag>>(a.raw()) /
                     convert<Store<(Word::width < 32 ? 32 : Word::width), Word::sign_flag>>(b.raw()));
}

template <typename A, typename B>
constexpr auto modulo(const A& a, const B& b) {
  check_divisor(b);
  using R = typename WidthsOf<A, B>::Modulo;
  using Word = typename WidthsOf<A, B>::Plus;
  return R::from_raw(convert<Store<(Word::width < 32 ? 32 : Word::width), Word::sign_flag>>(a.raw()) %
                     convert<Store<(Word::width < 32 ? 32 : Word::width), Word::sign_flag>>(b.raw()));
}

/// A shift's amount: far beyond every width is all the same.
template <typename B>
constexpr long long amount(const B& b) {
  if constexpr (B::width > 63) {
    constexpr int kFar = 1 << 20;
    return b.sign() ? (compare(b, as_value(-kFar), [](const auto& x, const auto& y) { return x < y; }) ? -kFar : b.to_int64())
                    : (compare(as_value(kFar), b, [](const auto& x, const auto& y) { return x < y; }) ? kFar : b.to_int64());
  } else {
    return b.to_int64();
  }
}

template <typename A>
concept Inexact = std::floating_point<A>;

}  // namespace aieloom::ap

// A macro, because C++ has no other way to name many operators; undefined below.
#define AIELOOM_AP_OPERATOR(op, result)                                                                              \
  template <typename A, typename B>                                                                                  \
    requires aieloom::ap::Operands<A, B>                                                                             \
  constexpr auto operator op(const A& a, const B& b) {                                                               \
    const auto& x = aieloom::ap::as_value(a);                                                                        \
    const auto& y = aieloom::ap::as_value(b);                                                                        \
    using R = typename aieloom::ap::WidthsOf<std::remove_cvref_t<decltype(x)>, std::remove_cvref_t<decltype(y)>>::result; \
    return aieloom::ap::compute<R>(x, y, [](const auto& p, const auto& q) { return p op q; });                       \
  }
AIELOOM_AP_OPERATOR(+, Plus)
AIELOOM_AP_OPERATOR(-, Minus)
AIELOOM_AP_OPERATOR(*, Times)
AIELOOM_AP_OPERATOR(&, Logic)
AIELOOM_AP_OPERATOR(|, Logic)
AIELOOM_AP_OPERATOR(^, Logic)
#undef AIELOOM_AP_OPERATOR

template <typename A, typename B>
  requires aieloom::ap::Operands<A, B>
constexpr auto operator/(const A& a, const B& b) {
  return aieloom::ap::divide(aieloom::ap::as_value(a), aieloom::ap::as_value(b));
}

template <typename A, typename B>
  requires aieloom::ap::Operands<A, B>
constexpr auto operator%(const A& a, const B& b) {
  return aieloom::ap::modulo(aieloom::ap::as_value(a), aieloom::ap::as_value(b));
}

/// Shifts keep the left operand's width.
template <typename A, typename B>
  requires aieloom::ap::Operands<A, B>
constexpr auto operator<<(const A& a, const B& b) {
  return aieloom::ap::as_value(a).shifted_left(aieloom::ap::amount(aieloom::ap::as_value(b)));
}
template <typename A, typename B>
  requires aieloom::ap::Operands<A, B>
constexpr auto operator>>(const A& a, const B& b) {
  return aieloom::ap::as_value(a).shifted_right(aieloom::ap::amount(aieloom::ap::as_value(b)));
}

#define AIELOOM_AP_COMPARE(op, expression)                                                                       \
  template <typename A, typename B>                                                                              \
    requires aieloom::ap::Operands<A, B>                                                                         \
  constexpr bool operator op(const A& a, const B& b) {                                                           \
    return aieloom::ap::compare(aieloom::ap::as_value(a), aieloom::ap::as_value(b),                              \
                                [](const auto& p, const auto& q) { return expression; });                        \
  }
AIELOOM_AP_COMPARE(==, p == q)
AIELOOM_AP_COMPARE(!=, !(p == q))
AIELOOM_AP_COMPARE(<, p < q)
AIELOOM_AP_COMPARE(>, q < p)
AIELOOM_AP_COMPARE(<=, !(q < p))
AIELOOM_AP_COMPARE(>=, !(p < q))
#undef AIELOOM_AP_COMPARE

// With a floating point operand the integer becomes one.
#define AIELOOM_AP_FLOAT(op)                                                                \
  template <aieloom::ap::IntLike A, aieloom::ap::Inexact F>                                 \
  auto operator op(const A& a, F f) {                                                       \
    return static_cast<F>(aieloom::ap::as_value(a).to_double()) op f;                       \
  }                                                                                         \
  template <aieloom::ap::Inexact F, aieloom::ap::IntLike A>                                 \
  auto operator op(F f, const A& a) {                                                       \
    return f op static_cast<F>(aieloom::ap::as_value(a).to_double());                       \
  }
AIELOOM_AP_FLOAT(+)
AIELOOM_AP_FLOAT(-)
AIELOOM_AP_FLOAT(*)
AIELOOM_AP_FLOAT(/)
AIELOOM_AP_FLOAT(==)
AIELOOM_AP_FLOAT(!=)
AIELOOM_AP_FLOAT(<)
AIELOOM_AP_FLOAT(>)
AIELOOM_AP_FLOAT(<=)
AIELOOM_AP_FLOAT(>=)
#undef AIELOOM_AP_FLOAT

#define AIELOOM_AP_ASSIGN(op)                                                         \
  template <int W, bool S, typename B>                                                \
    requires aieloom::ap::Operands<ap_int_base<W, S>, B>                              \
  constexpr ap_int_base<W, S>& operator op##=(ap_int_base<W, S>& a, const B& b) {     \
    return a = a op b;                                                                \
  }
AIELOOM_AP_ASSIGN(+)
AIELOOM_AP_ASSIGN(-)
AIELOOM_AP_ASSIGN(*)
AIELOOM_AP_ASSIGN(/)
AIELOOM_AP_ASSIGN(%)
AIELOOM_AP_ASSIGN(&)
AIELOOM_AP_ASSIGN(|)
AIELOOM_AP_ASSIGN(^)
AIELOOM_AP_ASSIGN(<<)
AIELOOM_AP_ASSIGN(>>)
#undef AIELOOM_AP_ASSIGN

#endif  // AIELOOM_AP_INT_OPS_H
