// Sliding multiplications: each lane sums Points products of neighbouring data with shared coefficients
// [aie_api reference, Special Multiplications; facts (b)]. Indices wrap at the ends of both vectors. sliding_sym.h adds the data in pairs first.
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

/// Columns of an instruction of AIE, by the pair of types: how many coefficients (or pairs of data) it takes for each of `lanes` sums [native
/// points of the reference's tables]. Some have a shape of half the columns for twice the lanes, which the API takes where `taps`
/// are no multiple of the columns.
template <typename TC, typename TD, typename Tag>
consteval unsigned columns_of(unsigned lanes, unsigned taps) {
  constexpr unsigned c = number_bits<TC>, d = number_bits<TD>;
  constexpr bool real = !is_complex<TC> && !is_complex<TD>;
  if (is_float<TC>) {
    return 1;
  }
  if (real && c == 16 && d == 16) {
    return 32 / (lanes < 8 ? 8 : lanes);
  }
  constexpr bool longest = c == 32 && d == 32;
  constexpr unsigned all = (c + d == 32 ? 32 : c + d == 48 ? 16 : 8) / ((is_complex<TC> ? 2 : 1) * (is_complex<TD> ? 2 : 1));
  constexpr unsigned fewest = real && !longest ? 8 : longest && !real ? 2 : 4;  // lanes of an instruction
  constexpr unsigned most = all > fewest ? all / fewest : 1;
  constexpr bool one_shape = native_bits<Tag> == 80 && !longest;  // 80-bit sums of shorter products: one number of lanes
  return one_shape || taps % most == 0 || lanes <= fewest ? most : most / 2;
}

/// Whether the offsets of an instruction of AIE, four bits for each of its lanes, reach as far as DataStepY says.
template <typename TC, typename TD, typename Tag>
consteval bool offsets_reach(unsigned lanes, unsigned taps, int step) {
  constexpr unsigned c = element_bits<TC>, d = element_bits<TD>;
  if (is_float<TC> || (c == 16 && d == 16)) {
    return true;  // chosen otherwise, see SlidingRules
  }
  const unsigned macs = c + d <= 48 ? 16 : c + d <= 80 ? 8 : c + d <= 96 ? 4 : 2;
  return step < 0 || (macs / columns_of<TC, TD, Tag>(lanes, taps) - 1) * static_cast<unsigned>(step) <= 15;
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
  static_assert(!kFirst || offsets_reach<TC, TD, Tag>(Lanes, Points, DSY),
                "aie::sliding_mul: DataStepY reaches beyond the 16 places that the offsets of AIE's instructions have [aie-sliding]");
};

