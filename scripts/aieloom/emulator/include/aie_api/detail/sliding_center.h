// Half-band filters: symmetric sliding products in the lower half of the lanes, the data under the centre tap, which is
// a power of two, in the upper half [aie_api reference, sliding_mul_sym_uct_ops; UG1078, Vector MAC with pre-adding and upshifting: those data are a
// column of the Y buffer, which is the right side]. Whole instructions run, as in sliding_sym.h.
#pragma once

#include "aie_api/detail/sliding_sym.h"

namespace aie {

/// out[l] = sum over p of coeff[cs + p * CS] * (left[ls + (l + p) * DS] + right[rs + (l - p) * DS]) for l < Lanes / 2, and out[Lanes / 2 + l] =
/// right[rs + (l + 1 - Points / 2) * DS] * 2^shift. One data vector is both sides, its right begins Points - 1 steps behind.
/// Antisymmetric: minus.
template <unsigned Lanes, unsigned Points, int CoeffStep, int DataStep, typename CoeffType, typename DataType,
          typename AccumTag = accauto>
struct sliding_mul_sym_uct_ops {
  static_assert(detail::kFirstFor<DataType>,
                "aie::sliding_mul_sym_uct: AIE-ML has no pre-adder [aie-sliding]; use aie::sliding_mul");
  static_assert((std::is_same_v<DataType, cint16> && detail::is_one_of<CoeffType, int16, int32, cint16, cint32>) ||
                    (std::is_same_v<DataType, int16> && detail::is_one_of<CoeffType, int16, int32>),
                "aie::sliding_mul_sym_uct: data of cint16 with coefficients of int16, int32, cint16 or cint32, or data of int16 with int16 or "
                "int32 [aie-sliding]");
  static_assert(Points % 2 == 0, "aie::sliding_mul_sym_uct: an even number of points [aie-sliding]");
  static_assert(Lanes == (detail::is_complex<DataType> ? 8 : 16),
                "aie::sliding_mul_sym_uct: 8 lanes of complex data, 16 of real ones, half of them for the centre tap [aie-sliding]");
  static_assert(!detail::is_one_of<CoeffType, int16> || !detail::is_one_of<DataType, int16> || DataStep == 1,
                "aie::sliding_mul_sym_uct: 16x16 bits step by 1 [aie-sliding]");
  static_assert(Lanes / 2 * static_cast<unsigned>(DataStep) <= 15 + static_cast<unsigned>(DataStep),
                "aie::sliding_mul_sym_uct: DataStep reaches beyond the 16 places that the offsets of AIE's instructions have [aie-sliding]");
  using accum_tag = detail::resolved_tag<AccumTag, CoeffType, DataType>;
  using accum_type = accum<accum_tag, Lanes>;
  static_assert(detail::native_bits<accum_tag> == 48, "aie::sliding_mul_sym_uct: sums of 48 bits [aie-sliding]");

  static constexpr unsigned lanes = Lanes / 2;
  static constexpr unsigned points = Points;
  static constexpr unsigned columns_per_mul = detail::columns_of<CoeffType, DataType, accum_tag>(1, 1);
  static constexpr unsigned num_mul = (Points / 2 + columns_per_mul - 1) / columns_per_mul;

#define AIELOOM_CENTER(SUFFIX, ANTISYMMETRIC)                                                                        \
  template <unsigned NC, unsigned ND>                                                                                \
  [[nodiscard]] static accum_type mul_##SUFFIX(const vector<CoeffType, NC>& coeff, unsigned cs,                      \
                                               const vector<DataType, ND>& data, unsigned ds, unsigned shift) {      \
    return mac_##SUFFIX(zeros<accum_tag, Lanes>(), coeff, cs, data, ds, shift);                                      \
  }                                                                                                                  \
  template <typename Acc, unsigned NC, unsigned ND>                                                                  \
  [[nodiscard]] static accum_type mac_##SUFFIX(const Acc& acc, const vector<CoeffType, NC>& coeff, unsigned cs,      \
                                               const vector<DataType, ND>& data, unsigned ds, unsigned shift) {      \
    const unsigned rs = ds + (Points - 1) * static_cast<unsigned>(DataStep);                                         \
    return run<ANTISYMMETRIC>(acc, coeff, cs, data, ds, data, rs, shift);                                            \
  }                                                                                                                  \
  template <unsigned NC, unsigned ND>                                                                                \
  [[nodiscard]] static accum_type mul_##SUFFIX(const vector<CoeffType, NC>& coeff, unsigned cs,                      \
                                               const vector<DataType, ND>& left, unsigned ls,                        \
                                               const vector<DataType, ND>& right, unsigned rs, unsigned shift) {     \
    return mac_##SUFFIX(zeros<accum_tag, Lanes>(), coeff, cs, left, ls, right, rs, shift);                           \
  }                                                                                                                  \
  template <typename Acc, unsigned NC, unsigned ND>                                                                  \
  [[nodiscard]] static accum_type mac_##SUFFIX(const Acc& acc, const vector<CoeffType, NC>& coeff, unsigned cs,      \
                                               const vector<DataType, ND>& left, unsigned ls,                        \
                                               const vector<DataType, ND>& right, unsigned rs, unsigned shift) {     \
    static_assert(ND * detail::element_bits<DataType> <= 512,                                                        \
                  "aie::sliding_mul_sym_uct: two data vectors take at most 512 bits each [aie-sliding]");            \
    return run<ANTISYMMETRIC>(acc, coeff, cs, left, ls, right, rs, shift);                                           \
  }
  AIELOOM_CENTER(sym_uct, false)
  AIELOOM_CENTER(antisym_uct, true)
