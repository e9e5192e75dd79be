// MAC intrinsics of AIE-ML [UG1583 Multiply Accumulate]: OPERATION_MxN_NxP multiplies two small matrices, row by row in
// one vector each; OPERATION_elem_C multiplies C channels lane by lane, OPERATION_elem_C_2 adds two columns of each,
// which lie C lanes apart; OPERATION_conv_MxN is sum over u < N of G(u) F(x + u) for M values of x.
//
// OPERATION_conv_MxN_Cch does so for C channels, which lie side by side.
//
// Operations: mul, negmul, mac (acc1 + product), msc (acc1 - product); with two accumulators addmac (acc1 + acc2 +
// product), addmsc, submac (acc1 - acc2 + product), submsc: the signs of AMD's own radix-4 butterfly (Xilinx/aie_api,
// fft_dit_radix4), of which each is one output. Each also with the signs of its integers given (a, sgn_x, b, sgn_y) and as
// _conf: zero_acc1 leaves acc1 out, sub_mul, sub_acc1 and sub_acc2 turn a sign round, shift16 shifts acc1 16 bits up (the
// upper half of a product of 32 by 16 bits in aie_api). Vectors fill a register; a smaller matrix is in its first lanes.
#pragma once

#include "aie_api/detail/mmul.h"
#include "aie_api/detail/native_types.h"

namespace aie::detail {

/// The first lanes of a register as factors.
template <unsigned Count, typename T, unsigned N>
struct FirstFactors {
  explicit FirstFactors(const vector<T, N>& v) {
    static_assert(N * element_bits<T> == 512 || N * element_bits<T> == 1024,
                  "MAC intrinsics of AIE-ML take registers of 512 or 1024 bits [UG1583]");
    static_assert(N >= Count, "MAC intrinsics of AIE-ML: the register holds fewer elements than the matrix has");
    for (unsigned i = 0; i < Count; ++i) {
      at[i] = factor(v.lanes_.get(i));
    }
  }
  factor_t<T> at[Count];
};

/// acc, plus or minus a sum of products.
template <bool Subtract, typename Tag, unsigned L, typename S>
[[nodiscard]] inline accum<Tag, L> add_sums(accum<Tag, L> acc, const S (&sums)[L]) {
  for (unsigned i = 0; i < L; ++i) {
    if constexpr (std::is_same_v<S, float>) {
      acc.lanes_[i] = Subtract ? acc.lanes_[i] - sums[i] : acc.lanes_[i] + sums[i];
    } else {
      acc.lanes_[i] = Subtract ? lane_sub(acc.lanes_[i], sums[i]) : lane_add(acc.lanes_[i], sums[i]);
    }
  }
  return acc;
}

template <bool Subtract, unsigned M, unsigned K, unsigned N, typename Tag, typename TA, unsigned NA, typename TB, unsigned NB>
[[nodiscard]] inline accum<Tag, M * N> matrix_mac(const accum<Tag, M * N>& acc, const vector<TA, NA>& a,
                                                  const vector<TB, NB>& b) {
  const FirstFactors<M * K, TA, NA> fa(a);
  const FirstFactors<K * N, TB, NB> fb(b);
  lane_type<Tag> sums[M * N] = {};
  multiply_tile<M, K, N>(fa.at, fb.at, sums);
  aieloom::count_mac(1, M * K * N);
  return add_sums<Subtract>(acc, sums);
}

template <bool Subtract, unsigned C, unsigned Columns, typename Tag, typename T, unsigned N, typename U, unsigned M>
[[nodiscard]] inline accum<Tag, C> channel_mac(const accum<Tag, C>& acc, const vector<T, N>& a, const vector<U, M>& b) {
  const FirstFactors<C * Columns, T, N> fa(a);
  const FirstFactors<C * Columns, U, M> fb(b);
  using S = lane_type<Tag>;
  S sums[C] = {};
  for (unsigned n = 0; n < Columns; ++n) {
    for (unsigned c = 0; c < C; ++c) {
      sums[c] += static_cast<S>(fa.at[n * C + c]) * static_cast<S>(fb.at[n * C + c]);
    }
  }
  aieloom::count_mac(1, C * Columns);
  return add_sums<Subtract>(acc, sums);
}

template <bool Subtract, unsigned Outputs, unsigned Points, unsigned Channels, typename Tag, typename T, unsigned N, typename U, unsigned M>
[[nodiscard]] inline accum<Tag, Outputs * Channels> convolution_mac(const accum<Tag, Outputs * Channels>& acc,
                                                                    const vector<T, N>& data, const vector<U, M>& coeff) {
  const FirstFactors<(Outputs + Points - 1) * Channels, T, N> f(data);
  const FirstFactors<Points * Channels, U, M> g(coeff);
  using S = lane_type<Tag>;
  S sums[Outputs * Channels] = {};
  for (unsigned x = 0; x < Outputs * Channels; ++x) {
    for (unsigned u = 0; u < Points; ++u) {
      sums[x] += static_cast<S>(g.at[u * Channels + x % Channels]) * static_cast<S>(f.at[u * Channels + x]);
    }
  }
  aieloom::count_mac(1, Outputs * Points * Channels);
  return add_sums<Subtract>(acc, sums);
}

template <typename T>
inline constexpr unsigned kKind = kind<T>();

/// The element types of a width, signed and unsigned.
template <typename T>
struct Signs {
  using Signed = std::conditional_t<element_bits<T> == 4, int4,
                                    std::conditional_t<element_bits<T> == 8, int8,
                                                       std::conditional_t<element_bits<T> == 16, int16, int32>>>;
  using Unsigned = std::conditional_t<element_bits<T> == 4, uint4,
                                      std::conditional_t<element_bits<T> == 8, uint8,
                                                         std::conditional_t<element_bits<T> == 16, uint16, uint32>>>;
};
/// f of two vectors, each read as signed or as unsigned numbers.
template <typename F, typename TA, unsigned NA, typename TB, unsigned NB>
[[nodiscard]] inline auto with_signs(const vector<TA, NA>& a, int sgn_x, const vector<TB, NB>& b, int sgn_y, F f) {
  const auto second = [&](const auto& x) {
    return sgn_y != 0 ? f(x, b.template cast_to<typename Signs<TB>::Signed>())
                      : f(x, b.template cast_to<typename Signs<TB>::Unsigned>());
  };
  return sgn_x != 0 ? second(a.template cast_to<typename Signs<TA>::Signed>())
                    : second(a.template cast_to<typename Signs<TA>::Unsigned>());
}

/// What the configuration register does to the first accumulator.
struct FirstSum {
  int zero = 0, shift16 = 0, negate = 0;

