// Stages of decimation-in-time FFTs, radix 2 and 4 [aie_api reference, FFT; UG1603 Fast Fourier Transform].
//
// A stage of `Vectorization` V on n samples works on V transforms of n / V samples that lie side by side: element k of
// transform v is at k * V + v. It makes each from R = radix transforms of the stage before, number v + r * V, so samples
// go in and spectra come out in natural order. Where integers are rounded: see FftButterfly.
#pragma once

#include <array>  // with the categories of iterators, as in iterator.h

#include "aie_api/detail/memory.h"
#include "aie_api/detail/product.h"
#include "aie_api/detail/srs.h"

namespace aie {

namespace detail {

/// A complex sum wide enough for every sum of products here.
template <typename S>
struct FftSum {
  S real, imag;
};
template <typename S, typename A, typename B>
inline FftSum<S> fft_product(A a, B b, bool conjugate) {
  const S ar = static_cast<S>(a.real), ai = static_cast<S>(a.imag);
  const S br = static_cast<S>(b.real), bi = conjugate ? -static_cast<S>(b.imag) : static_cast<S>(b.imag);
  return {ar * br - ai * bi, ar * bi + ai * br};
}
/// s + x * (-i)^quarters.
template <typename S>
inline FftSum<S> fft_turned(FftSum<S> s, FftSum<S> x, unsigned quarters) {
  switch (quarters % 4) {
    case 0:
      return {s.real + x.real, s.imag + x.imag};
    case 1:
      return {s.real + x.imag, s.imag - x.real};
    case 2:
      return {s.real - x.real, s.imag - x.imag};
    default:
      return {s.real - x.imag, s.imag + x.real};
  }
}

template <typename In, typename Tw, typename Out>
consteval void check_fft_types() {
  static_assert(is_complex<In> && is_complex<Out> && is_complex<Tw> && is_float<In> == is_float<Out> &&
                    is_float<In> == is_float<Tw>,
                "aie::fft_dit: cint16, cint32, cfloat or cbfloat16 throughout [aie-fft]");
}
/// Refused where a stage runs: AMD's DSP library names stages of cfloat for AIE-ML too, and calls none of them there.
template <typename In, typename Tw, typename Out>
inline void check_fft_architecture() {
  if constexpr (!kFirst && !is_one_of<Tw, cint16> && !(is_cbfloat16<Tw> && is_cbfloat16<In> && is_cbfloat16<Out>)) {
    aieloom::refuse("aie-fft", "a stage of types that AIE-ML has not",
                    "AIE-ML takes cint16 twiddles with cint16 or cint32 data, and cbfloat16 throughout");
  }
}

inline void check_fft_size(unsigned n, unsigned part) {
  if (n == 0 || n % part != 0) [[unlikely]] {
    aieloom::refuse("aie-fft", "a stage's samples are no multiple of its radix times its vectorization",
                    "stages are numbered by their vectorization: n / radix first, 1 last");
  }
}

/// One group of R samples, turned by their twiddles (tw[r - 1] is that of sample r) and added up.
///
/// `shift` alone narrows the output; `shift_tw` says where the twiddles' point is. Integers of radix 4 on AIE go through
/// two halves of radix 2 with a vector of cint32 between them, and the last table is not read; with cint32 twiddles the
/// turned half alone is such a vector, in the samples' type [as AMD's published aie_api has it: Xilinx/aie_api, fft.hpp
/// and detail/aie1. AIE-ML sums first and rounds once].
template <unsigned R, typename In, typename Tw, typename Out>
struct FftButterfly {
  static constexpr bool kFloats = is_float<In>;
  static constexpr bool kHalves = kFirst && !kFloats && R == 4;
  /// Tables that are read.
  static constexpr unsigned kTables = kHalves ? 2 : R - 1;
  using S = std::conditional_t<kFloats, float, int128>;
  using Half = std::conditional_t<std::is_same_v<Tw, cint32>, In, cint32>;

  FftButterfly(int shift_tw, int shift, bool inverse)
      : point(shift_tw),
        is_inverse(inverse),
        between(kFloats ? 0 : shift_tw, kFloats ? 32 : number_bits<Half>, true),
        narrow(kFloats ? 0 : shift, kFloats ? 32 : number_bits<Out>, true) {}

  void operator()(const In (&in)[R], const Tw (&tw)[R - 1], Out (&out)[R]) const {
    if constexpr (kHalves) {
      const Sum a = in_wide(in[0]), at = fft_product<S>(in[2], tw[1], is_inverse);
      const Sum b = in_wide(in[1]), bt = fft_product<S>(in[3], tw[1], is_inverse);
      for (unsigned q = 0; q < 2; ++q) {
        const Sum even = kept(fft_turned(a, at, 2 * q));
        const Sum odd = fft_turned(b, bt, 2 * q);
        const Sum turned = fft_product<S>(Wide{between(odd.real), between(odd.imag)}, tw[0], is_inverse);
        for (unsigned half = 0; half < 2; ++half) {
          const unsigned quarters = q + 2 * half;
          out[quarters] = written(fft_turned(even, turned, is_inverse ? 4 - quarters : quarters));
        }
      }
    } else {
      Sum part[R] = {in_wide(in[0])};
      for (unsigned r = 1; r < R; ++r) {
        part[r] = fft_product<S>(in[r], tw[r - 1], is_inverse);
      }
      for (unsigned q = 0; q < R; ++q) {
        Sum sum = part[0];
        for (unsigned r = 1; r < R; ++r) {
          const unsigned quarters = r * q * (4 / R);
          sum = fft_turned(sum, part[r], is_inverse ? 4 - quarters % 4 : quarters);
        }
        out[q] = written(sum);
      }
    }
  }

