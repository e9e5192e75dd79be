// Bits of fixed-point numbers as things to read and to assign.
//
// AMD's headers know fewer operators for them than for bits of whole numbers: with numbers they are an unsigned long long or a bool.
#pragma once

#include "aieloom/ap/int_ops.h"

/// Bits high..low of a fixed-point number.
template <int W_, bool S_, bool Constant_>
class af_range_ref : public aieloom::ap::Range<af_range_ref<W_, S_, Constant_>, W_, S_, Constant_> {
  using Base = aieloom::ap::Range<af_range_ref<W_, S_, Constant_>, W_, S_, Constant_>;

 public:
  using Base::Base;
  constexpr af_range_ref(const af_range_ref&) = default;

  /// Of a fixed-point number the bits, as they are.
  template <typename T_, aieloom::If<!Constant_ && aieloom::ap::kFillsBits<T_>> = 0>
  constexpr af_range_ref& operator=(const T_& value) {
    if constexpr (aieloom::ap::kIsFixed<T_>) {
      return this->put(ap_int_base<T_::width, false>(value.number()).raw());
    } else {
      return this->assign(value);
    }
  }
  constexpr af_range_ref& operator=(const af_range_ref& other) {
    static_assert(!Constant_, "bits of a constant number are not assigned to");
    return this->put(other.get().raw());
  }
};

/// One bit of a fixed-point number.
template <int W_, bool S_>
class af_bit_ref : public ap_bit_ref<W_, S_> {
 public:
  using ap_bit_ref<W_, S_>::ap_bit_ref;
  using ap_bit_ref<W_, S_>::operator=;
  constexpr af_bit_ref(const af_bit_ref&) = default;
  constexpr af_bit_ref& operator=(const af_bit_ref& other) {
    *this = other.get();
    return *this;
  }
};

#define AIELOOM_AP_OPERATOR(op)                                                                                           \
  template <int W_, bool S_, bool C_, int W2_, bool S2_>                                                                  \
  constexpr auto operator op(const af_range_ref<W_, S_, C_>& a, const ap_int_base<W2_, S2_>& b) {                         \
    return static_cast<unsigned long long>(a) op b;                                                                       \
  }                                                                                                                       \
  template <int W_, bool S_, int W2_, bool S2_, bool C_>                                                                  \
  constexpr auto operator op(const ap_int_base<W_, S_>& a, const af_range_ref<W2_, S2_, C_>& b) {                         \
    return a op static_cast<unsigned long long>(b);                                                                       \
  }
AIELOOM_AP_OPERATOR(+)
AIELOOM_AP_OPERATOR(-)
AIELOOM_AP_OPERATOR(*)
AIELOOM_AP_OPERATOR(/)
AIELOOM_AP_OPERATOR(%)
AIELOOM_AP_OPERATOR(&)
AIELOOM_AP_OPERATOR(|)
AIELOOM_AP_OPERATOR(^)
#undef AIELOOM_AP_OPERATOR

// They stand beside nothing: (fixed[0], x) has no one meaning in AMD's headers.
template <typename A_, typename B_, aieloom::If<aieloom::ap::kIsFixedPart<aieloom::Plain<A_>> && (aieloom::ap::kHasBits<aieloom::Plain<B_>> || aieloom::ap::kIsFixed<B_>)> = 0>
void operator,(A_&& a, B_&& b) = delete;
