// The kinds of arbitrary precision numbers and of their parts: declarations, and what tells one from another.
#pragma once

#include <type_traits>

#include "aieloom/traits.h"

/// Widest declared number; a source that needs more defines it before the include, up to 32768 [UG1399].
#ifndef AP_INT_MAX_W
#define AP_INT_MAX_W 1024
#endif
#if AP_INT_MAX_W > 32768
#error "AP_INT_MAX_W is at most 32768"
#endif

enum ap_q_mode {
  AP_RND,          // nearest, a tie upwards
  AP_RND_ZERO,     // nearest, a tie towards zero
  AP_RND_MIN_INF,  // nearest, a tie downwards
  AP_RND_INF,      // nearest, a tie away from zero
  AP_RND_CONV,     // nearest, a tie to even
  AP_TRN,          // downwards
  AP_TRN_ZERO,     // towards zero
};

enum ap_o_mode {
  AP_SAT,       // to the nearest end of the range
  AP_SAT_ZERO,  // to zero
  AP_SAT_SYM,   // to the nearest end of a range without the most negative number
  AP_WRAP,      // the upper bits are lost; with N > 0 the topmost N saturate
  AP_WRAP_SM,   // as sign and magnitude; signed formats only
};

// The modes by their names in SystemC.
#define SC_RND AP_RND
#define SC_RND_ZERO AP_RND_ZERO
#define SC_RND_MIN_INF AP_RND_MIN_INF
#define SC_RND_INF AP_RND_INF
#define SC_RND_CONV AP_RND_CONV
#define SC_TRN AP_TRN
#define SC_TRN_ZERO AP_TRN_ZERO
#define SC_SAT AP_SAT
#define SC_SAT_ZERO AP_SAT_ZERO
#define SC_SAT_SYM AP_SAT_SYM
#define SC_WRAP AP_WRAP
#define SC_WRAP_SM AP_WRAP_SM

template <int W_, bool S_>
struct ap_int_base;
template <int W_>
struct ap_int;
template <int W_>
struct ap_uint;
template <int W_, bool S_, bool Constant_ = false>
class ap_range_ref;
template <int W_, bool S_>
class ap_bit_ref;
template <typename A_, typename B_>
class ap_concat_ref;
template <int W_, int I_, bool S_ = true, ap_q_mode Q_ = AP_TRN, ap_o_mode O_ = AP_WRAP, int N_ = 0>
struct ap_fixed_base;
template <int W_, int I_, ap_q_mode Q_ = AP_TRN, ap_o_mode O_ = AP_WRAP, int N_ = 0>
struct ap_fixed;
template <int W_, int I_, ap_q_mode Q_ = AP_TRN, ap_o_mode O_ = AP_WRAP, int N_ = 0>
struct ap_ufixed;
template <int W_, bool S_, bool Constant_ = false>
class af_range_ref;
template <int W_, bool S_>
class af_bit_ref;
class half;

namespace aieloom {
namespace ap {

template <int W_, bool S_>
std::true_type int_of(const ap_int_base<W_, S_>*);
std::false_type int_of(...);
template <int W_, int I_, bool S_, ap_q_mode Q_, ap_o_mode O_, int N_>
std::true_type fixed_of(const ap_fixed_base<W_, I_, S_, Q_, O_, N_>*);
std::false_type fixed_of(...);

/// A whole number, and a fixed-point one.
template <typename T_>
inline constexpr bool kIsInt = decltype(int_of(static_cast<Plain<T_>*>(nullptr)))::value;
template <typename T_>
inline constexpr bool kIsFixed = decltype(fixed_of(static_cast<Plain<T_>*>(nullptr)))::value;

/// A part of a number: bits of a whole one or of several, bits of a fixed-point one.
template <typename T_>
inline constexpr bool kIsPart = false;
template <int W_, bool S_, bool C_>
inline constexpr bool kIsPart<ap_range_ref<W_, S_, C_>> = true;
template <int W_, bool S_>
inline constexpr bool kIsPart<ap_bit_ref<W_, S_>> = true;
template <typename A_, typename B_>
inline constexpr bool kIsPart<ap_concat_ref<A_, B_>> = true;
template <typename T_>
inline constexpr bool kIsFixedPart = false;
template <int W_, bool S_, bool C_>
inline constexpr bool kIsFixedPart<af_range_ref<W_, S_, C_>> = true;
template <int W_, bool S_>
inline constexpr bool kIsFixedPart<af_bit_ref<W_, S_>> = true;

/// C++'s whole numbers, and enumerations that become one by themselves.
template <typename T_>
inline constexpr bool kIsWhole = std::is_integral<T_>::value || (std::is_enum<T_>::value && std::is_convertible<T_, int>::value);
template <typename T_>
inline constexpr bool kIsReal = std::is_floating_point<T_>::value;

/// The widest declared number: AP_INT_MAX_W counts in thousands of 1,024 bits.
inline constexpr int kMostBits = (AP_INT_MAX_W + 1023) / 1024 * 1024;

/// What operators between whole numbers give; beyond the widest declared number it has no name.
template <int W_, bool S_>
using Number = std::conditional_t<(W_ > kMostBits), ap_int_base<W_, S_>, std::conditional_t<S_, ap_int<W_>, ap_uint<W_>>>;

/// What operators between fixed-point numbers give.
template <int W_, int I_, bool S_>
using FixedNumber = std::conditional_t<(W_ > kMostBits), ap_fixed_base<W_, I_, S_>, std::conditional_t<S_, ap_fixed<W_, I_>, ap_ufixed<W_, I_>>>;

/// The bits and the sign of a C++ number.
template <typename C_, bool = std::is_enum<C_>::value>
struct OfC {
  static constexpr int kWidth = std::is_same<C_, bool>::value ? 1 : static_cast<int>(8 * sizeof(C_));
  static constexpr bool kSigned = std::is_signed<C_>::value;
};
template <typename C_>
struct OfC<C_, true> : OfC<decltype(+C_{}), false> {};
template <typename C_>
using NumberOf = ap_int_base<OfC<C_>::kWidth, OfC<C_>::kSigned>;

}  // namespace ap
}  // namespace aieloom