 private:
  using Sum = FftSum<S>;
  struct Wide {
    S real, imag;
  };

  Sum in_wide(In x) const {
    if constexpr (kFloats) {
      return {x.real, x.imag};
    } else {
      return {static_cast<S>(x.real) << point, static_cast<S>(x.imag) << point};
    }
  }
  /// The even half: a vector of integers again, but with cint32 twiddles it stays in its accumulator.
  Sum kept(Sum s) const {
    if constexpr (std::is_same_v<Tw, cint32>) {
      return s;
    } else {
      return {static_cast<S>(between(s.real)) << point, static_cast<S>(between(s.imag)) << point};
    }
  }
  Out written(Sum s) const {
    if constexpr (kFloats) {
      return {s.real, s.imag};
    } else {
      using N = decltype(Out::real);
      return {static_cast<N>(narrow(s.real)), static_cast<N>(narrow(s.imag))};
    }
  }

  int point;
  bool is_inverse;
  Conversion between;
  Conversion narrow;
};

/// Output m of each of the R parts of a stage's output; tables[r - 1] holds the twiddles of rate r.
template <unsigned R, unsigned V, typename In, typename Tw, typename Out>
inline void fft_group(const In* x, const Tw* const (&tables)[R - 1], unsigned m, const FftButterfly<R, In, Tw, Out>& butterfly,
                      Out (&out)[R]) {
  const unsigned turn = m / V, lane = m % V;
  In in[R];
  Tw tw[R - 1] = {};
  for (unsigned r = 0; r < R; ++r) {
    in[r] = x[turn * R * V + r * V + lane];
  }
  for (unsigned r = 0; r < FftButterfly<R, In, Tw, Out>::kTables; ++r) {
    tw[r] = tables[r][turn];
  }
  butterfly(in, tw, out);
}

template <unsigned R, unsigned V, typename In, typename Tw, typename Out>
inline void fft_stage(const In* x, const Tw* const (&tables)[R - 1], unsigned n, int shift_tw, int shift, bool inverse,
                      Out* out) {
  check_fft_types<In, Tw, Out>();
  check_fft_architecture<In, Tw, Out>();
  check_fft_size(n, R * V);
  check_alignment(x, 16, "aie::fft_dit, samples");
  check_alignment(out, 16, "aie::fft_dit, output");
  constexpr unsigned rate = elementwise_rate<Tw, In>();
  aieloom::count_mac((n / R * (R - 1) + rate - 1) / rate, n / R * (R - 1));
  const FftButterfly<R, In, Tw, Out> butterfly(shift_tw, shift, inverse);
  for (unsigned m = 0; m < n / R; ++m) {
    Out group[R];
    fft_group<R, V>(x, tables, m, butterfly, group);
    for (unsigned q = 0; q < R; ++q) {
      out[q * (n / R) + m] = group[q];
    }
  }
}

/// How many outputs fft_dit::dit makes of each part.
template <unsigned R, typename In, typename Out, typename Tw>
consteval unsigned fft_lanes() {
  if (!kFirst) {
    return 8;
  }
  if (std::is_same_v<Tw, cint16>) {
    return std::is_same_v<In, cint16> && R == 2 ? 8 : 4;
  }
  return std::is_same_v<In, cint32> && std::is_same_v<Out, cint32> ? 2 : 4;
}

template <typename... Any>
inline void fft_odd_radix() {
  static_assert(kNever<Any...>,
                "aie::fft_dit_r3_stage, _r5_stage: no public document gives the constants of radix 3 and 5 bit for bit "
                "[aie-fft]; use radix 2 and 4");
}

}  // namespace detail

template <unsigned Vectorization, typename Input, typename Output, typename Twiddle>
inline void fft_dit_r2_stage(const Input* x, const Twiddle* tw, unsigned n, unsigned shift_tw, unsigned shift, bool inv,
                             Output* out) {
  detail::fft_stage<2, Vectorization>(x, {tw}, n, static_cast<int>(shift_tw), static_cast<int>(shift), inv, out);
}
template <unsigned Vectorization, typename Input, typename Output, typename Twiddle>
inline void fft_dit_r2_stage(const Input* x, const Twiddle* tw, unsigned n, bool inv, Output* out) {
  static_assert(detail::is_float<Input>, "aie::fft_dit_r2_stage: integers need shift_tw and shift [aie-fft]");
  detail::fft_stage<2, Vectorization>(x, {tw}, n, 0, 0, inv, out);
}
/// The tables' order is the reference's: tw1 turns slowest, then tw0, then tw2.
template <unsigned Vectorization, typename Input, typename Output, typename Twiddle>
inline void fft_dit_r4_stage(const Input* x, const Twiddle* tw0, const Twiddle* tw1, const Twiddle* tw2, unsigned n,
                             unsigned shift_tw, unsigned shift, bool inv, Output* out) {
  detail::fft_stage<4, Vectorization>(x, {tw1, tw0, tw2}, n, static_cast<int>(shift_tw), static_cast<int>(shift), inv,
                                      out);
}
template <unsigned Vectorization, typename Input, typename Output, typename Twiddle>
inline void fft_dit_r4_stage(const Input* x, const Twiddle* tw0, const Twiddle* tw1, const Twiddle* tw2, unsigned n,
                             bool inv, Output* out) {
  static_assert(detail::is_float<Input>, "aie::fft_dit_r4_stage: integers need shift_tw and shift [aie-fft]");
  detail::fft_stage<4, Vectorization>(x, {tw1, tw0, tw2}, n, 0, 0, inv, out);
}
template <unsigned Vectorization, typename... Arguments>
inline void fft_dit_r3_stage(const Arguments&...) {
  detail::fft_odd_radix<Arguments...>();
}
template <unsigned Vectorization, typename... Arguments>
inline void fft_dit_r5_stage(const Arguments&...) {
  detail::fft_odd_radix<Arguments...>();
}

/// A stage, vector by vector: the interface that fft_dit_r2_stage and _r4_stage replaced, and that libraries still call.
/// The i-th value of begin_stage() makes vector i of each of the Radix parts of the output.
template <unsigned Vectorization, unsigned Radix, typename Input, typename Output = Input,
          typename Twiddle = std::conditional_t<detail::is_float<Input>, Input, cint16>>
class fft_dit {
  static_assert(Radix == 2 || Radix == 4,
                "aie::fft_dit: no public document gives the constants of radix 3 and 5 bit for bit [aie-fft]; use radix 2 "
                "and 4");

