// Half-band filters: symmetric sliding products in the lower half of the lanes, the data under the centre tap, which is
// a power of two, in the upper half [aie_api reference, sliding_mul_sym_uct_ops].
#pragma once

#include "aie_api/detail/sliding.h"

namespace aie {

/// out[l] = sum over p < Points / 2 of coeff[cs + p * CS] * (data[ds + (l + p) * DS] + data[ds + (l + Points - 1 - p) *
/// DS]) for l < Lanes / 2, and out[Lanes / 2 + l] = data[ds + (l + Points / 2) * DS] * 2^shift. Antisymmetric: minus.
template <unsigned Lanes, unsigned Points, int CoeffStep, int DataStep, typename CoeffType, typename DataType,
          typename AccumTag = accauto>
struct sliding_mul_sym_uct_ops {
  static_assert(detail::kFirstFor<DataType>,
                "aie::sliding_mul_sym_uct: AIE-ML has no pre-adder [aie-sliding]; use aie::sliding_mul");
  static_assert(!detail::is_float<DataType> && detail::number_bits<DataType> != 8 &&
                    detail::number_bits<CoeffType> != 8,
                "aie::sliding_mul_sym_uct: integers of 16 or 32 bits, also complex [aie-sliding]");
  static_assert(Points % 2 == 0, "aie::sliding_mul_sym_uct: an even number of points [aie-sliding]");
  static_assert(detail::is_power_of_two(Lanes) && Lanes >= 4 && Lanes <= 16,
                "aie::sliding_mul_sym_uct: 4, 8 or 16 lanes, half of them for the centre tap [aie-sliding]");
  using accum_tag = detail::resolved_tag<AccumTag, CoeffType, DataType>;
  using accum_type = accum<accum_tag, Lanes>;

#define AIELOOM_CENTER(SUFFIX, ANTISYMMETRIC)                                                                        \
  template <unsigned NC, unsigned ND>                                                                                \
  [[nodiscard]] static accum_type mul_##SUFFIX(const vector<CoeffType, NC>& coeff, unsigned cs,                      \
                                               const vector<DataType, ND>& data, unsigned ds, unsigned shift) {      \
    return run<ANTISYMMETRIC>(zeros<accum_tag, Lanes>(), coeff, cs, data, ds, shift);                                \
  }                                                                                                                  \
  template <typename Acc, unsigned NC, unsigned ND>                                                                  \
  [[nodiscard]] static accum_type mac_##SUFFIX(const Acc& acc, const vector<CoeffType, NC>& coeff, unsigned cs,      \
                                               const vector<DataType, ND>& data, unsigned ds, unsigned shift) {      \
    return run<ANTISYMMETRIC>(acc, coeff, cs, data, ds, shift);                                                      \
  }                                                                                                                  \
  template <typename... Two>                                                                                         \
    requires(sizeof...(Two) >= 7)                                                                                    \
  static accum_type mul_##SUFFIX(const Two&...) {                                                                    \
    return two_buffers<Two...>();                                                                                    \
  }                                                                                                                  \
  template <typename... Two>                                                                                         \
    requires(sizeof...(Two) >= 8)                                                                                    \
  static accum_type mac_##SUFFIX(const Two&...) {                                                                    \
    return two_buffers<Two...>();                                                                                    \
  }
  AIELOOM_CENTER(sym_uct, false)
  AIELOOM_CENTER(antisym_uct, true)
#undef AIELOOM_CENTER

 private:
  template <typename... Two>
  static accum_type two_buffers() {
    static_assert(detail::kNever<Two...>,
                  "aie::sliding_mul_sym_uct of two data vectors: no public document says from which of them the centre "
                  "tap's data come [aie-sliding]; aie::concat them");
    return {};
  }

  template <bool Antisymmetric, typename Acc, unsigned NC, unsigned ND>
  static accum_type run(const Acc& start, const vector<CoeffType, NC>& coeff, unsigned cs,
                        const vector<DataType, ND>& data, unsigned ds, unsigned shift) {
    detail::check_sliding_vectors<CoeffType, NC, DataType, ND>();
    detail::check_coeff_start(cs);
    constexpr unsigned half = Lanes / 2;
    constexpr unsigned rate = 2 * detail::elementwise_rate<CoeffType, DataType>();
    aieloom::count_mac((half * Points / 2 + rate - 1) / rate, half * Points / 2);
    accum_type acc(detail::AccumOperand<Acc>::start(start));
    detail::check_defined(acc, "aie::sliding_mac_sym_uct");
    detail::check_shift<accum_tag, DataType>(static_cast<int>(shift), "aie::sliding_mul_sym_uct");
    using L = detail::lane_type<accum_tag>;
    const auto at = [&](unsigned i) { return data.lanes_.get((ds + i * static_cast<unsigned>(DataStep)) % ND); };
    for (unsigned l = 0; l < half; ++l) {
      for (unsigned p = 0; p < Points / 2; ++p) {
        const CoeffType c = coeff.lanes_.get((cs + p * static_cast<unsigned>(CoeffStep)) % NC);
        const L near = detail::product<L>(c, at(l + p));
        const L far = detail::product<L>(c, at(l + Points - 1 - p));
        const L both = Antisymmetric ? detail::lane_sub(near, far) : detail::lane_add(near, far);
        acc.lanes_[l] = detail::lane_add(acc.lanes_[l], both);
      }
      const L center = detail::scale_up(detail::widen<L>(at(l + Points / 2)), static_cast<int>(shift));
      acc.lanes_[half + l] = detail::lane_add(acc.lanes_[half + l], center);
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
