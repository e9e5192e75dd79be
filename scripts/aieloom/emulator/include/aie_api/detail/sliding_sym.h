// Symmetric sliding multiplications of AIE: the data are added, or subtracted, in pairs before they meet their coefficient [aie_api reference,
// sliding_mul_sym_ops; UG1078, Vector MAC with pre-adding and with partial pre-adding].
//
// Whole instructions run, whatever Points says: an instruction of so many columns takes so many coefficients, and those behind the last pair's
// count too, so programs keep zeros there. Where Points is odd there is a centre tap, which is no pair: it is the last column of
// the last instruction. AMD's filter library lays 9 taps of four columns out as h0 h1 h2 h3, 0 0 0 h4.
#pragma once

#include "aie_api/detail/sliding.h"

namespace aie {

namespace detail {

/// Columns of the instructions of a symmetric multiplication; of those with a centre tap few have two shapes.
template <typename TC, typename TD, typename Tag>
consteval unsigned symmetric_columns(unsigned lanes, unsigned points) {
  constexpr bool shorts = element_bits<TC> + element_bits<TD> == 48 && is_complex<TC> != is_complex<TD>;
  constexpr bool words = element_bits<TC> + element_bits<TD> == 96 && number_bits<TC> == number_bits<TD>;
  if (points % 2 == 0) {
    return columns_of<TC, TD, Tag>(lanes, points / 2);
  }
  return shorts || words ? columns_of<TC, TD, Tag>(lanes, (points + 1) / 2) : columns_of<TC, TD, Tag>(1, 1);
}

/// Where the right side begins for one data vector with one start: the formula's place, and with a centre tap the API's own, which for a DataStepX
/// of 2 is that of a half-band filter.
constexpr unsigned right_start(unsigned start, unsigned points, int step) {
  return start + (points - (points % 2 == 0 ? 1 : static_cast<unsigned>(step))) * static_cast<unsigned>(step);
}

}  // namespace detail

/// out[l] = sum over p of coeff[cs + p * CS] * (left[ls + l * DSY + p * DSX] + right[rs + l * DSY - p * DSX]), and with a centre tap
/// coeff[cs + last * CS] * left[ls + l * DSY + (Points / 2 - 1) * DSX + 1]. Antisymmetric: minus.
template <bool Antisymmetric, unsigned Lanes, unsigned Points, int CoeffStep, int DataStepX, int DataStepY,
          typename CoeffType, typename DataType, typename AccumTag = accauto>
struct sliding_mul_symmetric_ops {
  static_assert(detail::kFirstFor<DataType>,
                "aie::sliding_mul_sym: AIE-ML has no pre-adder [aie-sliding]; use aie::sliding_mul");
  static_assert(!detail::is_float<DataType>, "aie::sliding_mul_sym: integers only [aie-sliding]");
  using accum_tag = detail::resolved_tag<AccumTag, CoeffType, DataType>;
  using accum_type = accum<accum_tag, Lanes>;
  static constexpr detail::SlidingRules<Lanes, Points, DataStepX, DataStepY, CoeffType, DataType, accum_tag> rules{};
  static constexpr bool kShorts = detail::is_one_of<CoeffType, int16> && detail::is_one_of<DataType, int16>;
  static constexpr bool kCenter = Points % 2 == 1;
  static_assert(!kShorts || !kCenter,
                "aie::sliding_mul_sym: 16x16 bits have no instruction with a centre tap [aie-sliding]; take an even number of points, and the centre by "
                "aie::sliding_mac");
  static_assert(!kShorts || (DataStepX == 1 && DataStepY == 1), "aie::sliding_mul_sym: 16x16 bits step by 1 [aie-sliding]");

