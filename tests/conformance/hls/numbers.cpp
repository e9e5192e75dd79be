// ap_float, FIR filters and Fourier transforms: numbers in, numbers out; the test has their definitions.
#include <ap_fixed.h>
#include <ap_float.h>
#include <hls_fft.h>
#include <hls_fir.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>
#include <string>

namespace {

/// Lines of an operation and three numbers by their bits; an answer for each, of sixteen digits.
template <int W, int E>
void floats() {
  using F = ap_float<W, E>;
  static_assert(sizeof(F) == sizeof(std::uint64_t));
  std::string operation;
  std::uint64_t bits[3];
  while (std::cin >> operation >> std::hex >> bits[0] >> bits[1] >> bits[2]) {
    const F a = std::bit_cast<F>(bits[0]);
    const F b = std::bit_cast<F>(bits[1]);
    const F c = std::bit_cast<F>(bits[2]);
    if (operation == "compare") {
      std::printf("%d%d%d%d%d%d\n", a < b, a <= b, a == b, a != b, a >= b, a > b);
      continue;
    }
    const F made = operation == "add"    ? a + b
                   : operation == "sub"  ? a - b
                   : operation == "mul"  ? a * b
                   : operation == "div"  ? a / b
                   : operation == "sqrt" ? hls::sqrt(a)
                   : operation == "fma"  ? hls::fma(a, b, c)
                                         : F(std::bit_cast<double>(bits[0]));  // "from": a double
    std::printf("%016lx\n", std::bit_cast<std::uint64_t>(made));
  }
}

constexpr unsigned kTaps = 7;
constexpr unsigned kFrame = 24;

struct Plain : hls::ip_fir::params_t {
  static const unsigned num_coeffs = kTaps;
  static const unsigned coeff_sets = 2;
  static const unsigned coeff_fractional_bits = 3;
  static const unsigned input_fractional_bits = 2;
  static const unsigned output_fractional_bits = 5;
  static const unsigned input_length = kFrame;
  static const unsigned output_length = kFrame;
  static constexpr double coeff_vec[2 * kTaps] = {0.125, -2, 3.5, 40, 3.5, -2, 0.125, 1, 2, 3, -4, 5.25, 6, -7};
};
struct Up : Plain {
  static const unsigned filter_type = hls::ip_fir::interpolation;
  static const unsigned interp_rate = 3;
  static const unsigned output_length = 3 * kFrame;
};
struct Down : Plain {
  static const unsigned filter_type = hls::ip_fir::decimation;
  static const unsigned decim_rate = 4;
  static const unsigned output_length = kFrame / 4;
};
struct Rounded : Plain {
  static const unsigned coeff_sets = 1;
  static const unsigned quantization = hls::ip_fir::quantize_only;
  static constexpr double coeff_vec[kTaps] = {0.3, -0.3, 1.1, 0.06, 0.0624, -5.01, 2};
};

/// Frames of whole numbers (quarters), each after the number of its set.
template <typename Config>
void filtered() {
  static hls::FIR<Config> filter;
  using In = ap_fixed<16, 14>;
  using Out = ap_fixed<40, 35>;
  int set = 0;
  while (std::cin >> set) {
    In in[kFrame];
    Out out[Config::output_length];
    for (In& sample : in) {
      int quarters = 0;
      std::cin >> quarters;
      sample = In(quarters / 4.0);
    }
    ap_uint<8> chosen = set;
    filter.run(in, out, &chosen);
    for (const Out& sample : out) {
      std::printf("%.17g\n", sample.to_double());
    }
  }
}

struct Transform : hls::ip_fft::params_t {
  static const unsigned max_nfft = 6;
};
struct Wide : hls::ip_fft::ssr_params_t {
  static const unsigned max_nfft = 6;
  static const unsigned super_sample_rate = 4;
};

/// 64 complex numbers: forwards in the core's own order, backwards in the natural one by streams of four.
void transformed() {
  using Sample = std::complex<float>;
  Sample in[64];
  Sample out[64];
  hls::stream<hls::vector<Sample, 4>> words;
  hls::stream<hls::vector<Sample, 4>> results;
  for (int i = 0; i < 64; ++i) {
    float re = 0;
    float im = 0;
    std::cin >> re >> im;
    in[i] = {re, im};
  }
  for (int i = 0; i < 64; i += 4) {
    words.write({in[i], in[i + 1], in[i + 2], in[i + 3]});
  }
  bool overflow = true;
  hls::fft<Transform>(in, out, ap_uint<1>(0), ap_uint<6>(0), -1, &overflow);
  for (const Sample& sample : out) {
    std::printf("%.9g %.9g\n", sample.real(), sample.imag());
  }
  hls::fft<Wide>(words, results);
  while (!results.empty()) {
    for (const Sample& sample : results.read()) {
      std::printf("%.9g %.9g\n", sample.real(), sample.imag());
    }
  }
}

void prefixed() {
  std::complex<float> in[64];
  std::complex<float> out[64];
  bool overflow = false;
  hls::fft<Transform>(in, out, true, 0, 16, &overflow);
}

}  // namespace

int main() {
  const std::map<std::string, void (*)()> cases = {
      {"half", floats<16, 5>},     {"bfloat16", floats<16, 8>}, {"odd", floats<18, 5>},     {"float", floats<32, 8>},    {"double", floats<64, 11>},
      {"plain", filtered<Plain>}, {"up", filtered<Up>},        {"down", filtered<Down>}, {"rounded", filtered<Rounded>}, {"fft", transformed}, {"prefix", prefixed}};
  std::string name;
  std::cin >> name;
  cases.at(name)();
  return 0;
}
