// Operators between fixed-point numbers and whole ones, with the documented result formats
// [UG1399 C++ arbitrary precision fixed-point types: class methods, operators, and data members].
#pragma once

#include "aieloom/ap/fixed_base.h"

namespace aieloom::ap {

template <int W_, int I_, bool S_, ap_q_mode Q_, ap_o_mode O_, int N_>
constexpr const ap_fixed_base<W_, I_, S_, Q_, O_, N_>& as_fixed(const ap_fixed_base<W_, I_, S_, Q_, O_, N_>& value) {
  return value;
}
template <int W_, bool S_>
constexpr ap_fixed_base<W_, W_, S_> as_fixed(const ap_int_base<W_, S_>& value) {
  return value;
}
template <typename C_, If<kIsWhole<C_>> = 0>
constexpr auto as_fixed(C_ value) {
  return as_fixed(as_value(value));
}

/// Two fixed-point operands, or one beside a whole number of ours or of C++.
template <typename A_, typename B_>
inline constexpr bool kFixedOperands = (kIsFixed<A_> && (kIsFixed<B_> || kIsInt<B_> || kIsWhole<B_>)) || ((kIsInt<A_> || kIsWhole<A_>)&&kIsFixed<B_>);

/// Result formats for operands of W1, W2 bits with I1, I2 of them before the point.
template <typename A_, typename B_>
struct Formats {
  static constexpr int kF1 = A_::width - A_::iwidth;
  static constexpr int kF2 = B_::width - B_::iwidth;
  static constexpr int kWhole = largest(A_::iwidth + (B_::kSigned && !A_::kSigned), B_::iwidth + (A_::kSigned && !B_::kSigned));
  static constexpr int kBehind = largest(kF1, kF2);
  static constexpr bool kSign = A_::kSigned || B_::kSigned;
  using Plus = FixedNumber<kWhole + 1 + kBehind, kWhole + 1, kSign>;
  using Minus = FixedNumber<kWhole + 1 + kBehind, kWhole + 1, true>;
  using Times = FixedNumber<A_::width + B_::width, A_::iwidth + B_::iwidth, kSign>;
  using Divide = FixedNumber<B_::kSigned + A_::width + largest(kF2, 0), B_::kSigned + A_::iwidth + kF2, kSign>;
  using Logic = FixedNumber<kWhole + kBehind, kWhole, kSign>;
};
template <typename A_, typename B_>
using FormatsOf = Formats<Plain<decltype(as_fixed(std::declval<const A_&>()))>, Plain<decltype(as_fixed(std::declval<const B_&>()))>>;

/// A result from its bits.
template <typename R_, typename T_>
constexpr R_ made(const T_& bits) {
  return R_(R_::from_number(ap_int_base<R_::width, R_::kSigned>::from_raw(bits)));
}

/// A number's bits at another point, further down.
template <typename Word_, int Fraction_, typename A_>
constexpr Word_ at_point(const A_& a) {
  return convert<Word_>(a.raw()) << (Fraction_ - A_::kFraction);
}

/// Both operands in one format, then an operator on whole numbers.
template <typename R_, typename A_, typename B_, typename Op>
constexpr R_ aligned(const A_& a, const B_& b, Op op) {
  using Word = Bits<R_::width>;
  return made<R_>(op(at_point<Word, R_::kFraction>(a), at_point<Word, R_::kFraction>(b)));
}

template <typename A_, typename B_, typename Op>
constexpr bool compare_fixed(const A_& a, const B_& b, Op op) {
  using Both = typename Formats<A_, B_>::Plus;
  using Word = Store<largest(Both::width, 32), true>;
  return op(at_point<Word, Both::kFraction>(a), at_point<Word, Both::kFraction>(b));
}

template <typename A_, typename B_>
constexpr auto times_fixed(const A_& a, const B_& b) {
  using R_ = typename Formats<A_, B_>::Times;
  using Word = Bits<R_::width>;
  return made<R_>(convert<Word>(a.raw()) * convert<Word>(b.raw()));
}

/// Towards zero, with the dividend's fraction.
template <typename A_, typename B_>
constexpr auto divide_fixed(const A_& a, const B_& b) {
  if (b.is_zero()) {
    refuse("ap-divide", "an ap_fixed is divided by zero", "check the divisor first: hardware gives an arbitrary value");
  }
  constexpr int kShift = largest(Formats<A_, B_>::kF2, 0);
  using Word = Store<largest(A_::width + kShift, B_::width) + 2, true>;
  return made<typename Formats<A_, B_>::Divide>((convert<Word>(a.raw()) << kShift) / convert<Word>(b.raw()));
}

/// The type of a quotient: with a C++ number in front that of the operator the other way round, as AMD's headers have it.
template <typename A_, typename B_>
using Quotient = typename std::conditional_t<kIsWhole<A_>, FormatsOf<B_, A_>, FormatsOf<A_, B_>>::Divide;

}  // namespace aieloom::ap

#define AIELOOM_AP_OPERATOR(op, result)                                                                                      \
  template <typename A_, typename B_, aieloom::If<aieloom::ap::kFixedOperands<A_, B_>> = 0>                                  \
  constexpr auto operator op(const A_& a, const B_& b) {                                                                     \
    using R_ = typename aieloom::ap::FormatsOf<A_, B_>::result;                                                              \
    return aieloom::ap::aligned<R_>(aieloom::ap::as_fixed(a), aieloom::ap::as_fixed(b), [](const auto& p, const auto& q) { return p op q; }); \
  }