  static constexpr unsigned columns_per_mul = detail::symmetric_columns<CoeffType, DataType, accum_tag>(Lanes, Points);
  static constexpr unsigned num_mul = (Points / 2 + kCenter + columns_per_mul - 1) / columns_per_mul;
  static constexpr unsigned lanes = Lanes;
  static constexpr unsigned points = Points;

#define AIELOOM_SYMMETRIC(NAME_MUL, NAME_MAC)                                                               \
  template <unsigned NC, unsigned ND>                                                                       \
  [[nodiscard]] static accum_type NAME_MUL(const vector<CoeffType, NC>& coeff, unsigned cs,                 \
                                           const vector<DataType, ND>& data, unsigned ds) {                 \
    return NAME_MAC(zeros<accum_tag, Lanes>(), coeff, cs, data, ds);                                        \
  }                                                                                                         \
  template <unsigned NC, unsigned ND>                                                                       \
  [[nodiscard]] static accum_type NAME_MUL(const vector<CoeffType, NC>& coeff, unsigned cs,                 \
                                           const vector<DataType, ND>& left, unsigned ls,                   \
                                           const vector<DataType, ND>& right, unsigned rs) {                \
    return NAME_MAC(zeros<accum_tag, Lanes>(), coeff, cs, left, ls, right, rs);                             \
  }                                                                                                         \
  template <unsigned NC, unsigned ND>                                                                       \
  [[nodiscard]] static accum_type NAME_MUL(const vector<CoeffType, NC>& coeff, unsigned cs,                 \
                                           const vector<DataType, ND>& data, unsigned ls, unsigned rs) {    \
    return NAME_MAC(zeros<accum_tag, Lanes>(), coeff, cs, data, ls, rs);                                    \
  }                                                                                                         \
  template <typename Acc, unsigned NC, unsigned ND>                                                         \
  [[nodiscard]] static accum_type NAME_MAC(const Acc& acc, const vector<CoeffType, NC>& coeff, unsigned cs, \
                                           const vector<DataType, ND>& data, unsigned ds) {                 \
    return run(acc, coeff, cs, data, ds, data, detail::right_start(ds, Points, DataStepX));                 \
  }                                                                                                         \
  template <typename Acc, unsigned NC, unsigned ND>                                                         \
  [[nodiscard]] static accum_type NAME_MAC(const Acc& acc, const vector<CoeffType, NC>& coeff, unsigned cs, \
                                           const vector<DataType, ND>& data, unsigned ls, unsigned rs) {    \
    static_assert(!kCenter, "aie::sliding_mul_sym: one data vector with two starts wants an even number of points [aie-sliding]"); \
    return run(acc, coeff, cs, data, ls, data, rs);                                                         \
  }                                                                                                         \
  template <typename Acc, unsigned NC, unsigned ND>                                                         \
  [[nodiscard]] static accum_type NAME_MAC(const Acc& acc, const vector<CoeffType, NC>& coeff, unsigned cs, \
                                           const vector<DataType, ND>& left, unsigned ls,                   \
                                           const vector<DataType, ND>& right, unsigned rs) {                \
    check_two<ND>();                                                                                        \
    return run(acc, coeff, cs, left, ls, right, rs);                                                        \
  }
  AIELOOM_SYMMETRIC(mul_sym, mac_sym)
  AIELOOM_SYMMETRIC(mul_antisym, mac_antisym)
#undef AIELOOM_SYMMETRIC

 private:
  template <unsigned ND>
  static constexpr void check_two() {
    static_assert(ND * detail::element_bits<DataType> <= 512,
                  "aie::sliding_mul_sym: two data vectors take at most 512 bits each [aie-sliding]");
    static_assert(!kCenter || columns_per_mul > 1,
                  "aie::sliding_mul_sym: a centre tap between two data vectors wants instructions of two columns, these types have one [aie-sliding]");
  }

