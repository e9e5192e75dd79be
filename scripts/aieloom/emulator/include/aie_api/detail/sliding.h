// Sliding multiplications: each lane sums Points products of neighbouring data with shared coefficients
// [aie_api reference, Special Multiplications; facts (b)]. Indices wrap at the ends of both vectors.
#pragma once

#include "aie_api/detail/product.h"

namespace aie {

namespace detail {

/// Lanes that one call may have, by the pair of types.
template <typename TC, typename TD, typename Tag>
consteval bool sliding_lanes(unsigned lanes) {
  constexpr unsigned c = number_bits<TC>, d = number_bits<TD>;
  if (is_complex<TC> || is_complex<TD>) {
    return is_power_of_two(lanes) && lanes >= 2 && lanes <= 16;
  }
  if (!kFirst && is_power_of_two(lanes) && lanes <= 16) {
    return true;  // of one instruction with more lanes so many are taken [reference, note on native lanes]
  }
  if (is_float<TC>) {
    return kFirst ? lanes == 8 : is_bfloat16<TC> ? lanes == 16 : lanes == 32;
  }
  if (c == 32 && d == 32) {
    return kFirst ? lanes == 4 || lanes == 8 : is_power_of_two(lanes) && lanes <= 16;
  }
  if (c == 8 && d == 8) {
    return !kFirst && lanes == 32;
  }
  if (c == 8 || d == 8) {
    return !kFirst && (lanes == 16 || lanes == 32);
  }
  if (kFirst) {
    return lanes == 8 || (lanes == 16 && native_bits<Tag> == 48);
  }
  return c + d == 32 ? lanes == 16 : lanes == 8 || lanes == 16;
}

template <unsigned Lanes, unsigned Points, int DSX, int DSY, typename TC, typename TD, typename Tag>
struct SlidingRules {
  static_assert(can_multiply<TC, TD>,
                "aie::sliding_mul: coefficients and data must both be integers, float, or bfloat16 [aie-sliding]");
  static_assert(
      sliding_lanes<TC, TD, Tag>(Lanes),
      "aie::sliding_mul: illegal number of lanes [aie-sliding]; AIE: 16x16, 16x32, 32x16 bits 8 or 16 (80-bit sums 8), "
      "32x32 4 or 8, float 8, nothing for 8 bits; AIE-ML: 8x8 32, 16x16 16, bfloat16 16, float 32, and fewer");
  static_assert(Points >= 1, "aie::sliding_mul: at least one point [aie-sliding]");
  static_assert(kFirst || (DSX == DSY && (DSX == 1 || DSX == 2)) || is_complex<TD>,
                "aie::sliding_mul: on AIE-ML DataStepX and DataStepY must both be 1 or both 2 [aie-sliding]");
};

template <typename TC, unsigned NC, typename TD, unsigned ND>
consteval void check_sliding_vectors() {
  static_assert(NC * element_bits<TC> <= kCoefficientBits,
                "aie::sliding_mul: the coefficients take at most 256 bits on AIE, 512 on AIE-ML [aie-sliding]");
  static_assert(ND * element_bits<TD> <= 1024, "aie::sliding_mul: the data take at most 1024 bits [aie-sliding]");
}

inline void check_coeff_start(unsigned start) {
  if (kFirst && start >= 16) [[unlikely]] {
    aieloom::refuse("aie-sliding", "aie::sliding_mul: coeff_start must be below 16 on AIE",
                    "use a coefficient vector with the needed part first");
  }
}

template <typename First, typename... Others>
const First& first_of(const First& first, const Others&...) {
  return first;
}

}  // namespace detail

/// out[l] = sum over p of coeff[cs + p * CoeffStep] * data[ds + l * DataStepY + p * DataStepX].
template <unsigned Lanes, unsigned Points, int CoeffStep, int DataStepX, int DataStepY, typename CoeffType,
          typename DataType, typename AccumTag = accauto>
struct sliding_mul_ops {
  using accum_tag = detail::resolved_tag<AccumTag, CoeffType, DataType>;
  using accum_type = accum<accum_tag, Lanes>;
  static constexpr detail::SlidingRules<Lanes, Points, DataStepX, DataStepY, CoeffType, DataType, accum_tag> rules{};
  static constexpr unsigned lanes = Lanes;
  static constexpr unsigned points = Points;

