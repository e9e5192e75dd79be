// Operators between arbitrary precision integers, their parts and C++ numbers, with the documented result widths
// [UG1399 C++ arbitrary precision integer types: class methods and operators].
//
// Which pairs have an operator, and which become C++ numbers first, is as in AMD's headers: a bit is a bool, numbers side by side an
// unsigned long long among C++ numbers, and so is a number that a C++ number is shifted by.
#pragma once

#include <type_traits>

#include "aieloom/ap/int_ref.h"

namespace aieloom::ap {

/// Result widths for operands of W1 and W2 bits with signs S1 and S2.
template <int W1_, bool S1_, int W2_, bool S2_>
struct Widths {
  static constexpr int kCommon = largest(W1_ + (S2_ && !S1_), W2_ + (S1_ && !S2_));
  static constexpr bool kSign = S1_ || S2_;
  using Plus = Number<kCommon + 1, kSign>;
  using Minus = Number<kCommon + 1, true>;
  using Times = Number<W1_ + W2_, kSign>;
  using Divide = Number<W1_ + S2_, kSign>;
  using Modulo = Number<smallest(W1_, W2_ + (!S2_ && S1_)), S1_>;
  using Logic = Number<kCommon, kSign>;
  using Shift = Number<W1_, S1_>;
};

/// What numbers are computed in: as many bits, with a sign where one has one; no fewer than an int's.
template <int W_, bool S_>
using Computed = Store<largest(W_, 32), S_>;

template <typename R_, typename A_, typename B_, typename Op>
constexpr R_ compute(const A_& a, const B_& b, Op op) {
  using Word = Bits<R_::width>;
  return R_::from_raw(op(convert<Word>(a.raw()), convert<Word>(b.raw())));
}

/// Operands of a comparison, in a type that holds both with their signs.
template <int W1_, bool S1_, int W2_, bool S2_, typename Op>
constexpr bool compare(const ap_int_base<W1_, S1_>& a, const ap_int_base<W2_, S2_>& b, Op op) {
  using Both = Widths<W1_, S1_, W2_, S2_>;
  using Word = Computed<Both::kCommon, Both::kSign>;
  return op(convert<Word>(a.raw()), convert<Word>(b.raw()));
}

template <typename B_>
constexpr void check_divisor(const B_& b) {
  if (!b.to_bool()) {
    refuse("ap-divide", "an ap_int is divided by zero", "check the divisor first: hardware gives an arbitrary value");
  }
}

// The numbers' own operators, as functions. Quotients are computed with one bit more: the smallest number divided by -1.
#define AIELOOM_AP_FUNCTION(name, result, op)                                                            \
  template <int W1_, bool S1_, int W2_, bool S2_>                                                        \
  constexpr auto name(const ap_int_base<W1_, S1_>& a, const ap_int_base<W2_, S2_>& b) {                  \
    using R_ = typename Widths<W1_, S1_, W2_, S2_>::result;                                              \
    return compute<R_>(a, b, [](const auto& p, const auto& q) { return p op q; });                       \
  }
AIELOOM_AP_FUNCTION(plus, Plus, +)
AIELOOM_AP_FUNCTION(minus, Minus, -)
AIELOOM_AP_FUNCTION(times, Times, *)
AIELOOM_AP_FUNCTION(bit_and, Logic, &)
AIELOOM_AP_FUNCTION(bit_or, Logic, |)
AIELOOM_AP_FUNCTION(bit_xor, Logic, ^)
#undef AIELOOM_AP_FUNCTION
#define AIELOOM_AP_FUNCTION(name, result, op)                                                            \
  template <int W1_, bool S1_, int W2_, bool S2_>                                                        \
  constexpr auto name(const ap_int_base<W1_, S1_>& a, const ap_int_base<W2_, S2_>& b) {                  \
    using Both = Widths<W1_, S1_, W2_, S2_>;                                                             \
    using Word = Computed<Both::kCommon + 1, Both::kSign>;                                               \
    check_divisor(b);                                                                                    \
    return Both::result::from_raw(convert<Word>(a.raw()) op convert<Word>(b.raw()));                     \
  }
AIELOOM_AP_FUNCTION(divide, Divide, /)
AIELOOM_AP_FUNCTION(modulo, Modulo, %)
#undef AIELOOM_AP_FUNCTION

/// A shift's amount: far beyond every width is all the same.
template <int W_, bool S_>
constexpr long long amount(const ap_int_base<W_, S_>& b) {
  constexpr int kFar = 1 << 20;
  if constexpr (W_ + !S_ > 63) {
    const auto less = [](const auto& p, const auto& q) { return p < q; };
    return compare(b, as_value(-kFar), less) ? -kFar : compare(as_value(kFar), b, less) ? kFar : b.to_int64();
  } else {
    return b.to_int64();
  }
}
template <int W1_, bool S1_, int W2_, bool S2_>
constexpr Number<W1_, S1_> shift_left(const ap_int_base<W1_, S1_>& a, const ap_int_base<W2_, S2_>& b) {
  return a.shifted_left(amount(b));
}
template <int W1_, bool S1_, int W2_, bool S2_>
constexpr Number<W1_, S1_> shift_right(const ap_int_base<W1_, S1_>& a, const ap_int_base<W2_, S2_>& b) {
  return a.shifted_right(amount(b));
}

/// The type of an operator between a part and a number: a range counts with the sign of the number that it is of, its value with none.
template <typename T_>
struct Declared {
  using type = T_;
};
template <int W_, bool S_, bool C_>
struct Declared<ap_range_ref<W_, S_, C_>> {
  using type = ap_int_base<W_, S_>;
};
template <int W_, bool S_>
struct Declared<ap_bit_ref<W_, S_>> {
  using type = ap_int_base<1, false>;
};

template <typename T_>
inline constexpr bool kIsRange = false;
template <int W_, bool S_, bool C_>
inline constexpr bool kIsRange<ap_range_ref<W_, S_, C_>> = true;
template <typename T_>
inline constexpr bool kIsConcat = false;
template <typename A_, typename B_>
inline constexpr bool kIsConcat<ap_concat_ref<A_, B_>> = true;
template <typename T_>
inline constexpr bool kIsBit = kIsPart<T_> && !kIsRange<T_> && !kIsConcat<T_>;

/// A range or a bit beside a number, in either order.
template <typename A_, typename B_>
inline constexpr bool kPartAndNumber = ((kIsRange<A_> || kIsBit<A_>) && kIsInt<B_>) || (kIsInt<A_> && (kIsRange<B_> || kIsBit<B_>));
/// A range beside a range or a C++ number; parts side by side beside parts side by side.
template <typename A_, typename B_>
inline constexpr bool kPartsAlone =
    (kIsRange<A_> && (kIsRange<B_> || kIsWhole<B_>)) || (kIsWhole<A_> && kIsRange<B_>) || (kIsConcat<A_> && kIsConcat<B_>);

}  // namespace aieloom::ap

