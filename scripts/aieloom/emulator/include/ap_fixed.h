// ap_fixed<W, I> and ap_ufixed<W, I>: fixed-point numbers [UG1399 C++ arbitrary precision fixed-point types].
#pragma once

#include "ap_int.h"

#include "aieloom/ap/fixed_ops.h"

template <int W_, int I_, ap_q_mode Q_, ap_o_mode O_, int N_>
struct ap_fixed : ap_fixed_base<W_, I_, true, Q_, O_, N_> {
  AIELOOM_AP_WIDEST("ap_fixed");
  using Base = ap_fixed_base<W_, I_, true, Q_, O_, N_>;
  using Base::Base;
  constexpr ap_fixed() = default;
  constexpr ap_fixed(const Base& other) : Base(other) {}
};

template <int W_, int I_, ap_q_mode Q_, ap_o_mode O_, int N_>
struct ap_ufixed : ap_fixed_base<W_, I_, false, Q_, O_, N_> {
  AIELOOM_AP_WIDEST("ap_ufixed");
  using Base = ap_fixed_base<W_, I_, false, Q_, O_, N_>;
  using Base::Base;
  constexpr ap_ufixed() = default;
  constexpr ap_ufixed(const Base& other) : Base(other) {}
};
