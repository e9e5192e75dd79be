// How a number gets into a fixed-point format: quantisation of the bits below, then overflow of those above
// [UG1399 C++ arbitrary precision fixed-point types: quantization and overflow modes; IEEE 1666 for AP_WRAP with N > 0].
#ifndef AIELOOM_AP_QUANTISE_H
#define AIELOOM_AP_QUANTISE_H

#include "aieloom/ap/storage.h"

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

namespace aieloom::ap {

/// What the lost bits add to the number rounded downwards.
template <ap_q_mode Q, typename T>
constexpr bool rounds_up(const T& floor, const T& lost, const T& half, bool negative) {
  const bool more = half < lost;
  const bool tie = lost == half;
  if constexpr (Q == AP_RND) {
    return more || tie;
  } else if constexpr (Q == AP_RND_ZERO) {
    return more || (tie && negative);
  } else if constexpr (Q == AP_RND_MIN_INF) {
    return more;
  } else if constexpr (Q == AP_RND_INF) {
    return more || (tie && !negative);
  } else if constexpr (Q == AP_RND_CONV) {
    return more || (tie && !((floor & convert<T>(1)) == T{}));
  } else if constexpr (Q == AP_TRN_ZERO) {
    return negative && !(lost == T{});
  } else {
    return false;
  }
}

/// value / 2^shift in mode Q; T is signed and at least shift + 2 bits wide.
template <ap_q_mode Q, typename T>
constexpr T quantise(const T& value, int shift) {
  if (shift <= 0) {
    return value;
  }
  const T floor = value >> shift;
  if constexpr (Q == AP_TRN) {
    return floor;
  } else {
    const T lost = value & convert<T>(ones<Store<static_cast<int>(sizeof(T) * 8), false>>(shift));
    const T half = convert<T>(1) << (shift - 1);
    return rounds_up<Q>(floor, lost, half, is_negative(value)) ? floor + convert<T>(1) : floor;
  }
}

/// Bit i of a number.
template <typename T>
constexpr bool bit_of(const T& value, int i) {
  return !(((value >> i) & convert<T>(1)) == T{});
}

/// What AP_WRAP with N > 0 and AP_WRAP_SM make of a number that does not fit W bits.
template <int W, bool S, ap_o_mode O, int N, typename T>
constexpr T wrap(const T& value) {
  const bool negative = is_negative(value);
  const auto low = [](int count) { return convert<T>(ones<Store<static_cast<int>(sizeof(T) * 8), false>>(count)); };
  if constexpr (O == AP_WRAP && !S) {
    return (value & low(W - N)) | (low(N) << (W - N));
  } else if constexpr (O == AP_WRAP) {
    // The sign stays, the next N - 1 bits are its opposite, the rest is kept.
    const T sign = negative ? convert<T>(1) << (W - 1) : T{};
    const T saturated = negative ? T{} : low(N - 1) << (W - N);
    return (value & low(W - N)) | sign | saturated;
  } else if constexpr (N == 0) {
    const bool sign = bit_of(value, W);  // the lowest of the bits that are lost
    const T rest = sign != bit_of(value, W - 1) ? ~value : value;
    return (rest & low(W - 1)) | (sign ? convert<T>(1) << (W - 1) : T{});
  } else {
    const T sign = negative ? convert<T>(1) << (W - 1) : T{};
    const T saturated = negative ? T{} : low(N - 1) << (W - N);
    const bool new_bit = N == 1 ? negative : !negative;  // the last bit that is fixed
    const T rest = new_bit != bit_of(value, W - N) ? ~value : value;
    return (rest & low(W - N)) | sign | saturated;
  }
}

/// A number into W bits in mode O; T is signed and wider than W bits, a copy is cut to W bits by the caller.
template <int W, bool S, ap_o_mode O, int N, typename T>
constexpr T overflow(const T& value) {
  static_assert(O != AP_WRAP_SM || S, "AP_WRAP_SM wraps as sign and magnitude: it needs a signed format (ap_fixed)");
  static_assert(N >= 0 && N <= W, "N, the number of saturated bits, is between 0 and the width");
  if constexpr (O == AP_WRAP && N == 0) {
    return value;
  } else {
    const T most = convert<T>(ones<Store<static_cast<int>(sizeof(T) * 8), false>>(S ? W - 1 : W));
    const T least = S ? ~most : T{};
    const T floor = O == AP_SAT_SYM && S ? T{} - most : least;
    if (!(most < value) && !(value < floor)) {
      return value;
    }
    if constexpr (O == AP_SAT || O == AP_SAT_SYM) {
      return is_negative(value) ? floor : most;
    } else if constexpr (O == AP_SAT_ZERO) {
      return T{};
    } else {
      return wrap<W, S, O, N>(value);
    }
  }
}

}  // namespace aieloom::ap

#endif  // AIELOOM_AP_QUANTISE_H
