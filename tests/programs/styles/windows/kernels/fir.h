// A kernel class: coefficients are a parameter, the delay line its state.
#pragma once
#include <adf.h>
#include "include.h"

class FIR {
 private:
  int32 (&coeffs)[NUM_COEFFS];
  cint32 tapDelayLine[NUM_COEFFS];
  uint32 numSamples;

 public:
  FIR(int32 (&coefficients)[NUM_COEFFS], uint32 samples);

  void filter(input_window<cint32>* in, output_window<cint32>* out);

  static void registerKernelClass() {
    REGISTER_FUNCTION(FIR::filter);
    REGISTER_PARAMETER(coeffs);
  };
};
