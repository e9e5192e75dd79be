// A kernel class in the way of a DSP library: a base with the arithmetic, a template for each kind of interface.
#ifndef FIR_REF_HPP
#define FIR_REF_HPP
#include <adf.h>

#include <vector>

namespace lib::dsp::aie {

template <typename TT_DATA, typename TT_COEFF, unsigned TP_FIR_LEN, unsigned TP_SHIFT>
class kernelBase {
 protected:
  alignas(32) TT_COEFF internalTaps[TP_FIR_LEN];
  TT_DATA history[TP_FIR_LEN] = {};

 public:
  kernelBase() = default;
  kernelBase(const TT_COEFF (&taps)[TP_FIR_LEN]) {
    for (unsigned i = 0; i < TP_FIR_LEN; ++i) internalTaps[TP_FIR_LEN - 1 - i] = taps[i];
  }
  void setTaps(const TT_COEFF (&taps)[TP_FIR_LEN]);
  int64 next(TT_DATA x);
};

/// Interfaces: cascade in and out or not, coefficients reloaded by a run-time parameter or not.
template <typename TT_DATA, typename TT_COEFF, unsigned TP_FIR_LEN, unsigned TP_SHIFT, bool TP_CASC_IN, bool TP_CASC_OUT,
          unsigned TP_USE_COEFF_RELOAD>
class fir;

// the only kernel
template <typename TT_DATA, typename TT_COEFF, unsigned TP_FIR_LEN, unsigned TP_SHIFT>
class fir<TT_DATA, TT_COEFF, TP_FIR_LEN, TP_SHIFT, false, false, 0>
    : public kernelBase<TT_DATA, TT_COEFF, TP_FIR_LEN, TP_SHIFT> {
 public:
  fir(const TT_COEFF (&taps)[TP_FIR_LEN]) : kernelBase<TT_DATA, TT_COEFF, TP_FIR_LEN, TP_SHIFT>(taps) {}
  static void registerKernelClass() { REGISTER_FUNCTION(fir::filter); }
  void filter(adf::input_buffer<TT_DATA>& inWindow, adf::output_buffer<TT_DATA>& outWindow);
};

// the only kernel, coefficients by run-time parameter
template <typename TT_DATA, typename TT_COEFF, unsigned TP_FIR_LEN, unsigned TP_SHIFT>
class fir<TT_DATA, TT_COEFF, TP_FIR_LEN, TP_SHIFT, false, false, 1>
    : public kernelBase<TT_DATA, TT_COEFF, TP_FIR_LEN, TP_SHIFT> {
 public:
  fir() = default;
  static void registerKernelClass() { REGISTER_FUNCTION(fir::filter); }
  void filter(adf::input_buffer<TT_DATA>& inWindow, adf::output_buffer<TT_DATA>& outWindow,
              const TT_COEFF (&inTaps)[TP_FIR_LEN]);
};

// the first of a cascade
template <typename TT_DATA, typename TT_COEFF, unsigned TP_FIR_LEN, unsigned TP_SHIFT>
class fir<TT_DATA, TT_COEFF, TP_FIR_LEN, TP_SHIFT, false, true, 0>
    : public kernelBase<TT_DATA, TT_COEFF, TP_FIR_LEN, TP_SHIFT> {
 public:
  fir(const TT_COEFF (&taps)[TP_FIR_LEN]) : kernelBase<TT_DATA, TT_COEFF, TP_FIR_LEN, TP_SHIFT>(taps) {}
  static void registerKernelClass() { REGISTER_FUNCTION(fir::filter); }
  void filter(adf::input_async_buffer<TT_DATA>& inWindow, adf::output_buffer<TT_DATA>& pass, output_cascade<acc80>* outCascade);
};

// the last
template <typename TT_DATA, typename TT_COEFF, unsigned TP_FIR_LEN, unsigned TP_SHIFT>
class fir<TT_DATA, TT_COEFF, TP_FIR_LEN, TP_SHIFT, true, false, 0>
    : public kernelBase<TT_DATA, TT_COEFF, TP_FIR_LEN, TP_SHIFT> {
 public:
  fir(const TT_COEFF (&taps)[TP_FIR_LEN]) : kernelBase<TT_DATA, TT_COEFF, TP_FIR_LEN, TP_SHIFT>(taps) {}
  static void registerKernelClass() { REGISTER_FUNCTION(fir::filter); }
  void filter(adf::input_buffer<TT_DATA>& inWindow, input_cascade<acc80>* inCascade, adf::output_buffer<TT_DATA>& outWindow);
};

}  // namespace lib::dsp::aie

#endif  // FIR_REF_HPP