  template <typename Tag, unsigned L>
  [[nodiscard]] accum<Tag, L> of(accum<Tag, L> acc) const {
    using Lane = lane_type<Tag>;
    for (auto& lane : acc.lanes_) {
      lane = zero != 0 ? Lane{} : lane;
      if constexpr (!std::is_same_v<Lane, float>) {
        for (int bit = 0; shift16 != 0 && bit < 16; ++bit) {
          lane = lane_add(lane, lane);
        }
      }
      lane = negate == 0 ? lane : Lane{} - lane;
    }
    return acc;
  }
};
template <typename Tag, unsigned L>
[[nodiscard]] inline accum<Tag, L> signed_sum(const accum<Tag, L>& a, const accum<Tag, L>& b, bool subtract) {
  return subtract ? ::aie::sub(a, b) : ::aie::add(a, b);
}

}  // namespace aie::detail

// What follows the vectors: no sum (mul, negmul), one (mac, msc), two that are added, two of which the second is subtracted;
// what the product is added to; and the parameters of the _conf form and what they make of it. The forms that subtract acc2,
// and those of floating point, have no shift16 (the public aiev2 headers leave it out).
#define AIELOOM_ACCS_none(SUM)
#define AIELOOM_ACCS_one(SUM) , const SUM& acc1
#define AIELOOM_ACCS_plus(SUM) , const SUM& acc1, const SUM& acc2
#define AIELOOM_ACCS_minus(SUM) AIELOOM_ACCS_plus(SUM)
#define AIELOOM_START_none(SUM) null_##SUM()
#define AIELOOM_START_one(SUM) acc1
#define AIELOOM_START_plus(SUM) ::aie::add(acc1, acc2)
#define AIELOOM_START_minus(SUM) ::aie::sub(acc1, acc2)
#define AIELOOM_CONF_none_int , int sub_mul
#define AIELOOM_CONF_none_float , int sub_mul
#define AIELOOM_CONF_one_int , int zero_acc1, int shift16, int sub_mul, int sub_acc1
#define AIELOOM_CONF_one_float , int zero_acc1, int sub_mul, int sub_acc1
#define AIELOOM_CONF_plus_int AIELOOM_CONF_one_int, int sub_acc2
#define AIELOOM_CONF_plus_float AIELOOM_CONF_one_float, int sub_acc2
#define AIELOOM_CONF_minus_int AIELOOM_CONF_one_float, int sub_acc2
#define AIELOOM_CONF_minus_float AIELOOM_CONF_one_float, int sub_acc2
#define AIELOOM_FIRST_int ::aie::detail::FirstSum{zero_acc1, shift16, sub_acc1}.of(acc1)
#define AIELOOM_FIRST_float ::aie::detail::FirstSum{zero_acc1, 0, sub_acc1}.of(acc1)
#define AIELOOM_CONF_START_none(SUM, UNIT) null_##SUM()
#define AIELOOM_CONF_START_one(SUM, UNIT) AIELOOM_FIRST_##UNIT
#define AIELOOM_CONF_START_plus(SUM, UNIT) ::aie::detail::signed_sum(AIELOOM_FIRST_##UNIT, acc2, sub_acc2 != 0)
#define AIELOOM_CONF_START_minus(SUM, UNIT) ::aie::detail::signed_sum(AIELOOM_FIRST_float, acc2, sub_acc2 == 0)

