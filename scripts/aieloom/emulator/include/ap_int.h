// ap_int<W> and ap_uint<W>: whole numbers of W bits [UG1399 C++ arbitrary precision integer types].
#pragma once

#include "aieloom/ap/int_ops.h"
#include "aieloom/usual.h"

/// Widest declared number; a source that needs more defines it before the include, up to 4096 [UG1399].
#ifndef AP_INT_MAX_W
#define AP_INT_MAX_W 1024
#endif

template <int W_>
struct ap_int : ap_int_base<W_, true> {
  static_assert(W_ <= AP_INT_MAX_W, "ap_int: wider than AP_INT_MAX_W (1024): define AP_INT_MAX_W before the include, at most 4096");
  static_assert(AP_INT_MAX_W <= 4096, "AP_INT_MAX_W is at most 4096");
  using Base = ap_int_base<W_, true>;
  using Base::Base;
  constexpr ap_int() = default;
  template <int W2_, bool S2_>
  constexpr ap_int(const ap_int_base<W2_, S2_>& other) : Base(other) {}
  constexpr ap_int(const Base& other) : Base(other) {}
};

template <int W_>
struct ap_uint : ap_int_base<W_, false> {
  static_assert(W_ <= AP_INT_MAX_W, "ap_uint: wider than AP_INT_MAX_W (1024): define AP_INT_MAX_W before the include, at most 4096");
  static_assert(AP_INT_MAX_W <= 4096, "AP_INT_MAX_W is at most 4096");
  using Base = ap_int_base<W_, false>;
  using Base::Base;
  constexpr ap_uint() = default;
  template <int W2_, bool S2_>
  constexpr ap_uint(const ap_int_base<W2_, S2_>& other) : Base(other) {}
  constexpr ap_uint(const Base& other) : Base(other) {}
};
