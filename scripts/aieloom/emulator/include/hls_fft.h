// hls::fft: the Fast Fourier Transform core as a function [UG1399 FFT IP Library; PG109].
//
// Transforms of float are computed in double and rounded once: the core's differ in their last places, which no public
// document gives. Fixed-point transforms are refused for the same reason: their bits are the core's rounding inside.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "aieloom/report.h"
#include "aieloom/usual.h"
#include "ap_fixed.h"
#include "ap_int.h"
#include "hls_stream.h"
#include "hls_vector.h"

namespace hls {

namespace ip_fft {

enum ordering { bit_reversed_order = 0, natural_order };
enum scaling { unscaled = 0, scaled, block_floating_point };
enum rounding { truncation = 0, convergent_rounding };
enum arch { pipelined_streaming_io = 1, radix_4_burst_io, radix_2_burst_io, radix_2_lite_burst_io };
enum mem { block_ram = 0, distributed_ram };
enum opt { use_luts = 0, use_mults_resources, use_mults_performance, use_xtremedsp_slices };
enum ssr { ssr_1 = 1, ssr_2 = 2, ssr_4 = 4, ssr_8 = 8, ssr_16 = 16, ssr_32 = 32, ssr_64 = 64 };

/// What a transform is made by; a design's own structure inherits from it and says what differs. Where a parameter has an
/// old and a new name, the one that differs from its default counts.
struct params_t {
  static const unsigned input_width = 16;
  static const unsigned output_width = 16;
  static const unsigned status_width = 8;
  static const unsigned config_width = 16;
  static const unsigned max_nfft = 10, log2_transform_length = 10;
  static const bool has_nfft = false;
  static const unsigned channels = 1;
  static const unsigned arch_opt = pipelined_streaming_io;
  static const unsigned phase_factor_width = 16;
  static const unsigned ordering_opt = bit_reversed_order, output_ordering = bit_reversed_order;
  static const bool ovflo = true;
  static const bool cyclic_prefix_insertion = false;
  static const bool xk_index = false;
  static const unsigned scaling_opt = scaled, scaling_options = scaled;
  static const unsigned rounding_opt = truncation, rounding_modes = truncation;
  static const unsigned mem_data = block_ram;
  static const unsigned mem_phase_factors = block_ram;
  static const unsigned mem_reorder = block_ram;
  static const unsigned stages_block_ram = 1;
  static const bool mem_hybrid = false;
  static const unsigned complex_mult_type = use_mults_resources;
  static const unsigned butterfly_type = use_luts;
  static const unsigned super_sample_rate = ssr_1;
  static const bool use_native_float = false;
  static const bool systolicfft_inv = false;
};

/// Several samples a cycle: outputs come in their natural order.
struct ssr_params_t : params_t {
  static const unsigned ordering_opt = natural_order, output_ordering = natural_order;
};

/// What a transform is told when it runs.
template <typename Config>
class config_t {
 public:
  void setDir(bool forward) { forward_ = forward; }
  [[nodiscard]] bool getDir() const { return forward_; }
  void setSch(unsigned schedule) { schedule_ = schedule; }
  [[nodiscard]] unsigned getSch() const { return schedule_; }
  void setNfft(unsigned log2_points) { points_ = log2_points; }
  [[nodiscard]] unsigned getNfft() const { return points_; }
  void setCyclicPrefixLen(unsigned samples) { prefix_ = samples; }
  [[nodiscard]] unsigned getCyclicPrefixLen() const { return prefix_; }

 private:
  bool forward_ = false;
  unsigned schedule_ = 0;
  unsigned points_ = Config::max_nfft;
  unsigned prefix_ = 0;
};

/// What it tells.
template <typename Config>
class status_t {
 public:
  [[nodiscard]] bool getOvflo() const { return overflow_; }
  [[nodiscard]] unsigned getBlkExp() const { return exponent_; }
  void set(bool overflow, unsigned exponent) {
    overflow_ = overflow;
    exponent_ = exponent;
  }

