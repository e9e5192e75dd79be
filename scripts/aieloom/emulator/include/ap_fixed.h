// ap_fixed<W, I> and ap_ufixed<W, I>: fixed-point numbers [UG1399 C++ arbitrary precision fixed-point types].
#pragma once

#include "aieloom/ap/fixed_ops.h"
#include "ap_int.h"

template <int W_, int I_, ap_q_mode Q_ = AP_TRN, ap_o_mode O_ = AP_WRAP, int N_ = 0>
struct ap_fixed : ap_fixed_base<W_, I_, true, Q_, O_, N_> {
  static_assert(W_ <= AP_INT_MAX_W, "ap_fixed: wider than AP_INT_MAX_W (1024): define AP_INT_MAX_W before the include, at most 4096");
  using Base = ap_fixed_base<W_, I_, true, Q_, O_, N_>;
  using Base::Base;
  constexpr ap_fixed() = default;
  constexpr ap_fixed(const Base& other) : Base(other) {}
};

template <int W_, int I_, ap_q_mode Q_ = AP_TRN, ap_o_mode O_ = AP_WRAP, int N_ = 0>
struct ap_ufixed : ap_fixed_base<W_, I_, false, Q_, O_, N_> {
  static_assert(W_ <= AP_INT_MAX_W, "ap_ufixed: wider than AP_INT_MAX_W (1024): define AP_INT_MAX_W before the include, at most 4096");
  using Base = ap_fixed_base<W_, I_, false, Q_, O_, N_>;
  using Base::Base;
  constexpr ap_ufixed() = default;
  constexpr ap_ufixed(const Base& other) : Base(other) {}
};