/// What the plain forms demand besides: AMD's API makes Points / columns instructions, and leaves out what remains.
template <unsigned Lanes, unsigned Points, int DSX, int DSY, typename TC, typename TD, typename Tag>
struct PlainRules {
  static constexpr unsigned columns = kFirst && !is_float<TC> ? columns_of<TC, TD, Tag>(Lanes, Points) : 1;
  static_assert(Points % columns == 0,
                "aie::sliding_mul: on AIE Points must be a multiple of what one instruction takes (32 / Lanes for 16x16 bits), the rest would be left "
                "out [aie-sliding]; pad the coefficients with zeros");
  static constexpr bool shorts = kFirst && is_one_of<TC, int16> && is_one_of<TD, int16>;
  static_assert(!shorts || (DSX <= 1 && DSY <= 2) || (DSX % 2 == 0 && DSY == 1),
                "aie::sliding_mul: 16-bit data on AIE step by DataStepX 1 and DataStepY 1 or 2, or by an even DataStepX and DataStepY 1 [aie-sliding]");
  static constexpr bool even_starts = shorts && (DSX > 1 || DSY > 1);
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

template <bool Even>
inline void check_data_start(unsigned start) {
  if (Even && start % 2 != 0) [[unlikely]] {
    aieloom::refuse("aie-sliding", "aie::sliding_mul: 16-bit data that step by more than one begin at an even data_start on AIE",
                    "begin at an even place, or move the data by one element first");
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
  static constexpr detail::PlainRules<Lanes, Points, DataStepX, DataStepY, CoeffType, DataType, accum_tag> plain{};
  static constexpr unsigned lanes = Lanes;
  static constexpr unsigned points = Points;
  static constexpr unsigned columns_per_mul = decltype(plain)::columns;
  static constexpr unsigned num_mul = Points / columns_per_mul;

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
    check_tag<Acc>();
    return run<false>(acc, coeff, coeff_start, data, data_start);
  }
  template <typename Acc, unsigned NC, unsigned ND>
  [[nodiscard]] static accum_type msc(const Acc& acc, const vector<CoeffType, NC>& coeff, unsigned coeff_start,
                                      const vector<DataType, ND>& data, unsigned data_start) {
    check_tag<Acc>();
    return run<true>(acc, coeff, coeff_start, data, data_start);
  }

 private:
  template <typename Acc>
  static constexpr void check_tag() {
    static_assert(std::is_same_v<typename detail::AccumOperand<Acc>::type::value_type, accum_tag>,
                  "aie::sliding_mul_ops: the accumulator has another tag than these operations; name it as their last argument [aie-sliding]");
  }

  template <bool Subtract, typename Acc, unsigned NC, unsigned ND>
  static accum_type run(const Acc& start, const vector<CoeffType, NC>& coeff, unsigned cs,
                        const vector<DataType, ND>& data, unsigned ds) {
    detail::check_sliding_vectors<CoeffType, NC, DataType, ND>();
    detail::check_coeff_start(cs);
    detail::check_data_start<decltype(plain)::even_starts>(ds);
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
template <unsigned Outputs, unsigned Channels, unsigned Points, int CoeffStep = 1, int DataStepX = 1, int DataStepY = DataStepX,
          typename Tag = accauto, typename TC, unsigned NC, typename TD, unsigned ND>
[[nodiscard]] inline auto sliding_mul_ch(const vector<TC, NC>& coeff, unsigned coeff_start, const vector<TD, ND>& data,
                                         unsigned data_start) {
  return sliding_mul_ch_ops<Outputs, Channels, Points, CoeffStep, DataStepX, DataStepY, TC, TD, Tag>::mul(
      coeff, coeff_start, data, data_start);
}
template <unsigned Outputs, unsigned Channels, unsigned Points, int CoeffStep = 1, int DataStepX = 1, int DataStepY = DataStepX,
          typename Acc, typename TC, unsigned NC, typename TD, unsigned ND>
[[nodiscard]] inline auto sliding_mac_ch(const Acc& acc, const vector<TC, NC>& coeff, unsigned coeff_start,
                                         const vector<TD, ND>& data, unsigned data_start) {
  using Tag = typename detail::AccumOperand<Acc>::type::value_type;
  return sliding_mul_ch_ops<Outputs, Channels, Points, CoeffStep, DataStepX, DataStepY, TC, TD, Tag>::mac(
      acc, coeff, coeff_start, data, data_start);
}
template <unsigned Outputs, unsigned Channels, unsigned Points, int CoeffStep, int DataStepX, typename TC, typename TD,
          typename Tag = accauto>
using sliding_mul_ch_x_ops = sliding_mul_ch_ops<Outputs, Channels, Points, CoeffStep, DataStepX, 1, TC, TD, Tag>;
template <unsigned Outputs, unsigned Channels, unsigned Points, int CoeffStep, int DataStepY, typename TC, typename TD,
          typename Tag = accauto>
using sliding_mul_ch_y_ops = sliding_mul_ch_ops<Outputs, Channels, Points, CoeffStep, 1, DataStepY, TC, TD, Tag>;

}  // namespace aie