 private:
  bool overflow_ = false;
  unsigned exponent_ = 0;
};

}  // namespace ip_fft

namespace fft_detail {

using Samples = std::vector<std::complex<double>>;

constexpr unsigned either(unsigned one, unsigned other, unsigned usual) { return one != usual ? one : other; }

template <typename Config>
inline constexpr unsigned kLog2 = either(Config::max_nfft, Config::log2_transform_length, ip_fft::params_t::max_nfft);

template <typename Config>
inline constexpr bool kNatural = Config::ordering_opt == ip_fft::natural_order || Config::output_ordering == ip_fft::natural_order;

/// The index with its lowest bits in reverse order.
constexpr std::size_t reversed(std::size_t index, unsigned bits) {
  std::size_t made = 0;
  for (unsigned i = 0; i < bits; ++i) {
    made = made << 1 | (index >> i & 1);
  }
  return made;
}

/// The sums of samples * exp(-+2 pi i n k / N), unscaled, by halves.
inline void transform(Samples& values, bool forward) {
  const std::size_t count = values.size();
  unsigned bits = 0;
  while ((std::size_t{1} << bits) < count) {
    ++bits;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t j = reversed(i, bits);
    if (i < j) {
      std::swap(values[i], values[j]);
    }
  }
  for (std::size_t half = 1; half < count; half *= 2) {
    for (std::size_t k = 0; k < half; ++k) {
      const double angle = (forward ? -1 : 1) * M_PI * static_cast<double>(k) / static_cast<double>(half);
      const std::complex<double> turn = std::polar(1.0, angle);
      for (std::size_t at = k; at < count; at += 2 * half) {
        const std::complex<double> odd = values[at + half] * turn;
        values[at + half] = values[at] - odd;
        values[at] += odd;
      }
    }
  }
}

template <typename Config, typename Value>
void check() {
  static_assert(std::is_same<Value, float>::value, "hls::fft: fixed-point transforms are not emulated, because no public document gives the core's rounding inside; transforms of std::complex<float> are");
  static_assert(Config::channels == 1, "hls::fft: one channel");
  static_assert(!Config::has_nfft, "hls::fft: transform lengths that change from run to run are not emulated");
  static_assert(kLog2<Config> >= 3 && kLog2<Config> <= 16, "hls::fft: 8 to 65536 points (max_nfft 3 to 16)");
}

inline void check_prefix(int prefix) {
  if (prefix > 0) {
    aieloom::refuse("hls-fft", "hls::fft: a cyclic prefix of " + std::to_string(prefix) + " samples is not emulated", "insert it after the transform");
  }
}

template <typename Config, typename In, typename Out, typename Take, typename Give>
void run(bool forward, Take take, Give give) {
  check<Config, In>();
  constexpr unsigned kBits = kLog2<Config>;
  Samples values(std::size_t{1} << kBits);
  for (std::complex<double>& value : values) {
    const std::complex<In> sample = take();
    value = {static_cast<double>(sample.real()), static_cast<double>(sample.imag())};
  }
  transform(values, forward);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::complex<double>& value = values[kNatural<Config> ? i : reversed(i, kBits)];
    give(std::complex<Out>(static_cast<Out>(value.real()), static_cast<Out>(value.imag())));
  }
}

template <typename Config, typename In, typename Out>
void run_arrays(std::complex<In>* in, std::complex<Out>* out, bool forward) {
  run<Config, In, Out>(forward, [&] { return *in++; }, [&](const std::complex<Out>& value) { *out++ = value; });
}

template <typename Config, typename In, typename Out>
void run_streams(stream<std::complex<In>>& in, stream<std::complex<Out>>& out, bool forward) {
  run<Config, In, Out>(forward, [&] { return in.read(); }, [&](const std::complex<Out>& value) { out.write(value); });
}

}  // namespace fft_detail

/// One transform: `direction` 1 is forward; `scaling` is for fixed point; `prefix` -1 or 0 is none.
template <typename Config, typename In, typename Out, typename Direction, typename Scaling>
void fft(std::complex<In>* in, std::complex<Out>* out, Direction direction, Scaling, int prefix, bool* overflow, unsigned* = nullptr) {
  fft_detail::check_prefix(prefix);
  fft_detail::run_arrays<Config>(in, out, static_cast<bool>(direction));
  *overflow = false;
}
template <typename Config, typename In, typename Out, typename Direction, typename Scaling>
void fft(stream<std::complex<In>>& in, stream<std::complex<Out>>& out, Direction direction, Scaling, int prefix, bool* overflow, unsigned* = nullptr) {
  fft_detail::check_prefix(prefix);
  fft_detail::run_streams<Config>(in, out, static_cast<bool>(direction));
  *overflow = false;
}

/// One transform as a configuration object says.
template <typename Config, typename In, typename Out>
void fft(std::complex<In>* in, std::complex<Out>* out, ip_fft::status_t<Config>* status, ip_fft::config_t<Config>* config) {
  fft_detail::check_prefix(static_cast<int>(config->getCyclicPrefixLen()));
  fft_detail::run_arrays<Config>(in, out, config->getDir());
  status->set(false, 0);
}

/// One transform in the direction that systolicfft_inv says.
template <typename Config, typename In, typename Out>
void fft(std::complex<In>* in, std::complex<Out>* out) {
  fft_detail::run_arrays<Config>(in, out, !Config::systolicfft_inv);
}
/// The same, several samples a word.
template <typename Config, typename In, typename Out, std::size_t Width>
void fft(stream<vector<std::complex<In>, Width>>& in, stream<vector<std::complex<Out>, Width>>& out) {
  static_assert(Width == Config::super_sample_rate, "hls::fft: a word has as many samples as super_sample_rate says");
  vector<std::complex<In>, Width> word;
  vector<std::complex<Out>, Width> made;
  std::size_t taken = Width;
  std::size_t given = 0;
  fft_detail::run<Config, In, Out>(
      !Config::systolicfft_inv,
      [&] {
        if (taken == Width) {
          word = in.read();
          taken = 0;
        }
        return word[taken++];
      },
      [&](const std::complex<Out>& value) {
        made[given++] = value;
        if (given == Width) {
          out.write(made);
          given = 0;
        }
      });
}

}  // namespace hls
