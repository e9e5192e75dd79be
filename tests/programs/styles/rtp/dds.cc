// A generator that a parameter starts, and a filter whose coefficients change.
#include <adf.h>

#include <aie_api/aie.hpp>

#include "kernels.h"

int32 phase = 0;  // state between calls

void sine(const int32 phase_in, output_buffer<cint16>& owin) {
  auto out = aie::begin(owin);
  for (unsigned i = 0; i < owin.size(); i++) {
    *out++ = cint16{(int16)(phase % 100), (int16)(-phase % 37)};
    phase += phase_in;
  }
}

void fir(input_buffer<cint16>& cb_input, const int32 (&coefficients)[12], output_buffer<cint16>& cb_output) {
  auto in = aie::begin(cb_input);
  auto out = aie::begin(cb_output);
  for (unsigned i = 0; i < cb_output.size(); i++) {
    cint16 x = *in++;
    *out++ = cint16{(int16)(x.real * coefficients[0]), (int16)(x.imag * coefficients[11])};
  }
}

void trigger(int32 size, output_stream<int32>* out) {
  for (int i = 0; i < 4; i++) writeincr(out, size * 10 + i);
}
