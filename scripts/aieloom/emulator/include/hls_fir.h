// hls::FIR: the FIR Compiler as a class [UG1399 FIR IP Library; PG149 FIR Compiler].
//
// Sums are exact (output_rounding_mode full_precision) and go into the output's format; every filter keeps its samples from
// call to call. What the documents leave open is refused by name: other rounding modes, fractional rates, Hilbert and
// interpolated filters, reloading, several channels or paths.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "aieloom/report.h"
#include "aieloom/usual.h"
#include "ap_fixed.h"
#include "hls_stream.h"

namespace hls {

namespace ip_fir {

enum filter_type { single_rate = 0, interpolation, decimation, hilbert_filter, interpolated };
enum rate_change { integer = 0, fixed_fractional };
enum chan_sequence { basic = 0, advanced };
enum rate_specification { frequency = 0, period };
enum value_sign { value_signed = 0, value_unsigned };
enum quantization { integer_coefficients = 0, quantize_only, maximize_dynamic_range, normalize_to_centre_coefficient };
enum coeff_structure { inferred = 0, non_symmetric, symmetric, negative_symmetric, half_band, hilbert };
enum output_rounding_mode {
  full_precision = 0,
  truncate_lsbs,
  non_symmetric_rounding_down,
  non_symmetric_rounding_up,
  symmetric_rounding_to_zero,
  symmetric_rounding_to_infinity,
  convergent_rounding_to_even,
  convergent_rounding_to_odd
};
enum filter_arch { systolic_multiply_accumulate = 0, transpose_multiply_accumulate };
enum optimization_goal { area = 0, speed, custom };
enum config_sync_mode { on_vector = 0, on_packet };
enum config_method { single = 0, by_channel };

/// What a filter is made by; a design's own structure inherits from it and says what differs. Where a parameter has an old
/// and a new name, the one that differs from its default counts.
struct params_t {
  static const unsigned input_width = 16, data_width = 16;
  static const unsigned input_fractional_bits = 0, data_fract_width = 0;
  static const unsigned output_width = 24;
  static const unsigned output_fractional_bits = 0, output_fract_width = 0;
  static const unsigned coeff_width = 16;
  static const unsigned coeff_fractional_bits = 0, coeff_fract_width = 0;
  static const unsigned num_coeffs = 21;
  static const unsigned coeff_sets = 1;
  static const unsigned input_length = 21, data_length = 21;
  static const unsigned output_length = 21;
  static const unsigned num_channels = 1;
  static const unsigned total_num_coeff = 21;
  static const bool reloadable = false;
  static const unsigned filter_type = single_rate;
  static const unsigned rate_change = integer;
  static const unsigned interp_rate = 1;
  static const unsigned decim_rate = 1;
  static const unsigned zero_pack_factor = 1;
  static const unsigned chan_seq = basic;
  static const unsigned rate_specification = period;
  static constexpr double sample_period = 1;
  static constexpr double sample_frequency = 0.001;
  static const unsigned quantization = integer_coefficients;
  static const bool best_precision = false;
  static const unsigned coeff_structure = non_symmetric;
  static const unsigned output_rounding_mode = full_precision;
  static const unsigned filter_arch = systolic_multiply_accumulate;
  static const unsigned optimization_goal = area;
  static const unsigned inter_column_pipe_length = 4;
  static const unsigned column_config = 1;
  static const unsigned config_sync_mode = on_vector;
  static const unsigned config_method = single;
  static const unsigned coeff_padding = 0;
  static const unsigned num_paths = 1;
  static const unsigned data_sign = value_signed;
  static const unsigned coeff_sign = value_signed;
};

}  // namespace ip_fir

template <typename Config>
class FIR {
  using Defaults = ip_fir::params_t;

  static constexpr unsigned either(unsigned one, unsigned other, unsigned usual) { return one != usual ? one : other; }
  static constexpr unsigned kInputs = either(Config::input_length, Config::data_length, Defaults::input_length);
  static constexpr unsigned kOutputs = Config::output_length;
  static constexpr int kInputFraction = either(Config::input_fractional_bits, Config::data_fract_width, 0);
  static constexpr int kCoefficientFraction = either(Config::coeff_fractional_bits, Config::coeff_fract_width, 0);
  static constexpr unsigned kTaps = Config::num_coeffs;
  static constexpr bool kInterpolates = Config::filter_type == ip_fir::interpolation;
  static constexpr bool kDecimates = Config::filter_type == ip_fir::decimation;
  static constexpr unsigned kUp = kInterpolates ? Config::interp_rate : 1;
  static constexpr unsigned kDown = kDecimates ? Config::decim_rate : 1;

  static_assert(Config::filter_type <= ip_fir::decimation, "hls::FIR: Hilbert and interpolated filters are not emulated; filters are single_rate, interpolation or decimation");
  static_assert(Config::rate_change == ip_fir::integer, "hls::FIR: fractional rates are not emulated; rate_change is ip_fir::integer");
  static_assert(Config::output_rounding_mode == ip_fir::full_precision, "hls::FIR: no public document says which bits of the sum other rounding modes keep; output_rounding_mode is ip_fir::full_precision");
  static_assert(Config::quantization <= ip_fir::quantize_only, "hls::FIR: coefficients are quantised by integer_coefficients or quantize_only; the scaling of the other modes is not documented");
  static_assert(!Config::reloadable, "hls::FIR: reloadable coefficients are not emulated");
  static_assert(Config::num_channels == 1 && Config::num_paths == 1, "hls::FIR: one channel and one path");
  static_assert(kInputs * kUp == kOutputs * kDown, "hls::FIR: output_length is input_length * interp_rate / decim_rate");