  template <unsigned NC, unsigned ND>
  [[nodiscard]] static accum_type mul(const vector<CoeffType, NC>& coeff, unsigned coeff_start,
                                      const vector<DataType, ND>& data, unsigned data_start) {
    return mac(zeros<accum_tag, Lanes>(), coeff, coeff_start, data, data_start);
  }
  template <unsigned NC, unsigned ND>
  [[nodiscard]] static accum_type negmul(const vector<CoeffType, NC>& coeff, unsigned coeff_start,
                                         const vector<DataType, ND>& data, unsigned data_start) {
    return msc(zeros<accum_tag, Lanes>(), coeff, coeff_start, data, data_start);
  }
  template <typename Acc, unsigned NC, unsigned ND>
  [[nodiscard]] static accum_type mac(const Acc& acc, const vector<CoeffType, NC>& coeff, unsigned coeff_start,
                                      const vector<DataType, ND>& data, unsigned data_start) {
    return run<false>(acc, coeff, coeff_start, data, data_start);
  }
  template <typename Acc, unsigned NC, unsigned ND>
  [[nodiscard]] static accum_type msc(const Acc& acc, const vector<CoeffType, NC>& coeff, unsigned coeff_start,
                                      const vector<DataType, ND>& data, unsigned data_start) {
    return run<true>(acc, coeff, coeff_start, data, data_start);
  }