 public:
  static constexpr unsigned out_vector_size = detail::fft_lanes<Radix, Input, Output, Twiddle>();
  static constexpr unsigned num_out_vector = Radix;
  static constexpr unsigned min_point_size = out_vector_size * num_out_vector;
  using output_data = std::array<vector<Output, out_vector_size>, Radix>;

  struct input_data {
    const Input* samples;
    const Twiddle* tables[Radix - 1];
    unsigned first;
  };
  class stage_iterator {
   public:
    using value_type = input_data;
    using reference = input_data;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;

    explicit stage_iterator(const input_data& start) : now_(start) {}
    input_data operator*() const { return now_; }
    stage_iterator& operator++() {
      now_.first += out_vector_size;
      return *this;
    }
    stage_iterator operator++(int) {
      const stage_iterator before = *this;
      ++*this;
      return before;
    }

   private:
    input_data now_;
  };

  stage_iterator begin_stage(const Input* x, const Twiddle* tw) const {
    static_assert(Radix == 2, "aie::fft_dit::begin_stage: radix 4 takes three tables of twiddles");
    return start(x, {x, {tw}, 0});
  }
  /// The tables' order is that of fft_dit_r4_stage; on AIE integers do without the last.
  stage_iterator begin_stage(const Input* x, const Twiddle* tw0, const Twiddle* tw1, const Twiddle* tw2 = nullptr) const {
    static_assert(Radix == 4, "aie::fft_dit::begin_stage: radix 2 takes one table of twiddles");
    if (tw2 == nullptr && detail::FftButterfly<Radix, Input, Twiddle, Output>::kTables == 3) [[unlikely]] {
      aieloom::refuse("aie-fft", "fft_dit::begin_stage: the third table of twiddles is missing", "give it");
    }
    return start(x, {x, {tw1, tw0, tw2}, 0});
  }
  output_data dit(const input_data& data, unsigned shift_tw, unsigned shift, bool inv) const {
    detail::check_fft_types<Input, Twiddle, Output>();
    detail::check_fft_architecture<Input, Twiddle, Output>();
    aieloom::count_mac(1, out_vector_size * (Radix - 1));
    const detail::FftButterfly<Radix, Input, Twiddle, Output> butterfly(static_cast<int>(shift_tw),
                                                                        static_cast<int>(shift), inv);
    output_data made;
    for (unsigned i = 0; i < out_vector_size; ++i) {
      Output group[Radix];
      detail::fft_group<Radix, Vectorization>(data.samples, data.tables, data.first + i, butterfly, group);
      for (unsigned q = 0; q < Radix; ++q) {
        made[q].set(group[q], i);
      }
    }
    return made;
  }

 private:
  static stage_iterator start(const Input* x, const input_data& data) {
    detail::check_alignment(x, 16, "aie::fft_dit, samples");
    return stage_iterator(data);
  }
};

}  // namespace aie