  /// The input's samples and the outputs' places, whatever holds them.
  template <typename Sample>
  struct Array {
    Sample* at;
    Sample take() { return *at++; }
    void give(const Sample& value) { *at++ = value; }
  };
  template <typename Sample>
  struct Queue {
    stream<Sample>& queue;
    Sample take() { return queue.read(); }
    void give(const Sample& value) { queue.write(value); }
  };

 public:
  /// Filter a frame; `set` points to the number of the set of coefficients where there are several.
  template <typename In, typename Out>
  void run(In* in, Out* out) {
    filter<Out>(Array<In>{in}, Array<Out>{out}, 0);
  }
  template <typename In, typename Out, typename Set>
  void run(In* in, Out* out, Set* set) {
    filter<Out>(Array<In>{in}, Array<Out>{out}, number(*set));
  }
  template <typename In, typename Out>
  void run(stream<In>& in, stream<Out>& out) {
    filter<Out>(Queue<In>{in}, Queue<Out>{out}, 0);
  }
  template <typename In, typename Out, typename Set>
  void run(stream<In>& in, stream<Out>& out, stream<Set>& set) {
    filter<Out>(Queue<In>{in}, Queue<Out>{out}, number(set.read()));
  }

 private:
  using Sum = __int128;

  template <typename Set>
  static unsigned number(const Set& set) {
    const auto chosen = static_cast<unsigned>(static_cast<int>(set));
    if (chosen >= Config::coeff_sets) {
      aieloom::refuse("hls-fir", "hls::FIR: set " + std::to_string(chosen) + " of " + std::to_string(Config::coeff_sets) + " sets of coefficients",
                      "sets are numbered from 0");
    }
    return chosen;
  }

  /// A coefficient as the whole number that the multiplier sees.
  static std::int64_t coefficient(unsigned set, unsigned tap) {
    const double given = std::ldexp(Config::coeff_vec[set * kTaps + tap], kCoefficientFraction);
    const double whole = std::round(given);
    const bool is_exact = given == whole;
    const bool is_signed = Config::coeff_sign == ip_fir::value_signed;
    const double limit = std::ldexp(1.0, static_cast<int>(Config::coeff_width) - (is_signed ? 1 : 0));
    if ((Config::quantization == ip_fir::integer_coefficients && !is_exact) || whole >= limit || whole < (is_signed ? -limit : 0)) {
      aieloom::refuse("hls-fir", "hls::FIR: coefficient " + std::to_string(Config::coeff_vec[set * kTaps + tap]) + " is no whole number of " +
                                     std::to_string(Config::coeff_width) + " bits with " + std::to_string(kCoefficientFraction) + " of fraction",
                      "give coeff_width and coeff_fractional_bits that hold it, or quantization = ip_fir::quantize_only");
    }
    return static_cast<std::int64_t>(whole);
  }

  template <typename Out, typename Input, typename Output>
  void filter(Input in, Output out, unsigned set) {
    for (unsigned i = 0; i < kInputs; ++i) {
      const auto sample = in.take();
      for (unsigned phase = 0; phase < kUp; ++phase) {
        push(phase == 0 ? static_cast<std::int64_t>(std::llround(std::ldexp(sample.to_double(), kInputFraction))) : 0);
        if (++since_ == kDown) {
          since_ = 0;
          out.give(as<Out>(sum(set)));
        }
      }
    }
  }

  void push(std::int64_t sample) {
    for (unsigned i = kTaps - 1; i > 0; --i) {
      past_[i] = past_[i - 1];
    }
    past_[0] = sample;
  }

  [[nodiscard]] Sum sum(unsigned set) {
    if (set != chosen_) {
      chosen_ = set;
      for (unsigned i = 0; i < kTaps; ++i) {
        taps_[i] = coefficient(set, i);
      }
    }
    Sum made = 0;
    for (unsigned i = 0; i < kTaps; ++i) {
      made += Sum{taps_[i]} * past_[i];
    }
    return made;
  }

  /// The exact sum in the output's format, which has as many bits of fraction as input and coefficients together or more.
  template <typename Out>
  static Out as(Sum exact) {
    constexpr int kFraction = Out::width - Out::iwidth;
    static_assert(kFraction >= kInputFraction + kCoefficientFraction, "hls::FIR: with full precision the output has the bits of fraction of input and coefficients together");
    exact <<= kFraction - kInputFraction - kCoefficientFraction;
    Out made;
    made.range(Out::width - 1, 0) = ap_int<128>(static_cast<long long>(exact >> 64)) << 64 | ap_int<128>(ap_uint<64>(static_cast<unsigned long long>(exact)));
    return made;
  }

  std::int64_t past_[kTaps] = {};
  std::int64_t taps_[kTaps] = {};  // of the chosen set
  unsigned chosen_ = Config::coeff_sets;
  unsigned since_ = 0;
};

}  // namespace hls