 private:
  template <bool Subtract, typename Acc, unsigned NC, unsigned ND>
  static accum_type run(const Acc& start, const vector<CoeffType, NC>& coeff, unsigned cs,
                        const vector<DataType, ND>& data, unsigned ds) {
    detail::check_sliding_vectors<CoeffType, NC, DataType, ND>();
    detail::check_coeff_start(cs);
    constexpr unsigned rate =
        detail::elementwise_rate<CoeffType, DataType>() * (detail::kFirst && !detail::is_float<DataType> ? 2 : 1);
    aieloom::count_mac((Lanes * Points + rate - 1) / rate, Lanes * Points);
    accum_type acc(detail::AccumOperand<Acc>::start(start));
    detail::check_defined(acc, "aie::sliding_mac");
    using L = detail::lane_type<accum_tag>;
    for (unsigned p = 0; p < Points; ++p) {
      const CoeffType c = coeff.lanes_.get((cs + p * static_cast<unsigned>(CoeffStep)) % NC);
      for (unsigned l = 0; l < Lanes; ++l) {
        const unsigned at = (ds + l * static_cast<unsigned>(DataStepY) + p * static_cast<unsigned>(DataStepX)) % ND;
        const L x = detail::product<L>(c, data.lanes_.get(at));
        acc.lanes_[l] = Subtract != detail::AccumOperand<Acc>::subtract ? detail::lane_sub(acc.lanes_[l], x)
                                                                        : detail::lane_add(acc.lanes_[l], x);
      }
    }
    return acc;
  }
};

template <unsigned Lanes, unsigned Points, int CoeffStep, int DataStepX, typename TC, typename TD,
          typename Tag = accauto>
using sliding_mul_x_ops = sliding_mul_ops<Lanes, Points, CoeffStep, DataStepX, 1, TC, TD, Tag>;
template <unsigned Lanes, unsigned Points, int CoeffStep, int DataStepY, typename TC, typename TD,
          typename Tag = accauto>
using sliding_mul_y_ops = sliding_mul_ops<Lanes, Points, CoeffStep, 1, DataStepY, TC, TD, Tag>;
template <unsigned Lanes, unsigned Points, int CoeffStep, int DataStepXY, typename TC, typename TD,
          typename Tag = accauto>
using sliding_mul_xy_ops = sliding_mul_ops<Lanes, Points, CoeffStep, DataStepXY, DataStepXY, TC, TD, Tag>;

template <unsigned Lanes, unsigned Points, int CoeffStep = 1, int DataStepX = 1, int DataStepY = DataStepX,
          typename Tag = accauto, typename TC, unsigned NC, typename TD, unsigned ND>
[[nodiscard]] inline auto sliding_mul(const vector<TC, NC>& coeff, unsigned coeff_start, const vector<TD, ND>& data,
                                      unsigned data_start) {
  return sliding_mul_ops<Lanes, Points, CoeffStep, DataStepX, DataStepY, TC, TD, Tag>::mul(coeff, coeff_start, data,
                                                                                           data_start);
}
template <unsigned Lanes, unsigned Points, int CoeffStep = 1, int DataStepX = 1, int DataStepY = DataStepX,
          typename Acc, typename TC, unsigned NC, typename TD, unsigned ND>
[[nodiscard]] inline auto sliding_mac(const Acc& acc, const vector<TC, NC>& coeff, unsigned coeff_start,
                                      const vector<TD, ND>& data, unsigned data_start) {
  using Tag = typename detail::AccumOperand<Acc>::type::value_type;
  return sliding_mul_ops<Lanes, Points, CoeffStep, DataStepX, DataStepY, TC, TD, Tag>::mac(acc, coeff, coeff_start,
                                                                                           data, data_start);
}

// -- symmetric coefficients (AIE): the data are added in pairs first ---------------------------------------------

namespace detail {

/// Coefficients that one instruction takes for a symmetric multiplication by so many [native points of the reference's
/// tables, halved].
template <typename TC, typename TD, typename Tag>
consteval unsigned symmetric_columns(unsigned lanes, unsigned coefficients) {
  constexpr unsigned c = number_bits<TC>, d = number_bits<TD>;
  constexpr bool real = !is_complex<TC> && !is_complex<TD>;
  if (real && c == 16 && d == 16) {
    return 32 / (lanes < 8 ? 8 : lanes);
  }
  constexpr bool longest = c == 32 && d == 32;
  constexpr unsigned all =
      (c + d == 32 ? 32 : c + d == 48 ? 16 : 8) / ((is_complex<TC> ? 2 : 1) * (is_complex<TD> ? 2 : 1));
  constexpr unsigned fewest = real && !longest ? 8 : longest && !real ? 2 : 4;  // lanes of an instruction
  constexpr unsigned most = all > fewest ? all / fewest : 1;
  constexpr bool one_shape = native_bits<Tag> == 80 && !longest;  // 80-bit sums of shorter products: one number of lanes
  return one_shape || coefficients % most == 0 || lanes <= fewest ? most : most / 2;
}

}  // namespace detail

/// out[l] = sum over p of coeff[cs + p * CS] * (left[ls + l * DSY + p * DSX] + right[rs + l * DSY - p * DSX]).
/// Antisymmetric: minus. With one data vector and one start, p < Points / 2 and the right side starts at data_start +
/// (Points - 1) * DSX, as the reference's formula says. Sides with starts of their own are multiplied by all coefficients
/// of whole instructions, for which there is no formula: AMD's 24 symmetric taps (RTP tutorial, steps 3 to 5) are three
/// calls <4, 4> of cint16 by int16 with four coefficients each, and its golden data want all twelve.
/// An odd number of points has a middle, which is no pair: it is taken once, with the coefficient behind the pairs' (AMD's
/// filters of 199 and 89 taps, DDC tutorial, end with such a call of 7 points: 3 pairs and the middle).
template <bool Antisymmetric, unsigned Lanes, unsigned Points, int CoeffStep, int DataStepX, int DataStepY,
          typename CoeffType, typename DataType, typename AccumTag = accauto>
struct sliding_mul_symmetric_ops {
  static_assert(detail::kFirstFor<DataType>,
                "aie::sliding_mul_sym: AIE-ML has no pre-adder [aie-sliding]; use aie::sliding_mul");
  static_assert(!detail::is_float<DataType>, "aie::sliding_mul_sym: integers only [aie-sliding]");
  static_assert(!Antisymmetric || Points % 2 == 0, "aie::sliding_mul_antisym: an even number of points [aie-sliding]");
  using accum_tag = detail::resolved_tag<AccumTag, CoeffType, DataType>;
  using accum_type = accum<accum_tag, Lanes>;
  static constexpr detail::SlidingRules<Lanes, Points, DataStepX, DataStepY, CoeffType, DataType, accum_tag> rules{};

#define AIELOOM_SYMMETRIC(NAME_MUL, NAME_MAC)                                                               \
  template <unsigned NC, unsigned ND>                                                                       \
  [[nodiscard]] static accum_type NAME_MUL(const vector<CoeffType, NC>& coeff, unsigned cs,                 \
                                           const vector<DataType, ND>& data, unsigned ds) {                 \
    return middle(run<Points / 2>(zeros<accum_tag, Lanes>(), coeff, cs, data, ds, data, right_of(ds)), coeff, cs, data, ds); \
  }                                                                                                         \
  template <unsigned NC, unsigned ND>                                                                       \
  [[nodiscard]] static accum_type NAME_MUL(const vector<CoeffType, NC>& coeff, unsigned cs,                 \
                                           const vector<DataType, ND>& left, unsigned ls,                   \
                                           const vector<DataType, ND>& right, unsigned rs) {                \
    check_pairs();                                                                                          \
    return run<kWhole>(zeros<accum_tag, Lanes>(), coeff, cs, left, ls, right, rs);                                  \
  }                                                                                                         \
  template <unsigned NC, unsigned ND>                                                                       \
  [[nodiscard]] static accum_type NAME_MUL(const vector<CoeffType, NC>& coeff, unsigned cs,                 \
                                           const vector<DataType, ND>& data, unsigned ls, unsigned rs) {    \
    check_pairs();                                                                                          \
    return run<kWhole>(zeros<accum_tag, Lanes>(), coeff, cs, data, ls, data, rs);                                   \
  }                                                                                                         \
  template <typename Acc, unsigned NC, unsigned ND>                                                         \
  [[nodiscard]] static accum_type NAME_MAC(const Acc& acc, const vector<CoeffType, NC>& coeff, unsigned cs, \
                                           const vector<DataType, ND>& data, unsigned ds) {                 \
    return middle(run<Points / 2>(acc, coeff, cs, data, ds, data, right_of(ds)), coeff, cs, data, ds); \
  }                                                                                                         \
  template <typename Acc, unsigned NC, unsigned ND>                                                         \
  [[nodiscard]] static accum_type NAME_MAC(const Acc& acc, const vector<CoeffType, NC>& coeff, unsigned cs, \
                                           const vector<DataType, ND>& data, unsigned ls, unsigned rs) {    \
    check_pairs();                                                                                          \
    return run<kWhole>(acc, coeff, cs, data, ls, data, rs);                                                         \
  }                                                                                                         \
  template <typename Acc, unsigned NC, unsigned ND>                                                         \
  [[nodiscard]] static accum_type NAME_MAC(const Acc& acc, const vector<CoeffType, NC>& coeff, unsigned cs, \
                                           const vector<DataType, ND>& left, unsigned ls,                   \
                                           const vector<DataType, ND>& right, unsigned rs) {                \
    check_pairs();                                                                                          \
    return run<kWhole>(acc, coeff, cs, left, ls, right, rs);                                                        \
  }
  AIELOOM_SYMMETRIC(mul_sym, mac_sym)
  AIELOOM_SYMMETRIC(mul_antisym, mac_antisym)
#undef AIELOOM_SYMMETRIC