#define AIELOOM_AP_NUMBERS(op, function)                                                                             \
  template <int W1_, bool S1_, int W2_, bool S2_>                                                                    \
  constexpr auto operator op(const ap_int_base<W1_, S1_>& a, const ap_int_base<W2_, S2_>& b) {                       \
    return aieloom::ap::function(a, b);                                                                              \
  }                                                                                                                  \
  template <int W_, bool S_, typename C_, aieloom::If<aieloom::ap::kIsWhole<C_>> = 0>                                \
  constexpr auto operator op(const ap_int_base<W_, S_>& a, C_ b) {                                                   \
    return aieloom::ap::function(a, aieloom::ap::as_value(b));                                                       \
  }                                                                                                                  \
  template <typename A_, typename B_, aieloom::If<aieloom::ap::kPartAndNumber<A_, B_>> = 0>                          \
  constexpr auto operator op(const A_& a, const B_& b) {                                                             \
    using Left = typename aieloom::ap::Declared<A_>::type;                                                           \
    using Right = typename aieloom::ap::Declared<B_>::type;                                                          \
    using R_ = decltype(aieloom::ap::function(std::declval<const Left&>(), std::declval<const Right&>()));           \
    return R_(aieloom::ap::function(aieloom::ap::as_value(a), aieloom::ap::as_value(b)));                            \
  }                                                                                                                  \
  template <typename A_, typename B_, aieloom::If<aieloom::ap::kPartsAlone<A_, B_>> = 0>                             \
  constexpr auto operator op(const A_& a, const B_& b) {                                                             \
    return aieloom::ap::function(aieloom::ap::as_value(a), aieloom::ap::as_value(b));                                \
  }
AIELOOM_AP_NUMBERS(+, plus)
AIELOOM_AP_NUMBERS(-, minus)
AIELOOM_AP_NUMBERS(*, times)
AIELOOM_AP_NUMBERS(/, divide)
AIELOOM_AP_NUMBERS(%, modulo)
AIELOOM_AP_NUMBERS(&, bit_and)
AIELOOM_AP_NUMBERS(|, bit_or)
AIELOOM_AP_NUMBERS(^, bit_xor)
AIELOOM_AP_NUMBERS(<<, shift_left)
AIELOOM_AP_NUMBERS(>>, shift_right)
#undef AIELOOM_AP_NUMBERS

