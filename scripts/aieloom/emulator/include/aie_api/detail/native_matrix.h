// MAC intrinsics of AIE-ML [UG1583 Multiply Accumulate]: OPERATION_MxN_NxP multiplies two small matrices, row by row in
// one vector each; OPERATION_elem_C multiplies C channels lane by lane, OPERATION_elem_C_2 adds two columns of each,
// which lie C lanes apart; OPERATION_conv_MxN is sum over u < N of G(u) F(x + u) for M values of x.
//
// Operations: mul, negmul, mac (acc + product), msc (acc - product). Vectors fill a register; a smaller matrix is in
// its first lanes.
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

template <bool Subtract, unsigned Outputs, unsigned Points, typename Tag, typename T, unsigned N, typename U, unsigned M>
[[nodiscard]] inline accum<Tag, Outputs> convolution_mac(const accum<Tag, Outputs>& acc, const vector<T, N>& data,
                                                         const vector<U, M>& coeff) {
  const FirstFactors<Outputs + Points - 1, T, N> f(data);
  const FirstFactors<Points, U, M> g(coeff);
  using S = lane_type<Tag>;
  S sums[Outputs] = {};
  for (unsigned x = 0; x < Outputs; ++x) {
    for (unsigned u = 0; u < Points; ++u) {
      sums[x] += static_cast<S>(g.at[u]) * static_cast<S>(f.at[x + u]);
    }
  }
  aieloom::count_mac(1, Outputs * Points);
  return add_sums<Subtract>(acc, sums);
}

template <typename T>
inline constexpr unsigned kKind = kind<T>();

}  // namespace aie::detail

// The four operations of one kind of product: NAME is what follows mul_, KINDS the bits of the two element types.
#define AIELOOM_MATRIX(NAME, FUNCTION, KIND_A, KIND_B, TAG, LANES, ...)                                                 \
  template <typename TA, unsigned NA, typename TB, unsigned NB>                                                         \
    requires(aie::detail::kKind<TA> == KIND_A && aie::detail::kKind<TB> == KIND_B)                                      \
  [[nodiscard]] inline v##LANES##TAG mul_##NAME(const aie::vector<TA, NA>& a, const aie::vector<TB, NB>& b) {           \
    return aie::detail::FUNCTION<false, __VA_ARGS__>(null_v##LANES##TAG(), a, b);                                       \
  }                                                                                                                     \
  template <typename TA, unsigned NA, typename TB, unsigned NB>                                                         \
    requires(aie::detail::kKind<TA> == KIND_A && aie::detail::kKind<TB> == KIND_B)                                      \
  [[nodiscard]] inline v##LANES##TAG negmul_##NAME(const aie::vector<TA, NA>& a, const aie::vector<TB, NB>& b) {        \
    return aie::detail::FUNCTION<true, __VA_ARGS__>(null_v##LANES##TAG(), a, b);                                        \
  }                                                                                                                     \
  template <typename TA, unsigned NA, typename TB, unsigned NB>                                                         \
    requires(aie::detail::kKind<TA> == KIND_A && aie::detail::kKind<TB> == KIND_B)                                      \
  [[nodiscard]] inline v##LANES##TAG mac_##NAME(const aie::vector<TA, NA>& a, const aie::vector<TB, NB>& b,             \
                                                const v##LANES##TAG& acc1) {                                            \
    return aie::detail::FUNCTION<false, __VA_ARGS__>(acc1, a, b);                                                       \
  }                                                                                                                     \
  template <typename TA, unsigned NA, typename TB, unsigned NB>                                                         \
    requires(aie::detail::kKind<TA> == KIND_A && aie::detail::kKind<TB> == KIND_B)                                      \
  [[nodiscard]] inline v##LANES##TAG msc_##NAME(const aie::vector<TA, NA>& a, const aie::vector<TB, NB>& b,             \
                                                const v##LANES##TAG& acc1) {                                            \
    return aie::detail::FUNCTION<true, __VA_ARGS__>(acc1, a, b);                                                        \
  }