 private:
  static constexpr void check_pairs() {
    static_assert(Points % 2 == 0, "aie::sliding_mul_sym: two starts want an even number of points [aie-sliding]");
  }
  static constexpr unsigned right_of(unsigned ds) { return ds + (Points - 1) * static_cast<unsigned>(DataStepX); }

  static constexpr unsigned kColumns = detail::symmetric_columns<CoeffType, DataType, accum_tag>(Lanes, Points / 2);
  static constexpr unsigned kWhole = (Points / 2 + kColumns - 1) / kColumns * kColumns;

  template <unsigned NC, unsigned ND>
  static accum_type middle(accum_type acc, const vector<CoeffType, NC>& coeff, unsigned cs,
                           const vector<DataType, ND>& data, unsigned ds) {
    if constexpr (Points % 2 == 1) {
      constexpr unsigned p = Points / 2;
      const CoeffType c = coeff.lanes_.get((cs + p * static_cast<unsigned>(CoeffStep)) % NC);
      for (unsigned l = 0; l < Lanes; ++l) {
        const unsigned at = ds + l * static_cast<unsigned>(DataStepY) + p * static_cast<unsigned>(DataStepX);
        acc.lanes_[l] = detail::lane_add(acc.lanes_[l], detail::product<detail::lane_type<accum_tag>>(c, data.lanes_.get(at % ND)));
      }
    }
    return acc;
  }

