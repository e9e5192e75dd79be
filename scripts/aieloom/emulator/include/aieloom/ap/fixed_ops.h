// Operators between fixed-point numbers and whole ones, with the documented result formats
// [UG1399 C++ arbitrary precision fixed-point types: class methods, operators, and data members].
#pragma once

#include <algorithm>
#include <concepts>

#include "aieloom/ap/fixed_base.h"

namespace aieloom::ap {

template <int W_, int I_, bool S_, ap_q_mode Q_, ap_o_mode O_, int N_>
constexpr const ap_fixed_base<W_, I_, S_, Q_, O_, N_>& as_fixed(const ap_fixed_base<W_, I_, S_, Q_, O_, N_>& value) {
  return value;
}
template <typename T_>
  requires(IntLike<T_> || Builtin<T_>)
constexpr auto as_fixed(const T_& value) {
  const auto& number = as_value(value);
  using Number = std::remove_cvref_t<decltype(number)>;
  return ap_fixed_base<Number::width, Number::width, Number::sign_flag>(number);
}

template <typename T_>
concept Exact = FixedLike<T_> || IntLike<T_> || Builtin<T_>;
template <typename A_, typename B_>
concept FixedOperands = (FixedLike<A_> && Exact<B_>) || (Exact<A_> && FixedLike<B_>);

/// Result formats for operands of W1, W2 bits with I1, I2 of them before the point.
template <typename A_, typename B_>
struct Formats {
  static constexpr int kF1 = A_::width - A_::iwidth;
  static constexpr int kF2 = B_::width - B_::iwidth;
  static constexpr int kWhole = std::max(A_::iwidth + (B_::sign_flag && !A_::sign_flag), B_::iwidth + (A_::sign_flag && !B_::sign_flag));
  static constexpr int kBehind = std::max(kF1, kF2);
  static constexpr bool kSign = A_::sign_flag || B_::sign_flag;
  using Plus = ap_fixed_base<kWhole + 1 + kBehind, kWhole + 1, kSign>;
  using Minus = ap_fixed_base<kWhole + 1 + kBehind, kWhole + 1, true>;
  using Times = ap_fixed_base<A_::width + B_::width, A_::iwidth + B_::iwidth, kSign>;
  using Divide = ap_fixed_base<B_::sign_flag + A_::width + std::max(kF2, 0), B_::sign_flag + A_::iwidth + kF2, kSign>;
  using Logic = ap_fixed_base<kWhole + kBehind, kWhole, kSign>;
};

/// Both operands in one format, then an operator on whole numbers.
template <typename R_, typename A_, typename B_, typename Op>
constexpr R_ aligned(const A_& a, const B_& b, Op op) {
  using Word = Bits<R_::width>;
  const auto at = [](const auto& x) {
    constexpr int kShift = R_::kFraction - std::remove_cvref_t<decltype(x)>::kFraction;
    return convert<Word>(x.raw()) << kShift;
  };
  return R_::from_number(ap_int_base<R_::width, R_::sign_flag>::from_raw(op(at(a), at(b))));
}

template <typename A_, typename B_, typename Op>
constexpr bool compare_fixed(const A_& a, const B_& b, Op op) {
  using Both = typename Formats<A_, B_>::Plus;
  using Word = Store<(Both::width < 32 ? 32 : Both::width), true>;
  const auto at = [](const auto& x) {
    constexpr int kShift = Both::kFraction - std::remove_cvref_t<decltype(x)>::kFraction;
    return convert<Word>(x.raw()) << kShift;
  };
  return op(at(a), at(b));
}

/// Towards zero, with the dividend's fraction.
template <typename A_, typename B_>
constexpr auto divide_fixed(const A_& a, const B_& b) {
  if (b.is_zero()) {
    refuse("ap-divide", "an ap_fixed is divided by zero", "check the divisor first: hardware gives an arbitrary value");
  }
  using R_ = typename Formats<A_, B_>::Divide;
  constexpr int kShift = std::max(Formats<A_, B_>::kF2, 0);
  using Word = Store<std::max(A_::width + kShift, B_::width) + 2, true>;
  const Word quotient = (convert<Word>(a.raw()) << kShift) / convert<Word>(b.raw());
  return R_::from_number(ap_int_base<R_::width, R_::sign_flag>::from_raw(quotient));
}

}  // namespace aieloom::ap

