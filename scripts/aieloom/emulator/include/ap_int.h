// ap_int<W> and ap_uint<W>: whole numbers of W bits [UG1399 C++ arbitrary precision integer types]; and, as in the published header,
// fixed-point numbers and half.
#pragma once

#include "aieloom/ap/int_ops.h"
#include "aieloom/usual.h"

#define AIELOOM_AP_WIDEST(name) \
  static_assert(W_ <= aieloom::ap::kMostBits, name ": wider than AP_INT_MAX_W (1024): define AP_INT_MAX_W before the include, at most 32768")

template <int W_>
struct ap_int : ap_int_base<W_, true> {
  AIELOOM_AP_WIDEST("ap_int");
  using Base = ap_int_base<W_, true>;
  using Base::Base;
  constexpr ap_int() = default;
  constexpr ap_int(const ap_int&) = default;
  constexpr ap_int& operator=(const ap_int&) = default;
  template <int W2_, bool S2_>
  constexpr ap_int& operator=(const ap_int_base<W2_, S2_>& other) {
    Base::operator=(other);
    return *this;
  }
  template <int W2_, bool S2_>
  void operator=(const ap_int_base<W2_, S2_>& other) volatile {
    Base::operator=(other);
  }
  template <int W2_, bool S2_>
  constexpr ap_int(const ap_int_base<W2_, S2_>& other) : Base(other) {}
  constexpr ap_int(const Base& other) : Base(other) {}
};

template <int W_>
struct ap_uint : ap_int_base<W_, false> {
  AIELOOM_AP_WIDEST("ap_uint");
  using Base = ap_int_base<W_, false>;
  using Base::Base;
  constexpr ap_uint() = default;
  constexpr ap_uint(const ap_uint&) = default;
  constexpr ap_uint& operator=(const ap_uint&) = default;
  template <int W2_, bool S2_>
  constexpr ap_uint& operator=(const ap_int_base<W2_, S2_>& other) {
    Base::operator=(other);
    return *this;
  }
  template <int W2_, bool S2_>
  void operator=(const ap_int_base<W2_, S2_>& other) volatile {
    Base::operator=(other);
  }
  template <int W2_, bool S2_>
  constexpr ap_uint(const ap_int_base<W2_, S2_>& other) : Base(other) {}
  constexpr ap_uint(const Base& other) : Base(other) {}
};

#include "ap_fixed.h"