// With the C++ number on the left the result has the type of the operator the other way round, which cuts quotients: AMD's headers
// say so outside of all that tells simulation from synthesis.
#define AIELOOM_AP_REVERSED(op, function)                                                                    \
  template <typename C_, int W_, bool S_, aieloom::If<aieloom::ap::kIsWhole<C_>> = 0>                        \
  constexpr auto operator op(C_ a, const ap_int_base<W_, S_>& b) {                                           \
    using R_ = decltype(aieloom::ap::function(b, aieloom::ap::as_value(a)));                                 \
    return R_(aieloom::ap::function(aieloom::ap::as_value(a), b));                                           \
  }
AIELOOM_AP_REVERSED(+, plus)
AIELOOM_AP_REVERSED(-, minus)
AIELOOM_AP_REVERSED(*, times)
AIELOOM_AP_REVERSED(/, divide)
AIELOOM_AP_REVERSED(%, modulo)
AIELOOM_AP_REVERSED(&, bit_and)
AIELOOM_AP_REVERSED(|, bit_or)
AIELOOM_AP_REVERSED(^, bit_xor)
#undef AIELOOM_AP_REVERSED

// Numbers side by side with a number: as wide as the wider of the two, with the number's sign.
#define AIELOOM_AP_CONCAT(op)                                                                                            \
  template <typename A_, typename B_, int W_, bool S_>                                                                   \
  constexpr auto operator op(const ap_concat_ref<A_, B_>& a, const ap_int_base<W_, S_>& b) {                             \
    return ap_int_base<aieloom::largest(ap_concat_ref<A_, B_>::width, W_), S_>(a.get() op b);                            \
  }                                                                                                                      \
  template <int W_, bool S_, typename A_, typename B_>                                                                   \
  constexpr auto operator op(const ap_int_base<W_, S_>& a, const ap_concat_ref<A_, B_>& b) {                             \
    return ap_int_base<aieloom::largest(ap_concat_ref<A_, B_>::width, W_), S_>(a op b.get());                            \
  }
AIELOOM_AP_CONCAT(&)
AIELOOM_AP_CONCAT(|)
AIELOOM_AP_CONCAT(^)
#undef AIELOOM_AP_CONCAT
#define AIELOOM_AP_CONCAT(op, function)                                                                                  \
  template <typename A_, typename B_, typename C_, aieloom::If<aieloom::ap::kIsWhole<C_> && (sizeof(C_) >= sizeof(int))> = 0> \
  constexpr auto operator op(const ap_concat_ref<A_, B_>& a, C_ b) {                                                     \
    return aieloom::ap::function(a.get(), aieloom::ap::as_value(static_cast<int>(b)));                                   \
  }
AIELOOM_AP_CONCAT(<<, shift_left)
AIELOOM_AP_CONCAT(>>, shift_right)
#undef AIELOOM_AP_CONCAT

namespace aieloom::ap {

/// What is compared as numbers; all else as C++ compares what both become.
template <typename A_, typename B_>
inline constexpr bool kComparesParts = kPartAndNumber<A_, B_> || kPartsAlone<A_, B_> || (kIsConcat<A_> && (kIsInt<B_> || kIsWhole<B_>)) ||
                                       (kIsInt<A_> && kIsConcat<B_>);

}  // namespace aieloom::ap

#define AIELOOM_AP_COMPARE(op, expression)                                                                       \
  template <int W1_, bool S1_, int W2_, bool S2_>                                                                \
  constexpr bool operator op(const ap_int_base<W1_, S1_>& a, const ap_int_base<W2_, S2_>& b) {                   \
    return aieloom::ap::compare(a, b, [](const auto& p, const auto& q) { return expression; });                  \
  }                                                                                                              \
  template <int W_, bool S_, typename C_, aieloom::If<aieloom::ap::kIsWhole<C_>> = 0>                            \
  constexpr bool operator op(const ap_int_base<W_, S_>& a, C_ b) {                                               \
    return a op aieloom::ap::as_value(b);                                                                        \
  }                                                                                                              \
  template <typename C_, int W_, bool S_, aieloom::If<aieloom::ap::kIsWhole<C_>> = 0>                            \
  constexpr bool operator op(C_ a, const ap_int_base<W_, S_>& b) {                                               \
    return aieloom::ap::as_value(a) op b;                                                                        \
  }                                                                                                              \
  template <typename A_, typename B_, aieloom::If<aieloom::ap::kComparesParts<A_, B_>> = 0>                      \
  constexpr bool operator op(const A_& a, const B_& b) {                                                         \
    return aieloom::ap::as_value(a) op aieloom::ap::as_value(b);                                                 \
  }                                                                                                              \
  template <int W_, bool S_, typename F_, aieloom::If<aieloom::ap::kIsReal<F_>> = 0>                             \
  bool operator op(const ap_int_base<W_, S_>& a, F_ q) {                                                         \
    const auto p = static_cast<F_>(a.to_double());                                                               \
    return expression;                                                                                           \
  }                                                                                                              \
  template <typename F_, int W_, bool S_, aieloom::If<aieloom::ap::kIsReal<F_>> = 0>                             \
  bool operator op(F_ p, const ap_int_base<W_, S_>& b) {                                                         \
    const auto q = static_cast<F_>(b.to_double());                                                               \
    return expression;                                                                                           \
  }