AIELOOM_MATRIX(4x16_16x8, matrix_mac, 8, 4, acc32, 32, 4, 16, 8)
AIELOOM_MATRIX(4x8_8x8, matrix_mac, 8, 8, acc32, 32, 4, 8, 8)
AIELOOM_MATRIX(4x4_4x8, matrix_mac, 16, 8, acc32, 32, 4, 4, 8)
AIELOOM_MATRIX(2x8_8x8, matrix_mac, 16, 8, acc64, 16, 2, 8, 8)
AIELOOM_MATRIX(4x8_8x4, matrix_mac, 16, 8, acc64, 16, 4, 8, 4)
AIELOOM_MATRIX(4x2_2x8, matrix_mac, 16, 16, acc32, 32, 4, 2, 8)
AIELOOM_MATRIX(2x4_4x8, matrix_mac, 16, 16, acc64, 16, 2, 4, 8)
AIELOOM_MATRIX(4x4_4x4, matrix_mac, 16, 16, acc64, 16, 4, 4, 4)
AIELOOM_MATRIX(4x2_2x4, matrix_mac, 32, 16, acc64, 16, 4, 2, 4)
AIELOOM_MATRIX(4x8_8x4, matrix_mac, 116, 116, accfloat, 16, 4, 8, 4)
AIELOOM_MATRIX(elem_32_2, channel_mac, 8, 8, acc32, 32, 32, 2)
AIELOOM_MATRIX(elem_32, channel_mac, 16, 16, acc32, 32, 32, 1)
AIELOOM_MATRIX(elem_16_2, channel_mac, 16, 16, acc64, 16, 16, 2)
AIELOOM_MATRIX(elem_16_2, channel_mac, 116, 116, accfloat, 16, 16, 2)
AIELOOM_MATRIX(conv_32x8, convolution_mac, 8, 8, acc32, 32, 32, 8)
AIELOOM_MATRIX(conv_16x4, convolution_mac, 16, 16, acc64, 16, 16, 4)
#undef AIELOOM_MATRIX

// The operations with negated or two accumulators: their signs are in no public document.
#define AIELOOM_UNEXPLAINED(OPERATION, NAME)                                                                       \
  template <typename... Given>                                                                                     \
  void OPERATION##_##NAME(const Given&...) {                                                                       \
    static_assert(sizeof...(Given) == 0,                                                                           \
                  #OPERATION "_" #NAME ": no public document says what it does with its accumulators [aie-mac]; " \
                             "use mac_" #NAME " or msc_" #NAME " and aie::add");                                   \
  }
#define AIELOOM_UNEXPLAINED_ALL(NAME)                                         \
  AIELOOM_UNEXPLAINED(negmac, NAME) AIELOOM_UNEXPLAINED(negmsc, NAME)         \
  AIELOOM_UNEXPLAINED(addmac, NAME) AIELOOM_UNEXPLAINED(addmsc, NAME)         \
  AIELOOM_UNEXPLAINED(submac, NAME) AIELOOM_UNEXPLAINED(submsc, NAME)
AIELOOM_UNEXPLAINED_ALL(4x16_16x8)
AIELOOM_UNEXPLAINED_ALL(4x8_8x8)
AIELOOM_UNEXPLAINED_ALL(4x4_4x8)
AIELOOM_UNEXPLAINED_ALL(2x8_8x8)
AIELOOM_UNEXPLAINED_ALL(4x8_8x4)
AIELOOM_UNEXPLAINED_ALL(4x2_2x8)
AIELOOM_UNEXPLAINED_ALL(2x4_4x8)
AIELOOM_UNEXPLAINED_ALL(4x4_4x4)
AIELOOM_UNEXPLAINED_ALL(4x2_2x4)
AIELOOM_UNEXPLAINED_ALL(elem_32_2)
AIELOOM_UNEXPLAINED_ALL(elem_32)
AIELOOM_UNEXPLAINED_ALL(elem_16_2)
AIELOOM_UNEXPLAINED_ALL(conv_32x8)
AIELOOM_UNEXPLAINED_ALL(conv_16x4)
#undef AIELOOM_UNEXPLAINED_ALL
#undef AIELOOM_UNEXPLAINED