AIELOOM_AP_OPERATOR(+, Plus)
AIELOOM_AP_OPERATOR(-, Minus)
AIELOOM_AP_OPERATOR(&, Logic)
AIELOOM_AP_OPERATOR(|, Logic)
AIELOOM_AP_OPERATOR(^, Logic)
#undef AIELOOM_AP_OPERATOR

template <typename A_, typename B_, aieloom::If<aieloom::ap::kFixedOperands<A_, B_>> = 0>
constexpr auto operator*(const A_& a, const B_& b) {
  return aieloom::ap::times_fixed(aieloom::ap::as_fixed(a), aieloom::ap::as_fixed(b));
}

template <typename A_, typename B_, aieloom::If<aieloom::ap::kFixedOperands<A_, B_>> = 0>
constexpr aieloom::ap::Quotient<A_, B_> operator/(const A_& a, const B_& b) {
  return aieloom::ap::Quotient<A_, B_>(aieloom::ap::divide_fixed(aieloom::ap::as_fixed(a), aieloom::ap::as_fixed(b)));
}

// With a double both are doubles; a float beside an ap_fixed is ambiguous in AMD's headers, so it is refused.
#define AIELOOM_AP_COMPARE(op, expression)                                                                             \
  template <typename A_, typename B_, aieloom::If<aieloom::ap::kFixedOperands<A_, B_>> = 0>                            \
  constexpr bool operator op(const A_& a, const B_& b) {                                                               \
    return aieloom::ap::compare_fixed(aieloom::ap::as_fixed(a), aieloom::ap::as_fixed(b),                              \
                                      [](const auto& p, const auto& q) { return expression; });                        \
  }                                                                                                                    \
  template <int W_, int I_, bool S_, ap_q_mode Q_, ap_o_mode O_, int N_>                                               \
  bool operator op(const ap_fixed_base<W_, I_, S_, Q_, O_, N_>& a, double q) {                                         \
    const double p = a.to_double();                                                                                    \
    return expression;                                                                                                 \
  }                                                                                                                    \
  template <int W_, int I_, bool S_, ap_q_mode Q_, ap_o_mode O_, int N_>                                               \
  bool operator op(double p, const ap_fixed_base<W_, I_, S_, Q_, O_, N_>& b) {                                         \
    const double q = b.to_double();                                                                                    \
    return expression;                                                                                                 \
  }                                                                                                                    \
  template <int W_, int I_, bool S_, ap_q_mode Q_, ap_o_mode O_, int N_>                                               \
  bool operator op(const ap_fixed_base<W_, I_, S_, Q_, O_, N_>& a, float q) = delete;                                  \
  template <int W_, int I_, bool S_, ap_q_mode Q_, ap_o_mode O_, int N_>                                               \
  bool operator op(float p, const ap_fixed_base<W_, I_, S_, Q_, O_, N_>& b) = delete;
AIELOOM_AP_COMPARE(==, p == q)
AIELOOM_AP_COMPARE(!=, !(p == q))
AIELOOM_AP_COMPARE(<, p < q)
AIELOOM_AP_COMPARE(>, q < p)
AIELOOM_AP_COMPARE(<=, p < q || p == q)
AIELOOM_AP_COMPARE(>=, q < p || p == q)
#undef AIELOOM_AP_COMPARE

// AMD's headers have no arithmetic between ap_fixed and float [UG1399: the constant is a double]; it says so.
#define AIELOOM_AP_REFUSE(op)                                                                                                           \
  template <typename A_, typename B_, aieloom::If<(aieloom::ap::kIsFixed<A_> && aieloom::ap::kIsReal<B_>) ||                             \
                                                  (aieloom::ap::kIsReal<A_> && aieloom::ap::kIsFixed<B_>)> = 0>                          \
  auto operator op(const A_& a, const B_&) {                                                                                            \
    static_assert(aieloom::kNever<B_>, "ap_fixed " #op " float: there is no such operator; convert one side first, e.g. ap_fixed<16, 2>(0.25)"); \
    return a;                                                                                                                           \
  }
AIELOOM_AP_REFUSE(+)
AIELOOM_AP_REFUSE(-)
AIELOOM_AP_REFUSE(*)
AIELOOM_AP_REFUSE(/)
#undef AIELOOM_AP_REFUSE

// A whole number works with a fixed-point one's whole part.
#define AIELOOM_AP_ASSIGN(op)                                                                                        \
  template <int W_, bool S_, typename B_, aieloom::If<aieloom::ap::kIsFixed<B_>> = 0>                                \
  constexpr ap_int_base<W_, S_>& operator op##=(ap_int_base<W_, S_>& a, const B_& b) {                               \
    return a = a op b.to_ap_int_base();                                                                              \
  }
AIELOOM_AP_ASSIGN(+)
AIELOOM_AP_ASSIGN(-)
AIELOOM_AP_ASSIGN(*)
AIELOOM_AP_ASSIGN(/)
#undef AIELOOM_AP_ASSIGN

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

template <int W_, int I_, bool S_, ap_q_mode Q_, ap_o_mode O_, int N_>
std::istream& operator>>(std::istream& in, ap_fixed_base<W_, I_, S_, Q_, O_, N_>& value) {
  double read = 0;
  if (in >> read) {
    value = read;
  }
  return in;
}
