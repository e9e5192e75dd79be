// The class of fir.h.
#include "fir.h"

FIR::FIR(int32 (&coefficients)[NUM_COEFFS], uint32 samples) : coeffs(coefficients) {
  for (int i = 0; i < NUM_COEFFS; i++) {
    tapDelayLine[i].real = 0;
    tapDelayLine[i].imag = 0;
  }
  numSamples = samples;
}

void FIR::filter(input_window<cint32>* in, output_window<cint32>* out) {
  for (int i = 0; i < numSamples; i++) {
    for (int j = NUM_COEFFS - 1; j > 0; --j) tapDelayLine[j] = tapDelayLine[j - 1];
    tapDelayLine[0] = window_readincr(in);
    cint32 y = {0, 0};
    for (int j = 0; j < NUM_COEFFS; j++) {
      y.real += tapDelayLine[j].real * coeffs[j];
      y.imag += tapDelayLine[j].imag * coeffs[j];
    }
    window_writeincr(out, y);
  }
}