#undef AIELOOM_CENTER

 private:
  template <bool Antisymmetric, typename Acc, unsigned NC, unsigned ND>
  static accum_type run(const Acc& start, const vector<CoeffType, NC>& coeff, unsigned cs, const vector<DataType, ND>& left,
                        unsigned ls, const vector<DataType, ND>& right, unsigned rs, unsigned shift) {
    static_assert(!detail::AccumOperand<Acc>::subtract,
                  "aie::sliding_mac_sym_uct: no public document says what becomes of the centre tap where products are subtracted [aie-sliding]");
    detail::check_sliding_vectors<CoeffType, NC, DataType, ND>();
    detail::check_coeff_start(cs);
    constexpr unsigned taps = columns_per_mul * num_mul;
    constexpr unsigned rate = 2 * detail::elementwise_rate<CoeffType, DataType>();
    aieloom::count_mac((lanes * taps + rate - 1) / rate, lanes * taps);
    accum_type acc(detail::AccumOperand<Acc>::start(start));
    detail::check_defined(acc, "aie::sliding_mac_sym_uct");
    detail::check_shift<accum_tag, DataType>(static_cast<int>(shift), "aie::sliding_mul_sym_uct");
    using L = detail::lane_type<accum_tag>;
    constexpr auto step = static_cast<unsigned>(DataStep);
    for (unsigned l = 0; l < lanes; ++l) {
      for (unsigned p = 0; p < taps; ++p) {
        const CoeffType c = coeff.lanes_.get((cs + p * static_cast<unsigned>(CoeffStep)) % NC);
        const L near = detail::product<L>(c, left.lanes_.get((ls + (l + p) * step) % ND));
        const L far = detail::product<L>(c, right.lanes_.get((rs + (l - p) * step) % ND));
        acc.lanes_[l] = detail::lane_add(acc.lanes_[l], Antisymmetric ? detail::lane_sub(near, far) : detail::lane_add(near, far));
      }
      const DataType centre = right.lanes_.get((rs + (l + 1 - Points / 2) * step) % ND);
      const L raised = detail::scale_up(detail::widen<L>(centre), static_cast<int>(shift));
      acc.lanes_[lanes + l] = detail::lane_add(acc.lanes_[lanes + l], raised);
    }
    return acc;
  }
};

#define AIELOOM_CENTER(SUFFIX)                                                                                     \
  template <unsigned Lanes, unsigned Points, int CoeffStep = 1, int DataStep = 1, typename Tag = accauto,          \
            typename TC, unsigned NC, typename... Data>                                                            \
  [[nodiscard]] inline auto sliding_mul_##SUFFIX(const vector<TC, NC>& coeff, unsigned cs, const Data&... data) {  \
    using TD = detail::element_t<decltype(detail::first_of(data...))>;                                             \
    return sliding_mul_sym_uct_ops<Lanes, Points, CoeffStep, DataStep, TC, TD, Tag>::mul_##SUFFIX(coeff, cs,       \
                                                                                                  data...);        \
  }                                                                                                                \
  template <unsigned Lanes, unsigned Points, int CoeffStep = 1, int DataStep = 1, typename Acc, typename TC,       \
            unsigned NC, typename... Data>                                                                         \
  [[nodiscard]] inline auto sliding_mac_##SUFFIX(const Acc& acc, const vector<TC, NC>& coeff, unsigned cs,         \
                                                 const Data&... data) {                                            \
    using TD = detail::element_t<decltype(detail::first_of(data...))>;                                             \
    using Tag = typename detail::AccumOperand<Acc>::type::value_type;                                              \
    return sliding_mul_sym_uct_ops<Lanes, Points, CoeffStep, DataStep, TC, TD, Tag>::mac_##SUFFIX(acc, coeff, cs,  \
                                                                                                  data...);        \
  }
AIELOOM_CENTER(sym_uct)
AIELOOM_CENTER(antisym_uct)
#undef AIELOOM_CENTER

}  // namespace aie