#define AIELOOM_PRODUCT(OPERATION, NAME, FUNCTION, A, B, UNIT, SUBTRACT, SUMS, SUM, ...)                             \
  template <typename TA, unsigned NA, typename TB, unsigned NB>                                                      \
    requires(::aie::detail::kKind<TA> == A && ::aie::detail::kKind<TB> == B)                                             \
  [[nodiscard]] inline SUM OPERATION##_##NAME(const ::aie::vector<TA, NA>& a,                                          \
                                              const ::aie::vector<TB, NB>& b AIELOOM_ACCS_##SUMS(SUM)) {               \
    return ::aie::detail::FUNCTION<SUBTRACT, __VA_ARGS__>(AIELOOM_START_##SUMS(SUM), a, b);                            \
  }                                                                                                                  \
  template <typename TA, unsigned NA, typename TB, unsigned NB>                                                      \
    requires(::aie::detail::kKind<TA> == A && ::aie::detail::kKind<TB> == B && A < 100)                                  \
  [[nodiscard]] inline SUM OPERATION##_##NAME(const ::aie::vector<TA, NA>& a, int sgn_x, const ::aie::vector<TB, NB>& b, \
                                              int sgn_y AIELOOM_ACCS_##SUMS(SUM)) {                                  \
    return ::aie::detail::with_signs(a, sgn_x, b, sgn_y, [&](const auto& x, const auto& y) {                           \
      return ::aie::detail::FUNCTION<SUBTRACT, __VA_ARGS__>(AIELOOM_START_##SUMS(SUM), x, y);                          \
    });                                                                                                              \
  }                                                                                                                  \
  template <typename TA, unsigned NA, typename TB, unsigned NB>                                                      \
    requires(::aie::detail::kKind<TA> == A && ::aie::detail::kKind<TB> == B)                                             \
  [[nodiscard]] inline SUM OPERATION##_##NAME##_conf(const ::aie::vector<TA, NA>& a, const ::aie::vector<TB, NB>& b      \
                                                     AIELOOM_ACCS_##SUMS(SUM) AIELOOM_CONF_##SUMS##_##UNIT) {        \
    const SUM start = AIELOOM_CONF_START_##SUMS(SUM, UNIT);                                                          \
    return (sub_mul != 0) == SUBTRACT ? ::aie::detail::FUNCTION<false, __VA_ARGS__>(start, a, b)                       \
                                      : ::aie::detail::FUNCTION<true, __VA_ARGS__>(start, a, b);                       \
  }                                                                                                                  \
  template <typename TA, unsigned NA, typename TB, unsigned NB>                                                      \
    requires(::aie::detail::kKind<TA> == A && ::aie::detail::kKind<TB> == B && A < 100)                                  \
  [[nodiscard]] inline SUM OPERATION##_##NAME##_conf(const ::aie::vector<TA, NA>& a, int sgn_x,                        \
                                                     const ::aie::vector<TB, NB>& b, int sgn_y                         \
                                                     AIELOOM_ACCS_##SUMS(SUM) AIELOOM_CONF_##SUMS##_##UNIT) {        \
    const SUM start = AIELOOM_CONF_START_##SUMS(SUM, UNIT);                                                          \
    return ::aie::detail::with_signs(a, sgn_x, b, sgn_y, [&](const auto& x, const auto& y) {                           \
      return (sub_mul != 0) == SUBTRACT ? ::aie::detail::FUNCTION<false, __VA_ARGS__>(start, x, y)                     \
                                        : ::aie::detail::FUNCTION<true, __VA_ARGS__>(start, x, y);                     \
    });                                                                                                              \
  }
