// Stages of decimation-in-time FFTs, radix 2 and 4 [aie_api reference, FFT; UG1603 Fast Fourier Transform].
//
// A stage of `Vectorization` V on n samples works on V transforms of n / V samples that lie side by side: element k of
// transform v is at k * V + v. It makes each from R = radix transforms of the stage before, number v + r * V, so samples
// go in and spectra come out in natural order. Integers are rounded once, at the output, by the core's modes: the
// documents say no more.
#ifndef AIE_API_DETAIL_FFT_H
#define AIE_API_DETAIL_FFT_H

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
                "aie::fft_dit: cint16, cint32, or cfloat throughout [aie-fft]");
  static_assert(kFirstFor<In> || std::is_same_v<Tw, cint16>,
                "aie::fft_dit: AIE-ML takes cint16 twiddles with cint16 or cint32 data [aie-fft]");
}

inline void check_fft_size(unsigned n, unsigned part) {
  if (n == 0 || n % part != 0) [[unlikely]] {
    aieloom::refuse("aie-fft", "a stage's samples are no multiple of its radix times its vectorization",
                    "stages are numbered by their vectorization: n / radix first, 1 last");
  }
}

/// One stage; tables[r - 1] holds the twiddles of rate r.
template <unsigned R, unsigned V, typename In, typename Tw, typename Out>
inline void fft_stage(const In* x, const Tw* const (&tables)[R - 1], unsigned n, int shift_tw, int shift, bool inverse,
                      Out* out) {
  check_fft_types<In, Tw, Out>();
  check_fft_size(n, R * V);
  check_alignment(x, 16, "aie::fft_dit, samples");
  check_alignment(out, 16, "aie::fft_dit, output");
  constexpr bool floats = is_float<In>;
  using S = std::conditional_t<floats, float, int128>;
  constexpr unsigned rate = elementwise_rate<Tw, In>();
  aieloom::count_mac((n / R * (R - 1) + rate - 1) / rate, n / R * (R - 1));
  const unsigned turns = n / (R * V);
  const Conversion narrow(floats ? 0 : shift + shift_tw, floats ? 32 : number_bits<Out>, true);
  for (unsigned k = 0; k < turns; ++k) {
    for (unsigned v = 0; v < V; ++v) {
      FftSum<S> part[R];
      for (unsigned r = 0; r < R; ++r) {
        const In in = x[k * R * V + r * V + v];
        if (r > 0) {
          part[r] = fft_product<S>(in, tables[r - 1][k], inverse);
        } else if constexpr (floats) {
          part[r] = {in.real, in.imag};
        } else {
          part[r] = {static_cast<S>(in.real) << shift_tw, static_cast<S>(in.imag) << shift_tw};
        }
      }
      for (unsigned q = 0; q < R; ++q) {
        FftSum<S> sum = part[0];
        for (unsigned r = 1; r < R; ++r) {
          const unsigned quarters = r * q * (4 / R);
          sum = fft_turned(sum, part[r], inverse ? 4 - quarters % 4 : quarters);
        }
        Out& to = out[(q * turns + k) * V + v];
        if constexpr (floats) {
          to = {sum.real, sum.imag};
        } else {
          using N = decltype(Out::real);
          to = {static_cast<N>(narrow(sum.real)), static_cast<N>(narrow(sum.imag))};
        }
      }
    }
  }
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

}  // namespace aie

#endif  // AIE_API_DETAIL_FFT_H