AIELOOM_AP_COMPARE(==, p == q)
AIELOOM_AP_COMPARE(!=, !(p == q))
AIELOOM_AP_COMPARE(<, p < q)
AIELOOM_AP_COMPARE(>, q < p)
AIELOOM_AP_COMPARE(<=, p < q || p == q)
AIELOOM_AP_COMPARE(>=, q < p || p == q)
#undef AIELOOM_AP_COMPARE

// With a floating point operand the integer becomes one; with a half it becomes one of those.
#define AIELOOM_AP_FLOAT(op)                                                                     \
  template <int W_, bool S_, typename F_, aieloom::If<aieloom::ap::kIsReal<F_>> = 0>             \
  F_ operator op(const ap_int_base<W_, S_>& a, F_ f) {                                           \
    return static_cast<F_>(a.to_double()) op f;                                                  \
  }                                                                                              \
  template <typename F_, int W_, bool S_, aieloom::If<aieloom::ap::kIsReal<F_>> = 0>             \
  F_ operator op(F_ f, const ap_int_base<W_, S_>& a) {                                           \
    return f op static_cast<F_>(a.to_double());                                                  \
  }                                                                                              \
  template <int W_, bool S_>                                                                     \
  half operator op(const ap_int_base<W_, S_>& a, half h) {                                       \
    return a.to_half() op h;                                                                     \
  }                                                                                              \
  template <int W_, bool S_>                                                                     \
  half operator op(half h, const ap_int_base<W_, S_>& a) {                                       \
    return h op a.to_half();                                                                     \
  }                                                                                              \
  template <typename F_, int W_, bool S_, aieloom::If<aieloom::ap::kIsReal<F_>> = 0>             \
  F_& operator op##=(F_& f, const ap_int_base<W_, S_>& a) {                                      \
    return f = f op a;                                                                           \
  }
AIELOOM_AP_FLOAT(+)
AIELOOM_AP_FLOAT(-)
AIELOOM_AP_FLOAT(*)
AIELOOM_AP_FLOAT(/)
#undef AIELOOM_AP_FLOAT

// A pointer moves by a number.
template <typename T_, int W_, bool S_>
constexpr T_* operator+(T_* pointer, const ap_int_base<W_, S_>& n) {
  return pointer + n.to_int64();
}
template <typename T_, int W_, bool S_>
constexpr T_* operator-(T_* pointer, const ap_int_base<W_, S_>& n) {
  return pointer - n.to_int64();
}
template <typename T_, int W_, bool S_>
constexpr T_* operator+(const ap_int_base<W_, S_>& n, T_* pointer) {
  return pointer + n.to_int64();
}

#define AIELOOM_AP_ASSIGN(op)                                                                                                        \
  template <int W_, bool S_, typename B_, aieloom::If<aieloom::ap::kIsInt<B_> || aieloom::ap::kIsWhole<B_> || aieloom::ap::kIsPart<B_> || \
                                                      aieloom::ap::kIsFixedPart<B_>> = 0>                                            \
  constexpr ap_int_base<W_, S_>& operator op##=(ap_int_base<W_, S_>& a, const B_& b) {                                               \
    return a = a op aieloom::ap::as_value(b);                                                                                        \
  }                                                                                                                                  \
  template <int W_, bool S_, int W2_, bool S2_>                                                                                      \
  constexpr ap_range_ref<W_, S_>& operator op##=(ap_range_ref<W_, S_>& a, const ap_int_base<W2_, S2_>& b) {                          \
    return a = a.get() op b;                                                                                                         \
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

// Bits of a range combine with a number's, or another range's, in place.
#define AIELOOM_AP_ASSIGN(op)                                                                                              \
  template <int W_, bool S_, typename B_, aieloom::If<aieloom::ap::kIsRange<B_> || aieloom::ap::kIsInt<B_>> = 0>            \
  constexpr ap_range_ref<W_, S_> operator op##=(ap_range_ref<W_, S_>&& a, const B_& b) {                                   \
    return a = a.get() op aieloom::ap::as_value(b);                                                                        \
  }
AIELOOM_AP_ASSIGN(&)
AIELOOM_AP_ASSIGN(|)
AIELOOM_AP_ASSIGN(^)
#undef AIELOOM_AP_ASSIGN