  template <unsigned Coefficients, typename Acc, unsigned NC, unsigned ND>
  static accum_type run(const Acc& start, const vector<CoeffType, NC>& coeff, unsigned cs,
                        const vector<DataType, ND>& left, unsigned ls, const vector<DataType, ND>& right, unsigned rs) {
    detail::check_sliding_vectors<CoeffType, NC, DataType, ND>();
    detail::check_coeff_start(cs);
    constexpr unsigned rate = 2 * detail::elementwise_rate<CoeffType, DataType>();
    aieloom::count_mac((Lanes * Coefficients + rate - 1) / rate, Lanes * Coefficients);
    accum_type acc(detail::AccumOperand<Acc>::start(start));
    detail::check_defined(acc, "aie::sliding_mac");
    using L = detail::lane_type<accum_tag>;
    for (unsigned l = 0; l < Lanes; ++l) {
      for (unsigned p = 0; p < Coefficients; ++p) {
        const unsigned step = p * static_cast<unsigned>(DataStepX);
        const unsigned lane = l * static_cast<unsigned>(DataStepY);
        const CoeffType c = coeff.lanes_.get((cs + p * static_cast<unsigned>(CoeffStep)) % NC);
        const L near = detail::product<L>(c, left.lanes_.get((ls + lane + step) % ND));
        const L far = detail::product<L>(c, right.lanes_.get((rs + lane - step) % ND));
        const L both = Antisymmetric ? detail::lane_sub(near, far) : detail::lane_add(near, far);
        acc.lanes_[l] = detail::lane_add(acc.lanes_[l], both);
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

// -- depthwise convolution (AIE-ML) ------------------------------------------------------------------------------

/// out[l] = sum over p of coeff[(cs + p * CS) * C + l % C] * data[(ds + (l / C + p) * DSX) * C + (l % C) * DSY], where
/// C is Channels and there are Outputs * C lanes.
template <unsigned Outputs, unsigned Channels, unsigned Points, int CoeffStep, int DataStepX, int DataStepY,
          typename CoeffType, typename DataType, typename AccumTag = accauto>
struct sliding_mul_ch_ops {
  static_assert(!detail::kFirstFor<DataType>,
                "aie::sliding_mul_ch: AIE has no channel-wise sliding multiplication [aie-sliding]; use aie::mac");
  static_assert(detail::can_multiply<CoeffType, DataType>,
                "aie::sliding_mul_ch: both operands must be of one kind [aie-sliding]");
  static constexpr unsigned Lanes = Outputs * Channels;
  static_assert(
      detail::number_bits<CoeffType> != 8 || detail::number_bits<DataType> != 8 || (Channels == 8 && Outputs == 4) ||
          (Channels == 4 && Outputs == 8),
      "aie::sliding_mul_ch: int8 knows 8 channels with 4 outputs, or 4 channels with 8 outputs [aie-sliding]");
  using accum_tag = detail::resolved_tag<AccumTag, CoeffType, DataType>;
  using accum_type = accum<accum_tag, Lanes>;

  template <unsigned NC, unsigned ND>
  [[nodiscard]] static accum_type mul(const vector<CoeffType, NC>& coeff, unsigned coeff_start,
                                      const vector<DataType, ND>& data, unsigned data_start) {
    return mac(zeros<accum_tag, Lanes>(), coeff, coeff_start, data, data_start);
  }
  template <typename Acc, unsigned NC, unsigned ND>
  [[nodiscard]] static accum_type mac(const Acc& start, const vector<CoeffType, NC>& coeff, unsigned cs,
                                      const vector<DataType, ND>& data, unsigned ds) {
    detail::check_sliding_vectors<CoeffType, NC, DataType, ND>();
    constexpr unsigned rate = 8 * detail::elementwise_rate<CoeffType, DataType>();
    aieloom::count_mac((Lanes * Points + rate - 1) / rate, Lanes * Points);
    accum_type acc(detail::AccumOperand<Acc>::start(start));
    detail::check_defined(acc, "aie::sliding_mac");
    using L = detail::lane_type<accum_tag>;
    constexpr unsigned c = Channels;
    for (unsigned p = 0; p < Points; ++p) {
      for (unsigned l = 0; l < Lanes; ++l) {
        const unsigned at_coeff = (cs + p * static_cast<unsigned>(CoeffStep)) * c + l % c;
        const unsigned at_data =
            (ds + (l / c + p) * static_cast<unsigned>(DataStepX)) * c + l % c * static_cast<unsigned>(DataStepY);
        acc.lanes_[l] = detail::lane_add(
            acc.lanes_[l], detail::product<L>(coeff.lanes_.get(at_coeff % NC), data.lanes_.get(at_data % ND)));
      }
    }
    return acc;
  }
};
template <unsigned Outputs, unsigned Channels, unsigned Points, int CoeffStep, int DataStepX, typename TC, typename TD,
          typename Tag = accauto>
using sliding_mul_ch_x_ops = sliding_mul_ch_ops<Outputs, Channels, Points, CoeffStep, DataStepX, 1, TC, TD, Tag>;
template <unsigned Outputs, unsigned Channels, unsigned Points, int CoeffStep, int DataStepY, typename TC, typename TD,
          typename Tag = accauto>
using sliding_mul_ch_y_ops = sliding_mul_ch_ops<Outputs, Channels, Points, CoeffStep, 1, DataStepY, TC, TD, Tag>;

}  // namespace aie