#define AIELOOM_PRODUCTS(NAME, FUNCTION, A, B, UNIT, SUM, ...)                        \
  AIELOOM_PRODUCT(mul, NAME, FUNCTION, A, B, UNIT, false, none, SUM, __VA_ARGS__)     \
  AIELOOM_PRODUCT(negmul, NAME, FUNCTION, A, B, UNIT, true, none, SUM, __VA_ARGS__)   \
  AIELOOM_PRODUCT(mac, NAME, FUNCTION, A, B, UNIT, false, one, SUM, __VA_ARGS__)      \
  AIELOOM_PRODUCT(msc, NAME, FUNCTION, A, B, UNIT, true, one, SUM, __VA_ARGS__)       \
  AIELOOM_PRODUCT(addmac, NAME, FUNCTION, A, B, UNIT, false, plus, SUM, __VA_ARGS__)  \
  AIELOOM_PRODUCT(addmsc, NAME, FUNCTION, A, B, UNIT, true, plus, SUM, __VA_ARGS__)   \
  AIELOOM_PRODUCT(submac, NAME, FUNCTION, A, B, UNIT, false, minus, SUM, __VA_ARGS__) \
  AIELOOM_PRODUCT(submsc, NAME, FUNCTION, A, B, UNIT, true, minus, SUM, __VA_ARGS__)
AIELOOM_PRODUCTS(4x16_16x8, matrix_mac, 8, 4, int, v32acc32, 4, 16, 8)
AIELOOM_PRODUCTS(4x8_8x8, matrix_mac, 8, 8, int, v32acc32, 4, 8, 8)
AIELOOM_PRODUCTS(4x4_4x8, matrix_mac, 16, 8, int, v32acc32, 4, 4, 8)
AIELOOM_PRODUCTS(2x8_8x8, matrix_mac, 16, 8, int, v16acc64, 2, 8, 8)
AIELOOM_PRODUCTS(4x8_8x4, matrix_mac, 16, 8, int, v16acc64, 4, 8, 4)
AIELOOM_PRODUCTS(4x2_2x8, matrix_mac, 16, 16, int, v32acc32, 4, 2, 8)
AIELOOM_PRODUCTS(2x4_4x8, matrix_mac, 16, 16, int, v16acc64, 2, 4, 8)
AIELOOM_PRODUCTS(4x4_4x4, matrix_mac, 16, 16, int, v16acc64, 4, 4, 4)
AIELOOM_PRODUCTS(4x2_2x4, matrix_mac, 32, 16, int, v16acc64, 4, 2, 4)
AIELOOM_PRODUCTS(4x8_8x4, matrix_mac, 116, 116, float, v16accfloat, 4, 8, 4)
AIELOOM_PRODUCTS(elem_32_2, channel_mac, 8, 8, int, v32acc32, 32, 2)
AIELOOM_PRODUCTS(elem_32, channel_mac, 16, 16, int, v32acc32, 32, 1)
AIELOOM_PRODUCTS(elem_16_2, channel_mac, 16, 16, int, v16acc64, 16, 2)
AIELOOM_PRODUCTS(elem_16_2, channel_mac, 116, 116, float, v16accfloat, 16, 2)
AIELOOM_PRODUCTS(conv_32x8, convolution_mac, 8, 8, int, v32acc32, 32, 8, 1)
AIELOOM_PRODUCTS(conv_16x4, convolution_mac, 16, 16, int, v16acc64, 16, 4, 1)
AIELOOM_PRODUCTS(conv_8x8_4ch, convolution_mac, 8, 8, int, v32acc32, 8, 8, 4)
AIELOOM_PRODUCTS(conv_4x4_8ch, convolution_mac, 8, 8, int, v32acc32, 4, 4, 8)
#undef AIELOOM_ACCS_none
#undef AIELOOM_ACCS_one
#undef AIELOOM_ACCS_plus
#undef AIELOOM_ACCS_minus
#undef AIELOOM_START_none
#undef AIELOOM_START_one
#undef AIELOOM_START_plus
#undef AIELOOM_START_minus
#undef AIELOOM_CONF_none_int
#undef AIELOOM_CONF_none_float
#undef AIELOOM_CONF_one_int
#undef AIELOOM_CONF_one_float
#undef AIELOOM_CONF_plus_int
#undef AIELOOM_CONF_plus_float
#undef AIELOOM_CONF_minus_int
#undef AIELOOM_CONF_minus_float
#undef AIELOOM_FIRST_int
#undef AIELOOM_FIRST_float
#undef AIELOOM_CONF_START_none
#undef AIELOOM_CONF_START_one
#undef AIELOOM_CONF_START_plus
#undef AIELOOM_CONF_START_minus
#undef AIELOOM_PRODUCT
#undef AIELOOM_PRODUCTS

// Matrices of complex numbers, emulated float32, sparse ones, and sums with their sign turned: refused by name in
// intrinsic_names.py.