  template <typename Acc, unsigned NC, unsigned ND>
  static accum_type run(const Acc& start, const vector<CoeffType, NC>& coeff, unsigned cs,
                        const vector<DataType, ND>& left, unsigned ls, const vector<DataType, ND>& right, unsigned rs) {
    static_assert(!Antisymmetric || detail::native_bits<accum_tag> != 80,
                  "aie::sliding_mul_antisym: there are no instructions with sums of 80 bits [aie-sliding]; take acc48, or cacc48");
    detail::check_sliding_vectors<CoeffType, NC, DataType, ND>();
    detail::check_coeff_start(cs);
    constexpr unsigned taps = columns_per_mul * num_mul;
    constexpr unsigned rate = 2 * detail::elementwise_rate<CoeffType, DataType>();
    aieloom::count_mac((Lanes * taps + rate - 1) / rate, Lanes * taps);
    accum_type acc(detail::AccumOperand<Acc>::start(start));
    detail::check_defined(acc, "aie::sliding_mac");
    using L = detail::lane_type<accum_tag>;
    constexpr bool negative = detail::AccumOperand<Acc>::subtract;
    const auto add = [&acc](unsigned l, const L& x) {
      acc.lanes_[l] = negative ? detail::lane_sub(acc.lanes_[l], x) : detail::lane_add(acc.lanes_[l], x);
    };
    for (unsigned l = 0; l < Lanes; ++l) {
      const unsigned lane = l * static_cast<unsigned>(DataStepY);
      for (unsigned p = 0; p < taps; ++p) {
        const unsigned step = p * static_cast<unsigned>(DataStepX);
        const CoeffType c = coeff.lanes_.get((cs + p * static_cast<unsigned>(CoeffStep)) % NC);
        if (kCenter && p + 1 == taps) {
          const unsigned middle = ls + lane + (Points / 2 - 1) * static_cast<unsigned>(DataStepX) + 1;
          add(l, detail::product<L>(c, left.lanes_.get(middle % ND)));
        } else {
          const L near = detail::product<L>(c, left.lanes_.get((ls + lane + step) % ND));
          const L far = detail::product<L>(c, right.lanes_.get((rs + lane - step) % ND));
          add(l, Antisymmetric ? detail::lane_sub(near, far) : detail::lane_add(near, far));
        }
      }
    }
    return acc;
  }
};

template <unsigned Lanes, unsigned Points, int CoeffStep, int DataStepX, int DataStepY, typename TC, typename TD,
          typename Tag = accauto>
struct sliding_mul_sym_ops
    : sliding_mul_symmetric_ops<false, Lanes, Points, CoeffStep, DataStepX, DataStepY, TC, TD, Tag> {
 private:
  using Other = sliding_mul_symmetric_ops<true, Lanes, Points, CoeffStep, DataStepX, DataStepY, TC, TD, Tag>;

 public:
  template <typename... Arguments>
  [[nodiscard]] static auto mul_antisym(const Arguments&... arguments) {
    return Other::mul_antisym(arguments...);
  }
  template <typename... Arguments>
  [[nodiscard]] static auto mac_antisym(const Arguments&... arguments) {
    return Other::mac_antisym(arguments...);
  }
};
template <unsigned Lanes, unsigned Points, int CoeffStep, int DataStepX, typename TC, typename TD,
          typename Tag = accauto>
using sliding_mul_sym_x_ops = sliding_mul_sym_ops<Lanes, Points, CoeffStep, DataStepX, 1, TC, TD, Tag>;
template <unsigned Lanes, unsigned Points, int CoeffStep, int DataStepY, typename TC, typename TD,
          typename Tag = accauto>
using sliding_mul_sym_y_ops = sliding_mul_sym_ops<Lanes, Points, CoeffStep, 1, DataStepY, TC, TD, Tag>;
template <unsigned Lanes, unsigned Points, int CoeffStep, int DataStepXY, typename TC, typename TD,
          typename Tag = accauto>
using sliding_mul_sym_xy_ops = sliding_mul_sym_ops<Lanes, Points, CoeffStep, DataStepXY, DataStepXY, TC, TD, Tag>;

template <unsigned Lanes, unsigned Points, int CoeffStep = 1, int DataStepX = 1, int DataStepY = DataStepX,
          typename Tag = accauto, typename TC, unsigned NC, typename... Data>
[[nodiscard]] inline auto sliding_mul_sym(const vector<TC, NC>& coeff, unsigned coeff_start, const Data&... data) {
  using TD = detail::element_t<decltype(detail::first_of(data...))>;
  return sliding_mul_sym_ops<Lanes, Points, CoeffStep, DataStepX, DataStepY, TC, TD, Tag>::mul_sym(coeff, coeff_start,
                                                                                                   data...);
}
template <unsigned Lanes, unsigned Points, int CoeffStep = 1, int DataStepX = 1, int DataStepY = DataStepX,
          typename Tag = accauto, typename TC, unsigned NC, typename... Data>
[[nodiscard]] inline auto sliding_mul_antisym(const vector<TC, NC>& coeff, unsigned coeff_start, const Data&... data) {
  using TD = detail::element_t<decltype(detail::first_of(data...))>;
  return sliding_mul_sym_ops<Lanes, Points, CoeffStep, DataStepX, DataStepY, TC, TD, Tag>::mul_antisym(
      coeff, coeff_start, data...);
}

#define AIELOOM_SLIDING_MAC(NAME, METHOD)                                                                           \
  template <unsigned Lanes, unsigned Points, int CoeffStep = 1, int DataStepX = 1, int DataStepY = DataStepX,       \
            typename Acc, typename TC, unsigned NC, typename... Data>                                               \
  [[nodiscard]] inline auto NAME(const Acc& acc, const vector<TC, NC>& coeff, unsigned coeff_start,                 \
                                 const Data&... data) {                                                             \
    using TD = detail::element_t<decltype(detail::first_of(data...))>;                                              \
    using Tag = typename detail::AccumOperand<Acc>::type::value_type;                                               \
    return sliding_mul_sym_ops<Lanes, Points, CoeffStep, DataStepX, DataStepY, TC, TD, Tag>::METHOD(acc, coeff,     \
                                                                                                    coeff_start,    \
                                                                                                    data...);       \
  }
AIELOOM_SLIDING_MAC(sliding_mac_sym, mac_sym)
AIELOOM_SLIDING_MAC(sliding_mac_antisym, mac_antisym)
#undef AIELOOM_SLIDING_MAC

}  // namespace aie
