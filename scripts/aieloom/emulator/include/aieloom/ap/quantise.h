// How a number gets into a fixed-point format: quantisation of the bits below, then overflow of those above
// [UG1399 C++ arbitrary precision fixed-point types: quantization and overflow modes; IEEE 1666 for AP_WRAP with N > 0].
#pragma once

#include "aieloom/ap/kinds.h"
#include "aieloom/ap/storage.h"

namespace aieloom::ap {

/// What the lost bits add to the number rounded downwards.
template <ap_q_mode Q_, typename T_>
constexpr bool rounds_up(const T_& floor, const T_& lost, const T_& half, bool negative) {
  const bool more = half < lost;
  const bool tie = lost == half;
  if constexpr (Q_ == AP_RND) {
    return more || tie;
  } else if constexpr (Q_ == AP_RND_ZERO) {
    return more || (tie && negative);
  } else if constexpr (Q_ == AP_RND_MIN_INF) {
    return more;
  } else if constexpr (Q_ == AP_RND_INF) {
    return more || (tie && !negative);
  } else if constexpr (Q_ == AP_RND_CONV) {
    return more || (tie && !((floor & convert<T_>(1)) == T_{}));
  } else if constexpr (Q_ == AP_TRN_ZERO) {
    return negative && !(lost == T_{});
  } else {
    return false;
  }
}

/// value / 2^shift in mode Q; T is signed and at least shift + 2 bits wide.
template <ap_q_mode Q_, typename T_>
constexpr T_ quantise(const T_& value, int shift) {
  if (shift <= 0) {
    return value;
  }
  const T_ floor = value >> shift;
  if constexpr (Q_ == AP_TRN) {
    return floor;
  } else {
    const T_ lost = value & convert<T_>(ones<Store<static_cast<int>(sizeof(T_) * 8), false>>(shift));
    const T_ half = convert<T_>(1) << (shift - 1);
    return rounds_up<Q_>(floor, lost, half, is_negative(value)) ? floor + convert<T_>(1) : floor;
  }
}

/// Bit i of a number.
template <typename T_>
constexpr bool bit_of(const T_& value, int i) {
  return !(((value >> i) & convert<T_>(1)) == T_{});
}

/// What AP_WRAP with N > 0 and AP_WRAP_SM make of a number that does not fit W bits.
template <int W_, bool S_, ap_o_mode O_, int N_, typename T_>
constexpr T_ wrap(const T_& value) {
  const bool negative = is_negative(value);
  const auto low = [](int count) { return convert<T_>(ones<Store<static_cast<int>(sizeof(T_) * 8), false>>(count)); };
  if constexpr (O_ == AP_WRAP && !S_) {
    return (value & low(W_ - N_)) | (low(N_) << (W_ - N_));
  } else if constexpr (O_ == AP_WRAP) {
    // The sign stays, the next N - 1 bits are its opposite, the rest is kept.
    const T_ sign = negative ? convert<T_>(1) << (W_ - 1) : T_{};
    const T_ saturated = negative ? T_{} : low(N_ - 1) << (W_ - N_);
    return (value & low(W_ - N_)) | sign | saturated;
  } else if constexpr (N_ == 0) {
    const bool sign = bit_of(value, W_);  // the lowest of the bits that are lost
    const T_ rest = sign != bit_of(value, W_ - 1) ? ~value : value;
    return (rest & low(W_ - 1)) | (sign ? convert<T_>(1) << (W_ - 1) : T_{});
  } else {
    const T_ sign = negative ? convert<T_>(1) << (W_ - 1) : T_{};
    const T_ saturated = negative ? T_{} : low(N_ - 1) << (W_ - N_);
    const bool new_bit = N_ == 1 ? negative : !negative;  // the last bit that is fixed
    const T_ rest = new_bit != bit_of(value, W_ - N_) ? ~value : value;
    return (rest & low(W_ - N_)) | sign | saturated;
  }
}

/// A number into W bits in mode O; T is signed and wider than W bits, a copy is cut to W bits by the caller.
template <int W_, bool S_, ap_o_mode O_, int N_, typename T_>
constexpr T_ overflow(const T_& value) {
  static_assert(O_ != AP_WRAP_SM || S_, "AP_WRAP_SM wraps as sign and magnitude: it needs a signed format (ap_fixed)");
  static_assert(N_ >= 0 && N_ <= W_, "N, the number of saturated bits, is between 0 and the width");
  if constexpr (O_ == AP_WRAP && N_ == 0) {
    return value;
  } else {
    const T_ most = convert<T_>(ones<Store<static_cast<int>(sizeof(T_) * 8), false>>(S_ ? W_ - 1 : W_));
    const T_ least = S_ ? ~most : T_{};
    const T_ floor = O_ == AP_SAT_SYM && S_ ? T_{} - most : least;
    if (!(most < value) && !(value < floor)) {
      return value;
    }
    if constexpr (O_ == AP_SAT || O_ == AP_SAT_SYM) {
      return is_negative(value) ? floor : most;
    } else if constexpr (O_ == AP_SAT_ZERO) {
      return T_{};
    } else {
      return wrap<W_, S_, O_, N_>(value);
    }
  }
}

}  // namespace aieloom::ap