#define AIELOOM_AP_OPERATOR(op, result)                                                                                  \
  template <typename A_, typename B_>                                                                                      \
    requires aieloom::ap::FixedOperands<A_, B_>                                                                            \
  constexpr auto operator op(const A_& a, const B_& b) {                                                                   \
    const auto& x = aieloom::ap::as_fixed(a);                                                                            \
    const auto& y = aieloom::ap::as_fixed(b);                                                                            \
    using R_ = typename aieloom::ap::Formats<std::remove_cvref_t<decltype(x)>, std::remove_cvref_t<decltype(y)>>::result; \
    return aieloom::ap::aligned<R_>(x, y, [](const auto& p, const auto& q) { return p op q; });                           \
  }
AIELOOM_AP_OPERATOR(+, Plus)
AIELOOM_AP_OPERATOR(-, Minus)
AIELOOM_AP_OPERATOR(&, Logic)
AIELOOM_AP_OPERATOR(|, Logic)
AIELOOM_AP_OPERATOR(^, Logic)
#undef AIELOOM_AP_OPERATOR

template <typename A_, typename B_>
  requires aieloom::ap::FixedOperands<A_, B_>
constexpr auto operator*(const A_& a, const B_& b) {
  const auto& x = aieloom::ap::as_fixed(a);
  const auto& y = aieloom::ap::as_fixed(b);
  using R_ = typename aieloom::ap::Formats<std::remove_cvref_t<decltype(x)>, std::remove_cvref_t<decltype(y)>>::Times;
  using Word = aieloom::ap::Bits<R_::width>;
  return R_::from_number(ap_int_base<R_::width, R_::sign_flag>::from_raw(aieloom::ap::convert<Word>(x.raw()) * aieloom::ap::convert<Word>(y.raw())));
}

template <typename A_, typename B_>
  requires aieloom::ap::FixedOperands<A_, B_>
constexpr auto operator/(const A_& a, const B_& b) {
  return aieloom::ap::divide_fixed(aieloom::ap::as_fixed(a), aieloom::ap::as_fixed(b));
}

#define AIELOOM_AP_COMPARE(op, expression)                                                                             \
  template <typename A_, typename B_>                                                                                    \
    requires aieloom::ap::FixedOperands<A_, B_>                                                                          \
  constexpr bool operator op(const A_& a, const B_& b) {                                                                 \
    return aieloom::ap::compare_fixed(aieloom::ap::as_fixed(a), aieloom::ap::as_fixed(b),                              \
                                      [](const auto& p, const auto& q) { return expression; });                        \
  }                                                                                                                    \
  template <aieloom::ap::FixedLike A_, std::floating_point B_>                                                           \
  bool operator op(const A_& a, B_ b) {                                                                                  \
    const double p = a.to_double();                                                                                    \
    const double q = b;                                                                                                \
    return expression;                                                                                                 \
  }                                                                                                                    \
  template <std::floating_point A_, aieloom::ap::FixedLike B_>                                                           \
  bool operator op(A_ a, const B_& b) {                                                                                  \
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
  template <aieloom::ap::FixedLike A_, std::floating_point B_>                                                       \
  A_ operator op(const A_& a, B_) {                                                                                   \
    static_assert(aieloom::ap::kNever<B_>, "ap_fixed " #op " float: there is no such operator; convert one side first, e.g. ap_fixed<16, 2>(0.25)"); \
    return a;                                                                                                      \
  }                                                                                                                \
  template <std::floating_point A_, aieloom::ap::FixedLike B_>                                                       \
  B_ operator op(A_, const B_& b) {                                                                                   \
    static_assert(aieloom::ap::kNever<A_>, "float " #op " ap_fixed: there is no such operator; convert one side first, e.g. ap_fixed<16, 2>(0.25)"); \
    return b;                                                                                                      \
  }
AIELOOM_AP_REFUSE(+)
AIELOOM_AP_REFUSE(-)
AIELOOM_AP_REFUSE(*)
AIELOOM_AP_REFUSE(/)
#undef AIELOOM_AP_REFUSE

/// Its digits as std::defaultfloat writes them, whatever the stream says: under fixed and setprecision(15) AMD's example
/// using_fixed_point prints 0.25, not 0.250000000000000.
template <int W_, int I_, bool S_, ap_q_mode Q_, ap_o_mode O_, int N_>
std::ostream& operator<<(std::ostream& out, const ap_fixed_base<W_, I_, S_, Q_, O_, N_>& value) {
  const std::ios_base::fmtflags flags = out.flags();
  out.unsetf(std::ios_base::floatfield);
  out << value.to_double();
  out.flags(flags);
  return out;
}
