// Operators between arbitrary precision integers, their parts and C++ integers, with the documented result widths
// [UG1399 C++ arbitrary precision integer types: class methods and operators].
#pragma once

#include <concepts>

#include "aieloom/ap/int_ref.h"

namespace aieloom::ap {

/// Result widths for operands of W1 and W2 bits with signs S1 and S2.
template <int W1_, bool S1_, int W2_, bool S2_>
struct Widths {
  static constexpr int kCommon = (W1_ + (S2_ && !S1_)) > (W2_ + (S1_ && !S2_)) ? (W1_ + (S2_ && !S1_)) : (W2_ + (S1_ && !S2_));
  static constexpr bool kSign = S1_ || S2_;
  using Plus = ap_int_base<kCommon + 1, kSign>;
  using Minus = ap_int_base<kCommon + 1, true>;
  using Times = ap_int_base<W1_ + W2_, kSign>;
  using Divide = ap_int_base<W1_ + S2_, kSign>;
  using Modulo = ap_int_base<(W1_ < W2_ + (!S2_ && S1_) ? W1_ : W2_ + (!S2_ && S1_)), S1_>;
  using Logic = ap_int_base<kCommon, kSign>;
};

template <typename A_, typename B_>
using WidthsOf = Widths<A_::width, A_::sign_flag, B_::width, B_::sign_flag>;

template <typename R_, typename A_, typename B_, typename Op>
constexpr R_ compute(const A_& a, const B_& b, Op op) {
  using Word = Bits<R_::width>;
  return R_::from_raw(op(convert<Word>(a.raw()), convert<Word>(b.raw())));
}

/// Operands of a division or a comparison, in a type that holds both with their signs.
template <typename A_, typename B_, typename Op>
constexpr auto compare(const A_& a, const B_& b, Op op) {
  using Both = typename WidthsOf<A_, B_>::Logic;
  using Word = Store<(Both::width < 32 ? 32 : Both::width), Both::sign_flag>;
  return op(convert<Word>(a.raw()), convert<Word>(b.raw()));
}

template <typename B_>
constexpr void check_divisor(const B_& b) {
  if (!b.to_bool()) {
    refuse("ap-divide", "an ap_int is divided by zero", "check the divisor first: hardware gives an arbitrary value");
  }
}

template <typename A_, typename B_>
constexpr auto divide(const A_& a, const B_& b) {
  check_divisor(b);
  using R_ = typename WidthsOf<A_, B_>::Divide;
  using Word = typename WidthsOf<A_, B_>::Plus;  // one bit more: the smallest number divided by -1
  return R_::from_raw(convert<Store<(Word::width < 32 ? 32 : Word::width), Word::sign_flag>>(a.raw()) /
                     convert<Store<(Word::width < 32 ? 32 : Word::width), Word::sign_flag>>(b.raw()));
}

template <typename A_, typename B_>
constexpr auto modulo(const A_& a, const B_& b) {
  check_divisor(b);
  using R_ = typename WidthsOf<A_, B_>::Modulo;
  using Word = typename WidthsOf<A_, B_>::Plus;
  return R_::from_raw(convert<Store<(Word::width < 32 ? 32 : Word::width), Word::sign_flag>>(a.raw()) %
                     convert<Store<(Word::width < 32 ? 32 : Word::width), Word::sign_flag>>(b.raw()));
}

/// A shift's amount: far beyond every width is all the same.
template <typename B_>
constexpr long long amount(const B_& b) {
  if constexpr (B_::width > 63) {
    constexpr int kFar = 1 << 20;
    return b.sign() ? (compare(b, as_value(-kFar), [](const auto& x, const auto& y) { return x < y; }) ? -kFar : b.to_int64())
                    : (compare(as_value(kFar), b, [](const auto& x, const auto& y) { return x < y; }) ? kFar : b.to_int64());
  } else {
    return b.to_int64();
  }
}

template <typename A_>
concept Inexact = std::floating_point<A_>;

}  // namespace aieloom::ap

// A macro, because C++ has no other way to name many operators; undefined below.
#define AIELOOM_AP_OPERATOR(op, result)                                                                              \
  template <typename A_, typename B_>                                                                                  \
    requires aieloom::ap::Operands<A_, B_>                                                                             \
  constexpr auto operator op(const A_& a, const B_& b) {                                                               \
    const auto& x = aieloom::ap::as_value(a);                                                                        \
    const auto& y = aieloom::ap::as_value(b);                                                                        \
    using R_ = typename aieloom::ap::WidthsOf<std::remove_cvref_t<decltype(x)>, std::remove_cvref_t<decltype(y)>>::result; \
    return aieloom::ap::compute<R_>(x, y, [](const auto& p, const auto& q) { return p op q; });                       \
  }
AIELOOM_AP_OPERATOR(+, Plus)
AIELOOM_AP_OPERATOR(-, Minus)
AIELOOM_AP_OPERATOR(*, Times)
AIELOOM_AP_OPERATOR(&, Logic)
AIELOOM_AP_OPERATOR(|, Logic)
AIELOOM_AP_OPERATOR(^, Logic)
#undef AIELOOM_AP_OPERATOR

template <typename A_, typename B_>
  requires aieloom::ap::Operands<A_, B_>
constexpr auto operator/(const A_& a, const B_& b) {
  return aieloom::ap::divide(aieloom::ap::as_value(a), aieloom::ap::as_value(b));
}

template <typename A_, typename B_>
  requires aieloom::ap::Operands<A_, B_>
constexpr auto operator%(const A_& a, const B_& b) {
  return aieloom::ap::modulo(aieloom::ap::as_value(a), aieloom::ap::as_value(b));
}

/// Shifts keep the left operand's width.
template <typename A_, typename B_>
  requires aieloom::ap::Operands<A_, B_>
constexpr auto operator<<(const A_& a, const B_& b) {
  return aieloom::ap::as_value(a).shifted_left(aieloom::ap::amount(aieloom::ap::as_value(b)));
}
template <typename A_, typename B_>
  requires aieloom::ap::Operands<A_, B_>
constexpr auto operator>>(const A_& a, const B_& b) {
  return aieloom::ap::as_value(a).shifted_right(aieloom::ap::amount(aieloom::ap::as_value(b)));
}

#define AIELOOM_AP_COMPARE(op, expression)                                                                       \
  template <typename A_, typename B_>                                                                              \
    requires aieloom::ap::Operands<A_, B_>                                                                         \
  constexpr bool operator op(const A_& a, const B_& b) {                                                           \
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
  template <aieloom::ap::IntLike A_, aieloom::ap::Inexact F_>                                 \
  auto operator op(const A_& a, F_ f) {                                                       \
    return static_cast<F_>(aieloom::ap::as_value(a).to_double()) op f;                       \
  }                                                                                         \
  template <aieloom::ap::Inexact F_, aieloom::ap::IntLike A_>                                 \
  auto operator op(F_ f, const A_& a) {                                                       \
    return f op static_cast<F_>(aieloom::ap::as_value(a).to_double());                       \
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
  template <int W_, bool S_, typename B_>                                                \
    requires aieloom::ap::Operands<ap_int_base<W_, S_>, B_>                              \
  constexpr ap_int_base<W_, S_>& operator op##=(ap_int_base<W_, S_>& a, const B_& b) {     \
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
